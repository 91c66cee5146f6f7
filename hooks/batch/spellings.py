"""Properties that v20230501 has under two names, and v20240701 under one."""

from __future__ import annotations

from typing import Any, Final

from generated.batch.v20230501.storage import AssignableBatchAccountSpec, AssignablePoolSpec
from holdall import (
    BagView,
    Claims,
    Composed,
    JsonValue,
    SharedHook,
    is_null,
    override,
    set_absent,
    set_null,
)
from holdall.text.json import copy

HIDDEN: Final = "hidden"


class OlderSpelling(SharedHook):
    """Shows a property under its one name, whichever of two names it was written under.

    If both are there, `name` is shown and the value of `older` is hidden in the bag; if only
    `older` is there, a mark says so. On the way back the spelling that was shown takes the live
    value, edited or not. After a deletion both go: else the hidden value would appear instead
    of the deleted one.

    Names are wire names and attributes at once, so they are single words; values are plain JSON.
    """

    def __init__(self, *, name: str, older: str) -> None:
        self.name = name
        self.older = older
        self.mark = f"{older}WasWritten"

    @override
    def claims_to(self) -> Claims:
        return Claims(reads=(self.name, self.older), writes=(self.name, f"bag:{self.mark}"))

    @override
    def claims_from(self) -> Claims:
        return Claims(reads=(self.name, f"bag:{self.mark}"), writes=(self.name, self.older))

    @override
    def assign_properties_to(self, source: Any, destination: Any, bag: BagView) -> None:
        if not _is_there(source, self.older):
            return
        value = copy(getattr(source, self.older))
        if _is_there(source, self.name):
            bag.put(self.mark, {HIDDEN: value})
        else:
            _assign(destination, self.name, value)
            bag.put(self.mark, {})

    @override
    def assign_properties_from(self, source: Any, destination: Any, bag: BagView) -> None:
        mark = bag.get(self.mark)
        if not isinstance(mark, dict) or not _is_there(source, self.name):
            return
        if HIDDEN in mark:
            _assign(destination, self.older, mark[HIDDEN])
        else:
            _assign(destination, self.older, copy(getattr(source, self.name)))
            set_absent(destination, self.name)


class AccountSpellings(Composed, AssignableBatchAccountSpec):
    """The owners of an account were once its contacts."""

    parts = (OlderSpelling(name="owners", older="contacts"),)


class PoolSpellings(Composed, AssignablePoolSpec):
    """The zones of a pool were once its placement."""

    parts = (OlderSpelling(name="zones", older="placement"),)


def _is_there(twin: Any, name: str) -> bool:
    return getattr(twin, name) is not None or is_null(twin, name)


def _assign(twin: Any, name: str, value: JsonValue) -> None:
    if value is None:
        set_null(twin, name)
    else:
        setattr(twin, name, value)

"""Properties that v20230501 has under two names, and v20240701 under one."""

from __future__ import annotations

from typing import Any

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
from holdall.json import copy, same


class OlderSpelling(SharedHook):
    """Shows a property under its one name, whichever of two names it was written under.

    `name` wins if both are there. The pair as it was written is kept whenever the older spelling
    was used, and comes back as long as it still shows the live value. After an edit, the spelling
    that was shown takes the new value; after a deletion both go, for else the hidden one would
    appear in place of what was deleted.

    Names are wire names and attributes at once, so they are single words; values are plain JSON.
    """

    def __init__(self, *, name: str, older: str) -> None:
        self.name = name
        self.older = older
        self.kept = f"{name}AsWritten"

    @override
    def claims_to(self) -> Claims:
        return Claims(reads=(self.name, self.older), writes=(self.name, f"bag:{self.kept}"))

    @override
    def claims_from(self) -> Claims:
        return Claims(reads=(self.name, f"bag:{self.kept}"), writes=(self.name, self.older))

    @override
    def assign_properties_to(self, source: Any, destination: Any, bag: BagView) -> None:
        written = _members(source, self.name, self.older)
        if self.older in written:
            _assign(destination, self.name, self._shown(written))
            bag.put(self.kept, written)

    @override
    def assign_properties_from(self, source: Any, destination: Any, bag: BagView) -> None:
        live = _members(source, self.name)
        written = bag.get(self.kept)
        if not isinstance(written, dict):
            return
        if not live:
            restored: dict[str, JsonValue] = {}
        elif same(self._shown(written), live):
            restored = written
        else:
            shown = self.name if self.name in written else self.older
            restored = {**written, shown: live[self.name]}
        for name in (self.name, self.older):
            part = {name: restored[name]} if name in restored else {}
            _assign(destination, name, part)

    def _shown(self, written: dict[str, JsonValue]) -> dict[str, JsonValue]:
        return {self.name: written.get(self.name, written.get(self.older))}


class AccountSpellings(Composed, AssignableBatchAccountSpec):
    """The owners of an account were its contacts once."""

    parts = (OlderSpelling(name="owners", older="contacts"),)


class PoolSpellings(Composed, AssignablePoolSpec):
    """The zones of a pool were its placement once."""

    parts = (OlderSpelling(name="zones", older="placement"),)


def _members(twin: Any, *names: str) -> dict[str, JsonValue]:
    """Return the members of those names that are there, null included."""
    found = {name: copy(getattr(twin, name)) for name in names}
    return {
        name: value for name, value in found.items() if value is not None or is_null(twin, name)
    }


def _assign(twin: Any, name: str, members: dict[str, JsonValue]) -> None:
    """Make the member what `members` has under its name: a value, null, or absent."""
    if name not in members:
        set_absent(twin, name)
    elif members[name] is None:
        set_null(twin, name)
    else:
        setattr(twin, name, copy(members[name]))

"""Which Ambassador and which Mappings an object belongs to."""

from __future__ import annotations

from typing import Any, Final

from holdall import Members, TwoWay, override

PREFIX: Final = "--apiVersion-v3alpha1-only--"


class AmbassadorId(TwoWay):
    """In v2, an id of the newer version carries a prefix, and absent means the default (R-AID).

    A Host of v2 has a second list in `alias`, which is appended to the first (R-HOSTAID).
    """

    newer = ("ambassador_id",)

    def __init__(self, *alias: str) -> None:
        self.older = ("ambassador_id", *alias)

    @override
    def to_newer(self, older: Members) -> Members:
        lists = [as_list(older.get(name)) for name in self.older]
        if not any(isinstance(ids, list) for ids in lists):
            return {name: None for name in self.newer if name in older}
        ids = [id_ for ids in lists if isinstance(ids, list) for id_ in ids]
        return {"ambassador_id": [_without_prefix(id_) for id_ in ids]}

    @override
    def to_older(self, newer: Members) -> Members:
        ids = newer.get("ambassador_id")
        prefixed = [_with_prefix(id_) for id_ in (["default"] if ids is None else ids)]
        return {"ambassador_id": prefixed} if prefixed else {}


class MappingSelector(TwoWay):
    """The selector of v2 is the mappingSelector; v3alpha1 has selector as an alias (R-HOSTSEL)."""

    older = ("selector",)
    newer = ("mappingSelector", "selector")

    @override
    def to_newer(self, older: Members) -> Members:
        return {"mappingSelector": value for value in older.values()}

    @override
    def to_older(self, newer: Members) -> Members:
        names = [name for name in self.newer if newer.get(name) is not None] or [*newer]
        return {"selector": newer[name] for name in names[:1]}


def as_list(value: Any) -> Any:
    """Return the list of one that a string stands for, and anything else as it is."""
    return [value] if isinstance(value, str) else value


def _with_prefix(id_: Any) -> Any:
    return PREFIX + id_.removeprefix(PREFIX) if isinstance(id_, str) else id_


def _without_prefix(id_: Any) -> Any:
    return id_.removeprefix(PREFIX) if isinstance(id_, str) else id_

"""The steps of two-way hooks, and what judges bags at the end of an edge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from holdall.objects.views import StorageObject
from holdall.text import json as _json
from holdall.types import JsonObject


class Way(Protocol):
    """A step of a hook that works on JSON members: see `holdall.engine.two_way`."""

    key: str
    reads: frozenset[str]
    writes: frozenset[str]

    def settled(self, back: Any, live: JsonObject, kept: Any) -> Any:
        """Return what would be kept of live members that crossed over and came `back`."""
        ...

    def members_of(self, members: JsonObject) -> JsonObject:
        """Return those of an object's members that it reads."""
        ...


Bag: TypeAlias = dict[str, JsonObject]


class Residue(NamedTuple):
    """What a two-way hook keeps of members of the source, or the destination, beyond the edge."""

    of_source: bool
    origin: str
    there: Way
    back: Way

    def settle(self, live: JsonObject, bag: Bag) -> None:
        """Leave in the bag what a way there and back would leave."""
        try:
            rest = self.there.settled(self.back, live, bag[self.origin][self.there.key])
        except (Exception, SystemExit):  # noqa: BLE001 - the edge of the hook says what is wrong
            return
        entries = {**bag.pop(self.origin)}
        del entries[self.there.key]
        if rest:
            entries[self.there.key] = _json.copy(rest)
        if entries:
            bag[self.origin] = entries


class EntryJudge(Protocol):
    """What judges the entries that lie beyond one direction of an edge: see `distant`."""

    @property
    def keys(self) -> dict[str, frozenset[str]]: ...

    @property
    def residues(self) -> Sequence[Residue]: ...

    def concerns(self, bag: Bag) -> bool: ...

    def __call__(self, source: StorageObject, destination: StorageObject) -> None: ...

"""The steps of two-way hooks, and what judges bags at the end of an edge."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from holdall.objects.views import StorageObject
from holdall.types import JsonObject


class Way(Protocol):
    """A step of a hook that works on JSON members: see `holdall.engine.two_way`."""

    key: str
    reads: frozenset[str]
    writes: frozenset[str]

    def on_the_way(self) -> Way:
        """Return the step for an object that is not at the version it leaves, but passes it."""
        ...

    def without_deleted(self, kept: Any, note: Any, live: JsonObject) -> Any:
        """Return what is kept, but not what stands where a server had filled in what is deleted."""
        ...

    def settled(self, back: Any, live: JsonObject, kept: Any) -> tuple[JsonObject, Any]:
        """Return what live members that crossed over and came `back` are, and what is kept."""
        ...

    def cross(
        self, source: JsonObject, kept: Any = None, *, is_kept: bool = False
    ) -> tuple[JsonObject, Any, bool]:
        """Return the members of the other side, what has to be kept, and whether all is plain."""
        ...

    def members_of(self, members: JsonObject) -> JsonObject:
        """Return those of an object's members that it reads."""
        ...


Bag: TypeAlias = dict[str, JsonObject]


class EntryJudge(Protocol):
    """What judges the entries that lie beyond one direction of an edge: see `distant`."""

    @property
    def keys(self) -> dict[str, frozenset[str]]: ...

    def concerns(self, members: dict[str, Any]) -> bool: ...

    def __call__(self, source: StorageObject, destination: StorageObject) -> None: ...

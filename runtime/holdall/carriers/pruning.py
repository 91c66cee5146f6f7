"""Extras that an API server would prune: they travel in the bag of their object.

What is in open JSON of one version may be undeclared in the closed type of another one. There
it is an entry of the object's bag, under the object's own version and its own name, and an extra
again once the object is read. Source: property-bag contract, sections 5.11 and 5.14; webhook
contract, sections 3 and 7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from holdall.objects.bag import is_mark
from holdall.objects.container_kinds import extras_checker
from holdall.objects.shapes import (
    MemberShape,
    Shaped,
    holders_of,
    members_of,
    types_within,
)
from holdall.objects.views import StorageObject, StorageRoot
from holdall.types import JsonObject

_HEAD: Final = frozenset({"apiVersion", "kind", "metadata"})
"""Members of a document that no entry of its bag may become."""


class Places:
    """Where below a root type there are objects of some types; worked out once.

    `ways` are, for every type, the members that lead to such objects.
    """

    def __init__(self, root: type[Shaped], types: frozenset[type[Shaped]]) -> None:
        self.types = types
        self.ways = _ways(root, types)
        names = {cls: frozenset(held.name for held in ways) for cls, ways in self.ways.items()}
        self._is_clean = extras_checker(root, names)

    def may_hold_extras(self, members: JsonObject) -> bool:
        """Tell whether such an object may have undeclared members in the JSON of a root."""
        return not self._is_clean(members)


@cache
def pruned_places(root: type[Shaped]) -> Places | None:
    """Return where below a root type an API server prunes extras; None if it does nowhere."""
    pruned = frozenset(cls for cls in types_within(root) if _is_pruned(cls))
    return Places(root, pruned) if pruned else None


def is_hidden_extra(cls: type[Shaped], version: str, origin: str, key: str) -> bool:
    """Tell whether an entry in the bag of such an object is an extra, hidden from an API server."""
    is_extra = origin == version and key not in members_of(cls)
    return is_extra and may_be_extra(cls, key) and _is_pruned(cls)


def may_be_extra(cls: type[Shaped], key: str) -> bool:
    """Tell whether an entry in the bag of such an object may become a member of it."""
    return not is_mark(key) and not (issubclass(cls, StorageRoot) and key in _HEAD)


def _is_pruned(cls: type[Shaped]) -> bool:
    return issubclass(cls, StorageObject) and cls.PRUNED


def _ways(
    root: type[Shaped], types: frozenset[type[Shaped]]
) -> Mapping[type[Shaped], Sequence[MemberShape]]:
    """Return, for every type below a root, the members that lead to objects of some types."""
    members = {cls: holders_of(cls).values() for cls in types_within(root)}
    leading: set[type[Shaped] | None] = {*types}
    grows = True
    while grows:
        more = {
            cls
            for cls, held in members.items()
            if cls not in leading and any(item.value.innermost in leading for item in held)
        }
        leading |= more
        grows = bool(more)
    return {
        cls: [item for item in held if item.value.innermost in leading]
        for cls, held in members.items()
    }

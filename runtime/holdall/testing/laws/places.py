"""The drawn part of one object: the objects in it, and how full its lists and maps are."""

from __future__ import annotations

from collections import Counter
from typing import Final

from holdall.plan.plans import Type, TypeRef
from holdall.types import JsonObject

_ENOUGH: Final = 16


class Places(list[tuple[JsonObject, TypeRef]]):
    """The objects within an object, each with its type.

    Nested containers, and those in nested objects, would multiply. So once the containers of a
    member have enough elements together, each further one gets at most one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._elements: Counter[int] = Counter()

    def room(self, item: Type, wanted: int) -> int:
        """Return the number of elements for the next container of a member's type."""
        is_full = self._elements[id(item)] >= _ENOUGH
        size = min(wanted, 1) if is_full else wanted
        self._elements[id(item)] += size
        return size

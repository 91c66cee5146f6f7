"""Skip links, interpreted: pulling and settling, link by link (sections 5.7, 5.8)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from holdall_codegen.plan.model import Conversion, LinkEnd, PlannedLink
from tests.laws.interpreter_values import ValueConverter
from tests.laws.json_form import ABSENT, Bag, drop, entry

Hop = tuple[LinkEnd, Conversion, bool]


class LinkWalker:
    """Knows the holders that share a property over versions that lack it."""

    def __init__(self, links: Sequence[PlannedLink], values: ValueConverter) -> None:
        self._values = values
        self._hops: dict[LinkEnd, list[Hop]] = {}
        for link in links:
            self._hops.setdefault(link.older, []).append((link.newer, link.conversion, True))
            self._hops.setdefault(link.newer, []).append((link.older, link.conversion, False))

    def pull(self, end: LinkEnd, bag: Bag) -> Any:
        """Return the value of a property without partner; what it reproduces leaves the bag."""
        value = entry(bag, end.type.version, end.name)
        drop(bag, end.type.version, end.name)
        if value is ABSENT:
            value = self._nearest(end, bag)
        self._settle(end, value, bag)
        return value

    def _nearest(self, end: LinkEnd, bag: Bag) -> Any:
        queue: deque[tuple[LinkEnd, LinkEnd | None, list[tuple[Conversion, bool]]]] = deque()
        queue.append((end, None, []))
        while queue:
            here, before, way_back = queue.popleft()
            value = entry(bag, here.type.version, here.name)
            if value is not ABSENT:
                for conversion, up in way_back:
                    value = self._values.apply(conversion, value, up)
                return value
            for other, conversion, up in self._on(here, before):
                queue.append((other, here, [(conversion, not up), *way_back]))
        return ABSENT

    def _settle(self, end: LinkEnd, value: Any, bag: Bag, before: LinkEnd | None = None) -> None:
        for other, conversion, up in self._on(end, before):
            kept = entry(bag, other.type.version, other.name)
            reproduced = self._values.apply(conversion, value, up)
            if kept is not ABSENT and self._values.comes_back(conversion, reproduced, kept, not up):
                drop(bag, other.type.version, other.name)
            self._settle(other, reproduced if kept is ABSENT else kept, bag, end)

    def _on(self, end: LinkEnd, before: LinkEnd | None) -> Iterator[Hop]:
        return (hop for hop in self._hops.get(end, ()) if hop[0] != before)

"""Skip links, interpreted: pulling and settling, link by link (sections 5.7, 5.8)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from holdall.plan.plans import LinkEnd
from holdall_codegen.plan.model import Conversion, PlannedLink
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
        queue: deque[tuple[LinkEnd, list[tuple[Conversion, bool]]]] = deque([(end, [])])
        seen = {end}
        while queue:
            here, way_back = queue.popleft()
            value = entry(bag, here.type.version, here.name)
            if value is not ABSENT:
                for conversion, up in way_back:
                    value = self._values.apply(conversion, value, up)
                return value
            for other, conversion, up in self._on(here, seen):
                queue.append((other, [(conversion, not up), *way_back]))
        return ABSENT

    def _settle(self, end: LinkEnd, value: Any, bag: Bag) -> None:
        queue, seen = deque([(end, value)]), {end}
        while queue:
            here, value = queue.popleft()
            for other, conversion, up in self._on(here, seen):
                kept = entry(bag, other.type.version, other.name)
                made = self._values.apply(conversion, value, up)
                if kept is not ABSENT and self._values.comes_back(conversion, made, kept, not up):
                    drop(bag, other.type.version, other.name)
                queue.append((other, made if kept is ABSENT else kept))

    def _on(self, end: LinkEnd, seen: set[LinkEnd]) -> Iterator[Hop]:
        """Yield the links to ends that were not reached yet."""
        for hop in self._hops.get(end, ()):
            if hop[0] not in seen:
                seen.add(hop[0])
                yield hop

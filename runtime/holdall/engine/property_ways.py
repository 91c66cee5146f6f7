"""How a property crosses an edge, if only its conversion is involved.

Source: docs/conversions.md, "Versions farther away".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TypeAlias

from holdall.engine.edges import Crossing
from holdall.engine.following import Copied, Hooked, Lane, Onward
from holdall.engine.hops import Hop, Path, is_within
from holdall.engine.lossy_pairs import Link, peers_of
from holdall.objects.shapes import members_of, shape_of
from holdall.objects.views import StorageObject
from holdall.plan.graph import on_both_sides

_Twin: TypeAlias = type[StorageObject]
_Last: TypeAlias = tuple[Onward, Path, Sequence[Crossing]]
"""How a property gets to the end of a trail, its place before that, and the trail there."""


class PropertyWays:
    """The ways of properties over the edges of a group, by the types at their ends.

    `graph` has the neighbours of types, without edges that exist only for the hook of a link. A
    `linked` property crosses the edge of its two objects by its link, which keeps more than a hook
    there.
    """

    def __init__(
        self, crossings: Mapping[tuple[_Twin, _Twin], Crossing], links: Sequence[Link]
    ) -> None:
        self._crossings = crossings
        self._linked: dict[tuple[_Twin, _Twin, Path], tuple[Hop, Path]] = {}
        for link in links:
            for (_, one, name), hop, (_, other, partner) in link.ways:
                self._linked[one, other, (name,)] = hop, (partner,)
        self.graph = peers_of(crossings, links)

    def near(self, crossing: Crossing) -> set[str]:
        """Return the versions of an edge, and those connected with both ends without it.

        For these it is unknown from which end an object came.
        """
        ends = crossing.source_type, crossing.destination_type
        return {cls.VERSION for cls in (*ends, *on_both_sides(self.graph, *ends))}

    def back(self, crossing: Crossing, path: Path, *, is_any: bool = False) -> Path | None:
        """Return the source path of a destination property.

        `is_any` also allows ways on which a nested object keeps something.
        """
        found = self.over(crossing.opposite, path, is_any=is_any)
        if found is not None:
            return found[1]
        partner = crossing.opposite.partner(path[0])
        if partner is None:
            return None
        way = (partner, *path[1:])
        over = self.over(crossing, way, is_any=is_any)
        return way if over is not None and over[1] == path else None

    def place(self, types: Sequence[_Twin], names: Path) -> Path | None:
        """Return the path of an object at the end of a way through types, None without a place."""
        for ends in pairwise(types):
            names = self._place(self._crossings[ends], names) if names else ()
        return names or None

    def _place(self, crossing: Crossing, names: Path) -> Path:
        """Return the path of an object beyond an edge, empty if it has no place."""
        if names in crossing.hops:
            return crossing.hops[names][1]
        name, *rest = names
        partner = crossing.partner(name)
        if partner is None or not rest:
            return () if partner is None else (partner,)
        here, there = (
            shape_of(cls).members[own].value.type
            for cls, own in ((crossing.source_type, name), (crossing.destination_type, partner))
        )
        inner = self._crossings.get((here, there))  # type: ignore[arg-type]
        way = () if inner is None else self._place(inner, tuple(rest))
        return (partner, *way) if way else ()

    def over(
        self, crossing: Crossing, path: Path, *, is_any: bool = False
    ) -> tuple[Onward, Path] | None:
        """Return how a property crosses an edge, None if it does not, or a hook is involved.

        It is not followed either if a move takes live values out of it or puts them into it. What a
        pair of a nested object keeps is in that object's bag: such a way counts if `is_any`.
        """
        way = self._followable(crossing, path, is_any)
        if way is None or any(map(partial(is_within, path), crossing.hops)):
            return None
        return None if any(map(partial(is_within, way[1]), crossing.opposite.hops)) else way

    def lanes(self, trail: Sequence[Crossing], names: Iterable[str]) -> list[Lane] | None:
        """Return how members at the end of a trail are made from those at its start.

        None if that is unknown for one of them.
        """
        found: list[Lane] = []
        for name in names:
            path: Path = (name,)
            hops, left = list[Onward](), trail
            while left:
                way = self._last(left, path) or self._over_gap(left, path)
                if way is None:
                    return None
                hop, path, left = way
                hops.insert(0, hop)
            found.append(Lane(name, path, hops))
        return found

    def _last(self, trail: Sequence[Crossing], path: Path) -> _Last | None:
        """Return how a property crosses the last edge of a trail."""
        *left, crossing = trail
        before = self.over(crossing.opposite, path)
        found = None if before is None else self.over(crossing, before[1])
        if before is None or found is None or found[1] != path:
            return None
        return found[0], before[1], left

    def _over_gap(self, trail: Sequence[Crossing], path: Path) -> _Last | None:
        """Return how a property gets to the end of a trail by a link from a type on it."""
        end = trail[-1].destination_type
        for index, crossing in enumerate(trail):
            start = crossing.source_type
            if (back := self._linked.get((end, start, path))) is not None:
                return self._linked[start, end, back[1]][0], back[1], trail[:index]
        return None

    def _followable(
        self, crossing: Crossing, path: Path, is_any: bool
    ) -> tuple[Onward, Path] | None:
        ends = crossing.source_type, crossing.destination_type
        if (linked := self._linked.get((*ends, path))) is not None:
            return linked
        if len(path) == 1 and (hooked := _hooked(crossing, path[0])) is not None:
            return hooked, (hooked.partner,)
        if (pair := crossing.hops.get(path)) is not None:
            return None if _is_of_hook(crossing, path[0], pair[1][0]) else pair
        name, *rest = path
        members = shape_of(crossing.source_type).members
        partner = crossing.partner(name) if name in members else None
        if partner is None or (name,) in crossing.hops or _is_of_hook(crossing, name, partner):
            return None
        here = members[name].value
        there = shape_of(crossing.destination_type).members[partner].value
        if not rest:
            return Copied(here, there), (partner,)
        inner = self._crossings.get((here.type, there.type))  # type: ignore[arg-type]
        way = None if inner is None else self.over(inner, tuple(rest), is_any=is_any)
        if way is None or (way[0].keeps and not is_any):
            return None
        return way[0], (partner, *way[1])


def _hooked(crossing: Crossing, name: str) -> Hooked | None:
    """Return the way of a property that only one two-way hook converts."""
    opposite = crossing.opposite
    if crossing.steps is None or opposite.steps is None:
        return None  # there is a hook on views
    ends = crossing.source_type, crossing.destination_type
    leaving, entering = (
        members_of(cls) - {path[0] for path, _ in filled}
        for cls, filled in zip(ends, crossing.always, strict=True)
    )
    for step in crossing.two_way:
        if step.reads == {name} and len(step.writes) == 1:
            (partner,) = step.writes
            keys = {step.key}
            to = {other.key for other in crossing.two_way if partner in other.writes}
            back = {other.key for other in opposite.two_way if name in other.writes}
            if to == back == keys and name in leaving and partner in entering:
                return Hooked(crossing.destination, step, name, partner)
    return None


def _is_of_hook(crossing: Crossing, name: str, partner: str) -> bool:
    """Return whether a hook makes one of two partners, or may do so on the way back.

    A hook that only fills in does not change values, but the version that has them cannot tell
    which ones it filled in.
    """
    to, back = crossing.hook_names, crossing.opposite.hook_names
    return (to is not None and partner in to.writes - to.fills) or (
        back is not None and name in back.writes
    )

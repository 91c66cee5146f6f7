"""Entries of versions beyond an edge, judged by the live values that cross it.

A residue either agrees with what is shown of it or not. Its own edge sees only the last value, not
one that was deleted in between, at a version from which the property is merely copied. So each edge
follows its properties to the versions beyond it, and leaves in the bag what would be in it if the
object had been converted there and back. Source: docs/conversions.md, "Versions farther away".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from holdall.engine.always import given
from holdall.engine.branches import (
    Branch,
    Inside,
    Keys,
    Onwards,
    Spot,
    Through,
    follow_all,
    gathered,
    is_any_in,
)
from holdall.engine.edges import Crossing, EdgeEntry, crossings_of
from holdall.engine.following import Filler, Onward, Residue
from holdall.engine.hops import ABSENT, Hop, How, Path, value_at
from holdall.engine.kept_objects import KeptObjects, kept_objects
from holdall.engine.lossy_pairs import End, Link
from holdall.engine.property_ways import PropertyWays
from holdall.objects.bag import BAG_MEMBER, Bag, PropertyBag
from holdall.objects.shapes import member_at, shape_of
from holdall.objects.views import StorageObject
from holdall.plan.graph import closure, shortest_path
from holdall.types import Members

_Twin: TypeAlias = type[StorageObject]


class _Node(NamedTuple):
    """A property of a version's type, or of an object inside it."""

    cls: _Twin
    path: Path

    @property
    def version(self) -> str:
        return self.cls.VERSION

    def value(self, root: StorageObject) -> Any:
        """Return the live value in an object of the type: None for null, else `ABSENT`."""
        return value_at(root.members_, self.path)


class _Walk(NamedTuple):
    """The ways to follow from a property of the source or of the destination.

    A property that `may_be_elsewhere` has moved out of a kept object, and returns later.
    """

    start: _Node
    of_source: bool
    branches: Sequence[Onwards]
    fillers: Sequence[Filler]
    may_be_elsewhere: bool

    def follow(self, source: StorageObject, destination: StorageObject, bag: PropertyBag) -> None:
        """Judge all entries to which the property leads."""
        if not any(branch.concerns(bag, destination.members_) for branch in self.branches):
            return
        root = source if self.of_source else destination
        live = self.start.value(root)
        if live is ABSENT and self.may_be_elsewhere:
            return
        filler = next((it for it in self.fillers if it.fills(source, destination)), None)
        if filler is not None and filler.comes:
            live = given(filler.value)
        leaves = filler is not None and filler.by_hook
        follow_all(self.branches, live, bag, How(root, filler is not None, leaves, destination))


class Judge:
    """Judges the entries beyond one direction of an edge, at the end of its converter.

    `residues` are those of two-way hooks, `keys` all other entries.
    """

    def __init__(self, crossing: Crossing, map_: Map) -> None:
        self._crossing, self._map = crossing, map_

    def __call__(self, source: StorageObject, destination: StorageObject) -> None:
        bag = PropertyBag.own(destination.property_bag or {})  # nested objects may have bags, too
        for kept in self.kept:
            if kept.are_in(bag):
                kept.settle(bag, destination)
        if self.looking_inside or is_any_in(self.keys, bag):
            for walk in self._walks:
                walk.follow(source, destination, bag)
        for residue in self.residues:
            if bag.has(residue.origin, residue.there.key):
                residue.settle(source, destination, bag)
        destination.property_bag = bag or None

    def concerns(self, members: Members) -> bool:
        """Return whether there is anything to judge in the bags of an object or of nested ones."""
        bag: Bag = members.get(BAG_MEMBER, {})
        if bag:
            if is_any_in(self.keys, bag) or any(kept.are_in(bag) for kept in self.kept):
                return True
            for residue in self.residues:
                if residue.origin in bag and residue.there.key in bag[residue.origin]:
                    return True
        for branch in self.looking_inside:  # noqa: SIM110 - any() takes twice as long
            if branch.concerns(bag, members):
                return True
        return False

    @cached_property
    def keys(self) -> Keys:
        """Origin and key of all entries to judge."""
        return gathered(branch for walk in self._walks for branch in walk.branches)

    @cached_property
    def looking_inside(self) -> Sequence[Onwards]:
        """The ways to objects with their own bags."""
        branches = [branch for walk in self._walks for branch in walk.branches]
        return [branch for branch in branches if branch.looks_inside]

    @cached_property
    def residues(self) -> Sequence[Residue]:
        """The residues of two-way hooks."""
        return [*self._map.residues(self._crossing)]

    @cached_property
    def kept(self) -> Sequence[KeptObjects]:
        """The objects without a place beyond the edge, but with a link over it."""
        return self._map.kept.get(self._crossing, ())

    @cached_property
    def _walks(self) -> Sequence[_Walk]:
        return [*self._map.walks(self._crossing)]


class Map:
    """All ways between the properties of a group that may lead to bag entries."""

    def __init__(self, edges: Iterable[EdgeEntry], links: Sequence[Link]) -> None:
        crossings = crossings_of(edges)
        self._edges = crossings.values()
        self._ways = PropertyWays(crossings, links)
        self._graph = self._ways.graph
        self._links: dict[_Node, list[tuple[Hop, _Node]]] = {}
        self._elsewhere: dict[frozenset[Any], set[tuple[_Twin, Path]]] = {}
        for link in links:
            for here, hop, there in link.ways:
                one, other = (_Node(cls, (name,)) for _, cls, name in (here, there))
                self._links.setdefault(one, []).append((hop, other))
                self._leave_out(hop, here, there)
        self.kept = kept_objects(links, self._leads)
        self._paths = self._followed()
        self._hooked = any(crossing.two_way for crossing in self._edges)

    def _leave_out(self, hop: Hop, here: End, there: End) -> None:
        """Exclude from a link to an object what moves into it next to the gap."""
        _, cls, name = there
        inner, other = (
            shape_of(holder).members[member].value.innermost for _, holder, member in (there, here)
        )
        elsewhere = self._elsewhere.setdefault(frozenset((inner, other)), set())
        for crossing in cls.crossings_.values():
            if name in crossing.stashed and self._leads(crossing, here[1]):
                crossing.linked |= {name}
                for path in self._moved_out(crossing, name):
                    hop.leave_out(path)
                    elsewhere.add((inner, path))

    def _moved_out(self, crossing: Crossing, name: str) -> Iterator[Path]:
        """Yield what moves out of an object on an edge: its own moves, or those around it."""
        for way in self._edges:
            if (way.source, way.destination) == (crossing.source, crossing.destination):
                for path in way.hops:
                    for depth in range(len(path) - 1):
                        holder = member_at(way.source_type, path[:depth])
                        cls = way.source_type if holder is None else holder.value.type
                        if cls is crossing.source_type and path[depth] == name:
                            yield path[depth + 1 :]

    def _leads(self, crossing: Crossing, end: _Twin) -> bool:
        """Return whether a type is beyond an edge."""
        return crossing.destination_type in shortest_path(self._graph, crossing.source_type, end)

    def judge(self) -> None:
        """Give a judge to every crossing that may need one."""
        for crossing in self._edges:
            ends = crossing.source_type, crossing.destination_type
            needs = any(cls in self._paths for cls in ends) or any(self.residues(crossing))
            # A cached property is a property, but pyright denies it.
            judge = Judge(crossing, self) if needs else None
            crossing.judge = judge  # pyright: ignore[reportAttributeAccessIssue]
            crossing.looks_inside = bool(judge and judge.looking_inside)

    def residues(self, crossing: Crossing) -> Iterator[Residue]:
        """Yield the residues of two-way hooks on the edges beyond a crossing."""
        if self._hooked:
            for over, cls in ((None, crossing.source_type), (crossing, crossing.destination_type)):
                for residue in self._residues(over, cls, (), self._ways.near(crossing)):
                    at, pulled = crossing.destination_type, {*crossing.opposite.stashed}
                    if residue.of_source:
                        at, pulled = crossing.source_type, set()
                    pulled |= {path[0] for held, path in self._elsewhere_on(crossing) if held is at}
                    pulled &= {lane.path[0] for lane in residue.lanes}
                    yield residue._replace(pulled=frozenset(pulled))

    def _residues(
        self, over: Crossing | None, cls: _Twin, trail: tuple[Crossing, ...], seen: set[str]
    ) -> Iterator[Residue]:
        """Yield what is kept beyond a type to which a trail leads; `seen` versions are not.

        The trail begins at a source, or where an object is that came `over` an edge. Of what that
        has no place there, the source says what it is, if a link leads on from it.
        """
        beyond = [way for way in cls.crossings_.values() if way.destination not in seen]
        times = Counter(way.destination for way in beyond)
        seen |= times.keys()
        trails = [(True, trail)] if over is None else [(False, trail), (True, (over, *trail))]
        for way in beyond:
            if times[way.destination] > 1:
                continue
            backs = {step.key: step for step in way.opposite.two_way}
            for step in way.two_way:
                for of_source, edges in trails:
                    lanes = self._ways.lanes(edges, step.reads)
                    if step.key in backs and lanes is not None:
                        ends = step.on_the_way(), backs[step.key].on_the_way()
                        yield Residue(of_source, frozenset(), way.destination, *ends, lanes)
                        break
            yield from self._residues(over, way.destination_type, (*trail, way), seen)

    def walks(self, crossing: Crossing) -> Iterator[_Walk]:
        """Yield the ways by which an object on a crossing is judged."""
        near = frozenset(self._ways.near(crossing))
        for of_source, cls in ((True, crossing.source_type), (False, crossing.destination_type)):
            for path in self._paths.get(cls, ()):
                is_out_of_bag = path[0] in crossing.opposite.stashed
                if not of_source and is_out_of_bag and path not in crossing.opposite.hops:
                    continue  # it comes from the bag, and was judged when it was stored
                start = _Node(cls, path)
                goal = crossing.destination_type
                spot = self._spot(start, goal)
                branches = self._branches(start, {*near}, goal, spot, over=crossing)
                leaving = crossing if of_source else crossing.opposite
                if path in leaving.hops and spot is not None:
                    branches = [*self._inside(start, near, spot), *branches]
                if branches:
                    fillers = [*self._fillers(crossing, of_source, path)]
                    is_elsewhere = (cls, path) in self._elsewhere_on(crossing)
                    yield _Walk(start, of_source, branches, fillers, is_elsewhere)

    def _elsewhere_on(self, crossing: Crossing) -> Collection[tuple[_Twin, Path]]:
        """Return what moves out of kept objects before they cross an edge."""
        ends = frozenset((crossing.source_type, crossing.destination_type))
        return self._elsewhere.get(ends, ())

    def _fillers(self, crossing: Crossing, of_source: bool, path: Path) -> Iterator[Filler]:
        """Yield what may have filled in a property at one end of a crossing, or an outer object."""
        ends = [(of_source, path)]
        if not of_source and (way := self._ways.back(crossing, path, is_any=True)):
            ends.append((True, way))
        for is_source, at in ends:
            cls = crossing.source_type if is_source else crossing.destination_type
            for end in range(1, len(at) + 1):
                member = member_at(cls, at[:end])
                # No server has seen the destination so far.
                if is_source and member is not None and member.defaults:
                    yield Filler(is_source, at[:end], member.defaults[0], member.value)
            member = member_at(cls, at)
            for filled, value in crossing.always[0 if is_source else 1]:
                if filled == at and member is not None:
                    yield Filler(is_source, at, value, member.value, by_hook=True)

    def _followed(self) -> dict[_Twin, list[Path]]:
        """Return the properties with a way to one that may be in a bag."""
        ends = [end for ways in self._links.values() for _, end in ways]
        for crossing in self._edges:
            for hop, path in crossing.hops.values():
                end = _Node(crossing.destination_type, path)
                spot = self._spot(end, end.cls)
                if hop.keeps or (spot and any(self._inside(end, {end.version}, spot))):
                    ends.append(end)
        seen = closure(ends, self._before)
        paths: dict[_Twin, list[Path]] = {}
        for node in sorted(seen, key=lambda node: (node.version, node.cls.__name__, node.path)):
            paths.setdefault(node.cls, []).append(node.path)
        return paths

    def _branches(
        self,
        start: _Node,
        seen: set[str],
        goal: _Twin | None = None,
        spot: Spot | None = None,
        *,
        over: Crossing | None = None,
        first: _Twin | None = None,
    ) -> Sequence[Onwards]:
        """Return the ways from a property to others that may be in a bag.

        If they reach two types of one version, the object may have had either. Values that a hook
        fills in do not count over a link, because the hook's edge sees the object without them. The
        ways to `start` began at the type `first`; the bag is that of an object of the type `goal`,
        in which a nested object with the property is at its `spot`.
        """
        first = first or start.cls
        links = () if self._is_filled(start, over) else self._links.get(start, ())
        ways = [*self._copies(start, spot), *links]
        ways = [(hop, node) for hop, node in ways if node.version not in seen]
        times = Counter(node.version for _, node in ways)
        seen |= times.keys()
        found: list[Onwards] = []
        for hop, node in ways:
            if times[node.version] == 1:
                inside: list[Inside] = []
                there = spot
                if isinstance(hop, Hop) and hop.there.path == node.path:  # none of an object inside
                    there = self._spot(node, goal)
                    inside = [] if there is None else [*self._inside(node, seen, there)]
                rest = [*inside, *self._branches(node, seen, goal, there, first=first)]
                keys = gathered(rest)
                if isinstance(hop, Hop) and hop.keeps:
                    own = hop.there.name
                    keys[hop.there.origin] = keys.get(hop.there.origin, frozenset()) | {own}
                if keys:
                    way = shortest_path(self._graph, first, node.cls)
                    found.append(Branch(start.cls not in way, hop, rest, keys))
        return found

    def _spot(self, node: _Node, goal: _Twin | None) -> Spot | None:
        """Return where the nested object with a property is; None if there is none."""
        names = node.path[:-1]
        if goal is None or not names:
            return None
        place = self._ways.place(shortest_path(self._graph, node.cls, goal), names)
        return Spot(node.version, names, place)

    def _inside(self, node: _Node, seen: Collection[str], spot: Spot) -> Iterator[Inside]:
        """Yield the ways onwards from a property in a nested object, whose bag has the entries."""
        holder = member_at(node.cls, spot.names)
        if holder is not None and holder.value.type is not None:
            start = _Node(holder.value.type, node.path[-1:])  # type: ignore[arg-type]
            if rest := self._branches(start, {*seen}):
                yield Inside(spot, rest)

    def _before(self, end: _Node) -> Iterator[_Node]:
        """Yield the properties with a way to this one."""
        for crossing in end.cls.crossings_.values():
            path = self._ways.back(crossing.opposite, end.path, is_any=True)
            if path is not None:
                yield _Node(crossing.destination_type, path)
        for _, node in self._links.get(end, ()):
            yield node

    def _is_filled(self, node: _Node, over: Crossing | None) -> bool:
        """Return whether a hook may have filled in a property, except at an edge that is passed."""
        filling = [
            way.opposite
            for way in node.cls.crossings_.values()
            if any(path[0] == node.path[0] for path, _ in way.opposite.always[1])
        ]
        return bool(filling) and (over is None or {over, over.opposite}.isdisjoint(filling))

    def _copies(self, start: _Node, spot: Spot | None) -> Iterator[tuple[Onward | Through, _Node]]:
        linked = {node for _, node in self._links.get(start, ())}  # a hook there has an edge, too
        for crossing in start.cls.crossings_.values():
            way = self._ways.over(crossing, start.path, is_any=spot is not None)
            if way is not None:
                hop, path = way
                keeps_inside = hop.keeps and start.path not in crossing.hops
                there = _Node(crossing.destination_type, path)
                if there in linked:
                    continue
                yield Through(hop, spot) if spot and keeps_inside else hop, there

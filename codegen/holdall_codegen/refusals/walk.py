"""The walk over both schemas of a kind at once, along the pairs and moves of the plan.

At each place of the target the facts of what arrives there are compared with what the schema
demands, by the gate's rules for two states of one schema.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from holdall.plan.plans import TypeRef
from holdall.text.pointer import join
from holdall_codegen.breaking.judging import judge
from holdall_codegen.breaking.schema_changes import Aspect, SchemaSide, compare_places
from holdall_codegen.breaking.schema_facts import Facts
from holdall_codegen.config.model import Constant
from holdall_codegen.plan import model as plan
from holdall_codegen.plan.model import PlannedEdge
from holdall_codegen.read.nodes import Node
from holdall_codegen.refusals.arrivals import (
    ANYTHING,
    Arrival,
    always_arrives,
    as_list,
    as_map,
    computed,
    constant,
    demands_format,
    measured,
    renamed,
    without,
    without_transitions,
    wrapped,
)
from holdall_codegen.refusals.model import Refusal, Subject
from holdall_codegen.refusals.places import Place, Visit, place_of, with_places

_REFUSING: Final[Collection[Aspect]] = (
    "nullable",
    "enum",
    "bound",
    "unique",
    "pattern",
    "format",
    "rules",
    "unions",
    "others",
)
_COPIED: Final = plan.Copy()
_DEPTH: Final = 24
"""The depth at which recursive JSON ends; no real value is that deep."""

Edges = Mapping[tuple[TypeRef, TypeRef], PlannedEdge]
Claims = Mapping[tuple[TypeRef, TypeRef], Collection[tuple[str, str]]]
"""What hooks claim, by edge: sides and properties."""
Incoming = Mapping[tuple[str, ...], Arrival]
_Schemas = tuple[frozenset[str], frozenset[str]]
"""The nodes that say what is in what arrives, and in what is demanded."""


@dataclass(slots=True)
class Walk:
    """One kind on its way from one version to another.

    `checks_results` says that what functions give back is checked against its type.
    """

    edges: Edges
    claims: Claims
    source: SchemaSide
    target: SchemaSide
    forward: bool
    checks_results: bool = False
    _inner: list[Visit] = field(default_factory=list)
    _above: list[_Schemas] = field(default_factory=list)
    _recursive: set[_Schemas] = field(default_factory=set)

    def refusals(self, kind: str, source: TypeRef, target: TypeRef) -> Iterator[Refusal]:
        """Yield what the target's schema may refuse of a whole object."""
        at = Subject(source, target), (kind,)
        arrival = Arrival(self.source.nodes, plan.Recurse((source, target)), self.forward)
        yield from with_places(Visit(at, arrival, self.target.nodes), self._look)

    def _look(self, visit: Visit) -> tuple[Sequence[Refusal], Sequence[Visit]]:
        """Return the findings of an object by itself, and the objects in it."""
        self._inner = []
        self._recursive.clear()
        (subject, _), forward = visit.at, visit.arrival.forward
        ends = (subject.source, subject.target) if forward else (subject.target, subject.source)
        edge = self.edges.get(ends)
        return [*self._object(visit.at, visit.arrival, edge, visit.nodes, {})], self._inner

    def _before(self, nodes: Sequence[Node] | None) -> Facts:
        return ANYTHING if nodes is None else self.source.facts(nodes)

    # --- values --------------------------------------------------------------------------------

    def _value(self, at: Place, arrival: Arrival, nodes: Sequence[Node]) -> Iterator[Refusal]:
        after = self.target.facts(nodes)
        before = self._before(arrival.nodes)
        forward = arrival.forward
        if len(at[1]) > _DEPTH:
            return
        match arrival.conversion:
            case plan.Flipped(inner=inner):
                yield from self._value(at, arrival.turned(inner), nodes)
            case plan.Through():
                return
            case plan.Recurse(steps=(older, newer)):
                ends = (older, newer) if forward else (newer, older)
                self._inner.append(Visit((Subject(*ends), at[1]), arrival, nodes))
            case plan.Each(container=container, inner=inner):
                yield from self._place(at, before, after)
                within = (
                    (before.items, after.items)
                    if container == "list"
                    else (before.values, after.values)
                )
                yield from self._below(at, arrival.by(inner, within[0]), within[1])
            case plan.RenamedValues() | plan.Variants() as names:
                yield from self._place(at, renamed(before, names, forward=forward), after)
            case plan.Wrap(inner=inner) if forward:
                yield from self._place(at, wrapped(after), after)
                yield from self._below(at, arrival.by(inner, arrival.nodes), after.items)
            case plan.Wrap(inner=inner):
                yield from self._value(at, arrival.by(inner, before.items), nodes)
            case plan.Reference(member=member) if forward:
                holder = replace(ANYTHING, required=frozenset({member}))
                yield from self._members(
                    at, holder, after, {member: arrival.by(_COPIED, arrival.nodes)}
                )
            case plan.Reference(member=member):
                inner_nodes = before.properties.get(member)
                yield from self._value(at, arrival.by(_COPIED, inner_nodes), nodes)
            case plan.Keyed() as keyed:
                yield from self._keyed(at, arrival, keyed, before, nodes)
            case plan.Computed() as step:
                made = computed(step, before, forward=forward)
                if made is not None or not self.checks_results:
                    yield from self._place(at, made or ANYTHING, after)
            case plan.Measure() as step:
                yield from self._place(at, measured(step, after, forward=forward), after)
            case plan.Opened() | plan.Chain() if forward:
                yield from self._copied(at, None, nodes)
            case _:
                yield from self._copied(at, arrival.nodes, nodes)

    def _below(self, at: Place, arrival: Arrival, nodes: Sequence[Node]) -> Iterator[Refusal]:
        if nodes:
            yield from self._value(_inside(at, "*"), arrival, nodes)

    def _keyed(
        self, at: Place, arrival: Arrival, keyed: plan.Keyed, before: Facts, nodes: Sequence[Node]
    ) -> Iterator[Refusal]:
        after = self.target.facts(nodes)
        if not arrival.forward:
            yield from self._place(at, as_map(before), after)
            element = self._before(before.items or None)
            inner = element.properties.get(keyed.value) if keyed.value else before.items
            yield from self._below(at, arrival.by(keyed.inner, inner), after.values)
            return
        yield from self._place(at, as_list(after, before), after)
        if not after.items:
            return
        place = _inside(at, "*")
        key = Arrival(None, _COPIED, arrival.forward)
        value = replace(arrival.by(keyed.inner, before.values), is_given=True)
        if keyed.value:
            own = replace(ANYTHING, required=frozenset({keyed.key, keyed.value}))
            members = {keyed.key: key, keyed.value: value}
            yield from self._members(place, own, self.target.facts(after.items), members)
        else:
            edge = None
            match keyed.inner:
                case plan.Recurse(steps=(older, newer)):
                    edge = self.edges.get((older, newer))
                    ends = (older, newer) if arrival.forward else (newer, older)
                    place = Subject(*ends), place[1]
                case _:
                    return
            yield from self._object(place, value, edge, after.items, {(keyed.key,): key})

    def _copied(
        self, at: Place, given: Sequence[Node] | None, nodes: Sequence[Node]
    ) -> Iterator[Refusal]:
        """Yield the findings of a value that is copied, members by their names.

        Inside a schema that is inside itself they are told once.
        """
        before, after = self._before(given), self.target.facts(nodes)
        schemas = _parts(before), _parts(after)
        if schemas[1] and schemas in self._above:
            self._recursive.update(self._above[self._above.index(schemas) :])
        if schemas in self._recursive:
            yield from self._place(at, before, after)
            return
        self._above.append(schemas)
        arrivals = {
            name: Arrival(before.properties.get(name), _COPIED, self.forward)
            for name in after.properties
        }
        if before.kinds == frozenset({"object"}) and before.undeclared == "removed":
            arrivals = {name: item for name, item in arrivals.items() if item.nodes is not None}
        yield from self._members(at, before, after, arrivals)
        for inner, typed in ((before.items, after.items), (before.values, after.values)):
            if typed:
                yield from self._copied(_inside(at, "*"), inner or None, typed)
        self._above.pop()

    # --- objects -------------------------------------------------------------------------------

    def _object(
        self,
        at: Place,
        arrival: Arrival,
        edge: PlannedEdge | None,
        nodes: Sequence[Node],
        incoming: Incoming,
    ) -> Iterator[Refusal]:
        """Yield the findings of an object that crosses an edge.

        `incoming` comes from outside, by paths from the target's object.
        """
        if len(at[1]) > _DEPTH or (edge is not None and edge.skipped):
            return
        before, after = self._before(arrival.nodes), self.target.facts(nodes)
        ways = self._ways(edge, before, arrival.nodes)
        if incoming and not arrival.is_given:
            # What comes from outside may create an object that the source does not have.
            ways = {path: replace(way, is_given=False) for path, way in ways.items()}
        ways |= incoming
        grouped: dict[str, dict[tuple[str, ...], Arrival]] = {}
        for path, way in ways.items():
            grouped.setdefault(path[0], {})[path[1:]] = way
        given = {
            name
            for name, parts in grouped.items()
            if any(part.is_given for part in parts.values())
            or (arrival.nodes is None and len(grouped) == 1)
        }
        hooked = self._hooked(edge, before=False)
        defaults = dict(self._defaults(edge))
        known = {*given, *hooked, *defaults}
        shown = {way for way in grouped if () in grouped[way] and way in before.properties}
        lost = frozenset(before.properties) - shown - self.source.skipped
        facts = replace(
            without(before, lost | self._hooked(edge, before=True)),
            required=frozenset(known),
            properties={name: after.properties.get(name, ()) for name in {*grouped, *known}},
        )
        yield from self._place(at, facts, after, grouped)
        for name, value in defaults.items():
            if name in after.properties and value is not None:
                yield from self._place(
                    _inside(at, name), value, self.target.facts(after.properties[name])
                )
        for name, parts in grouped.items():
            if name in hooked or name not in after.properties or name in self._skipped(at):
                continue
            yield from self._member(_inside(at, name), parts, after.properties[name])

    def _skipped(self, at: Place) -> Collection[str]:
        return self.target.skipped if len(at[1]) == 1 else ()

    def _member(self, at: Place, parts: Incoming, nodes: Sequence[Node]) -> Iterator[Refusal]:
        """Yield the findings of one member, which may be made of several values."""
        own = parts.get(())
        deeper = {path: part for path, part in parts.items() if path}
        if not deeper:
            if own is not None:
                yield from self._value(at, own, nodes)
            return
        edge, arrival = None, Arrival(None, _COPIED, self.forward)
        if own is not None:
            match own.conversion:
                case plan.Recurse(steps=(older, newer)):
                    edge = self.edges.get((older, newer))
                    source, target = (older, newer) if own.forward else (newer, older)
                    at = Subject(source, target), at[1]
                    arrival = own
                case _:
                    return
        yield from self._object(at, arrival, edge, nodes, deeper)

    def _ways(
        self, edge: PlannedEdge | None, before: Facts, nodes: Sequence[Node] | None
    ) -> dict[tuple[str, ...], Arrival]:
        """Return what crosses an edge, by paths from the target's object."""
        if edge is None:
            return {}
        found: dict[tuple[str, ...], Arrival] = {}
        for older, newer, conversion in plan.ways(edge.pairs, edge.moves):
            source, target = (older, newer) if self.forward else (newer, older)
            is_given = always_arrives(conversion, forward=self.forward)
            at, facts = nodes, before
            for step in source:
                at = facts.properties.get(step)
                is_given = is_given and self._is_there(facts, step, at)
                facts = self._before(at)
            found[target] = Arrival(at, conversion, self.forward, is_given)
        return found

    def _is_there(self, facts: Facts, name: str, nodes: Sequence[Node] | None) -> bool:
        """Tell whether every object that a server returns has a member."""
        if name in facts.required:
            return True
        is_filled = self.source.prunes != "nothing"
        return is_filled and any("default" in node.members for node in nodes or ())

    def _hooked(self, edge: PlannedEdge | None, *, before: bool) -> frozenset[str]:
        """Return the properties of the source's or the target's type that a hook converts."""
        if edge is None:
            return frozenset()
        side = "older" if self.forward is before else "newer"
        left = edge.must_claim_older if side == "older" else edge.must_claim_newer
        claims = self.claims.get(edge.ends, ())
        return frozenset(left) | {name for end, name in claims if end == side}

    def _defaults(self, edge: PlannedEdge | None) -> Iterator[tuple[str, Facts | None]]:
        """Yield the properties of the target's type with a declared default, and its facts; None
        for a function."""
        side = "newer" if self.forward else "older"
        for item in edge.defaults if edge is not None else ():
            default = item.default
            is_absence = default == Constant(None) and not item.json_nulls
            if item.side == side and not is_absence:
                yield item.name, constant(default.value) if isinstance(default, Constant) else None

    def _members(
        self, at: Place, before: Facts, after: Facts, arrivals: Mapping[str, Arrival]
    ) -> Iterator[Refusal]:
        """Yield the findings of an object, and of members that arrive by themselves."""
        yield from self._place(at, before, after)
        for name, arrival in arrivals.items():
            if name in after.properties:
                yield from self._value(_inside(at, name), arrival, after.properties[name])

    # --- places --------------------------------------------------------------------------------

    def _place(
        self, at: Place, before: Facts, after: Facts, members: Mapping[str, Incoming] | None = None
    ) -> Iterator[Refusal]:
        """Yield what one place demands beyond what is known about the value that arrives."""
        subject, path = at
        here = (place_of(path),)
        fills_defaults = self.target.prunes != "nothing"
        member_values = self._member_values(members or {})
        for change in compare_places(before, after, frozenset(self._skipped(at))):
            change = replace(change, member_values=member_values)
            if change.aspect == "required":
                for _ in judge(change, is_stable=False, fills_defaults=fills_defaults):
                    name, what = change.name, "it is required, but may be missing"
                    where = next((n.where for n in after.properties.get(name, ())), change.where)
                    place = (join(here[0], name),)
                    yield Refusal(subject.below(name), "required-added", what, where, place)
            elif change.aspect == "merged" and after.merged in ("map", "set") and not before.unique:
                what = f"the list type {after.merged} refuses equal elements"
                yield Refusal(subject, "list-type-changed", what, change.where, here)
            elif change.aspect == "undeclared":
                # the result of a lens has no other members
                is_made = not before.where and before is not ANYTHING
                if not fills_defaults and after.undeclared == "removed" and not is_made:
                    what = "undeclared members are refused"
                    yield Refusal(subject, "members-closed", what, change.where, here)
            elif change.aspect in _REFUSING:
                demanded = {"others": after.others, "unions": after.unions}.get(change.aspect)
                if demanded is not None and not demanded.get(change.name):
                    continue
                if change.aspect == "format" and not demands_format(before, after):
                    continue
                if change.aspect == "rules":
                    change = replace(change, after=without_transitions(after))
                for rule, what in judge(change, is_stable=False, fills_defaults=fills_defaults):
                    if rule != "not-additive":
                        yield Refusal(subject, rule, what, change.where, here)

    def _member_values(self, members: Mapping[str, Incoming]) -> dict[str, frozenset[str]]:
        """Return the values to which members are limited."""
        found = {}
        for name, parts in members.items():
            own = parts.get(())
            if own is not None and isinstance(own.conversion, plan.Same):
                enum = self._before(own.nodes).enum
                if enum is not None:
                    found[name] = enum
        return found


def _parts(facts: Facts) -> frozenset[str]:
    schemas = (*facts.properties.values(), facts.items, facts.values)
    return frozenset(node.id for nodes in schemas for node in nodes)


def _inside(at: Place, step: str) -> Place:
    """Return the place of a member, or of all elements or values for `*`."""
    return at[0].below(step), (*at[1], step)

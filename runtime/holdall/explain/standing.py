"""Where a property of one version is in the objects of another one, according to a plan.

Audits of entries, and comparisons of two plans for stored entries, are based on this.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from holdall.plan.graph import neighbours
from holdall.plan.plans import (
    Decision,
    Edge,
    Facts,
    GroupPlan,
    LinkEnd,
    ListOf,
    MapOf,
    Ref,
    Scalar,
    Side,
    SkipLink,
    Type,
    TypeForm,
    TypeRef,
)
from holdall.types import JsonValue, is_json_object, json_kind

Way: TypeAlias = Sequence[TypeRef]
"""The types that an object is on the way from one version to another, both ends included."""

EXACT: Final = frozenset({"copied", "renamed", "recursed"})
"""Fates that return every value of the right kind unchanged."""
WITH_PARTNER: Final = EXACT | {"converted"}
_FORMS: Final[dict[TypeForm, tuple[type, ...]]] = {
    "object": (dict,),
    "union": (dict, str),
    "tuple": (list,),
}


@dataclass(frozen=True, slots=True)
class Standing:
    """What happens to a property on a way.

    `waits`: no type on the way has it, so its value is in the bag under its own version.
    `shown`: the type `at` has it as `name`, a path for a moved property. `claimed`: a hook decides.
    `decisions` are those on the way; the last one says why it waits or who claims it. `forms` are
    the JSON forms of the property on the way.
    """

    fate: Literal["waits", "shown", "claimed"]
    at: TypeRef
    name: str
    decisions: tuple[Decision, ...]
    forms: tuple[str, ...] = ()

    @property
    def may_be_kept(self) -> bool:
        """Whether values that fit may be kept in the bag although they are shown, or claimed."""
        passed = self.decisions[:-1] if self.fate == "claimed" else self.decisions
        return self.fate != "waits" and any(item.fate not in EXACT for item in passed)

    @property
    def conversion(self) -> tuple[object, ...]:
        """What the steps do, for comparison with those of another plan."""
        return self.forms, *(
            (item.fate, item.partner, tuple(sorted(item.values.items())), item.lens)
            for item in self.decisions
        )


class Standings:
    """The standings of one plan. `facts` are the declarations; none if they do not count."""

    def __init__(self, plan: GroupPlan, facts: Facts | None = None) -> None:
        self.plan = plan
        self._facts = facts or {}
        self._decisions: dict[tuple[TypeRef, TypeRef, str], Decision] = {}
        self._moves: dict[tuple[TypeRef, str, str], tuple[Decision, TypeRef]] = {}
        for edge in plan.edges:
            self._index(edge, edge.older, edge.newer)
            self._index(edge, edge.newer, edge.older)
        self._links: dict[LinkEnd, list[tuple[LinkEnd, Decision]]] = {}
        for link in plan.links:
            for side, own, far in _both(link):
                fate = "copied" if self._is_exact(link) else "converted"
                ends = str(link.older), str(link.newer)
                lens = self._declared(*ends, link.older.name) or link.lens
                decision = Decision(
                    side, own.name, fate, far.name, link.reason, link.values, lens=lens
                )
                self._links.setdefault(own, []).append((far, decision))
        self._graphs = [
            neighbours((edge.older, edge.newer) for edge in plan.edges if not edge.is_link),
            neighbours((edge.older, edge.newer) for edge in plan.edges),
        ]

    def ways(self, holder: TypeRef, version: str) -> list[Way]:
        """Return the ways to a holder from the types of a version, the shortest first.

        Edges that skip versions are used only if no other ones lead there.
        """
        if holder.version == version:
            return [(holder,)]
        found: list[Way] = []
        for graph in self._graphs:
            found = found or list(_ways(graph, holder, version))
        return found

    def standing(self, way: Way, name: str) -> Standing | None:
        """Return the standing of a property of a way's first type; None if that lacks it."""
        if name not in self.plan.types.get(way[0], ()):
            return None
        passed: list[Decision] = []
        forms = [self._form(way[0], name)]
        index, end = 0, len(way) - 1
        while index < end:
            here, following = way[index], way[index + 1]
            moved = self._moves.get((here, name, following.version))
            if moved is not None:
                decision, owner = moved
                passed.append(decision)
                forms.append(self._form(owner, decision.partner))
                return Standing("shown", owner, decision.partner, tuple(passed), tuple(forms))
            found = self._decisions.get((here, following, name))
            if found is None:
                break
            if found.fate in WITH_PARTNER:
                index, name = index + 1, found.partner
            elif found.fate == "claimed by a hook":
                return Standing("claimed", here, name, (*passed, found))
            else:
                linked = self._linked(way, index, name)
                if linked is None:
                    if index == 0:
                        return Standing("waits", here, name, (found,))
                    break
                index, found = linked
                name = found.partner
            passed.append(found)
            forms.append(self._form(way[index], name))
        if index == 0:
            return Standing("waits", way[0], name, ())
        return Standing("shown", way[index], name, tuple(passed), tuple(forms))

    def _form(self, holder: TypeRef, path: str) -> str:
        """Return the JSON form of a property, as text; all objects have the same form."""
        *parents, name = steps_of(self.plan, holder, path)
        owner = self.plan.within(holder, parents)
        return _form_of(self.plan.types.get(owner, {}).get(name) if owner is not None else None)

    def _linked(self, way: Way, index: int, name: str) -> tuple[int, Decision] | None:
        """Return where on the rest of a way a property is seen again, and how."""
        far = self._links.get(LinkEnd(way[index], name), ())
        found = [(way.index(end.type), item) for end, item in far if end.type in way[index + 1 :]]
        return min(found, key=lambda pair: pair[0], default=None)

    def _declared(self, older: str, newer: str, name: str) -> str:
        return self._facts.get(f"{older} -> {newer}", {}).get("older", {}).get(name, "")

    def _is_exact(self, link: SkipLink) -> bool:
        ends = (self.plan.types[end.type].get(end.name) for end in (link.older, link.newer))
        return not link.values and are_alike(*ends)

    def _index(self, edge: Edge, own: TypeRef, peer: TypeRef) -> None:
        # Only the older side's decision has renamed values and lenses.
        older = {} if own == edge.older else {it.name: it for it in edge.decided("older")}
        for item in edge.decided(edge.side_of(own)):
            facts = older.get(item.partner, item)
            lens = self._declared(str(edge.older), str(edge.newer), facts.name) or facts.lens
            decision = replace(item, values=facts.values, lens=lens)
            if decision.fate == "moved":
                *parents, name = steps_of(self.plan, own, decision.name)
                holder = self.plan.within(own, parents)
                if holder is not None:
                    self._moves[holder, name, peer.version] = decision, peer
            else:
                self._decisions[own, peer, decision.name] = decision


def steps_of(plan: GroupPlan, ref: TypeRef, name: str) -> tuple[str, ...]:
    """Return the members on the path in a decision's name; each may contain slashes."""
    own = plan.types.get(ref, {})
    if "/" not in name or name in own:
        return (name,)
    for head, type_ in own.items():
        if isinstance(type_, Ref) and name.startswith(f"{head}/"):
            return head, *steps_of(plan, type_.type, name.removeprefix(f"{head}/"))
    return tuple(name.split("/"))


def _both(link: SkipLink) -> Iterator[tuple[Side, LinkEnd, LinkEnd]]:
    yield "older", link.older, link.newer
    yield "newer", link.newer, link.older


def are_alike(one: Type | None, other: Type | None) -> bool:
    """Return whether two types have the same values, apart from members of objects."""
    match one, other:
        case Scalar(kinds=kinds), Scalar(kinds=others):
            return kinds == others
        case (ListOf(item=inner), ListOf(item=others)) | (MapOf(value=inner), MapOf(value=others)):
            return are_alike(inner, others)
        case _:
            return type(one) is type(other)


def _form_of(type_: Type | None) -> str:
    match type_:
        case Scalar(kinds=kinds):
            return " or ".join(sorted(kinds))
        case ListOf(item=inner):
            return f"list of {_form_of(inner)}"
        case MapOf(value=inner):
            return f"map of {_form_of(inner)}"
        case _:
            return type(type_).__name__


def type_at(plan: GroupPlan, ref: TypeRef, path: Iterable[str]) -> Type | None:
    """Return the type at a path below an object; None if there is none.

    A path consists of wire names, with `*` for list elements and map values.
    """
    found: Type = Ref(ref)
    for name in path:
        match found:
            case Ref(type=inner) if name in plan.types.get(inner, ()):
                found = plan.types[inner][name]
            case ListOf(item=item) | MapOf(value=item) if name == "*":
                found = item
            case _:
                return None
    return found


def fits(plan: GroupPlan, value: JsonValue, type_: Type | None) -> bool:
    """Return whether a value has a type, as far as conversions check it; null always does."""
    match type_:
        case _ if value is None:
            return True
        case Scalar(kinds=kinds):
            kind = json_kind(value)
            return kind in kinds or (kind == "integer" and "number" in kinds)
        case Ref(type=ref):
            return isinstance(value, _FORMS[plan.form(ref)])
        case ListOf(item=item):
            return isinstance(value, list) and all(fits(plan, one, item) for one in value)
        case MapOf(value=item):
            return is_json_object(value) and all(fits(plan, one, item) for one in value.values())
        case _:
            return True


def _ways(
    graph: Mapping[TypeRef, Sequence[TypeRef]], holder: TypeRef, version: str
) -> Iterator[Way]:
    """Yield one way from each type of a version that a holder's object may have there.

    No way passes a version twice: other types of a version are not forms of the same object.
    """
    queue: deque[tuple[TypeRef, ...]] = deque([(holder,)])
    seen = {holder}
    while queue:
        way = queue.popleft()
        if way[0].version == version:
            yield way
            continue
        versions = {ref.version for ref in way}
        for ref in graph.get(way[0], ()):
            if ref not in seen and ref.version not in versions:
                seen.add(ref)
                queue.append((ref, *way))

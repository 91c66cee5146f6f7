"""Following values over one edge: where a value of one twin is in the next one.

The plan says what should happen; the result is what the next twin really has. Twins are compared in
their stored form, where a bag entry is a value like any other, below `$propertyBag`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import itemgetter
from typing import Any, Final, TypeAlias

from holdall.engine.hooks import Claims
from holdall.explain.standing import steps_of
from holdall.objects.bag import BAG_MEMBER, CREATED_KEY, WHOLE_KEY, key_of, name_of
from holdall.plan.plans import (
    Decision,
    Edge,
    GroupPlan,
    ListOf,
    MapOf,
    Ref,
    Scalar,
    Type,
    TypeRef,
)
from holdall.text import json as _json
from holdall.text.pointer import split, step
from holdall.types import JsonValue, is_json_object, members

Place: TypeAlias = tuple[str, ...]
"""The members that lead to a value in the stored form of a twin; `$propertyBag` is one of them."""

MISSING: Final = object()
CLAIMED: Final = "claimed by a hook"
EXTRA: Final = "extra"
CARRIED: Final = "carried"
PULLED: Final = "pulled"
STASHED: Final = "stashed"
MOVED: Final = "moved"
RECURSED: Final = "recursed"
DROPPED: Final = "dropped"
DEFAULT: Final = "left to its default"
UNMADE: Final = "unmade"
_SHAPED: Final = (ListOf, MapOf, Ref, Scalar)
_NOT_SHOWN: Final = (STASHED, PULLED, CLAIMED)


@dataclass(frozen=True, slots=True)
class HookPart:
    """A hook, or one part of a composed hook, in one direction of an edge."""

    title: str
    claims: Claims


@dataclass(frozen=True, slots=True)
class Hop:
    """What one edge did with a value: its fate, and all its places afterwards.

    Without a place, nothing of it is left.
    """

    fate: str
    places: tuple[Place, ...]
    reason: str = ""
    hooks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two peer objects, and the edge of their types."""

    source: TypeRef
    destination: TypeRef
    there: Place
    edge: Edge | None


@dataclass(slots=True)
class Edges:
    """One object in two neighbouring versions, in its stored forms, with the edges between them.

    `hooks` are the parts that run in this direction, by source and destination type.
    """

    plan: GroupPlan
    source: TypeRef
    destination: TypeRef
    before: JsonValue
    after: JsonValue
    hooks: Mapping[tuple[TypeRef, TypeRef], Sequence[HookPart]]
    _place: Place = ()
    _value: Any = None
    _edges: dict[tuple[TypeRef, TypeRef], Edge | None] = field(default_factory=dict)

    def follow(self, place: Place) -> Hop:
        """Return what happened to the value at a place of the source twin."""
        self._place = place
        self._value = value_at(self.before, place)
        return self._follow(self._pair(self.source, self.destination, ()), place)

    def _pair(self, source: TypeRef, destination: TypeRef, there: Place) -> _Pair:
        key = source, destination
        if key not in self._edges:
            self._edges[key] = self.plan.edge(source, destination)
        return _Pair(source, destination, there, self._edges[key])

    def _follow(self, pair: _Pair, rest: Place) -> Hop:
        """Follow the rest of a path from an object with a peer."""
        first, *below = rest
        if first == BAG_MEMBER and len(below) > 1:
            return self._entry(pair, below[0], below[1], tuple(below[2:]))
        decision = self._decision(pair, rest)
        name = decision.name if decision is not None else first
        inner = rest[1 if decision is None else len(steps_of(self.plan, pair.source, name)) :]
        waiting = self._if_there((*pair.there, BAG_MEMBER, pair.source.version, name, *inner))
        hooks = [part for part in self._parts(pair) if first in _read(part.claims)]
        if decision is None:
            if first in self.plan.types.get(pair.source, {}):
                return self._unplanned(pair, rest, waiting)
            return self._extra(pair, rest, hooks)
        is_union = self.plan.form(pair.source) == "union"
        if is_union:
            waiting = self._if_there(
                (*pair.there, BAG_MEMBER, pair.source.version, WHOLE_KEY, *rest)
            )
        shown: list[Place] = []
        deeper: tuple[_Pair, Place] | None = None
        if decision.fate not in _NOT_SHOWN:
            shown, deeper = self._partner(pair, decision, inner)
        if hooks:
            places = [*shown, *self._written(pair, hooks), *waiting]
            return Hop(CLAIMED, _distinct(places), "", tuple(part.title for part in hooks))
        if deeper is not None:
            hop = self._follow(*deeper)
            # The fate of the containing property says more than that the value is still there.
            is_plain = hop.fate in ("copied", RECURSED) and decision.fate != RECURSED
            fate, reason = (decision.fate, decision.reason) if is_plain else (hop.fate, hop.reason)
            return Hop(fate, _distinct([*hop.places, *waiting]), reason, hop.hooks)
        if shown:
            turned = self._turned(pair, decision, shown) if not inner else []
            if turned:
                return Hop("converted", _distinct([*shown, *turned]), decision.reason)
            is_inside = decision.fate == RECURSED and inner
            fate = "converted" if is_inside else decision.fate
            return Hop(fate, _distinct([*shown, *waiting]), decision.reason)
        if waiting:
            fits = decision.fate in _NOT_SHOWN
            reason = decision.reason if fits else f"it does not fit into {pair.destination}"
            return Hop(STASHED, _distinct(waiting), reason)
        if not is_union and decision.fate in (STASHED, PULLED):
            # Everything else of a property without a partner is kept.
            return Hop(DEFAULT, (), decision.reason)
        if decision.fate == "converted" and (places := self._made_of_whole(pair, decision)):
            return Hop(decision.fate, tuple(places), decision.reason)
        if self._is_made():
            return Hop(UNMADE, (), "a move made it, and nothing is in it")
        return Hop(DROPPED, (), decision.reason)

    def _made_of_whole(self, pair: _Pair, decision: Decision) -> list[Place]:
        """Return the result of a function for the whole property, or the variant that a union
        became: a value without a place of its own, which is not kept either, is in it."""
        if self.plan.form(pair.source) == "union":
            return self._if_there(pair.there)
        partner = steps_of(self.plan, pair.destination, decision.partner)
        return self._if_there((*pair.there, *partner))

    def _turned(self, pair: _Pair, decision: Decision, shown: Sequence[Place]) -> list[Place]:
        """Return where a union that became another variant is kept."""
        type_ = self.plan.types.get(pair.source, {}).get(decision.name)
        if not isinstance(type_, Ref) or self.plan.form(type_.type) != "union":
            return []
        return [
            place
            for union in shown
            for place in self._if_there((*union, BAG_MEMBER, pair.source.version, WHOLE_KEY))
        ]

    def _partner(
        self, pair: _Pair, decision: Decision, rest: Place
    ) -> tuple[list[Place], tuple[_Pair, Place] | None]:
        """Return where a paired property shows a value, or the objects to search for it."""
        partner = steps_of(self.plan, pair.destination, decision.partner or decision.name)
        here = self._type(pair.source, steps_of(self.plan, pair.source, decision.name))
        there = self._type(pair.destination, partner)
        place = (*pair.there, *partner)
        if not rest and self._value is None:
            return self._if_there(place), None  # null passes unchanged
        while rest and isinstance(here, ListOf | MapOf) and isinstance(there, _SHAPED):
            if isinstance(there, ListOf | MapOf) and type(here) is type(there):
                place, there = (*place, rest[0]), _inner(there)
            elif isinstance(there, ListOf | MapOf):
                found = self._keyed(_keys_of(_lens(pair, decision)), here, there, place, rest)
                if found is None:
                    return [], None
                here, there, place, rest = found
                continue
            elif rest[0] != "0":
                return [], None  # only the first element of the list is shown
            here, rest = _inner(here), rest[1:]
        if isinstance(there, ListOf) and isinstance(here, Scalar | Ref):
            there, place = there.item, (*place, "0")
        if isinstance(here, Ref) and isinstance(there, Ref) and rest:
            if self._there(place) is MISSING:
                return [], None
            return [], (self._pair(here.type, there.type, place), rest)
        if isinstance(here, Ref) and isinstance(there, Scalar) and rest:
            # One member of the object is shown instead of the whole.
            return [place] if self._is_at(place) else [], None
        if isinstance(here, Scalar) and isinstance(there, Ref):
            return self._member(place) or self._if_there(place), None
        return self._if_there((*place, *rest)), None

    def _keyed(
        self, keys: Place, here: ListOf | MapOf, there: ListOf | MapOf, place: Place, rest: Place
    ) -> tuple[Type | None, Type | None, Place, Place] | None:
        """Go from a map to the list with its keys, or back: return types, place and the rest of the
        path in it. None if nothing there shows the value."""
        key, inside = keys[0], keys[1:]
        if isinstance(here, MapOf) and isinstance(there, ListOf):
            shown = self._there(place)
            index = _last_with(shown, key, rest[0])
            if index is None or not isinstance(there.item, Ref):
                return None
            element = (*place, str(index))
            if inside and not self._if_there((*element, *inside)):
                return None, None, element, ()  # an empty text that the list does not have
            inner = self._type(there.item.type, inside) if inside else there.item
            return here.value, inner, (*element, *inside), rest[1:]
        held = value_at(self.before, self._place[: len(self._place) - len(rest)])
        element = value_at(held, rest[:1])
        name = _key_of_element(element, key)
        if (
            not isinstance(here, ListOf)
            or not isinstance(there, MapOf)
            or not isinstance(here.item, Ref)
            or str(_last_with(held, key, name)) != rest[0]
        ):
            return None
        place, below = (*place, name), rest[1:]
        if below[:1] == (key,) or not below:
            return None, None, place, ()
        if inside and below[:1] != inside:
            return None
        inner = self._type(here.item.type, inside) if inside else here.item
        return inner, there.value, place, below[len(inside) :]

    def _unplanned(self, pair: _Pair, rest: Place, waiting: list[Place]) -> Hop:
        """Follow a declared property of a type that has no edge to the other one."""
        places = _distinct([*self._if_there((*pair.there, *rest)), *waiting])
        reason = f"{pair.source} and {pair.destination} have no edge"
        return Hop("converted" if places else DROPPED, places, reason)

    def _extra(self, pair: _Pair, rest: Place, hooks: Sequence[HookPart]) -> Hop:
        """Follow a member that the type does not declare."""
        places: list[Place] = []
        if rest[0] not in self.plan.types.get(pair.destination, {}):
            places = self._if_there((*pair.there, *rest))
        kept = (*pair.there, BAG_MEMBER, pair.source.version)
        places += self._if_there((*kept, key_of(rest[0]), *rest[1:]))
        if hooks:
            places += self._written(pair, hooks)
            return Hop(CLAIMED, _distinct(places), "", tuple(part.title for part in hooks))
        return Hop(EXTRA if places else DROPPED, tuple(places), f"{pair.source} has no such member")

    def _entry(self, pair: _Pair, origin: str, key: str, rest: Place) -> Hop:
        """Follow an entry of the bag of an object."""
        carried = self._if_there((*pair.there, BAG_MEMBER, origin, key, *rest))
        if carried:
            return Hop(CARRIED, tuple(carried), f"it belongs to {origin}")
        if origin == pair.destination.version:
            hooks = [part for part in self._parts(pair) if key in part.claims.keys_read]
            if hooks:
                places = _distinct(self._written(pair, hooks))
                return Hop(CLAIMED, places, "", tuple(part.title for part in hooks))
            if key == WHOLE_KEY and self._is_at((*pair.there, *rest)):
                return Hop(PULLED, ((*pair.there, *rest),), f"it is of {origin}")
            name = name_of(key)
            declared = key in self.plan.types.get(pair.destination, {})
            steps = steps_of(self.plan, pair.destination, name)
            if not declared and self._there((*pair.there, name)) is not MISSING:
                steps = (name,)  # an extra
            place = (*pair.there, *steps, *rest)
            if self._is_at(place):
                fate = PULLED if declared or len(steps) > 1 else EXTRA
                return Hop(fate, (place,), f"it is of {origin}")
        for link in self.plan.links:
            for one, other in ((link.older, link.newer), (link.newer, link.older)):
                if (one.type.version, one.name) == (origin, key) and other.type == pair.destination:
                    place = (*pair.there, other.name)
                    found = self._if_there((*place, *rest)) if rest else self._member(place)
                    if found := found or self._if_there(place):
                        return Hop(PULLED, tuple(found), f"a skip link from {origin}")
        return Hop(DROPPED, (), "the live value decides")

    # --- looking ---

    def _there(self, place: Place) -> Any:
        return value_at(self.after, place)

    def _if_there(self, place: Place) -> list[Place]:
        return [place] if self._there(place) is not MISSING else []

    def _is_at(self, place: Place) -> bool:
        """Return whether the followed value is at a place."""
        there = self._there(place)
        return there is not MISSING and _json.same(there, self._value)

    def _is_made(self) -> bool:
        """Return whether the followed object has only a mark, because a move made it."""
        if not is_json_object(self._value) or self._value.keys() != {BAG_MEMBER}:
            return False
        return any(CREATED_KEY in members(bag) for bag in members(self._value, BAG_MEMBER).values())

    def _member(self, place: Place) -> list[Place]:
        """Return the member of an object with the followed value, if there is one."""
        held = self._there(place)
        names = held.keys() if is_json_object(held) else ()
        return [(*place, name) for name in names if _json.same(held[name], self._value)][:1]

    def _parts(self, pair: _Pair) -> Sequence[HookPart]:
        return self.hooks.get((pair.source, pair.destination), ())

    def _written(self, pair: _Pair, hooks: Sequence[HookPart]) -> list[Place]:
        """Return the claimed members that hooks have written."""
        found: list[Place] = []
        for part in hooks:
            names = part.claims.properties(part.claims.writes) | part.claims.extras_written
            places = [(*pair.there, name) for name in sorted(names)]
            bag = (*pair.there, BAG_MEMBER, pair.source.version)
            places += [(*bag, key) for key in sorted(part.claims.keys_written)]
            found += [place for place in places if self._there(place) is not MISSING]
        return found

    def _decision(self, pair: _Pair, rest: Place) -> Decision | None:
        """Return the decision about the longest declared path at the start of the rest."""
        if pair.edge is None:
            return None
        decided = pair.edge.decided(pair.edge.side_of(pair.source))
        ways = [(steps_of(self.plan, pair.source, item.name), item) for item in decided]
        found = [(len(way), item) for way, item in ways if rest[: len(way)] == way]
        return max(found, key=itemgetter(0), default=(0, None))[1]

    def _type(self, ref: TypeRef, path: Sequence[str]) -> Type | None:
        holder = self.plan.within(ref, path[:-1])
        return None if holder is None else self.plan.types.get(holder, {}).get(path[-1])


def _lens(pair: _Pair, decision: Decision) -> str:
    """Return what is declared about the form of a pair; only the older side's decision has it."""
    decisions = () if pair.edge is None else pair.edge.decided("older")
    names = {decision.name, decision.partner}
    return next((item.lens for item in decisions if {item.name, item.partner} == names), "")


def _keys_of(lens: str) -> tuple[str, ...]:
    """Return the names of the key member and, if declared, of the value member."""
    return split(f"/{lens.removeprefix('keyed: ').removesuffix(', lenient')}")


def _key_of_element(element: JsonValue, key: str) -> str:
    """Return the key of an element of a list; "" if it lacks one."""
    found = element.get(key) if is_json_object(element) else None
    return found if isinstance(found, str) else ""


def _last_with(elements: JsonValue, key: str, name: str) -> int | None:
    """Return the index of the last element with a key."""
    listed = enumerate(elements) if isinstance(elements, list) else ()
    found = [index for index, element in listed if _key_of_element(element, key) == name]
    return found[-1] if found else None


def _inner(type_: ListOf | MapOf) -> Type:
    return type_.item if isinstance(type_, ListOf) else type_.value


def _read(claims: Claims) -> frozenset[str]:
    return claims.properties(claims.reads) | claims.extras_read


def _distinct(places: Iterable[Place]) -> tuple[Place, ...]:
    """Return the places, each once, without those that only contain another one."""
    found = list(dict.fromkeys(places))
    return tuple(
        place
        for place in found
        if not any(other != place and other[: len(place)] == place for other in found)
    )


def value_at(value: JsonValue, place: Sequence[str]) -> Any:
    """Return the value at a place, MISSING if there is none."""
    return reduce(lambda found, name: step(found, name, MISSING), place, value)

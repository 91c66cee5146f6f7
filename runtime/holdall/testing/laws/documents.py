"""Objects of every kind in every version, made only from a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from holdall.objects.bag import BAG_MEMBER, CREATED_KEY, ORIGINAL_VERSION_MEMBER, WHOLE_KEY
from holdall.objects.heads import head_members
from holdall.objects.wire_forms import UNIT
from holdall.plan.plans import (
    GroupPlan,
    ListOf,
    MapOf,
    Opaque,
    Ref,
    Scalar,
    Type,
    TypeRef,
    object_within,
)
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.branches import DEPTH, Branch, branches
from holdall.testing.laws.choices import DOZEN, Choices, Everything, Extremes, pick
from holdall.testing.laws.facts import (
    key_members,
    measured_texts,
    opaque_forms,
    peers_of,
    renamed_values,
)
from holdall.testing.laws.places import Places
from holdall.testing.laws.told import told_by
from holdall.testing.laws.unfit import Unfit
from holdall.testing.laws.values import (
    MAP_KEYS,
    METADATA,
    STRANGE_NAMES,
    foreign_entries,
    integer,
    plain_json,
    scalar,
)
from holdall.text import json as _json
from holdall.types import RANGES, JsonObject, JsonValue

RESERVED: Final = (BAG_MEMBER, ORIGINAL_VERSION_MEMBER, CREATED_KEY)

_STALE: Final = 4

_Forms = Sequence[Type]
"""What other versions have instead of plain JSON."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An object in both forms: `stored`, with visible bags, and `api`, without.

    `stale` says that a bag has an entry that may contradict the object, as after an older edit:
    only after conversions through all versions is its meaning unambiguous.
    """

    stored: JsonObject
    api: JsonObject
    stale: bool = False


class Documents:
    """Makes objects of one group. `claimed` are the members that hooks claim."""

    def __init__(
        self,
        plan: GroupPlan,
        scheme: Scheme,
        claimed: frozenset[tuple[TypeRef, str]] = frozenset(),
    ) -> None:
        self.plan = plan
        self._claimed = claimed
        # Bags do not keep claimed properties under their own names.
        self._kept: dict[TypeRef, list[tuple[str, Type]]] = {
            ref: [(name, type_) for name, type_ in members.items() if (ref, name) not in claimed]
            # A union is kept whole.
            if plan.form(ref) != "union"
            else [(WHOLE_KEY, Ref(ref))]
            for ref, members in plan.types.items()
        }
        self._unfit = Unfit(scheme.package) if plan.forms else None
        self._scheme = scheme
        self.told = told_by(scheme, has_hooks=bool(claimed))
        self._renamed = renamed_values(plan)
        self._measures = measured_texts(plan)
        self._keys = key_members(plan)
        self._forms = opaque_forms(plan)
        self._peers = {ref: peers_of(plan, ref) for ref in plan.types}
        self._roots = {kind.root(version) for kind in plan.kinds for version in kind.types}
        self._branches = {root: [*branches(plan, root)] for root in self._roots}
        self._members = {
            ref: (
                list(members.items()),
                [(name, type_) for name, type_ in members.items() if object_within(type_) is None],
            )
            for ref, members in plan.types.items()
        }
        self._scalars = {
            ref: [(name, type_) for name, type_ in members.items() if isinstance(type_, Scalar)]
            for ref, members in plan.types.items()
        }
        names = sorted({name for members in plan.types.values() for name in members})
        if plan.forms:
            names = []  # fields may displace unknown members: docs/declared.md
        self._extras = {ref: self._extra_names(ref, names) for ref in plan.types}
        self._aliens = {
            ref: [name for name in self._extras[ref] if any(name in plan.types[at] for at in peers)]
            for ref, peers in self._peers.items()
        }

    def draft(self, choices: Choices, kind: str, version: str) -> Draft:
        """Return an object of a kind: any subset of the members at any depth, nulls, unknown
        members, bags with foreign entries and, now and then, with a stale one."""
        places = Places()
        deep = self.branches(kind, version)
        branch = pick(choices, deep) if deep and choices.below(2) else None
        stored = self._root(choices, kind, version, places, branch)
        # In an API object, reserved names are user data.
        holder, _ = pick(choices, places)
        name = pick(choices, RESERVED) if choices.rarely(8) and holder is not stored else ""
        if name:
            holder[name] = plain_json(choices, 2)
        api = _json.copy(stored)
        if name:
            del holder[name]
        if choices.below(2):
            self._record_version(choices, stored, kind)
        for members, _ in places:
            if choices.rarely(16):
                members[BAG_MEMBER] = foreign_entries(choices, self.plan.versions)
        stale = choices.rarely(8) and self._add_entry(choices, *pick(choices, places))
        return Draft(stored, api, stale)

    def branches(self, kind: str, version: str) -> Sequence[Branch]:
        """Return the branches of a kind that begin where its objects end."""
        return self._branches[self.plan.kind(kind).root(version)]

    def root(
        self, choices: Choices, kind: str, version: str, branch: Branch | None = None
    ) -> JsonObject:
        """Return an object of a kind without bags, valid as an API object and as a stored one.
        With a branch it has nothing but that, and what is at its end."""
        return self._root(choices, kind, version, Places(), branch)

    def stale(self, kind: str, version: str) -> Iterator[Draft]:
        """Yield full objects, each with an entry that a skip link joins with a shown property."""
        count = 0
        for end in sorted({end for link in self.plan.links for end in (link.older, link.newer)}):
            for turn in range(_STALE):
                places = Places()
                stored = self._root(Everything(turn), kind, version, places)
                api = _json.copy(stored)
                for members, ref in places:
                    if end.type in self._peers[ref] and (end.type, end.name) not in self._claimed:
                        count += 1
                        type_ = self.plan.types[end.type][end.name]
                        value = self.value(Everything(count), type_)
                        members[BAG_MEMBER] = {end.type.version: {end.name: value}}
                        yield Draft(stored, api, True)
                        break

    def object(self, choices: Choices, ref: TypeRef, *, depth: int = DEPTH) -> JsonObject:
        """Return a stored object of a type, with foreign entries in bags; no union, no tuple."""
        places = Places()
        drawn = self._members_of(choices, ref, depth, places)
        for holder, _ in places:
            if choices.rarely(8):
                holder[BAG_MEMBER] = foreign_entries(choices, self.plan.versions)
        return drawn

    def is_claimed(self, ref: TypeRef, name: str) -> bool:
        """Return whether a hook claims a member of a type."""
        return (ref, name) in self._claimed

    def value(self, choices: Choices, type_: Type, *, depth: int = 1) -> JsonValue:
        """Return a value of a declared type; enums are open."""
        return self._value(choices, type_, depth, Places(), ())

    def variants(self, ref: TypeRef) -> Iterator[JsonValue]:
        """Yield a value for each variant of a union."""
        for turn, (name, type_) in enumerate(self.plan.types[ref].items()):
            if name != UNIT:
                yield {name: self.value(Everything(turn), type_)}
            elif isinstance(type_, Scalar):
                yield from type_.enum

    # --- objects ---

    def _record_version(self, choices: Choices, stored: JsonObject, kind: str) -> None:
        """Record in which version an object was written, if all its twins keep it in one place."""
        twins = [self._scheme.twin(kind, name) for name in self.plan.kind(kind).types]
        at_root = {hasattr(twin, "original_version") for twin in twins}
        holder = stored if at_root == {True} else stored.get("spec")
        if len(at_root) == 1 and isinstance(holder, dict):
            holder[ORIGINAL_VERSION_MEMBER] = pick(choices, self.plan.versions)

    def _root(
        self,
        choices: Choices,
        kind: str,
        version: str,
        places: Places,
        branch: Branch | None = None,
    ) -> JsonObject:
        ref = self.plan.kind(kind).root(version)
        if branch is None:
            members = self._members_of(choices, ref, DEPTH, places)
        else:
            members = branch.bearing(self._object(choices, branch.end, DEPTH, places))
            places.append((members, ref))
        members.update(self._scheme.twin(kind, version).HEAD)
        return members

    def _object(self, choices: Choices, ref: TypeRef, depth: int, places: Places) -> JsonValue:
        """Return an object as its type has it on the wire."""
        match self.plan.form(ref):
            case "union":
                return self._union(choices, ref, depth, places)
            case "tuple":
                items = self.plan.types[ref].values()
                return [self._value(choices, type_, depth, places, ()) for type_ in items]
            case _:
                return self._members_of(choices, ref, depth, places)

    def _union(self, choices: Choices, ref: TypeRef, depth: int, places: Places) -> JsonValue:
        """Return a bare name, or an object with one payload."""
        name, type_ = pick(choices, self._members[ref][0 if depth > 0 else 1])
        if name == UNIT:
            return self._value(choices, type_, depth, places, ())
        union: JsonObject = {name: self._value(choices, type_, depth, places, ())}
        places.append((union, ref))
        return union

    def _members_of(self, choices: Choices, ref: TypeRef, depth: int, places: Places) -> JsonObject:
        members: JsonObject = {}
        table = self._members[ref][0 if depth > 0 else 1]
        for name, type_ in choices.some(table, len(table) if choices.rarely(16) else 6):
            if name == "metadata" and ref in self._roots and type_ == Opaque():
                members[name] = _json.copy(pick(choices, METADATA))
            elif choices.rarely(8):
                members[name] = None
            else:
                forms = self._forms.get((ref, name), ())
                members[name] = self._value(choices, type_, depth, places, forms)
        if choices.rarely(4):
            # Names that another version declares for the same object are most likely to clash.
            near = self._aliens[ref]
            for name in choices.some(near if near and choices.rarely(2) else self._extras[ref], 2)[
                :3
            ]:
                members[name] = plain_json(choices, 2)
        places.append((members, ref))
        return members

    def _extra_names(self, ref: TypeRef, names: Sequence[str]) -> list[str]:
        taken = {*self.plan.types[ref]}
        if ref in self._roots:
            taken |= head_members(self._scheme.head)
            if self._scheme.group:
                taken.add("metadata")
        return [name for name in dict.fromkeys([*STRANGE_NAMES, *names]) if name not in taken]

    # --- bags ---

    def _add_entry(self, choices: Choices, members: JsonObject, ref: TypeRef) -> bool:
        """Put a property of the same object in another version into a bag, if there is one."""
        peers = self._peers[ref]
        if not peers:
            return False
        peer = pick(choices, peers)
        if not self._kept[peer]:
            return False
        name, type_ = pick(choices, self._kept[peer])
        bag = members.setdefault(BAG_MEMBER, {})
        if not isinstance(bag, dict):
            return False
        entries = bag.setdefault(peer.version, {})
        if not isinstance(entries, dict):
            return False
        is_null = name != WHOLE_KEY and choices.rarely(8)
        entries[name] = None if is_null else self.value(choices, type_)
        if self._unfit is not None:
            self._unfit.mark(entries, peer, name)
        return True

    # --- values ---

    def _value(
        self, choices: Choices, type_: Type, depth: int, places: Places, forms: _Forms
    ) -> JsonValue:
        match type_:
            case Scalar():
                return self._scalar(choices, type_)
            case Ref(type=ref):
                return self._object(choices, ref, depth - 1, places)
            case ListOf():
                return self._list(choices, type_, depth, places, forms)
            case MapOf(value=inner):
                keys = MAP_KEYS[: places.room(inner, self._size(choices, inner))]
                return {key: self._element(choices, inner, depth, places, forms) for key in keys}
            case Opaque():
                if forms and choices.below(3):
                    # Bags in plain JSON are data, so it has no places.
                    return self._value(choices, pick(choices, forms), depth, Places(), ())
                return plain_json(choices, 3)

    def _scalar(self, choices: Choices, type_: Scalar) -> JsonValue:
        told = self.told
        if type_.format in RANGES:
            least, greatest = RANGES[type_.format]
            fitting = [n for n in told.numbers if type(n) is int and least <= n <= greatest]
            if fitting and choices.rarely(4):
                return pick(choices, fitting)
            return integer(choices, type_.format)
        kind = pick(choices, type_.kinds)
        if kind != "string":
            if told.numbers and kind != "boolean" and choices.rarely(4):
                number = pick(choices, told.numbers)
                return int(number) if kind == "integer" else number
            return scalar(choices, kind)
        if type_.enum and not isinstance(choices, Extremes) and choices.below(4):
            return pick(choices, type_.enum)
        if told.texts and choices.rarely(4):
            return pick(choices, told.texts)
        if self._measures and not isinstance(choices, Extremes) and choices.below(2):
            return pick(choices, self._measures)
        if self._renamed and choices.rarely(4):
            return pick(choices, self._renamed)
        return scalar(choices, kind)

    def _size(self, choices: Choices, item: Type) -> int:
        """Return the number of elements: that in the code of hooks, or one more."""
        if isinstance(choices, Extremes):
            # Nested containers would multiply.
            return 3 if isinstance(item, (Ref, ListOf, MapOf)) else DOZEN + 1
        if self.told.sizes and choices.rarely(16):
            return pick(choices, self.told.sizes) + choices.below(2)
        return choices.size()

    def _list(
        self, choices: Choices, type_: ListOf, depth: int, places: Places, forms: _Forms
    ) -> JsonValue:
        items = [
            self._element(choices, type_.item, depth, places, forms)
            for _ in range(places.room(type_.item, self._size(choices, type_.item)))
        ]
        keys = type_.keys
        if not keys and isinstance(type_.item, Ref) and type_.item.type in self._keys:
            keys = (self._keys[type_.item.type],)
        if keys:
            unique = choices.below(4) < 3
            # Only one extreme value may be a key.
            for index, item in enumerate(items[1:] if isinstance(choices, Extremes) else items):
                if isinstance(item, dict):
                    for key in keys:
                        item[key] = f"key{index if unique else index // 2}"
        if len(items) > 1 and choices.rarely(3):
            items[choices.below(len(items))] = self._like(choices, type_.item, pick(choices, items))
        return items

    def _like(self, choices: Choices, type_: Type, item: JsonValue) -> JsonValue:
        """Return an element that equals another one, or differs in one member."""
        like = _json.copy(item)
        if isinstance(type_, Ref) and isinstance(like, dict) and choices.below(2):
            scalars = self._scalars[type_.type]
            if scalars and self.plan.form(type_.type) == "object":
                name, scalar_type = pick(choices, scalars)
                like[name] = self._scalar(choices, scalar_type)
        return like

    def _element(
        self, choices: Choices, type_: Type, depth: int, places: Places, forms: _Forms
    ) -> JsonValue:
        # Functions of a declaration get what it declares: lists and maps without null.
        if choices.rarely(8) and (not self.plan.forms or object_within(type_) is not None):
            return None
        return self._value(choices, type_, depth, places, forms)

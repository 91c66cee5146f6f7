"""Hypothesis strategies for documents, derived from a plan and from nothing else.

One generator asks `Choices` for every decision: Hypothesis answers in the strategies, and
`Everything` answers for the one document that shows all of a type.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

from hypothesis import strategies as st

from holdall.types import JsonValue
from holdall_codegen.model import ListOf, MapOf, Opaque, Ref, Scalar, Type, Union
from holdall_codegen.plan.model import (
    Conversion,
    Each,
    Flipped,
    GroupPlan,
    Opened,
    PlannedType,
    RenamedValues,
    TypeRef,
    Wrap,
)

Json = dict[str, Any]
T = TypeVar("T")

RESERVED: Final = ("$propertyBag", "$originalVersion", "$created")
STRANGE_NAMES: Final = (
    "unknown",
    "propertyBag",
    "property_bag",
    "extra_",
    "größe",
    "self",
    "a/b~c",
)
STRINGS: Final = ("a", "", "unknown value", "80", "Zoë €𝄞", "null")
INTEGERS: Final = (1, 0, -1, 80, 2**31, -(2**63), 2.0)
NUMBERS: Final = (0.5, 0, 2.0, 1, -1.25, 1e300)
BIG: Final = 2**70
METADATA: Final[tuple[JsonValue, ...]] = (
    {"name": "x"},
    {},
    {"name": "x", "annotations": {}},
    {"name": "x", "annotations": None},
    None,
    {"name": "x", "annotations": {"a": "b"}, "labels": {"ä": ""}},
    {"name": "x", "managedFields": [{"manager": "m", "fieldsV1": {"f:spec": {}}}, {}]},
)


class Choices(Protocol):
    """Answers the questions of the generator."""

    def below(self, count: int) -> int: ...

    def some(self, items: Sequence[T], at_most: int) -> list[T]: ...


class Drawn:
    """Choices that Hypothesis makes; smaller answers are simpler."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        draw(st.none())  # Hypothesis insists on a draw, even where there is nothing to choose.

    def below(self, count: int) -> int:
        return self._draw(st.integers(0, count - 1)) if count > 1 else 0

    def some(self, items: Sequence[T], at_most: int) -> list[T]:
        if not items:
            return []
        count = self.below(min(at_most, len(items)) + 1)
        rest, chosen = list(items), []
        for _ in range(count):
            chosen.append(rest.pop(self.below(len(rest))))
        return chosen


class Everything:
    """Choices for a full document: all members, containers of two, alternating values."""

    def __init__(self, start: int = 0) -> None:
        self._turn = start

    def below(self, count: int) -> int:
        self._turn += 1
        return self._turn % count

    def some(self, items: Sequence[T], at_most: int) -> list[T]:
        return list(items)


class Documents:
    """Generates objects of one group. `api` documents hold reserved names as user data."""

    def __init__(self, plan: GroupPlan) -> None:
        self.plan = plan
        self._renamed = sorted(set(_value_names(plan)))
        self._typed = _typed_forms(plan)
        names = {m.name for v in plan.versions for t in v.types.values() for m in t.members}
        self._names = sorted(names)

    # --- objects ---

    def root(self, choices: Choices, kind: str, version: str, *, api: bool) -> Json:
        """Return a document of a kind, with apiVersion and kind."""
        planned = next(item for item in self.plan.kinds if item.name == kind)
        group = self.plan.api_group
        ref = TypeRef(version, planned.types[version])
        members = self.object(choices, ref, depth=4, api=api)
        api_version = f"{group}/{version}" if group else version
        return {"apiVersion": api_version, "kind": kind, **members}

    def object(self, choices: Choices, ref: TypeRef, *, depth: int, api: bool) -> Json:
        """Return an object: any subset of the members, nulls, unknown members, foreign entries."""
        planned = self.plan.type(ref)
        root = bool(planned.kind)
        members: Json = {}
        flat = [m for m in planned.members if depth > 0 or not _holds_object(m.property.type)]
        for member in choices.some(flat, 6):
            place = (ref, member.name)
            if root and member.name == "metadata" and isinstance(member.property.type, Opaque):
                members["metadata"] = METADATA[choices.below(len(METADATA))]
            elif choices.below(8) == 7:
                members[member.name] = None
            else:
                members[member.name] = self.value(
                    choices, ref.version, member.property.type, depth, api, place
                )
        extras = self._extra_names(planned, api, root)
        if choices.below(4) == 3:
            for name in choices.some(extras, 2):
                members[name] = self.json(choices, 2)
        if not api and choices.below(4) == 3:
            members["$propertyBag"] = self._foreign(choices)
        return members

    def _extra_names(self, planned: PlannedType, api: bool, root: bool) -> list[str]:
        candidates = [*STRANGE_NAMES, *self._names, *(RESERVED if api else ())]
        taken = {"apiVersion", "kind", "metadata"} if root else set()
        return [n for n in dict.fromkeys(candidates) if not planned.has(n) and n not in taken]

    def _foreign(self, choices: Choices) -> Json:
        """Return bag entries that no edge knows: unknown origins, unknown keys of known ones."""
        known = self.plan.versions[choices.below(len(self.plan.versions))].name
        origins = choices.some(["v0retired", known], 2) or ["v0retired"]
        return {
            origin: {
                name: self.json(choices, 2)
                for name in ("§foreign", "§other")[: 1 + choices.below(2)]
            }
            for origin in origins
        }

    # --- values ---

    def value(
        self,
        choices: Choices,
        version: str,
        type_: Type,
        depth: int,
        api: bool,
        place: tuple[TypeRef, str] | None = None,
    ) -> JsonValue:
        """Return a value of a declared type; enums are open."""
        match type_:
            case Scalar(kind="string", enum=enum):
                return _pick(choices, [*enum, *STRINGS, *self._renamed])
            case Scalar(kind=kind):
                return _pick(choices, _SCALARS[kind])
            case Union(members=kinds):
                return _pick(choices, _SCALARS[_pick(choices, kinds)])
            case Ref(type_name=name):
                return self.object(choices, TypeRef(version, name), depth=depth - 1, api=api)
            case ListOf():
                return self._list(choices, version, type_, depth, api)
            case MapOf(value=inner):
                keys = ("k", "", "é.f/g")[: choices.below(4)]
                return {key: self._element(choices, version, inner, depth, api) for key in keys}
            case Opaque():
                typed = self._typed.get(place, ()) if place else ()
                if typed and choices.below(3):
                    other, form = typed[choices.below(len(typed))]
                    return self.value(choices, other, form, depth, True)
                return self.json(choices, 3)

    def _list(
        self, choices: Choices, version: str, type_: ListOf, depth: int, api: bool
    ) -> JsonValue:
        items = [
            self._element(choices, version, type_.item, depth, api) for _ in range(choices.below(4))
        ]
        unique = choices.below(4) < 3
        for index, item in enumerate(items):
            if type_.map_keys and isinstance(item, dict):
                for key in type_.map_keys:
                    item[key] = f"key{index if unique else index // 2}"
        return items

    def _element(
        self, choices: Choices, version: str, type_: Type, depth: int, api: bool
    ) -> JsonValue:
        if choices.below(8) == 7:
            return None
        return self.value(choices, version, type_, depth, api)

    def json(self, choices: Choices, depth: int) -> JsonValue:
        """Return any JSON value."""
        turn = choices.below(12 if depth else 8)
        if turn < 8:
            return ("text", 0, None, BIG, 1.5, "", True, False)[turn]
        if turn == 8:
            return [] if turn % 2 else {}
        if turn == 9:
            return [self.json(choices, depth - 1) for _ in range(choices.below(3))]
        keys = ("a", "$propertyBag", "ü", "$created")[: choices.below(4)]
        return {key: self.json(choices, depth - 1) for key in keys}


_SCALARS: Final[Mapping[str, Sequence[JsonValue]]] = {
    "string": STRINGS,
    "integer": INTEGERS,
    "number": NUMBERS,
    "boolean": (True, False),
}


# --- strategies ---


def documents(plan: GroupPlan, kind: str, version: str, *, api: bool) -> st.SearchStrategy[Json]:
    """Return documents of a kind in a version: API documents, or stored ones with bags."""
    generator = Documents(plan)
    return st.composite(lambda draw: generator.root(Drawn(draw), kind, version, api=api))()


def objects(plan: GroupPlan, ref: TypeRef) -> st.SearchStrategy[Json]:
    """Return stored objects of a type."""
    generator = Documents(plan)
    return st.composite(lambda draw: generator.object(Drawn(draw), ref, depth=3, api=False))()


def broken(draw: st.DrawFn, document: Json) -> Json:
    """Return a copy of a document with one value, anywhere, replaced by one of another kind."""
    result = json.loads(json.dumps(document))
    holder: Any = result
    draw(st.none())
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        keys = [key for key in keys if key not in ("apiVersion", "kind")]
        if not keys:
            return dict(result)
        key = draw(st.sampled_from(keys))
        if isinstance(holder[key], dict | list) and holder[key] and draw(st.booleans()):
            holder = holder[key]
            continue
        holder[key] = draw(st.sampled_from([{}, [], "text", 1, True, {"a": [1]}, [{"a": "b"}]]))
        return dict(result)


def edits(plan: GroupPlan, ref: TypeRef, document: Json) -> st.SearchStrategy[Json]:
    """Return edited copies of an object: some of what its version shows is changed or deleted."""
    generator = Documents(plan)
    return st.composite(lambda draw: _edited(generator, Drawn(draw), ref, document, 4))()


def single_edits(plan: GroupPlan, ref: TypeRef, document: Json) -> Iterator[Json]:
    """Yield copies of an object with one declared member deleted or changed, nested ones too."""
    generator = Documents(plan)
    for turn, member in enumerate(plan.type(ref).members):
        if member.name == "metadata":
            continue
        rest = {name: value for name, value in document.items() if name != member.name}
        inner, old = member.property.type, document.get(member.name)
        if member.name in document:
            yield rest
        value = generator.value(Everything(turn), ref.version, inner, 1, False)
        yield {**rest, member.name: value}
        if isinstance(inner, Ref) and isinstance(old, dict):
            for edited in single_edits(plan, TypeRef(ref.version, inner.type_name), old):
                yield {**document, member.name: edited}


def _edited(
    generator: Documents, choices: Choices, ref: TypeRef, members: Json, depth: int
) -> Json:
    planned = generator.plan.type(ref)
    result = dict(members)
    for member in choices.some(planned.members, 2):
        if member.name == "metadata":
            continue
        inner = member.property.type
        old = result.get(member.name)
        turn = choices.below(4)
        if turn < 2 and isinstance(inner, Ref) and isinstance(old, dict):
            below = TypeRef(ref.version, inner.type_name)
            result[member.name] = _edited(generator, choices, below, old, depth - 1)
        elif turn < 2 and isinstance(old, list) and old:
            result[member.name] = _edited_list(generator, choices, ref.version, inner, old, depth)
        elif turn == 2:
            result.pop(member.name, None)
        else:
            result[member.name] = generator.value(choices, ref.version, inner, 1, False)
    return result


def _edited_list(
    generator: Documents, choices: Choices, version: str, type_: Type, old: list[Any], depth: int
) -> list[Any]:
    items = list(old)
    turn, index = choices.below(3), choices.below(len(items))
    if turn == 0:
        items.reverse()
    elif turn == 1:
        del items[index]
    elif (
        isinstance(type_, ListOf) and isinstance(type_.item, Ref) and isinstance(items[index], dict)
    ):
        below = TypeRef(version, type_.item.type_name)
        items[index] = _edited(generator, choices, below, items[index], depth - 1)
    return items


# --- what a plan tells about good values ---


def _pick(choices: Choices, items: Sequence[T]) -> T:
    return items[choices.below(len(items))]


def _holds_object(type_: Type) -> bool:
    match type_:
        case Ref():
            return True
        case ListOf(item=inner) | MapOf(value=inner):
            return _holds_object(inner)
        case _:
            return False


def _inside(conversion: Conversion) -> Iterator[Conversion]:
    yield conversion
    match conversion:
        case Each(inner=inner) | Wrap(inner=inner) | Flipped(inner=inner):
            yield from _inside(inner)


def _value_names(plan: GroupPlan) -> Iterator[str]:
    found = [pair.conversion for edge in plan.edges for pair in edge.pairs]
    found += [move.conversion for edge in plan.edges for move in edge.moves]
    found += [link.conversion for link in plan.links]
    for conversion in found:
        for inner in _inside(conversion):
            if isinstance(inner, RenamedValues):
                for names in inner.names:
                    yield from names


def _typed_forms(plan: GroupPlan) -> dict[tuple[TypeRef, str], list[tuple[str, Type]]]:
    """Return, for opaque properties, the typed forms that other versions give them."""
    forms: dict[tuple[TypeRef, str], list[tuple[str, Type]]] = {}
    for edge in plan.edges:
        for pair in edge.pairs:
            for inner in _inside(pair.conversion):
                if isinstance(inner, Opened):
                    opaque = (
                        (edge.older, pair.older)
                        if inner.version == edge.newer.version
                        else (edge.newer, pair.newer)
                    )
                    forms.setdefault(opaque, []).append((inner.version, inner.newer))
    return forms

"""Choosing the conversion of one pair of values: the property-conversion table.

Source: docs/conversions.md, "What converts into what".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from holdall.plan.plans import TypeRef
from holdall.suggest import nearest
from holdall_codegen.config.model import Implicit, PropertyFacts, RetypedFacts, VariantFacts
from holdall_codegen.model import (
    Group,
    ListOf,
    MapOf,
    Opaque,
    Property,
    Ref,
    Scalar,
    Type,
    Union,
    enum_values,
    is_text,
)
from holdall_codegen.plan import model as plan
from holdall_codegen.plan.facts import Options
from holdall_codegen.plan.model import Refused, flip

ANY_KIND = ("boolean", "integer", "list", "number", "object", "string")


@dataclass(frozen=True, slots=True)
class ValuePlanner:
    """Chooses conversions between two versions of a group.

    `pair_types` is called for every pair of object types that need an edge.
    """

    group: Group
    older: str
    newer: str
    pair_types: Callable[[TypeRef, TypeRef], object]

    def aside(self) -> ValuePlanner:
        """Return a planner that makes the same choices without reporting pairs of types."""
        return replace(self, pair_types=lambda _one, _other: None)

    def fits(self, older: Type, newer: Type, facts: PropertyFacts) -> bool:
        """Tell whether two types convert by a declaration, and need all of it."""
        options = Options(facts)
        chosen = self.aside().choose(older, newer, options)
        return not isinstance(chosen, Refused) and not options.unused()

    def choose(self, older: Type, newer: Type, options: Options) -> plan.Conversion | Refused:
        """Return the conversion of an older to a newer type, or why there is none."""
        if (side := options.facts.hides_zero) is not None:
            inner = self.choose(older, newer, options.without("hides_zero"))
            return inner if isinstance(inner, Refused) else plan.HidesZero(side, inner)
        by_lens = measured(older, newer, options) or keyed(older, newer, options, self)
        if by_lens is not None:
            return by_lens
        match older, newer:
            case Scalar(), Scalar():
                return self._scalars(older, newer, options)
            case ((Scalar() | Union()), (Scalar() | Union())):
                return _unions(older, newer)
            case Opaque(), Opaque():
                return plan.Copy()
            case Opaque(), _:
                return self._opened(newer, self.newer)
            case _, Opaque():
                opened = self._opened(older, self.older)
                return opened if isinstance(opened, plan.Kinds) else plan.Flipped(opened)
            case Ref(), Ref():
                ends = TypeRef(self.older, older.type_name), TypeRef(self.newer, newer.type_name)
                self.pair_types(*ends)
                return plan.Recurse(ends)
            case ListOf(), ListOf():
                return _each("list", self.choose(older.item, newer.item, options))
            case MapOf(), MapOf():
                return _each("map", self.choose(older.value, newer.value, options))
            case (MapOf(), Ref()) | (Ref(), MapOf()) if self._has_empty(older, newer):
                # As open JSON in between: the bag keeps what the object does not declare.
                whole = plan.Flipped(plan.Opened(self.older, older))
                return plan.Chain(whole, plan.Opened(self.newer, newer))
            case _:
                return self._shapes(older, newer, options)

    def retyped(
        self, older: Property, newer: Property, facts: RetypedFacts, options: Options
    ) -> plan.Computed | Refused:
        """Return the declared conversion of a property whose type changed."""
        implicit: plan.Conversion | None = None
        if Implicit() in (facts.upgrade, facts.downgrade):
            chosen = self.choose(older.type, newer.type, options)
            if isinstance(chosen, Refused):
                return chosen
            implicit = chosen
        return plan.Computed(
            (self.older, self.newer),
            older.type,
            newer.type,
            facts.upgrade,
            facts.downgrade,
            implicit,
            older.nullable or _is_json(older, facts),
            newer.nullable or _is_json(newer, facts),
            facts.may_raise,
            _is_json(older, facts),
            _is_json(newer, facts),
        )

    def member(self, ref: TypeRef, name: str) -> Type | None:
        """Return the type of a property of an object type, None if it has none of the name."""
        found = self.group.type(ref).property(name)
        return None if found is None else found.type

    def _has_empty(self, older: Type, newer: Type) -> bool:
        """Tell whether one of two ends is a closed type without members."""
        ends = (self.older, older), (self.newer, newer)
        refs = (TypeRef(at, end.type_name) for at, end in ends if isinstance(end, Ref))
        types = map(self.group.type, refs)
        return any(not type_.properties and not type_.preserve_unknown for type_ in types)

    def _scalars(self, older: Scalar, newer: Scalar, options: Options) -> plan.Conversion | Refused:
        if older.kind == newer.kind:
            if (variants := options.facts.variants) is not None and older.kind == "string":
                options.used.add("variants")
                return plan.Variants(variants)
            if (values := options.facts.values) and older.kind == "string":
                options.used.add("values")
                return plan.RenamedValues(tuple(values.items()))
            return plan.Same()
        if {older.kind, newer.kind} == {"integer", "number"}:
            return plan.Kinds((older.kind,), (newer.kind,))
        return Refused(f"{older.kind} cannot become {newer.kind}")

    def _opened(self, typed: Type, version: str) -> plan.Opened | plan.Kinds:
        match typed:
            case Scalar() | Union():
                kinds = _kinds(typed)
                if version == self.newer:
                    return plan.Kinds(ANY_KIND, kinds)
                return plan.Kinds(kinds, ANY_KIND)
            case _:
                return plan.Opened(version, typed)

    def _shapes(self, older: Type, newer: Type, options: Options) -> plan.Conversion | Refused:
        if options.facts.wrap and isinstance(newer, ListOf):
            inner = self.choose(older, newer.item, options.without("wrap"))
            return inner if isinstance(inner, Refused) else plan.Wrap(_checked(older, inner))
        if options.facts.wrap and isinstance(older, ListOf):
            inner = self.choose(older.item, newer, options.without("wrap"))
            if isinstance(inner, Refused):
                return inner
            return flip(plan.Wrap(flip(_checked(newer, inner))))
        if options.facts.reference is not None:
            if is_text(older) and isinstance(newer, Ref):
                return self._reference(TypeRef(self.newer, newer.type_name), options)
            if is_text(newer) and isinstance(older, Ref):
                made = self._reference(TypeRef(self.older, older.type_name), options)
                return made if isinstance(made, Refused) else plan.Flipped(made)
        return Refused(f"{describe(older)} cannot become {describe(newer)}")

    def _reference(self, ref: TypeRef, options: Options) -> plan.Conversion | Refused:
        name = options.facts.reference or ""
        options.used.add("reference")
        if not is_text(self.member(ref, name)):
            return Refused(f"{ref.name} has no string member {name!r} to hold the reference")
        return plan.Reference(ref, name)


def _each(container: str, inner: plan.Conversion | Refused) -> plan.Conversion | Refused:
    match inner:
        case Refused():
            return inner
        case plan.Same() | plan.Copy():
            return plan.Copy()
        case _:
            return plan.Each("list" if container == "list" else "map", inner)


def _checked(value: Type, inner: plan.Conversion) -> plan.Conversion:
    """Return a conversion of elements for an element taken out of its list or map.

    Inside, its kind was not checked, but on its own a map has to be a map, and a list a list.
    """
    if isinstance(value, MapOf | ListOf) and isinstance(inner, plan.Copy):
        return plan.Each("map" if isinstance(value, MapOf) else "list", plan.Same())
    return inner


def _unions(older: Scalar | Union, newer: Scalar | Union) -> plan.Conversion | Refused:
    before, after = _kinds(older), _kinds(newer)
    if before == after:
        return plan.Same()
    if not set(before) & set(after):
        return Refused(f"{describe(older)} cannot become {describe(newer)}")
    return plan.Kinds(before, after)


def _is_json(item: Property, facts: RetypedFacts) -> bool:
    return facts.json_nulls and not item.nullable and isinstance(item.type, Opaque)


def _kinds(scalar: Scalar | Union) -> tuple[str, ...]:
    return (scalar.kind,) if isinstance(scalar, Scalar) else tuple(sorted(scalar.members))


def unknown_values(older: Type, newer: Type, facts: PropertyFacts) -> Iterator[str]:
    """Yield a message for each declared value that the enum of its side does not have."""
    said = facts.variants or VariantFacts(facts.values)
    for side, end, names in (
        ("older", older, [*said.names, *said.only_older, *said.only_newer.values()]),
        ("newer", newer, [*said.names.values(), *said.only_newer, *said.only_older.values()]),
    ):
        known = [value for value in enum_values(end) if isinstance(value, str)]
        for name in dict.fromkeys(name for name in names if isinstance(name, str)):
            if known and name not in known:
                yield f'the enum of the {side} version has no value "{name}"{nearest(name, known)}'


def describe(value: Type) -> str:
    """Name a type for people: `list of ScaleProfile`, `map of string`, `integer or string`."""
    match value:
        case Scalar():
            return value.kind
        case Union():
            return " or ".join(value.members)
        case Opaque():
            return "any JSON"
        case Ref():
            return value.type_name
        case ListOf():
            return f"list of {describe(value.item)}"
        case MapOf():
            return f"map of {describe(value.value)}"


# --- maps and lists of objects with their keys ----------------------------------------------------


def keyed(
    older: Type, newer: Type, options: Options, values: ValuePlanner
) -> plan.Conversion | Refused | None:
    """Return the conversion of a map and a list with declared keys, if the types are such."""
    if options.facts.keyed is None:
        return None
    match older, newer:
        case MapOf(value=of_map), ListOf(item=Ref(type_name=name)):
            versions = values.older, values.newer
        case ListOf(item=Ref(type_name=name)), MapOf(value=of_map):
            versions = values.newer, values.older
        case _:
            return None
    element = TypeRef(versions[1], name)
    key, value = options.facts.keyed
    rest = options.without("keyed")
    part: Type | None = Ref(name)
    if value:
        part = values.member(element, value)
    if part is None or not is_text(values.member(element, key)):
        missing = f"member {value}" if part is None else f"string member {key}"
        return Refused(f"{element} has no {missing}")
    is_lenient = options.facts.lenient
    if is_lenient:
        options.used.add("lenient")
        if value and not (is_text(of_map) and is_text(part)):
            return Refused(f"lenient allows missing values, but {value} is not a string")
    if not value and (why := _is_no_rest(of_map, element, key, versions[0], values)):
        return Refused(why)
    is_turned = isinstance(older, ListOf)
    ends = (part, of_map) if is_turned else (of_map, part)
    inner = values.choose(*ends, rest)
    if isinstance(inner, Refused):
        return inner
    inner = _checked(of_map, flip(inner) if is_turned else inner)
    made = plan.Keyed(element, key, value, inner, is_lenient)
    return flip(made) if is_turned else made


def _is_no_rest(
    of_map: Type, element: TypeRef, key: str, version: str, values: ValuePlanner
) -> str:
    """Return why the values of a map cannot be the rest of the elements beside their keys."""
    match of_map:
        case Opaque():
            return ""
        case Ref(type_name=name):
            holder = TypeRef(version, name)
            is_taken = values.member(holder, key) is not None
            return f"{holder} has a member {key} of its own" if is_taken else ""
        case _:
            return f"the values of the map are not objects, but {element} without {key} is one"


# --- texts and numbers with a unit ----------------------------------------------------------------


def measured(older: Type, newer: Type, options: Options) -> plan.Measure | plan.Flipped | None:
    """Return the conversion of a string and a number with a declared unit, if they are such."""
    for text, number, is_turned in ((older, newer, False), (newer, older, True)):
        if isinstance(number, Scalar) and number.kind in ("integer", "number"):
            found = _of(text, "int32" if number.format == "int32" else number.kind, options)
            if found is not None:
                return plan.Flipped(found) if is_turned else found
    return None


def _of(
    text: Type, kind: Literal["int32", "integer", "number"], options: Options
) -> plan.Measure | None:
    if options.facts.duration is not None and is_text(text):
        options.used.add("duration")
        return plan.Measure("duration", options.facts.duration, kind)
    # In the schemas of Kubernetes' own types, quantities are integers or strings.
    is_quantity = is_text(text) or (isinstance(text, Union) and "string" in text.members)
    if options.facts.unit is not None and is_quantity:
        options.used.add("unit")
        return plan.Measure("quantity", options.facts.unit, kind)
    return None

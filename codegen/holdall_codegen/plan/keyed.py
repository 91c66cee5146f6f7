"""Maps that are lists of objects in the other version, with the key of each value as a member."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from holdall.plan.plans import TypeRef
from holdall_codegen.model import ListOf, MapOf, Opaque, Ref, Type, is_text
from holdall_codegen.plan.facts import Options
from holdall_codegen.plan.model import Conversion, Copy, Each, Keyed, Refused, Same, flip


class Values(Protocol):
    """What chooses the conversions of the values themselves, between two versions."""

    @property
    def older(self) -> str: ...

    @property
    def newer(self) -> str: ...

    @property
    def find_member(self) -> Callable[[TypeRef, str], Type | None]: ...

    def choose(self, older: Type, newer: Type, options: Options) -> Conversion | Refused: ...


def keyed(
    older: Type, newer: Type, options: Options, values: Values
) -> Conversion | Refused | None:
    """Return the conversion of a map and a list whose keys are declared, if they are such."""
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
        part = values.find_member(element, value)
    if part is None or not is_text(values.find_member(element, key)):
        missing = value if part is None else f"text {key}"
        return Refused(f"{element} has no member {missing}")
    is_lenient = options.facts.lenient
    if is_lenient:
        options.used.add("lenient")
        if value and not (is_text(of_map) and is_text(part)):
            return Refused(f"lenient says that a value may be missing, and {value} is not a text")
    if not value and (why := _is_no_rest(of_map, element, key, versions[0], values)):
        return Refused(why)
    is_turned = isinstance(older, ListOf)
    ends = (part, of_map) if is_turned else (of_map, part)
    inner = values.choose(*ends, rest)
    if isinstance(inner, Refused):
        return inner
    inner = _checked(of_map, flip(inner) if is_turned else inner)
    made = Keyed(element, key, value, inner, is_lenient)
    return flip(made) if is_turned else made


def _is_no_rest(of_map: Type, element: TypeRef, key: str, version: str, values: Values) -> str:
    """Say why the values of a map cannot be all that its elements hold beside their keys."""
    match of_map:
        case Opaque():
            return ""
        case Ref(type_name=name):
            holder = TypeRef(version, name)
            is_taken = values.find_member(holder, key) is not None
            return f"{holder} has a member {key} itself" if is_taken else ""
        case _:
            return f"the values of the map are not objects, as {element} without {key} is"


def _checked(of_map: Type, inner: Conversion) -> Conversion:
    """Return a conversion that looks what kind of container a value of the map is: nobody did."""
    if isinstance(of_map, MapOf | ListOf) and isinstance(inner, Copy):
        return Each("map" if isinstance(of_map, MapOf) else "list", Same())
    return inner

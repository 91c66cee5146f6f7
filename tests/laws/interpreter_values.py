"""The value conversions of a plan, interpreted on plain JSON (table of the contract, section 3)."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from typing import Any

from holdall.plan.plans import TypeRef
from holdall.text.json import same
from holdall.types import json_kind
from holdall_codegen.config.model import Function
from holdall_codegen.model import ListOf, MapOf, Ref, Type
from holdall_codegen.plan.model import (
    Computed,
    Conversion,
    Copy,
    Each,
    Flipped,
    GroupPlan,
    Keyed,
    Kinds,
    Measure,
    Opened,
    Recurse,
    Reference,
    RenamedValues,
    Same,
    Wrap,
)
from tests.laws import interpreter_keyed as by_key
from tests.laws import interpreter_lists as by_list
from tests.laws.interpreter_measures import MisfitError, count, spell
from tests.laws.json_form import ABSENT, BAG, RESERVED, Json, clone, put, set_bag, user_key

Cross = Callable[[TypeRef, TypeRef, Json], Json]


def is_exact(conversion: Conversion) -> bool:
    """Tell whether a conversion keeps everything by its nature, so that no residue can be left."""
    match conversion:
        case Same() | Copy() | Recurse():
            return True
        case Each(inner=inner):
            return is_exact(inner)
        case _:
            return False


class ValueConverter:
    """Applies conversions in both directions. `up` means from the older side to the newer."""

    def __init__(self, plan: GroupPlan, cross: Cross) -> None:
        self._plan = plan
        self._cross = cross

    def apply(self, conversion: Conversion, value: Any, up: bool, *, strict: bool = False) -> Any:
        """Return the converted value; absent and null pass as such, a misfit becomes absent."""
        if value is ABSENT or value is None:
            return value
        try:
            return self._convert(conversion, value, up)
        except MisfitError:
            if strict:
                raise
            return ABSENT

    def merge(self, conversion: Conversion, kept: Any, live: Any, up: bool) -> Any:
        """Return what a disagreeing residue and the live value make together, ABSENT if nothing.

        A wrapped value takes the tail of the kept list. In lists and maps the elements that still
        agree are kept, those of a list wherever they stand now; an edited one is merged with what
        it was, where that is certain.
        """
        while isinstance(conversion, Flipped):
            conversion, up = conversion.inner, not up
        fresh = self.apply(conversion, live, up)
        if kept is ABSENT or kept is None or fresh is ABSENT or fresh is None:
            return ABSENT
        match conversion:
            case Wrap() if up and type(kept) is not list:
                return ABSENT
            case Each() if (
                type(kept) is not type(live) or self.apply(conversion, kept, not up) is ABSENT
            ):
                return ABSENT
            case Wrap(inner=inner) if up:
                head = kept[0] if kept else None
                return [self._edited(inner, head, fresh[0], live, up), *clone(kept[1:])]
            case Wrap(inner=inner):
                return self.merge(inner, kept, live[0], up)
            case Keyed(inner=inner):
                if self.apply(conversion, kept, not up) is ABSENT:
                    return ABSENT
                merge = by_key.merged_list if up else by_key.merged_map

                def joined(old: Any, now: Any, made: Any) -> Any:
                    return self._edited(inner, old, made, now, up)

                def shown(part: Any) -> Any:
                    return self.apply(inner, part, not up)

                return merge(conversion, kept, fresh, live, shown, joined)
            case Each(container="list", inner=inner):
                return self._merge_list(inner, kept, fresh, live, up)
            case Opened(version=version, newer=type_) if up:
                return self._with_bags(version, type_, kept, fresh)
            case Each(inner=inner):
                return {
                    key: self._keep(inner, kept.get(key), item, live[key], up)
                    for key, item in fresh.items()
                }
            case Reference(member=member) if up:
                # It says nothing of another object: what is kept has no name yet.
                return {**kept, **fresh} if _named(kept, member) is ABSENT else ABSENT
            case _:
                return ABSENT

    def agrees(
        self, conversion: Conversion, kept: Any, live: Any, up: bool, became: Any = ABSENT
    ) -> bool:
        """Tell whether a residue gives the live value, by itself or merged into it.

        The latter where each side holds what the other cannot: a list with a tail, say, of what
        is a string there and a reference with more members here. `became` is what was noted of it.
        """
        shown = self.apply(conversion, kept, not up) if became is ABSENT else became
        if same(shown, live):
            return True
        return live is not ABSENT and same(self.merge(conversion, live, kept, not up), live)

    def comes_back(self, conversion: Conversion, returned: Any, value: Any, up: bool) -> bool:
        """Tell whether what a way there (`up` or not) and back gave is the value itself.

        Objects in it may have the same fact in their bags under another version: they come back
        if the same becomes of both.
        """
        while isinstance(conversion, Flipped):
            conversion, up = conversion.inner, not up
        if same(returned, value):
            return True
        match conversion:
            case Recurse() if type(returned) is type(value) is dict:
                there = (self.apply(conversion, item, up) for item in (returned, value))
                return same(*there)
            case Keyed(inner=inner) if not up and type(returned) is type(value) is list:
                both = [by_key.apart(conversion, items) for items in (returned, value)]
                if not same([rest for rest, _ in both[0]], [rest for rest, _ in both[1]]):
                    return False
                pairs = [(one, other) for (_, one), (_, other) in zip(*both, strict=True)]
            case Wrap(inner=inner) if up:
                return self.comes_back(inner, returned, value, up)
            case Wrap(inner=inner) | Each(inner=inner) if type(returned) is type(value) is list:
                pairs = list(itertools.zip_longest(returned, value, fillvalue=ABSENT))
            case Each(inner=inner) | Keyed(inner=inner) if type(returned) is type(value) is dict:
                keys = returned.keys() | value.keys()
                pairs = [(returned.get(key, ABSENT), value.get(key, ABSENT)) for key in keys]
            case _:
                return False
        return all(self.comes_back(inner, one, other, up) for one, other in pairs)

    def _merge_list(
        self, inner: Conversion, kept: list[Any], fresh: list[Any], live: list[Any], up: bool
    ) -> list[Any]:
        shown = [None if old is None else self.apply(inner, old, not up) for old in kept]
        was = [None if item is None else self.apply(inner, item, up) for item in shown]
        names: tuple[Json, Json] = ({}, {})
        if _typed(inner, not up):
            names = by_list.names(shown), by_list.names(live)
        elif _typed(inner, up):
            names = by_list.names(kept), by_list.names(fresh)
        merged: list[Any] = clone(fresh)
        for old, at in by_list.known_again((shown, live), (was, fresh), names).items():
            is_same = same(shown[old], live[at])
            value, item = kept[old], fresh[at]
            merged[at] = clone(value) if is_same else self._edited(inner, value, item, live[at], up)
        return merged

    def _keep(self, inner: Conversion, old: Any, fresh: Any, live: Any, up: bool) -> Any:
        agrees = old is not None and same(self.apply(inner, old, not up), live)
        return clone(old) if agrees else self._edited(inner, old, fresh, live, up)

    def _edited(self, inner: Conversion, old: Any, fresh: Any, live: Any, up: bool) -> Any:
        merged = ABSENT if old is None or live is None else self.merge(inner, old, live, up)
        return fresh if merged is ABSENT else merged

    def _convert(self, conversion: Conversion, value: Any, up: bool) -> Any:
        match conversion:
            case Same() | Copy():
                return clone(value)
            case Flipped(inner=inner):
                return self._item(inner, value, not up)
            case Recurse(steps=steps):
                return self._along(steps if up else steps[::-1], value)
            case Each(container="list", inner=inner):
                return [self._element(inner, item, up) for item in _container(value, list)]
            case Each(inner=inner):
                members = _container(value, dict).items()
                return {key: self._element(inner, item, up) for key, item in members}
            case Kinds(older=older, newer=newer):
                return _fit(value, newer if up else older)
            case RenamedValues(names=names):
                return _renamed(names if up else [(b, a) for a, b in names], value)
            case Wrap(inner=inner):
                return [self._element(inner, value, up)] if up else self._first(inner, value)
            case Reference(member=member):
                return {member: clone(value)} if up else _named(value, member)
            case Keyed(inner=inner):
                act = by_key.listed if up else by_key.mapped
                return act(conversion, value, lambda part: self._element(inner, part, up))
            case Computed(upgrade=upgrade, downgrade=downgrade, implicit=implicit):
                step = upgrade if up else downgrade
                if isinstance(step, Function):
                    return _called(step.path, value)
                return ABSENT if implicit is None else self._item(implicit, value, up)
            case Measure(lens=lens, unit=unit, kind=kind):
                return count(lens, unit, kind, value) if up else spell(lens, unit, value)
            case Opened(version=version, newer=type_):
                return (
                    self._read(version, type_, value) if up else self._write(version, type_, value)
                )

    def _item(self, conversion: Conversion, value: Any, up: bool) -> Any:
        return None if value is None else self._convert(conversion, value, up)

    def _element(self, conversion: Conversion, value: Any, up: bool) -> Any:
        """Convert an element; one that would be absent leaves no list or map of the same length."""
        found = self._item(conversion, value, up)
        if found is ABSENT:
            raise MisfitError("an element of a container cannot be absent")
        return found

    def _first(self, inner: Conversion, value: list[Any]) -> Any:
        # A null first element is no value: the single value is absent, as for an empty list.
        return ABSENT if not value or value[0] is None else self._convert(inner, value[0], False)

    def _along(self, steps: tuple[TypeRef, ...], value: Json) -> Json:
        for start, end in itertools.pairwise(steps):
            value = self._cross(start, end, value)
        return value

    # --- opaque JSON and its typed form ---

    def _with_bags(self, version: str, type_: Type, kept: Any, made: Any) -> Any:
        """Return what is made of edited open JSON, with the bags of the objects that it was."""
        match type_, kept, made:
            case Ref(type_name=name), dict(), dict():
                planned = self._plan.type(TypeRef(version, name))
                if planned.type.form != "object":
                    return made
                bag: dict[str, Json] = made.get(BAG, {})
                for origin, entries in kept.get(BAG, {}).items():
                    for key, value in entries.items():
                        if origin != version or key not in map(user_key, RESERVED):
                            put(bag, origin, key, value)
                for key in made.keys() & kept.keys():
                    if planned.has(key):
                        inner = planned.member(key).property.type
                        made[key] = self._with_bags(version, inner, kept[key], made[key])
                set_bag(made, bag)
            case MapOf(value=item), dict(), dict():
                for key in made.keys() & kept.keys():
                    made[key] = self._with_bags(version, item, kept[key], made[key])
            case ListOf(item=item, map_keys=keys), list(), list():
                shown = self._write(version, type_, kept), self._write(version, type_, made)
                found = by_list.known_by_keys(shown, keys) if isinstance(item, Ref) else None
                if found is None:
                    names = map(by_list.names, shown) if isinstance(item, Ref) else ({}, {})
                    found = by_list.known_by_texts(shown, *names)
                for old, at in found.items():
                    made[at] = self._with_bags(version, item, kept[old], made[at])
            case _:
                pass
        return made

    def _read(self, version: str, type_: Type, value: Any) -> Any:
        """Return opaque JSON as a twin stores it; reserved names in it are user data."""
        match type_:
            case Ref(type_name=name):
                return self._read_object(version, name, _container(value, dict))
            case ListOf(item=item):
                found = _container(value, list)
                return [None if v is None else self._read(version, item, v) for v in found]
            case MapOf(value=item):
                found = _container(value, dict)
                return {
                    k: None if v is None else self._read(version, item, v) for k, v in found.items()
                }
            case _:
                return clone(value)

    def _read_object(self, version: str, name: str, value: Json) -> Json:
        planned = self._plan.type(TypeRef(version, name))
        members: Json = {}
        bag: dict[str, Json] = {}
        for key, item in value.items():
            if key in RESERVED:
                put(bag, version, user_key(key), item)
            elif item is not None and planned.has(key):
                members[key] = self._read(version, planned.member(key).property.type, item)
            else:
                members[key] = clone(item)
        set_bag(members, bag)
        return members

    def _write(self, version: str, type_: Type, value: Any) -> Any:
        """Return a stored value as it looks on the wire, without bags."""
        if value is None:
            return None
        match type_:
            case Ref(type_name=name):
                planned = self._plan.type(TypeRef(version, name))
                bag = value.get(BAG, {})
                members = {key: item for key, item in value.items() if key != BAG}
                for key in members:
                    if planned.has(key):
                        inner = planned.member(key).property.type
                        members[key] = self._write(version, inner, members[key])
                own = bag.get(version, {})
                return clone(
                    {
                        **members,
                        **{key: own[user_key(key)] for key in RESERVED if user_key(key) in own},
                    }
                )
            case ListOf(item=item):
                return [self._write(version, item, v) for v in value]
            case MapOf(value=item):
                return {key: self._write(version, item, v) for key, v in value.items()}
            case _:
                return clone(value)


def _typed(conversion: Conversion, newer: bool) -> bool:
    """Tell whether values of one side of a conversion are objects of a type."""
    match conversion:
        case Flipped(inner=inner):
            return _typed(inner, not newer)
        case Recurse():
            return True
        case Opened(newer=type_):
            return newer and isinstance(type_, Ref)
        case Reference():
            return newer
        case _:
            return False


def _named(value: Json, member: str) -> Any:
    # A null member is no reference: the string is absent, as without the member.
    found = value.get(member)
    return ABSENT if found is None else found


def _called(path: str, value: Any) -> Any:
    module, _, name = path.partition(":")
    try:
        made = getattr(importlib.import_module(module), name)(clone(value))
    except Exception as error:
        raise MisfitError(str(error)) from error
    return ABSENT if made is None else made


def _container(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise MisfitError(f"expected {kind.__name__}, found {json_kind(value)}")
    return value


def _fit(value: Any, kinds: tuple[str, ...]) -> Any:
    kind = json_kind(value)
    if kind in kinds or (kind == "integer" and "number" in kinds):
        return clone(value)
    if kind == "number" and "integer" in kinds and value.is_integer():
        return int(value)
    raise MisfitError(f"expected {' or '.join(kinds)}, found {kind}")


def _renamed(names: Any, value: Any) -> Any:
    if isinstance(value, str):
        for before, after in names:
            if before == value:
                return after
    return clone(value)

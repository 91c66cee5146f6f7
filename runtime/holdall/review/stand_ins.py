"""Stand-ins: values of a wrong JSON kind, wrapped to look like what their type declares.

Twins keep unknown members, so a stand-in is an object with one such member. It is converted like
any other object, through renames, moves, bags and lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from holdall.objects.bag import is_stand_in
from holdall.objects.shapes import ValueShape, shape_of
from holdall.objects.views import StorageRoot
from holdall.text import json as _json
from holdall.text.pointer import join, split
from holdall.types import JsonObject, JsonValue

APART: Final = frozenset({"apiVersion", "kind", "metadata"})
"""Members of a document that twins do not read, or that belong to the API server."""

Rest: TypeAlias = "dict[str, JsonObject]"
"""What a conversion wrote beside stand-ins, by their JSON Pointers."""


class Unwrapped(NamedTuple):
    """What was found in a document: values of stand-ins, what was beside them, and the stand-ins.

    `rest` and `places` are by JSON Pointer.
    """

    values: list[JsonValue]
    rest: Rest
    places: JsonObject


class Wrapping:
    """Wraps what a type cannot read in one document.

    `made` are the stand-ins by JSON Pointer; `rest` is put beside them. A stand-in is
    `{mark: {"up": 0, "value": value}}` for an object. For a list it is the only element of one:
    `up` counts the containers around it that belong to the stand-in.
    """

    def __init__(self, mark: str, rest: Rest | None = None) -> None:
        self.made: JsonObject = {}
        self._mark = mark
        self._rest = rest or {}

    def wrap(self, root: type[StorageRoot], document: JsonObject) -> None:
        """Put stand-ins into a document, in place."""
        for name, member in shape_of(root).members.items():
            if name not in APART and document.get(name) is not None:
                document[name] = self._value(member.value, document[name], join("", name))

    def _value(self, shape: ValueShape, value: Any, path: str) -> Any:
        if value is None or shape.container == "value":
            return value
        if shape.type is not None:
            return self._object(shape, value, path)
        if shape.item is None:
            return value
        if type(value) is not (list if shape.container == "list" else dict):
            return self._stand_in(shape, value, path)
        keys: Iterable[Any] = range(len(value)) if shape.container == "list" else list(value)
        for key in keys:
            item = value[key]
            value[key] = self._value(shape.item, item, join(path, key))
        return value

    def _object(self, shape: ValueShape, value: Any, path: str) -> Any:
        if shape.type is None:
            return value
        members = shape.type.open_wire(value)
        if type(members) is not dict:
            return self._stand_in(shape, value, path)
        for name, member in shape_of(shape.type).members.items():
            found = members.get(name)
            if found is not None:
                wrapped = self._value(member.value, found, join(path, name))
                # A tuple is a list on the wire, and a union may be a string.
                if type(value) is dict:
                    value[name] = wrapped
                elif type(value) is list:
                    value[int(name)] = wrapped
        return value

    def _stand_in(self, shape: ValueShape, value: JsonValue, path: str) -> JsonValue:
        made = self.made[path] = self._nested(shape, value, path, 0)
        return made

    def _nested(self, shape: ValueShape, value: JsonValue, path: str, up: int) -> JsonValue:
        """Return a stand-in, or its part inside `up` containers."""
        inner = shape.item
        if shape.container == "list" and inner is not None:
            return [self._nested(inner, value, join(path, 0), up + 1)]
        made: JsonObject = {**self._rest.get(path, {})}
        known = shape_of(shape.type).members if shape.type is not None else {}
        for name in made.keys() & known.keys():
            made[name] = self._value(known[name].value, made[name], join(path, name))
        if inner is None:
            made[self._mark] = {"up": up, "value": value}
        else:
            made[self._mark] = self._nested(inner, value, join(path, self._mark), up + 1)
        return made


class _Spot(NamedTuple):
    """A value in a document: the container it is in, and its key or index there."""

    holder: Any
    key: Any
    above: _Spot | None

    @property
    def value(self) -> Any:
        return self.holder[self.key]

    def pointer(self) -> str:
        """Return the JSON Pointer of the value."""
        names: list[str | int] = []
        spot: _Spot | None = self
        while spot is not None:
            names.append(spot.key)
            spot = spot.above
        return join("", *reversed(names))


def unwrap(document: JsonObject, mark: str, skipped: frozenset[str]) -> Unwrapped:
    """Replace stand-ins by their values.

    `document` is changed; `skipped` are JSON Pointers, of one or two names, of what is left alone.
    """
    made = Unwrapped([], {}, {})

    def within(container: Any, spot: _Spot | None) -> Iterator[_Spot]:
        keys = range(len(container)) if type(container) is list else list(container)
        for key in keys:
            part = _Spot(container, key, spot)
            if (spot is not None and spot.above is not None) or part.pointer() not in skipped:
                yield part

    work = [*within(document, None)]
    while work:
        spot = work.pop()
        value = spot.value
        if type(value) is dict and is_stand_in(value.get(mark)):
            leaf = value[mark]
            *levels, whole = _levels(spot, leaf["up"], mark)
            stand_in: JsonValue = {mark: leaf}
            for level in (*levels, whole):
                others = _beside(level.value, mark)
                if others:
                    made.rest[level.pointer()] = others
                    work.extend(within(others, level))
            for level in levels:
                stand_in = [stand_in] if type(level.holder) is list else {mark: stand_in}
            whole.holder[whole.key] = leaf["value"]
            made.values.append(leaf["value"])
            made.places[whole.pointer()] = stand_in
        elif type(value) is dict or type(value) is list:
            work.extend(within(value, spot))
    return made


def _levels(spot: _Spot, up: int, mark: str) -> Iterator[_Spot]:
    """Yield the containers that form a stand-in, from the innermost outwards.

    A converter may have taken it out of the outer ones.
    """
    yield spot
    while up and spot.above is not None:
        around = spot.holder
        if len(around) != 1 if type(around) is list else spot.key != mark:
            return
        spot, up = spot.above, up - 1
        yield spot


def _beside(value: Any, mark: str) -> JsonObject:
    """Return the members of a container that are not the stand-in's own."""
    if type(value) is not dict:
        return {}
    return {name: item for name, item in value.items() if name != mark}


def put_back(document: JsonObject, stand_ins: JsonObject, rest: Rest, mark: str) -> JsonObject:
    """Put stand-ins back where their values still are, with what was beside them; return them.

    `document` is changed.
    """
    done: JsonObject = {}
    for path, stand_in in stand_ins.items():
        holder, key = _place(document, path)
        value = next(stood_for(stand_in, mark), None)
        if key is not None and value is not None and _json.same(holder[key], value):
            done[path] = holder[key] = _json.copy(stand_in)
    for path, members in rest.items():
        holder, key = _place(document, path)
        part = None if key is None else holder[key]
        if type(part) is dict and mark in part:
            part |= {**members, mark: part[mark]}
    return done


def take_out_of(document: JsonObject, places: Iterable[str]) -> JsonObject:
    """Remove values from a document and return them; elements of lists become null."""
    taken: JsonObject = {}
    for path in places:
        holder, key = _place(document, path)
        if key is None:
            continue
        taken[path] = holder[key]
        if type(holder) is dict:
            del holder[key]
        else:
            holder[key] = None
    return taken


def fill_in(document: JsonObject, values: JsonObject) -> list[str]:
    """Put values back where nothing is; return their JSON Pointers."""
    filled = []
    for path, value in values.items():
        above, slash, _ = path.rpartition("/")
        outer, name = _place(document, above)
        holder = document if not above else None if name is None else outer[name]
        _, key = _place(document, path)
        if type(holder) is list and key is not None and holder[key] is None:
            holder[key] = value
        elif type(holder) is dict and key is None and slash and (above or path[1:] not in APART):
            holder[split(path)[-1]] = value
        else:
            continue
        filled.append(path)
    return filled


def _place(document: JsonObject, path: str) -> tuple[Any, Any]:
    """Return the container of the value at a JSON Pointer, and its key; None if absent."""
    names = split(path)
    holder: Any = None
    key: str | int | None = None
    value: Any = document
    for name in names:
        holder, key = value, None
        if type(value) is dict and name in value:
            key = name
        elif type(value) is list and name.isdecimal() and int(name) < len(value):
            key = int(name)
        if key is None or (holder is document and key in APART):
            return holder, None
        value = holder[key]
    return holder, key


def stood_for(value: JsonValue, mark: str) -> Iterator[JsonValue]:
    """Yield the values of all stand-ins in a JSON value."""
    work = [value]
    while work:
        found = work.pop()
        if isinstance(found, dict):
            leaf: Any = found.get(mark)
            if is_stand_in(leaf):
                yield leaf["value"]
            else:
                work.extend(found.values())
        elif isinstance(found, list):
            work.extend(found)

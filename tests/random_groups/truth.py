"""The whole truth about one object: what every version would show of it, and which part is which.

A truth is a tree of nodes (objects) and rows (lists) with identities of their own; a value is held
in the form that shows most of it. `show` says how a version shows it, `absorb` takes over what
somebody has written at a version.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.random_groups.model import ABSENT, LISTS, MEASURES, Face, Json, Kind, Property, Type

IDS = itertools.count(1)
Value = Any  # Node, Row, dict of values by key, JSON, or ABSENT


@dataclass
class Node:
    """An object: its values by the id of the property, and its unknown members.

    `doubtful` says that nobody could tell which element it was when its hidden part was last put
    back; `others` are the elements that it may have been taken for. `may_go` says that it is empty
    and stands for one that a conversion had made for what moves.
    """

    type: Type
    values: dict[int, Value] = field(default_factory=dict)
    extras: dict[str, Json] = field(default_factory=dict)
    id: int = field(default_factory=lambda: next(IDS))
    doubtful: bool = False
    others: list[Node] = field(default_factory=list)
    may_go: bool = False


@dataclass
class Row:
    """A list; one in a list may be in doubt, as an object may be."""

    items: list[Value]
    id: int = field(default_factory=lambda: next(IDS))
    doubtful: bool = False
    others: list[Row] = field(default_factory=list)
    kept: bool = False  # of a table: its order is known, whatever it holds


def text(value: Json) -> str:
    """Return a text that tells all JSON values apart, numbers by their kind too."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def same(one: Json, other: Json) -> bool:
    """Tell whether two values are the same JSON."""
    if one is ABSENT or other is ABSENT:
        return one is other
    return text(one) == text(other)


def show_node(node: Node, version: str, crds: bool) -> dict[str, Json]:
    """Return an object as a version shows it."""
    out: dict[str, Json] = {}
    moved = []
    for item in node.type.properties:
        face = item.faces.get(version)
        if face is None or item.id not in node.values:
            continue
        shown = show(item.kind, node.values[item.id], version, face, crds)
        if shown is ABSENT:
            continue
        if face.inside:
            moved.append((node.type.by_id(face.inside).faces[version].name, face.name, shown))
        else:
            out[face.name] = shown
    for holder, name, shown in moved:
        if out.get(holder) is None:
            out[holder] = {}
        out[holder][name] = shown
    if node.type.shows_unknown(version, crds):
        out |= json.loads(json.dumps(node.extras))
    return out


def show(kind: Kind, value: Value, version: str, face: Face, crds: bool) -> Json:
    """Return a value as a version shows it."""
    bent = kind.bent and face.bent
    if value is ABSENT or value is None:
        return value
    if kind.name in LISTS:
        assert kind.item
        if bent and kind.name == "table":
            return folded(kind.item, value, version, face, crds)
        if bent:
            items = value.items
            return show(kind.item, items[0], version, face, crds) if items else ABSENT
        items = [show(kind.item, item, version, face, crds) for item in value.items]
        return ABSENT if ABSENT in items else items
    if kind.name == "map":
        assert kind.item
        found = {key: show(kind.item, item, version, face, crds) for key, item in value.items()}
        return ABSENT if ABSENT in found.values() else found
    if kind.name == "obj":
        if bent:
            return value.values.get(value.type.properties[0].id, ABSENT)
        return show_node(value, version, crds)
    return show_plain(kind, value, bent, crds)


def show_plain(kind: Kind, value: Json, bent: bool, crds: bool) -> Json:
    """Return a value without objects of a type as a version shows it."""
    if kind.name == "open":
        return {} if bent and crds else json.loads(json.dumps(value))
    if bent and kind.name == "num":
        return int(value) if float(value).is_integer() else ABSENT
    if bent and kind.name == "either":
        return value if isinstance(value, str) else ABSENT
    if bent and kind.name in ("span", "amount"):
        return number(kind, value)
    if bent and kind.name == "enum":
        return kind.values.get(value, value)
    return value


def numbers(kind: Kind) -> tuple[Json, ...]:
    """Return the numbers that clients write for a duration or a quantity."""
    return (0, 1, 90, 3600, -150, 5415, *((1.5,) if kind.exact else ()))


def number(kind: Kind, value: Json) -> Json:
    """Return the number of a duration or a quantity, ABSENT if it is none."""
    said = (*numbers(kind), *MEASURES[kind.unit].values())
    known: dict[Json, Json] = {spelled(kind, one): one for one in said}
    known |= MEASURES[kind.unit]
    found = known.get(value, ABSENT)
    return found if found is ABSENT or kind.exact else int(found)


def spelled(kind: Kind, number: Json) -> str:
    """Return the text of a number, a duration as Go writes it."""
    if kind.name == "amount":
        return f"{number}{kind.unit}"
    hours, minutes, rest = abs(number) // 3600, abs(number) // 60 % 60, abs(number) % 60
    parts = [f"{hours}h"] * (hours > 0) + [f"{minutes}m"] * (hours + minutes > 0) + [f"{rest}s"]
    return f"{'-' * (number < 0)}{''.join(parts)}"


def folded(item: Kind, row: Row, version: str, face: Face, crds: bool) -> Json:
    """Return the map of a table, ABSENT if it is none: a key is missing or there twice."""
    assert item.type
    shown = [show(item, one, version, face, crds) for one in row.items]
    key, value, *_ = [
        one.faces[version].name for one in item.type.properties if version in one.faces
    ]
    keys = [one.get(key, ABSENT) for one in shown]
    if ABSENT in keys or len(set(keys)) < len(keys):
        return ABSENT
    if not item.type.single:
        return {one.pop(key): one for one in shown}
    if any(is_misfit(item.type.properties[1], node, version, crds) for node in row.items):
        return ABSENT
    return {one[key]: one[value] for one in shown if value in one}


def is_misfit(item: Property, node: Node, version: str, crds: bool) -> bool:
    """Tell whether a value is there, and cannot be shown."""
    value = node.values.get(item.id, ABSENT)
    shown = show(item.kind, value, version, item.faces[version], crds)
    return value is not ABSENT and shown is ABSENT


def unfolded(type: Type, key: str, value: Json, version: str) -> dict[str, Json]:
    """Return an element as a list would show it, for a value of the map."""
    names = [item.faces[version].name for item in type.properties[:2] if version in item.faces]
    return {names[0]: key} | ({names[1]: value} if type.single else value)


def is_plain(kind: Kind, row: Row, version: str, face: Face, crds: bool) -> bool:
    """Tell whether a table holds nothing but what its map says."""
    assert kind.item and kind.item.type
    key, value = kind.item.type.properties[:2]
    keys = [one.values[key.id] for one in row.items]
    if keys != sorted(keys):
        return False
    if not kind.item.type.single:
        return True
    shown = value.faces[version]
    return all(
        set(one.values) == {key.id, value.id}
        and not one.extras
        and (
            value.kind.name not in ("span", "amount")
            or not (value.kind.bent and shown.bent)
            or spelled(value.kind, number(value.kind, one.values[value.id])) == one.values[value.id]
        )
        for one in row.items
    )


def tables_in(value: Value) -> list[Row]:
    """Return the rows of objects in a value, in lists or maps of any depth."""
    if isinstance(value, Row) and not any(isinstance(item, Row | dict) for item in value.items):
        return [value]
    items: Iterable[Value] = value.items if isinstance(value, Row) else ()
    items = value.values() if isinstance(value, dict) else items
    return [row for item in items for row in tables_in(item)]


def nodes_in(value: Value) -> Iterable[Node]:
    """Yield an object and all objects in it, in lists and maps too."""
    items: Iterable[Value] = ()
    if isinstance(value, Node):
        yield value
        items = value.values.values()
    elif isinstance(value, Row):
        items = value.items
    elif isinstance(value, dict):
        items = value.values()
    for item in items:
        yield from nodes_in(item)


def keep_order(kind: Kind, value: Value, version: str, face: Face, crds: bool) -> None:
    """Mark the tables in a list or map of them as kept if one is: all are, or none."""
    bend = kind.bend()
    if bend is None or bend.name != "table" or not face.bent:
        return
    rows = tables_in(value)
    if any(
        folded(bend.item, row, version, face, crds) is ABSENT  # type: ignore[arg-type]
        or not is_plain(bend, row, version, face, crds)
        for row in rows
    ):
        for row in rows:
            row.kept = True


def absorb_map(
    kind: Kind, old: Value, shown: dict[str, Json], version: str, face: Face, crds: bool
) -> Row:
    """Return a table whose map is `shown`: old elements in their order, then new ones by key."""
    assert kind.item and kind.item.type
    type = kind.item.type
    name = type.properties[0].id
    before = old if isinstance(old, Row) else Row([])
    was = show(kind, before, version, face, crds)
    held: dict[Json, Node] = {}
    if was is not ABSENT:
        held = {one.values[name]: one for one in before.items}
    is_sorted = not held or (not before.kept and is_plain(kind, before, version, face, crds))
    fresh = sorted(key for key in shown if key not in held)
    keys = sorted(shown) if is_sorted else [*held, *fresh]
    items = []
    for key in keys:
        one = held.get(key, Node(type))
        if key in shown:
            one = absorb_node(one, unfolded(type, key, shown[key], version), version, crds)
        elif key in was:
            continue
        items.append(one)
    return Row(items, before.id, before.doubtful, before.others)


def members(type: Type, shown: Any, version: str) -> dict[int, Json]:
    """Return what an object shows, by the ids of the properties; unknown members are left out.

    What has been moved into another property is taken out of it. If that had nothing else in it,
    it is left as `{}`: whether it was made for what is in it cannot be seen.
    """
    found: dict[int, Json] = {}
    here = dict(shown)
    for item in type.properties:
        face = item.faces.get(version)
        if face is not None and face.inside:
            holder = type.by_id(face.inside).faces[version].name
            inner = here.get(holder)
            if isinstance(inner, dict) and face.name in inner:
                here[holder] = {key: value for key, value in inner.items() if key != face.name}
                found[item.id] = inner[face.name]
    for item in type.properties:
        face = item.faces.get(version)
        if face is not None and not face.inside and face.name in here:
            found[item.id] = here[face.name]
    return found


def unknown(type: Type, shown: dict[str, Json], version: str) -> dict[str, Json]:
    """Return the members of an object that its type does not declare."""
    names = {
        item.faces[version].name
        for item in type.properties
        if version in item.faces and not item.faces[version].inside
    }
    return {key: value for key, value in shown.items() if key not in names}


def absorb_node(node: Node, shown: dict[str, Json], version: str, crds: bool) -> Node:
    """Return a node that shows `shown` and hides what the node hid."""
    found = Node(node.type, dict(node.values), dict(node.extras), node.id)
    found.doubtful, found.others = node.doubtful, node.others
    given = members(node.type, shown, version)
    for item in node.type.properties:
        face = item.faces.get(version)
        if face is None:
            continue
        old = node.values.get(item.id, ABSENT)
        new = given.get(item.id, ABSENT)
        if new == {} and old in (ABSENT, None) and was_made(node, item, given, version):
            continue
        taken = absorb(item.kind, old, new, version, face, crds)
        if taken is ABSENT:
            found.values.pop(item.id, None)
        else:
            found.values[item.id] = taken
    if node.type.shows_unknown(version, crds):
        found.extras = unknown(node.type, shown, version)
    return found


def was_made(node: Node, holder: Property, given: dict[int, Json], version: str) -> bool:
    """Tell whether an object was made by a conversion, for what has been moved into it."""
    had = {id: given[id] for id in given if id in node.values}
    return holds_moved(node.type, holder, had, version)


def holds_moved(type: Type, holder: Property, given: dict[int, Json], version: str) -> bool:
    """Tell whether something that is present has been moved into a property."""
    return any(
        item.id in given and version in item.faces and item.faces[version].inside == holder.id
        for item in type.properties
    )


def absorb(kind: Kind, old: Value, shown: Json, version: str, face: Face, crds: bool) -> Value:
    """Return a value that shows `shown` and hides what `old` hid, if that is still its value."""
    was = show(kind, old, version, face, crds)
    if same(was, shown):
        return old
    old = ABSENT if was is ABSENT else old  # what nobody has seen is no part of what is there now
    if shown is ABSENT or shown is None:
        return shown
    bent = kind.bent and face.bent
    if kind.name in LISTS:
        assert kind.item
        if bent and kind.name == "table":
            return absorb_map(kind, old, shown, version, face, crds)
        if bent:
            rest = old if isinstance(old, Row) else Row([])
            first = rest.items[0] if rest.items else ABSENT
            row = Row([absorb(kind.item, first, shown, version, face, crds), *rest.items[1:]])
            row.doubtful, row.others = rest.doubtful, rest.others
            return row
        before = old.items if isinstance(old, Row) else []
        if len(before) != len(shown):
            before = [ABSENT] * len(shown)
        pairs = zip(before, shown, strict=True)
        row = Row([absorb(kind.item, one, item, version, face, crds) for one, item in pairs])
        if isinstance(old, Row):
            row.id = old.id
        return row
    if kind.name == "map":
        assert kind.item
        inner = kind.item
        held = old if isinstance(old, dict) else {}
        return {
            key: absorb(inner, held.get(key, ABSENT), item, version, face, crds)
            for key, item in shown.items()
        }
    if kind.name == "obj":
        assert kind.type
        if bent:
            return Node(kind.type, {kind.type.properties[0].id: shown})
        held_node = old if isinstance(old, Node) else Node(kind.type)
        return absorb_node(held_node, shown, version, crds)
    if kind.name in ("span", "amount") and bent:
        return spelled(kind, shown)
    if kind.name == "enum" and bent:
        return {new: value for value, new in kind.values.items()}.get(shown, shown)
    if kind.name == "open" and bent and crds:
        return old if isinstance(old, dict) and shown == {} else shown
    return shown


def fingerprint(
    kind: Kind, value: Value, version: str, face: Face, crds: bool, *, far: bool = False
) -> str:
    """Return what an element shows, without members that equal their defaults.

    `far` defaults are those of other versions, too.
    """
    return text(bare(kind, show(kind, value, version, face, crds), version, face, far=far))


def bare(kind: Kind, shown: Json, version: str, face: Face, *, far: bool = False) -> Json:
    """Return what is shown without members that equal their defaults, at any depth."""
    if kind.bent and face.bent and kind.name == "table" and isinstance(shown, dict):
        type = kind.item.type  # type: ignore[union-attr]
        listed = [unfolded(type, key, shown[key], version) for key in sorted(shown)]  # type: ignore[arg-type]
        return [bare(kind.item, item, version, face, far=far) for item in listed]  # type: ignore[arg-type]
    if kind.bent and face.bent and kind.name in ("list", "obj"):
        return shown if kind.name == "obj" else bare(kind.item, shown, version, face, far=far)  # type: ignore[arg-type]
    if kind.name in LISTS and isinstance(shown, list):
        return [bare(kind.item, item, version, face, far=far) for item in shown]  # type: ignore[arg-type]
    if kind.name == "map" and isinstance(shown, dict):
        return {key: bare(kind.item, item, version, face, far=far) for key, item in shown.items()}  # type: ignore[arg-type]
    if kind.name != "obj" or not isinstance(shown, dict):
        return shown
    assert kind.type
    found = dict(shown)
    for item in kind.type.properties:
        inner = item.faces.get(version)
        if inner is None:
            continue
        holder = found
        if inner.inside:
            name = kind.type.by_id(inner.inside).faces[version].name
            if not isinstance(found.get(name), dict):
                continue
            holder = found[name] = dict(found[name])
        if inner.name not in holder:
            continue
        value = bare(item.kind, holder[inner.name], version, inner, far=far)
        if any(
            one.default is not ABSENT
            and (
                same(value, bare(item.kind, one.default, version, inner))
                or (value is None and not one.nullable)
            )
            for one in (item.faces.values() if far else (inner,))
        ):
            del holder[inner.name]
        else:
            holder[inner.name] = value
    return found


def clone(value: Value) -> Value:
    """Return a deep copy in which every node and row keeps its identity."""
    if isinstance(value, Node):
        return Node(
            value.type,
            {id: clone(item) for id, item in value.values.items()},
            json.loads(json.dumps(value.extras)),
            value.id,
            value.doubtful,
            value.others,
            value.may_go,
        )
    if isinstance(value, Row):
        items = [clone(item) for item in value.items]
        return Row(items, value.id, value.doubtful, value.others)
    if isinstance(value, dict):
        return {key: clone(item) for key, item in value.items()}
    return json.loads(json.dumps(value)) if isinstance(value, list) else value

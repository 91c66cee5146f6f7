"""What the judge asks of values: what there is to them, who is in doubt, how errors show them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.random_groups.model import ABSENT, Json, Kind, Property, Type, types_below
from tests.random_groups.truth import IDS, Node, Row, Value, show_node, text

UNSEEN: Any = type("Unseen", (), {"__repr__": lambda self: "UNSEEN"})()


class Wrong(Exception):
    """Something is not where it belongs; `rule` is the short name of what was broken."""

    def __init__(self, rule: str, text: str) -> None:
        super().__init__(f"{rule}: {text}")
        self.rule = rule


def content(value: Value) -> Any:
    """Return all that there is to a value, without identities."""
    if isinstance(value, Node):
        return {id: content(item) for id, item in value.values.items()}, text(value.extras)
    if isinstance(value, Row):
        return [content(item) for item in value.items]
    if isinstance(value, dict):
        return {key: content(item) for key, item in value.items()}
    return value if value is ABSENT else text(value)


def is_doubtful(value: Value) -> bool:
    """Tell whether some object in a value is not known for certain."""
    if isinstance(value, Node):
        return value.doubtful or any(map(is_doubtful, value.values.values()))
    if isinstance(value, Row):
        return value.doubtful or any(map(is_doubtful, value.items))
    return isinstance(value, dict) and any(map(is_doubtful, value.values()))


def nodes_in(value: Value) -> list[Node]:
    """Return an object, or the objects in a list or map."""
    if isinstance(value, Node):
        return [value]
    items = value.items if isinstance(value, Row) else ()
    items = tuple(value.values()) if isinstance(value, dict) else items
    return [node for item in items for node in nodes_in(item)]


def all_nodes(value: Value) -> list[Node]:
    """Return the objects in a value, and those within them."""
    nodes = nodes_in(value)
    return nodes + [
        one for node in nodes for held in node.values.values() for one in all_nodes(held)
    ]


def types_of(kind: Kind) -> list[Type]:
    """Return the type of the objects that a value holds, if it holds any."""
    return [kind.type] if kind.type else types_of(kind.item) if kind.item else []


def doubts(value: Value, version: str, crds: bool) -> list[Json]:
    """Return what those show that doubtful objects in a value may have been taken for."""
    found: list[Json] = []
    if isinstance(value, Node):
        found += [show_node(one, version, crds) for one in value.others]
        for item in value.values.values():
            found += doubts(item, version, crds)
    elif isinstance(value, Row | dict):
        for other in value.others if isinstance(value, Row) else []:
            found += [show_node(one, version, crds) for one in nodes_in(other)]
            found += plain_in(other)
        for item in value.items if isinstance(value, Row) else value.values():
            found += doubts(item, version, crds)
    return found


def alternatives(value: Value) -> list[Any]:
    """Return what something doubtful may have been taken for, each as doubtful as it is.

    A version that shows no difference between them leaves open which one it was.
    """
    others = value.others if isinstance(value, Node | Row) else []
    return [replace(one, doubtful=True, others=value.others) for one in others]


def plain_in(value: Value) -> list[Json]:
    """Return what is in lists and maps of any depth, and is no object of a type."""
    if isinstance(value, Node):
        return []
    if not isinstance(value, Row | dict):
        return [value]
    items = value.items if isinstance(value, Row) else value.values()
    return [one for item in items for one in plain_in(item)]


def words(value: Json) -> set[str]:
    """Return all scalars in a value."""
    if isinstance(value, dict | list):
        items = value.values() if isinstance(value, dict) else value
        return set().union(*map(words, items)) if items else set()
    return set() if value is ABSENT else {text(value)}


def made_for_moves(item: Property, version: str) -> set[str]:
    """Return the names of objects below a property into which something moves at a version."""
    return {
        type.by_id(face.inside).faces[version].name
        for type, _, _ in types_below(Type([item]))
        for face in (one.faces.get(version) for one in type.properties)
        if face is not None and face.inside
    }


def without_made(value: Json, names: set[str]) -> Json:
    """Return a value without empty objects of some names."""
    if isinstance(value, dict):
        shown = {key: without_made(item, names) for key, item in value.items()}
        return {key: item for key, item in shown.items() if item != {} or key not in names}
    return [without_made(item, names) for item in value] if isinstance(value, list) else value


def may_hide(kind: Kind) -> bool:
    """Tell whether a value may have a part that some version hides."""
    return kind.name in ("obj",) or kind.bent or (kind.item is not None and may_hide(kind.item))


def align(made: Value, like: Value) -> None:
    """Give a value that was made anew the identities of the one that it was made from."""
    if isinstance(made, Node) and isinstance(like, Node):
        made.id = like.id
        for id, item in made.values.items():
            align(item, like.values.get(id, ABSENT))
    elif isinstance(made, Row) and isinstance(like, Row):
        made.id = like.id
        for one, other in pairs(made, like):
            align(one, other)
        made.items = distinct(made.items)
    elif isinstance(made, dict) and isinstance(like, dict):
        for key, item in made.items():
            align(item, like.get(key, ABSENT))


def mark_made(after: Value, before: Value) -> None:
    """Note that objects may go: empty ones that clients see and that nobody has written."""
    if isinstance(after, Node) and isinstance(before, Node):
        for id, item in after.values.items():
            old = before.values.get(id, ABSENT)
            if isinstance(item, Node) and old is ABSENT:
                item.may_go = not item.values and not item.extras
            else:
                mark_made(item, old)
    elif isinstance(after, Row) and isinstance(before, Row):
        for one, other in pairs(after, before):
            mark_made(one, other)


def hide_again(made: Value, like: Value, version: str) -> None:
    """Give objects in their places what a version hides of them; lists may have become longer."""
    if isinstance(made, Node) and isinstance(like, Node):
        for item in made.type.properties:
            if item.id in like.values and version not in item.faces:
                made.values.setdefault(item.id, like.values[item.id])
            elif item.id in made.values:
                hide_again(made.values[item.id], like.values.get(item.id, ABSENT), version)
    elif isinstance(made, Row) and isinstance(like, Row):
        for one, other in zip(made.items, like.items, strict=False):
            hide_again(one, other, version)


def without_empty(made: Value, like: Value) -> Value:
    """Return a value without empty objects that another one lacks: moves into them made them."""
    if isinstance(made, Node) and isinstance(like, Node):
        values = {
            id: without_empty(item, like.values.get(id, ABSENT))
            for id, item in made.values.items()
            if id in like.values or not isinstance(item, Node) or item.values or item.extras
        }
        return replace(made, values=values)
    if isinstance(made, Row) and isinstance(like, Row):
        both = zip(made.items, like.items, strict=False)
        held = [without_empty(one, other) for one, other in both]
        return replace(made, items=[*held, *made.items[len(held) :]])
    return made


def distinct(items: list[Value]) -> list[Value]:
    """Return values of which no two are the same one: the carriers of an earlier document may
    bring one back beside itself."""
    found: dict[int, Value] = {}
    for one in items:
        is_again = isinstance(one, Node | Row) and one.id in found
        one = replace(one, id=next(IDS)) if is_again else one
        found[getattr(one, "id", -len(found))] = one
    return list(found.values())


def pairs(made: Row, like: Row) -> list[tuple[Value, Value]]:
    """Return what is the same in two lists: by keys, if there are such, else by places."""
    nodes = [one for one in (*made.items, *like.items) if isinstance(one, Node)]
    if nodes and nodes[0].type.is_table():
        key = nodes[0].type.properties[0].id
        named = {one.values.get(key): one for one in like.items}
        if len(named) == len(like.items):
            return [(one, named.get(one.values.get(key), ABSENT)) for one in made.items]
    return list(zip(made.items, like.items, strict=False))


def short(value: Json) -> str:
    """Return a value as text for a message."""
    shown = value if value is ABSENT or value is UNSEEN else json.dumps(value, ensure_ascii=False)
    return str(shown)[:300]

"""Clients: what they write at one version, knowing only what that version shows.

They change the truth; the document is made from it anew. What they remove is gone with all that was
hidden in it; what they edit in place stays what it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.random_groups.dice import Dice
from tests.random_groups.draw import ValueDrawer, key_of, make_holder
from tests.random_groups.model import ABSENT, Face, Kind, Property, known_by
from tests.random_groups.truth import Node, Row, Value, absorb, clone, nodes_in, show


@dataclass
class Spot:
    """A property of an object that a version shows, and whether it is a key of a list."""

    node: Node
    item: Property
    face: Face
    is_key: bool = False  # or what else has to be there, such as the string of a reference
    is_there: bool = False  # and cannot be deleted


def spots(node: Node, version: str, keys: tuple[str, ...] = ()) -> Iterator[Spot]:
    """Yield everything that a version shows of an object, at any depth."""
    for item in node.type.properties:
        face = item.faces.get(version)
        if face is None:
            continue
        is_key = face.name in keys or is_named_by(node, item)
        yield Spot(node, item, known_by(item.kind, version, face), is_key)
        value = seen(node, item, version, face)
        yield from _below(item.kind, value, version, face)


def seen(node: Node, item: Property, version: str, face: Face) -> Value:
    """Return a value of an object, ABSENT if the version shows nothing of it."""
    value = node.values.get(item.id, ABSENT)
    return ABSENT if show(item.kind, value, version, face, crds=True) is ABSENT else value


def is_named_by(node: Node, item: Property) -> bool:
    """Tell whether a property is what a string stands for, where the object is one."""
    return len(item.names()) == 1 and min(item.names()).startswith("ref")


def _below(kind: Kind, value: Value, version: str, face: Face) -> Iterator[Spot]:
    if isinstance(value, Node):
        if not (kind.bent and face.bent):
            yield from spots(value, version, (face.distinct, *face.keys))
    elif isinstance(value, Row):
        assert kind.item
        face = known_by(kind, version, face)
        is_bent = kind.bent and face.bent
        if is_bent and kind.name == "table":
            yield from _in_map(kind, value, version, face)
            return
        for item in value.items[:1] if is_bent else value.items:
            yield from _below(kind.item, item, version, face)
    elif isinstance(value, dict) and kind.name == "map":
        assert kind.item
        for item in value.values():
            yield from _below(kind.item, item, version, face)


def _in_map(kind: Kind, row: Row, version: str, face: Face) -> Iterator[Spot]:
    """Yield what a version shows of a table in a map; a single value is always there."""
    for node in row.items:
        key, value = node.type.properties[:2]
        if not node.type.single:
            yield from spots(node, version, (key.faces[version].name,))
        elif value.id in node.values:
            yield Spot(node, value, value.faces[version], is_there=True)
            yield from _below(value.kind, node.values[value.id], version, value.faces[version])


@dataclass
class Client:
    """A client of one version."""

    dice: Dice
    drawer: ValueDrawer
    version: str

    def write(self, part: Node) -> list[str]:
        """Change a part of an object, which is what the server lets the client write.

        What the version does not show is as before where the write leaves nothing in its place.
        """
        before = {node.id: node for node in nodes_in(copied(part))}
        done = []
        for _ in range(1 + self.dice.below(3)):
            found = list(spots(part, self.version))
            if not found:
                break
            lists = [spot for spot in found if isinstance(self.value(spot), Row) and not bent(spot)]
            spot = (
                self.dice.pick(lists) if lists and self.dice.chance(60) else self.dice.pick(found)
            )
            done.append(self.edit(spot))
        if self.dice.chance(15):
            done.append(self.edit_extras(part))
        for node in nodes_in(part):
            if node.id in before:
                self.restore(before[node.id], node)
        return done

    def edit_extras(self, part: Node) -> str:
        """Write a member that a type does not declare, where that is kept, or remove one."""
        visible = {spot.node.id: spot.node for spot in spots(part, self.version)}
        open_ones = [
            node
            for node in visible.values()
            if node.type.shows_unknown(self.version, self.drawer.crds)
        ]
        if not open_ones:
            return "nothing"
        node = self.dice.pick(open_ones)
        if node.extras and self.dice.chance(40):
            node.extras.pop(self.dice.pick(sorted(node.extras)))
            return "an undeclared member less"
        node.extras[f"x{self.drawer.token('x')}"] = self.drawer.token("E")
        return "an undeclared member more"

    def restore(self, before: Node, node: Node) -> None:
        """Give an object again what was hidden where the write set something and deleted it."""
        for item in node.type.properties:
            face = item.faces.get(self.version)
            if face is not None and item.id in before.values and item.id not in node.values:
                hidden = before.values[item.id]
                if show(item.kind, hidden, self.version, face, self.drawer.crds) is ABSENT:
                    node.values[item.id] = hidden

    def value(self, spot: Spot) -> Value:
        return seen(spot.node, spot.item, self.version, spot.face)

    def edit(self, spot: Spot) -> str:
        """Edit one property."""
        dice, value = self.dice, self.value(spot)
        kind = spot.item.kind
        if isinstance(value, Row) and not bent(spot) and not dice.chance(10):
            done = [self.edit_list(spot, value) for _ in range(dice.pick((1, 2, 1, 3)))]
            return f"{spot.face.name}: {', '.join(done)}"
        if isinstance(value, Row) and kind.name == "table" and bent(spot) and not dice.chance(10):
            return f"{spot.face.name}: {self.edit_table(spot, value)}"
        if isinstance(value, dict) and kind.name == "map" and not dice.chance(10):
            return f"{spot.face.name}: {self.edit_map(spot, value)}"
        if value is not ABSENT and dice.chance(20) and not (spot.is_key or spot.is_there):
            self.remove(spot)
            return f"{spot.face.name}: deleted"
        if spot.face.nullable and dice.chance(20) and not spot.is_key:
            self.put(spot, None)
            return f"{spot.face.name}: null"
        if isinstance(value, Node) and not bent(spot) and dice.chance(70):
            return f"{spot.face.name}: left alone"
        new = self.drawer.value(kind, self.version, spot.face, spot.face.name)
        if spot.is_key:
            new = self.drawer.key(kind)
        if new is ABSENT:
            return "nothing"
        self.put(spot, new)
        return f"{spot.face.name}: set"

    def put(self, spot: Spot, new: Value) -> None:
        """Write a value where one may stand already; its hidden rest is as the version makes it."""
        shown = show(spot.item.kind, new, self.version, spot.face, self.drawer.crds)
        old = self.value(spot)
        kind = spot.item.kind
        if shown is ABSENT:
            return
        make_holder(spot.node, spot.item, spot.face)
        if isinstance(new, Row) and not bent(spot):
            spot.node.values[spot.item.id] = new
        else:
            taken = absorb(kind, old, shown, self.version, spot.face, self.drawer.crds)
            spot.node.values[spot.item.id] = taken

    def remove(self, spot: Spot) -> None:
        """Delete a property, and what has been moved into it."""
        spot.node.values.pop(spot.item.id, None)
        for other in spot.node.type.properties:
            face = other.faces.get(self.version)
            if face is not None and face.inside == spot.item.id:
                spot.node.values.pop(other.id, None)

    def edit_list(self, spot: Spot, row: Row) -> str:
        """Do one thing to a list."""
        dice, kind = self.dice, spot.item.kind.item
        assert kind
        does = dice.pick(
            (
                "append",
                "delete",
                "swap",
                "edit",
                "insert",
                "copy",
                "shuffle",
                "edit",
                "delete",
                "replace",
                "insert copy",
                "move",
            )
        )
        items, size = row.items, len(row.items)
        if does in ("append", "insert") or not size:
            place = size if does == "append" else dice.below(size + 1)
            items.insert(place, self.element(kind, spot))
            does = f"{does} at {place}"
        elif does == "delete":
            place = dice.below(size)
            del items[place]
            does = f"delete {place}"
        elif does in ("copy", "insert copy"):
            place = dice.below(size)
            shown = show(kind, items[place], self.version, spot.face, self.drawer.crds)
            made = absorb(kind, ABSENT, shown, self.version, spot.face, self.drawer.crds)
            goal = size if does == "copy" else dice.below(size + 1)
            items.insert(goal, made)
            does = f"copy {place} to {goal}"
        elif does == "swap":
            one, other = dice.below(size), dice.below(size)
            items[one], items[other] = items[other], items[one]
            does = f"swap {one} and {other}"
        elif does == "move":
            items.insert(dice.below(size), items.pop(dice.below(size)))
        elif does == "shuffle":
            row.items = dice.shuffled(items)
        elif does == "replace":
            row.items = [self.element(kind, spot) for _ in range(size if dice.chance(50) else 2)]
        else:
            place = dice.below(size)
            does = f"edit {place} {self.edit_element(kind, spot, row, place)}"
        if spot.face.distinct:
            self.drawer.make_keys_unique(row, self.version, spot.face)
        return does

    def element(self, kind: Kind, spot: Spot) -> Value:
        """Return a new element."""
        drawn = self.drawer.value(kind, self.version, spot.face, spot.face.name, inner=True)
        if isinstance(drawn, Node) and spot.face.distinct:
            self.drawer.set_key(drawn, self.version, spot.face)
        return drawn

    def edit_element(self, kind: Kind, spot: Spot, row: Row, place: int) -> str:
        """Edit an element in place."""
        item = row.items[place]
        if isinstance(item, Node) and not (kind.bent and spot.face.bent):
            inner = [
                one
                for one in spots(item, self.version, (spot.face.distinct, *spot.face.keys))
                if one.item.kind.name not in ("list", "map", "obj")
            ]
            if inner:
                one = self.dice.pick(inner)
                return self.edit(one)
            return "without effect"
        if isinstance(item, Row) and not (kind.bent and spot.face.bent):
            assert kind.item
            if len(item.items) > 1:
                item.items.pop(self.dice.below(len(item.items)))
            return "shorter"
        drawn = self.element(kind, spot)
        shown = show(kind, drawn, self.version, spot.face, self.drawer.crds)
        made = absorb(kind, item, shown, self.version, spot.face, self.drawer.crds)
        if isinstance(made, Row) and isinstance(item, Row):
            made.id = item.id
        row.items[place] = made
        return "anew"

    def edit_map(self, spot: Spot, value: dict[str, Value]) -> str:
        """Do one thing to a map."""
        kind = spot.item.kind.item
        assert kind
        keys = list(value)
        if keys and self.dice.chance(50):
            key = self.dice.pick(keys)
            del value[key]
            return f"without {key!r}"
        key = self.drawer.token("k")
        value[key] = self.element(kind, spot)
        return f"with {key!r}"

    def edit_table(self, spot: Spot, row: Row) -> str:
        """Do one thing to a map that is a table elsewhere."""
        kind, version, crds = spot.item.kind, self.version, self.drawer.crds
        shown = show(kind, row, version, spot.face, crds)
        keys = list(shown)
        if keys and self.dice.chance(50):
            key = self.dice.pick(keys)
            del shown[key]
            done = f"without {key!r}"
        else:
            new = self.drawer.value(kind, version, spot.face, spot.face.name)
            found = show(kind, new, version, spot.face, crds)
            shown |= {key: found[key] for key in list(found)[:1]}
            done = f"with {', '.join(found)[:20]}"
        spot.node.values[spot.item.id] = absorb(kind, row, shown, version, spot.face, crds)
        return done


def bent(spot: Spot) -> bool:
    """Tell whether the version shows another form of a property, not in a list or map of it."""
    return spot.item.kind.bent and spot.face.bent


def copied(node: Node) -> Node:
    """Return a copy of an object, with the same identities."""
    found: Any = clone(node)
    assert isinstance(found, Node)
    return found


def as_json(value: Any) -> Any:
    """Return a copy of a JSON value."""
    return json.loads(json.dumps(value))


__all__ = ["Client", "as_json", "copied", "key_of"]

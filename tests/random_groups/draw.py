"""Drawing groups and objects."""

from __future__ import annotations

import itertools
import string
from dataclasses import dataclass, field
from typing import Any

from tests.random_groups.dice import Dice
from tests.random_groups.hooked import HOOKABLE
from tests.random_groups.model import (
    ABSENT,
    LISTS,
    MEASURES,
    SCALARS,
    Face,
    Group,
    Json,
    Kind,
    Property,
    Type,
    known_by,
)
from tests.random_groups.truth import Node, Row, Value, numbers, show, spelled

POOL = ("a", "b", "c", "")
MOVABLE = ("str", "span", "amount", "table")
GUESSABLE = ("name", "key", "id")


@dataclass
class Names:
    """Names that occur once in a group, so that nothing is paired by accident."""

    count: int = 0

    def next(self, word: str) -> str:
        """Return a new name that begins with a word."""
        self.count += 1
        number, tail = self.count, ""
        while number:
            number, digit = divmod(number, 26)
            tail += string.ascii_lowercase[digit]
        return f"{word}{tail}q"


@dataclass
class GroupDrawer:
    """Draws one group."""

    dice: Dice
    names: Names = field(default_factory=Names)
    ids: Any = field(default_factory=lambda: itertools.count(1))
    versions: list[str] = field(default_factory=list)
    crds: bool = True
    lists: bool = False  # whether lists are drawn more often than anything else
    hooks: bool = False  # whether there are hooks
    centre: str = ""  # of a star: what it lacks cannot be declared

    def group(self) -> Group:
        """Return a group of two to five versions."""
        dice = self.dice
        self.crds = not dice.chance(20)
        self.lists = dice.chance(50)
        self.hooks = dice.chance(35)
        count = 2 + (dice.below(3) if dice.chance(40) else 0) + (dice.chance(10))
        self.versions = [f"v{number + 1}" for number in range(count)]
        hub = self.versions[-1 - dice.below(count)]
        edges = "star" if count > 2 and dice.chance(15) else "chain"
        self.centre = hub if edges == "star" else ""
        kinds = {}
        for name in ("Thing", "Other")[: 1 + dice.chance(15)]:
            top = Type()
            with_status = dice.chance(30)
            for word in ("spec", "status")[: 1 + with_status]:
                kind = Kind("obj", type=self.type(2, self.versions))
                top.properties.append(
                    Property(next(self.ids), kind, {v: Face(word) for v in self.versions})
                )
            kinds[name] = top
        return Group(self.versions, hub, self.crds, kinds, edges, dice.chance(50))

    def type(self, depth: int, versions: list[str], *, element: bool = False) -> Type:
        """Return a type whose holder is shown in some versions."""
        dice, found = self.dice, Type()
        if element and dice.chance(60):
            # What an element is known by: rarely a word that looks like a key.
            name = dice.pick(GUESSABLE) if dice.chance(35) else self.names.next("look")
            kind = Kind("str", pool=dice.chance(50))
            found.properties.append(
                Property(next(self.ids), kind, {v: Face(name) for v in versions})
            )
        elif not self.crds or not dice.chance(3):
            # Without any property it would be open JSON in some version.
            word = self.names.next("plain")
            found.properties.append(
                Property(next(self.ids), Kind("str", pool=True), {v: Face(word) for v in versions})
            )
        for _ in range(1 + dice.below(3)):
            found.properties += self.property(depth, versions)
        named = all(any(version in one.faces for one in found.properties) for version in versions)
        if dice.chance(8) and named:
            found.keeping = set(versions) if dice.chance(50) else set(self.some(versions))
        if len(versions) > 1 and dice.chance(12):
            self.move(found, versions)
        if len(versions) > 1 and dice.chance(5):
            self.cross(found, versions)
        if len(versions) > 1 and dice.chance(4):
            word = self.names.next("open")
            held = Kind("obj", type=self.free(versions))
            found.properties.append(
                Property(next(self.ids), held, {v: Face(word) for v in versions})
            )
        return found

    def free(self, versions: list[str]) -> Type:
        """Return a type that is open JSON in the versions at one end, and all within it.

        What is declared has the same name everywhere: in open JSON nothing can be renamed. Versions
        farther away may lack some of it, or have more.
        """
        dice = self.dice
        ends = [versions[:cut] for cut in range(1, len(versions))]
        ends += [versions[cut:] for cut in range(1, len(versions))]
        ends = [end for end in ends if self.centre not in end] or [[]]
        return self.freed(1, versions, dice.pick(ends))

    def freed(self, depth: int, versions: list[str], free: list[str]) -> Type:
        """Return a type whose objects and lists are open JSON, too, where it is."""
        dice, found = self.dice, Type(free=set(free))
        kinds = [Kind("str", pool=True), Kind("str"), Kind("list", item=Kind("str", pool=True))]
        for _ in range(1 + dice.below(3)):
            kind, shown = dice.pick(kinds), versions
            typed = [v for v in versions if v not in free]
            near = self.centre or typed[0 if versions[0] in free else -1]
            far = [v for v in typed if v != near]
            if found.properties and far and len(versions) > 1 and dice.chance(40):
                # Open JSON shows what the version next to it shows.
                shown = far if dice.chance(50) else [v for v in versions if v != far[-1]]
            if depth and dice.chance(60):
                item = Kind("obj", type=self.freed(depth - 1, shown, free))
                kind = dice.pick((item, Kind("list", item=item), Kind("map", item=item)))
            name = self.names.next(f"free{kind.name}")
            faces = {v: Face(name) for v in shown}
            found.properties.append(Property(next(self.ids), kind, faces))
        return found

    def some(self, versions: list[str]) -> list[str]:
        """Return at least one of the versions; often one end of the chain."""
        dice = self.dice
        if len(versions) == 1 or dice.chance(60 if self.hooks else 30):
            return list(versions)
        if self.hooks and len(versions) > 2 and dice.chance(25):
            return [versions[0], *versions[2:]]
        if dice.chance(70):
            cut = dice.upto(1, len(versions) - 1)
            return versions[:cut] if dice.chance(50) else versions[cut:]
        found = [version for version in versions if dice.chance(50)]
        return found or versions[:1]

    def kind(self, depth: int, versions: list[str], *, inner: bool = False) -> Kind:
        """Return what a property holds."""
        dice = self.dice
        roll = dice.below(100)
        if self.lists and depth >= 1 and dice.chance(60):
            roll = 50 if not dice.chance(15) else 80
        if roll < 40 or depth < 0:
            return self.scalar(inner)
        if roll < 68:
            return Kind("list", item=self.item(depth - 1, versions))
        if roll < 80:
            return Kind("obj", type=self.type(depth - 1, versions))
        if roll < 86:
            return Kind("map", item=self.item(depth - 1, versions))
        if roll < 90:
            return self.table(depth - 1, versions)
        if roll < 94 and not inner:
            if len(versions) > 1 and dice.chance(50):
                return Kind("obj", type=self.free(versions))
            return Kind("open", bent=dice.chance(50))
        bent = Kind("list", item=self.item(-1, versions), bent=True)
        if roll < 97:
            return bent
        return self.reference(versions)

    def item(self, depth: int, versions: list[str]) -> Kind:
        """Return what is in a list or a map: mostly objects, sometimes lists, wraps, references."""
        dice = self.dice
        roll = dice.below(100)
        if self.lists and depth >= 0 and dice.chance(20):
            roll = 70
        if roll < 62 and depth >= -1:
            return Kind("obj", type=self.type(depth - 1, versions, element=True))
        if roll < 72 and depth >= 0:
            return Kind(dice.pick(("list", "list", "map")), item=self.item(depth - 1, versions))
        if roll < 75 and depth >= 0:
            return self.table(depth - 1, versions)
        if roll < 79 and depth >= 0:
            return Kind("list", item=self.item(-1, versions), bent=True)
        if roll < 86 and depth >= 0:
            return self.reference(versions)
        return Kind("str", pool=dice.chance(50))

    def reference(self, versions: list[str]) -> Kind:
        """Return an object that a version may show as a string."""
        kind = Kind("str", pool=self.dice.chance(30))
        name = Property(next(self.ids), kind, {v: Face(self.names.next("ref")) for v in versions})
        word = name.faces[versions[0]].name
        name.faces = {v: Face(word) for v in versions}
        rest = self.names.next("more")
        other = Property(next(self.ids), Kind("str"), {v: Face(rest) for v in versions})
        return Kind("obj", type=Type([name, other]), bent=True)

    def table(self, depth: int, versions: list[str]) -> Kind:
        """Return a list of objects that some versions may show as a map by a key of theirs."""
        dice, found = self.dice, Type(single=self.dice.chance(60))
        lists = versions
        if len(versions) > 1 and dice.chance(85):
            cut, first = dice.upto(1, len(versions) - 1), dice.chance(50)
            lists = versions[cut:] if first else versions[:cut]
        if self.centre and self.centre not in lists:
            lists = [v for v in versions if v not in lists]
        name = dice.pick(GUESSABLE) if dice.chance(50) else self.names.next("look")
        keys = Property(next(self.ids), Kind("str", pool=dice.chance(15)), {})
        keys.faces = {v: Face(name, folded=v not in lists) for v in versions}
        found.properties.append(keys)
        if found.single:
            found.properties.append(self.table_value(depth, versions, lists))
        else:
            word = self.names.next("plain")
            faces = {v: Face(word) for v in versions}
            found.properties.append(Property(next(self.ids), Kind("str", pool=True), faces))
        for _ in range(dice.below(3)):
            found.properties += self.property(depth, lists if found.single else versions)
        if dice.chance(8):
            found.keeping = set(versions) if dice.chance(50) else set(self.some(versions))
        return Kind("table", item=Kind("obj", type=found), bent=len(lists) < len(versions))

    def table_value(self, depth: int, versions: list[str], lists: list[str]) -> Property:
        """Return what a map shows of the elements of a table: a scalar, a measure or an object."""
        dice = self.dice
        kind = Kind("str", pool=dice.chance(40))
        if dice.chance(40):
            kind = Kind("obj", type=self.type(depth - 1, versions))
        elif dice.chance(40):
            kind = self.measure(dice.pick(("span", "amount")), bent=dice.chance(70))
        name = self.names.next("value")
        faces = {v: Face(name, bent=kind.bent and v not in lists) for v in versions}
        return Property(next(self.ids), kind, faces)

    def measure(self, name: str, *, bent: bool) -> Kind:
        """Return a duration or a quantity."""
        kind = Kind(name, bent=bent, exact=self.dice.chance(40))
        kind.unit = "seconds" if name == "span" else self.dice.pick(("Mi", "m", ""))
        kind.pool = name == "amount" and self.dice.chance(30)
        return kind

    def scalar(self, inner: bool = False) -> Kind:
        """Return a scalar; some may be shown in another form."""
        dice = self.dice
        name = "str" if dice.chance(60) else dice.pick(SCALARS)
        if self.hooks and not inner and dice.chance(40):
            name = dice.pick((*HOOKABLE, "enum", "enum"))
        if name in ("span", "amount"):
            return self.measure(name, bent=dice.chance(50) and not inner)
        kind = Kind(name, pool=dice.chance(40))
        if name in ("num", "either") and not inner:
            kind.bent = dice.chance(50)
        if name == "enum":
            kind.values = {value: f"{value}-new" for value in ("low", "mid", "high")}
            kind.bent = dice.chance(50)
        return kind

    def property(self, depth: int, versions: list[str]) -> list[Property]:
        """Return a property with its faces, or two that share a name and nothing else."""
        dice = self.dice
        some = self.some(versions)
        shown = [v for v in versions if v in some or v == self.centre]
        kind = self.kind(depth, shown)
        faces: dict[str, Face] = {}
        name = self.names.next(kind.name)
        for version in shown:
            if faces and dice.chance(30 if self.hooks else 12):
                name = self.names.next(kind.name)
            faces[version] = Face(name)
        item = Property(next(self.ids), kind, faces)
        self.bend(item, shown)
        self.refine(item)
        self.hook(item)
        found = [item]
        at = self.versions.index(shown[-1]) + 1
        contiguous = [v for v in versions if v in faces] == versions[: len(faces)]
        if (
            contiguous
            and not self.centre
            and len(shown) < len(versions)
            and self.versions[at] == versions[len(shown)]
            and dice.chance(40)
        ):
            later = versions[len(shown) :]
            if shown == self.versions[self.versions.index(shown[0]) : at]:
                item.apart, item.hooked = dice.pick(("stash", "not_same")), ""
                other = (
                    Kind("str") if item.apart == "not_same" or kind.name != "str" else Kind("int")
                )
                if item.apart == "not_same":
                    other = kind if kind.name in ("str", "int", "bool") else Kind("str")
                word = faces[shown[-1]].name
                found.append(Property(next(self.ids), other, {v: Face(word) for v in later}))
        return found

    def bend(self, item: Property, shown: list[str]) -> None:
        """Show a property in another form in some versions, if it has one."""
        bend, faces = item.kind.bend(), item.faces
        if bend is not None and bend.name == "table":
            self.fold(item, bend)
        elif bend is not None and len(shown) > 1:
            cut, first = self.dice.upto(1, len(shown) - 1), self.dice.chance(50)
            for version in shown[:cut] if first else shown[cut:]:
                faces[version].bent = True
            if self.centre in faces and faces[self.centre].bent:
                # What the hub showed in the poorer form would be lost from one ray to another.
                for face in faces.values():
                    face.bent = not face.bent

    def hook(self, item: Property) -> None:
        """Let a hook make what would be declared otherwise: on the type itself, or above it."""
        faces = item.faces.values()
        differs = len({(face.name, face.bent) for face in faces}) > 1
        if item.kind.name in HOOKABLE and differs and self.hooks and self.dice.chance(80):
            item.hooked = "own"
            if item.kind.name == "enum" and self.dice.chance(70):
                item.hooked = "above"

    def fold(self, item: Property, table: Kind) -> None:
        """Show a table as a map in some versions; keys are unique there, and mostly elsewhere."""
        assert table.item and table.item.type
        key, value = table.item.type.properties[:2]
        if table.item.type.single:
            value.table = item
        is_list, is_unique = self.dice.chance(40), self.dice.chance(85)
        for version, face in item.faces.items():
            shown = key.faces[version]
            face.bent = shown.folded
            shown.distinct = shown.name if shown.folded or is_unique else ""
            if is_list and is_unique and not shown.folded and item.kind is table:
                face.keys = (shown.name,)

    def refine(self, item: Property) -> None:
        """Give faces defaults, nullability and keys."""
        dice, kind = self.dice, item.kind
        for face in item.faces.values():
            if kind.name == "str" and dice.chance(15):
                face.default = dice.pick(("rw", "a", ""))
            elif kind.name in ("int", "bool") and dice.chance(15):
                face.default = dice.pick((0, 7)) if kind.name == "int" else dice.chance(50)
            elif kind.name == "obj" and not kind.bent and dice.chance(20):
                face.default = {}
            if kind.name in ("str", "int") and dice.chance(10):
                face.nullable = True
        inner = kind.item
        if kind.name == "list" and not kind.bent and inner and inner.type and not inner.bent:
            self.keyed(item)
            if dice.chance(8):
                for face in item.faces.values():
                    face.strict = True

    def keyed(self, item: Property) -> None:
        """Make a list one of type map in some versions, if its elements have what serves as keys.

        The first key is there and unique at all versions. A second one has a default where it is a
        key, so that it may be absent.
        """
        assert item.kind.item and item.kind.item.type
        scalars = [
            one
            for one in item.kind.item.type.properties
            if one.kind.name in ("str", "int")
            and set(item.faces) <= set(one.faces)
            and not any(face.inside or face.nullable for face in one.faces.values())
        ]
        if not scalars or not self.dice.chance(30):
            return
        for version, face in item.faces.items():
            face.distinct = scalars[0].faces[version].name
            if not self.dice.chance(15):
                face.keys = (face.distinct,)
                second = scalars[1].faces[version] if len(scalars) > 1 else None
                if second is not None and second.default is not ABSENT:
                    face.keys += (second.name,)

    def move(self, type: Type, versions: list[str]) -> None:
        """Let a property be inside of another one from some version on."""
        everywhere = [one for one in type.properties if set(one.faces) == set(versions)]
        holders = [one for one in everywhere if one.kind.name == "obj" and not one.kind.bent]
        holders = [one for one in holders if one.kind.type and not one.kind.type.free]
        cut, first = self.dice.upto(1, len(versions) - 1), self.dice.chance(50)
        inner = versions[:cut] if first else versions[cut:]
        if self.dice.chance(50):
            if not holders:
                word = self.names.next("obj")
                # Only for what moves into it, or in all versions; the hub of a star has it anyway.
                is_inner = self.dice.chance(50) and self.centre in ("", *inner)
                seen = inner if is_inner else versions
                kind = Kind("obj", type=self.type(-1, seen))
                holders = [Property(next(self.ids), kind, {v: Face(word) for v in seen})]
                type.properties += holders
            everywhere.append(self.movable(versions))
            type.properties.append(everywhere[-1])
        movable = [one for one in everywhere if one.kind.name in MOVABLE]
        if not holders or not movable:
            return
        item, holder = movable[-1], holders[0]
        for version in inner:
            item.faces[version].inside = holder.id
            for face in item.faces.values():
                face.default = ABSENT

    def movable(self, versions: list[str]) -> Property:
        """Return a measure or a table that all versions have."""
        word = self.dice.pick(("span", "amount", "table"))
        kind = self.table(0, versions) if word == "table" else self.measure(word, bent=True)
        name = self.names.next(word)
        item = Property(next(self.ids), kind, {v: Face(name) for v in versions})
        self.bend(item, versions)
        return item

    def cross(self, type: Type, versions: list[str]) -> None:
        """Let two properties swap their names."""
        strings = [
            one
            for one in type.properties
            if set(one.faces) == set(versions)
            and one.kind.name == "str"
            and not one.hooked
            and not any(face.inside for face in one.faces.values())
            and one.faces[versions[0]].name not in GUESSABLE
        ]
        if len(strings) < 2:
            return
        one, other = strings[:2]
        names = one.faces[versions[0]].name, other.faces[versions[0]].name
        for place, version in enumerate(versions):
            one.faces[version].name, other.faces[version].name = names[:: -1 if place else 1]


@dataclass
class ValueDrawer:
    """Draws values as a client of one version writes them."""

    dice: Dice
    crds: bool
    count: int = 0

    def token(self, word: str = "T") -> str:
        """Return a text that occurs once."""
        self.count += 1
        return f"{word}-{self.count}-{word}"

    def node(self, type: Type, version: str) -> Node:
        """Return an object with what the version shows of it."""
        found = Node(type)
        for item in type.properties:
            face = item.faces.get(version)
            if face is not None and not self.dice.chance(20):
                value = self.value(item.kind, version, face, item.faces[version].name)
                if value is not ABSENT:
                    make_holder(found, item, face)
                    found.values[item.id] = value
        if type.shows_unknown(version, self.crds) and self.dice.chance(30):
            found.extras[f"x{self.token('x')}"] = self.dice.pick((self.token("E"), {"o": 1}, None))
        return found

    def value(
        self, kind: Kind, version: str, face: Face, word: str, *, inner: bool = False
    ) -> Value:
        """Return a value of a kind."""
        dice = self.dice
        if face.nullable and not inner and dice.chance(10):
            return None
        bent = kind.bent and face.bent
        if kind.name in LISTS:
            assert kind.item
            if bent and kind.name == "list":
                return Row([self.value(kind.item, version, face, word, inner=True)])
            low = 1 if kind.bent and inner else 0
            face = known_by(kind, version, face)
            count = max(low, dice.pick((2, 1, 0, 3, 2, 3, 4, 6, 2, 3, 12)))
            items = [self.value(kind.item, version, face, word, inner=True) for _ in range(count)]
            row = Row(items)
            if face.distinct:
                self.make_keys_unique(row, version, face)
            if bent:
                self.make_map(row, version)
            return row
        if kind.name == "map":
            assert kind.item
            keys = dice.shuffled(("k1", "k/2", "", "k~3"))[: dice.pick((1, 2, 0, 3))]
            return {key: self.value(kind.item, version, face, word, inner=True) for key in keys}
        if kind.name == "obj":
            assert kind.type
            if kind.bent:
                return self.referenced(kind.type, bent)
            return self.node(kind.type, version)
        return self.plain(kind, bent, word, face)

    def referenced(self, type: Type, bent: bool) -> Node:
        name, more = type.properties
        word = self.dice.pick(("a", "b")) if name.kind.pool else self.token("R")
        found = Node(type, {name.id: word})
        if not bent and self.dice.chance(80):
            found.values[more.id] = self.token("more")
        return found

    def plain(self, kind: Kind, bent: bool, word: str, face: Face) -> Json:
        """Return a scalar or open JSON."""
        dice = self.dice
        if face.default is not ABSENT and dice.chance(25):
            return face.default
        if kind.name == "open":
            if bent and self.crds:
                return {}
            return {self.token("o"): self.token("O") for _ in range(dice.pick((1, 0, 2)))}
        if kind.name == "bool":
            return dice.chance(50)
        if kind.name == "enum":
            return dice.pick(tuple(kind.values))
        if kind.name in ("span", "amount"):
            if bent:
                return spelled(kind, dice.pick(numbers(kind)))
            known = [one for one in MEASURES[kind.unit] if kind.pool or isinstance(one, str)]
            return dice.pick([*known, "soon"] if kind.bent else known)
        if kind.name == "num":
            if bent:
                return dice.pick((1, 2, 2**31))
            return dice.pick((1, 2.5, 2.0, 1e21, -0.5, 2**53 + 1))
        if kind.name == "int" or (kind.name == "either" and not bent and dice.chance(50)):
            if dice.chance(20):
                return dice.pick((0, -1, 2**31, 2**53 + 1, 2**63 - 1))
            self.count += 1
            return 10_000 + self.count
        return dice.pick(POOL) if kind.pool else self.token(word)

    def make_keys_unique(self, row: Row, version: str, face: Face) -> None:
        """Leave elements with keys of their own: those with a key that was there are removed."""
        seen, kept = set(), []
        for node in row.items:
            item = self.key_property(node, version, face)
            if node.values.get(item.id) is None:
                self.set_key(node, version, face)
            key = node.values[item.id]
            if key not in seen:
                seen.add(key)
                kept.append(node)
        row.items = kept

    def make_map(self, row: Row, version: str) -> None:
        """Make a table what it is when a client writes a map: sorted, each key with a value."""
        for node in row.items:
            value = node.type.properties[1]
            while node.type.single and node.values.get(value.id) is None:
                face = value.faces[version]
                node.values[value.id] = self.value(value.kind, version, face, face.name)
        row.items.sort(key=lambda node: str(node.values[node.type.properties[0].id]))

    def key_property(self, node: Node, version: str, face: Face) -> Property:
        """Return the property that no two elements share."""
        return next(
            item
            for item in node.type.properties
            if version in item.faces and item.faces[version].name == face.distinct
        )

    def set_key(self, node: Node, version: str, face: Face) -> None:
        """Give an element a key of its own."""
        item = self.key_property(node, version, face)
        node.values[item.id] = self.key(item.kind)

    def key(self, kind: Kind) -> Json:
        """Return a key that occurs once."""
        token = self.token("K")
        return 50_000 + self.count if kind.name == "int" else token


def make_holder(node: Node, item: Property, face: Face) -> None:
    """Make the object that a property has been moved into, if a client writes it there."""
    if face.inside and item.id not in node.values and not node.values.get(face.inside):
        holder = node.type.by_id(face.inside)
        assert holder.kind.type
        node.values[face.inside] = Node(holder.kind.type)


def key_of(kind: Kind, value: Value, version: str, face: Face, crds: bool) -> str | None:
    """Return the declared keys of an element, absent ones as their defaults; None without them."""
    assert kind.item and kind.item.type
    shown = show(kind.item, value, version, face, crds)
    if not isinstance(shown, dict):
        return None
    found = []
    for key in face.keys:
        own = next(
            item.faces[version]
            for item in kind.item.type.properties
            if version in item.faces and item.faces[version].name == key
        )
        part = shown.get(key, own.default)
        if part is None and own.default is not ABSENT:
            part = own.default
        if part is ABSENT or part is None:
            return None
        found.append(part)
    return repr(found)

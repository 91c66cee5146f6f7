"""Groups with hooks, defaults and moves, drawn at random and put under all laws.

`python -m tests.laws.hooked_groups --groups 500 --seed 1` is the long run: it prints the number of
each group with a finding, and the counts. `--first N --groups 1` repeats one of a seed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import Outcome, check_kind
from holdall.testing.laws.subjects import Subject
from tests.laws.long_run import play
from tests.laws.projects import INTEGER, NUMBER, STRING, Schema, many, mapped
from tests.support.projects import build_project, group_of, scheme_of, with_spec

Members: TypeAlias = dict[str, dict[str, Schema]]
"""The members of a type by version and name."""
Edge: TypeAlias = tuple[str, str]

HOOKS: Final = '''
from holdall import Always, Composed, Members, RefusedError, TwoWay


def long(value: object, limit: int) -> bool:
    return isinstance(value, str) and len(value) > limit


class Hide(TwoWay):
    """The older version does not show long texts."""

    def __init__(self, name: str, limit: int) -> None:
        self.older = self.newer = (name,)
        self.limit = limit

    def to_newer(self, older: Members) -> Members:
        return older

    def to_older(self, newer: Members) -> Members:
        return {name: text for name, text in newer.items() if not long(text, self.limit)}


class HideUp(Hide):
    """Nor does the newer one."""

    def to_newer(self, older: Members) -> Members:
        return Hide.to_older(self, older)

    def to_older(self, newer: Members) -> Members:
        return newer


class Nulls(Hide):
    """The older version shows null instead."""

    def to_older(self, newer: Members) -> Members:
        return {name: None if long(text, self.limit) else text for name, text in newer.items()}


class Refuse(Hide):
    """The newer version cannot say one word."""

    def to_newer(self, older: Members) -> Members:
        if "rw" in older.values():
            raise RefusedError("no")
        return older


class Lower(Hide):
    """The newer version knows small letters only."""

    def to_newer(self, older: Members) -> Members:
        return {k: text.lower() if isinstance(text, str) else text for k, text in older.items()}

    def to_older(self, newer: Members) -> Members:
        return newer


class Split(TwoWay):
    """A text with commas becomes a list."""

    def __init__(self, name: str) -> None:
        self.older = self.newer = (name,)
        self.name = name

    def to_newer(self, older: Members) -> Members:
        text = older.get(self.name)
        return {self.name: text.split(",")} if isinstance(text, str) else older

    def to_older(self, newer: Members) -> Members:
        parts = newer.get(self.name)
        if not isinstance(parts, list):
            return newer
        return {self.name: ",".join(parts)} if all(isinstance(one, str) for one in parts) else {}


class Join(Split):
    """A list becomes a text with commas."""

    def to_newer(self, older: Members) -> Members:
        return Split.to_older(self, older)

    def to_older(self, newer: Members) -> Members:
        return Split.to_newer(self, newer)


class Invent(TwoWay):
    """The newer version has a note beside a text."""

    def __init__(self, name: str, note: str) -> None:
        self.older, self.newer = (name,), (name, note)
        self.name, self.note = name, note

    def to_newer(self, older: Members) -> Members:
        return {**older, self.note: "new"} if self.name in older else {}

    def to_older(self, newer: Members) -> Members:
        return {self.name: newer[self.name]} if self.name in newer else {}
'''


@dataclass
class Group:
    """A drawn group: a kind whose spec has a `box`, with facts and parts of hooks for each edge."""

    versions: list[str]
    spec: Members
    box: Members
    facts: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    parts: dict[tuple[str, Edge], list[str]] = field(default_factory=dict)

    def fact(self, edge: Edge, type_: str, name: str, said: Mapping[str, Any]) -> None:
        """Say something of a property of an edge."""
        self.facts.setdefault(" -> ".join(edge), {}).setdefault(type_, {})[name] = dict(said)

    def part(self, edge: Edge, type_: str, text: str) -> None:
        """Give the hook of an edge another part."""
        self.parts.setdefault((type_, edge), []).append(text)


class Drawing:
    """Draws the properties of a group, one after the other."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names = (f"p{number}" for number in count(1))
        names = [f"v{number}" for number in range(1, random.choice([2, 3, 3, 4]) + 1)]
        self.group = Group(names, {name: {} for name in names}, {name: {} for name in names})
        self._edges = [*pairwise(names)]

    def draw(self) -> Group:
        """Return a group of a few properties."""
        ways = (
            *(self._text, self._number, self._wrapped, self._moved, self._gap, self._renamed),
            *(self._hooked, self._hooked, self._invented, self._always),
        )
        for _ in range(self._random.randint(1, 4)):
            self._random.choice(ways)(next(self._names))
        for version in self.group.versions:
            self.group.spec[version].setdefault("last", STRING)
        self._put_box()
        return self.group

    def _maybe(self, schema: Schema, *defaults: Any) -> Schema:
        """Return a schema, at times with a default, or nullable."""
        drawn = self._random.random()
        if drawn < 0.45:
            return {**schema, "default": self._random.choice(defaults)}
        return {**schema, "nullable": True} if drawn < 0.6 else schema

    def _place(self) -> tuple[Members, str]:
        """Return one of the two types, and its name."""
        boxed = self._random.random() < 0.4
        return (self.group.box, "Box") if boxed else (self.group.spec, "ThingSpec")

    def _text(self, name: str) -> None:
        place, _ = self._place()
        for version in self.group.versions:
            place[version][name] = self._maybe(STRING, "rw", "d")

    def _number(self, name: str) -> None:
        place, _ = self._place()
        for version in self.group.versions:
            place[version][name] = self._maybe(self._random.choice([INTEGER, NUMBER]), 6)

    def _gap(self, name: str) -> None:
        place, _ = self._place()
        for version in self.group.versions:
            if self._random.random() < 0.6:
                place[version][name] = self._maybe(STRING, "d")

    def _wrapped(self, name: str) -> None:
        is_list = self._random.random() < 0.5
        for edge in (None, *self._edges):
            if edge and self._random.random() < 0.5:
                is_list = not is_list
                self.group.fact(edge, "ThingSpec", name, {"wrap": True})
            version = edge[1] if edge else self.group.versions[0]
            shape = self._maybe(many(STRING), ["d"], []) if is_list else self._maybe(STRING, "d")
            self.group.spec[version][name] = shape

    def _moved(self, name: str) -> None:
        inside, is_text = self._random.random() < 0.5, self._random.random() < 0.5
        for edge in (None, *self._edges):
            if edge and self._random.random() < 0.6:
                places = (f"box/{name}", name) if inside else (name, f"box/{name}")
                self.group.fact(edge, "ThingSpec", places[0], {"move": places[1]})
                inside = not inside
            version = edge[1] if edge else self.group.versions[0]
            number = self._random.choice([INTEGER, NUMBER])
            shape = self._maybe(STRING, "d") if is_text else self._maybe(number, 6)
            (self.group.box if inside else self.group.spec)[version][name] = shape

    def _renamed(self, name: str) -> None:
        self.group.spec[self.group.versions[0]][name] = self._maybe(STRING, "rw", "d")
        for edge in self._edges:
            if self._random.random() < 0.5:
                other = next(self._names)
                self.group.fact(edge, "ThingSpec", name, {"rename": other})
                name = other
            self.group.spec[edge[1]][name] = self._maybe(STRING, "rw", "d")

    def _hooked(self, name: str) -> None:
        place, type_ = self._place()
        is_list = False
        for edge in (None, *self._edges):
            if edge and self._random.random() < 0.55:
                hook = self._random.choice(["Hide", "HideUp", "Nulls", "Refuse", "Lower", "Split"])
                if hook == "Split":
                    self.group.part(edge, type_, f'{"Join" if is_list else hook}("{name}")')
                    self.group.fact(edge, type_, name, {"strategy": "hook"})
                    is_list = not is_list
                elif not is_list:
                    limit = self._random.randint(1, 3)
                    self.group.part(edge, type_, f'{hook}("{name}", {limit})')
            version = edge[1] if edge else self.group.versions[0]
            texts = self._maybe(many(STRING), ["d"], [])
            place[version][name] = texts if is_list else self._maybe(STRING, "rw", "d", "longer")

    def _invented(self, name: str) -> None:
        note, edge = next(self._names), self._random.choice(self._edges)
        for version in self.group.versions:
            self.group.spec[version][name] = self._maybe(STRING, "rw", "d")
            if version >= edge[1]:
                self.group.spec[version][note] = self._maybe(STRING, "new", "z")
        self.group.part(edge, "ThingSpec", f'Invent("{name}", "{note}")')

    def _always(self, name: str) -> None:
        for version in self.group.versions:
            self.group.spec[version][name] = STRING
        edge = self._random.choice(self._edges)
        if not any("Always" in part for part in self.group.parts.get(("ThingSpec", edge), ())):
            side = self._random.choice(["older", "newer"])
            self.group.part(edge, "ThingSpec", f'Always({side}={{"{name}": "f"}})')

    def _put_box(self) -> None:
        """Give the spec its box, where nothing moves also as the item of a list or a map."""
        group = self.group
        moves = any(
            "move" in said
            for edge in group.facts.values()
            for it in edge.values()
            for said in it.values()
        )
        around = "" if moves else self._random.choice(["", "", "list", "keyed list", "map"])
        for version in group.versions:
            if not group.box[version]:
                continue
            box: Schema = {"type": "object", "properties": dict(group.box[version])}
            if around == "keyed list":
                box["properties"]["name"] = STRING
                box["required"] = ["name"]
            elif not around and self._random.random() < 0.3:
                box["default"] = {}
            keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
            group.spec[version]["box"] = {
                "": box,
                "list": many(box),
                "keyed list": many(box, **keys),
                "map": mapped(box),
            }[around]
        if not all("box" in group.spec[version] for version in group.versions):
            group.parts = {at: found for at, found in group.parts.items() if at[0] != "Box"}


def files_of(group: Group) -> tuple[str, dict[str, str]]:
    """Return the configuration of a project with a group, and its other files by their paths."""
    schemas = {
        version: with_spec({"type": "object", "properties": group.spec[version]})
        for version in group.versions
    }
    hook = HOOKS + "".join(_hooks_of(group)) if group.parts else ""
    return group_of(schemas, hook=hook, between=group.facts or None)


def _hooks_of(group: Group) -> Iterator[str]:
    for number, ((type_, (older, _)), parts) in enumerate(group.parts.items()):
        yield (
            f"\n\nfrom {{generated}}.things.{older} import storage as s{number}\n\n\n"
            f"class Hook{number}(Composed, s{number}.Assignable{type_}):\n"
            f"    parts = ({', '.join(parts)},)\n"
        )


def check_group(seed: str, root: Path, examples: int = 20) -> Outcome:
    """Draw a group, generate it in a folder, and check the laws from each of its versions on."""
    group = Drawing(Random(seed)).draw()
    subject = Subject(scheme_of(build_project(root, *files_of(group))))
    outcome = Outcome()
    for start in group.versions:
        outcome.merge(check_kind(Tools.of(subject), "Thing", start, range(examples)))
    return outcome


def _checked(seed: str, root: Path, examples: int) -> tuple[int, Sequence[str]]:
    outcome = check_group(seed, root, examples)
    found = sorted(outcome.findings.items())
    return outcome.objects, [f"{' '.join(cell)}: {finding.violation}" for cell, finding in found]


if __name__ == "__main__":
    sys.exit(play("hooked_groups", _checked, "objects", 20, "objects for each version"))

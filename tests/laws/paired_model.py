"""Drawn groups whose differences are declared or made by hooks: see `paired_groups`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from holdall.scheme.scheme import Scheme
from tests.laws.projects import INT_OR_STRING, INTEGER, NUMBER, STRING, Schema, many, mapped
from tests.support.projects import build_project, group_of, scheme_of, with_spec


class Form(NamedTuple):
    """What a property may be in a version: its schema, values, and its default if it has one."""

    schema: Schema
    values: Sequence[Any]
    default: Any


class Way(NamedTuple):
    """How one form becomes another: what is declared, and the functions that say the same."""

    fact: Mapping[str, Any]
    up: str = "same"
    down: str = "same"


def _functions(up: str, down: str, **more: str) -> Way:
    names = {"upgrade_with": up, "downgrade_with": down}
    path = "tests.laws.paired_functions"
    return Way({**{key: f"{path}:{name}" for key, name in names.items()}, **more}, up, down)


SAME: Final = Way({})
_REFERENCE: Final = {"type": "object", "properties": {"name": STRING}}
FORMS: Final = {
    "word": Form(STRING, ["Fast", "Slow", "x-Fast", "", "other"], "Fast"),
    "integer": Form(INTEGER, [0, 7, -3, 2**53 + 1], 7),
    "number": Form(NUMBER, [0, 2.0, 2.5, 7], 7),
    "numeral": Form(STRING, ["7", "07", "x", "", "-3"], "7"),
    "port": Form(INT_OR_STRING, [80, "80", "http", ""], 80),
    "name": Form(STRING, ["80", "http", ""], "http"),
    "one": Form(STRING, ["a", "b", ""], "a"),
    "several": Form(many(STRING), [["a"], [], ["b"]], ["a"]),
    "list": Form(many(STRING), [["a", "b"], ["a,b"], [], [""]], ["a"]),
    "commas": Form(STRING, ["a,b", "", "a"], "a"),
    "text": Form(STRING, ["gold", ""], "gold"),
    "object": Form(_REFERENCE, [{"name": "gold"}, {}, {"name": "tin"}], {"name": "gold"}),
}
_UNIONS: Final = Way({}, "only_text"), Way({}, "same", "only_text")
_WRAPS: Final = Way({"wrap": True}, "first", "alone"), Way({"wrap": True}, "alone", "first")
_NAMED: Final = {"reference": "name"}
_HIDES: Final = [
    Way({"hides_zero": "older"}, "same", "shown"),
    Way({"hides_zero": "newer"}, "shown", "same"),
]
WAYS: Final[dict[tuple[str, str], list[Way]]] = {
    **{(name, name): [SAME] for name in FORMS},
    ("word", "word"): [
        SAME,
        Way({"values": {"Fast": "Quick", "Slow": "Lame"}}, "renamed", "renamed_back"),
        _functions("lower", "same"),
        _functions("same", "lower"),
        _functions("marked", "unmarked"),
        *_HIDES,
    ],
    ("integer", "integer"): [SAME, *_HIDES],
    ("integer", "number"): [Way({}, "same", "whole")],
    ("number", "integer"): [Way({}, "whole", "same")],
    ("integer", "numeral"): [_functions("spelled", "counted", misfit="keep")],
    ("numeral", "integer"): [_functions("counted", "spelled", misfit="keep")],
    ("port", "name"): [_UNIONS[0]],
    ("name", "port"): [_UNIONS[1]],
    ("several", "one"): [_WRAPS[0]],
    ("one", "several"): [_WRAPS[1]],
    ("list", "commas"): [_functions("joined", "split")],
    ("commas", "list"): [_functions("split", "joined")],
    ("text", "object"): [Way(_NAMED, "an_object", "name_of")],
    ("object", "text"): [Way(_NAMED, "name_of", "an_object")],
}
Face: TypeAlias = tuple[str, str, Schema]
"""A property in one version: its name, its form, and its schema."""


@dataclass
class Line:
    """A property through the versions: its name, form and schema in those that have it.

    `ways` lead from one of these to the next, `fills` are defaults on edges where it ends.
    """

    type: str
    faces: list[Face | None] = field(default_factory=list)
    ways: dict[tuple[int, int], Way] = field(default_factory=dict)
    fills: dict[int, tuple[str, Any]] = field(default_factory=dict)

    def name(self, version: int) -> str:
        """Return its name in a version, nothing if it is not there."""
        face = self.faces[version]
        return face[0] if face else ""


@dataclass
class Group:
    """A drawn group: a kind whose spec has a `box`, alone or in a list or a map."""

    count: int
    around: str
    lines: list[Line]
    names: Mapping[str, str] = field(default_factory=dict)

    def called(self, name: str) -> str:
        """Return what this group calls a property."""
        return self.names.get(name, name)

    def schema(self, version: int) -> Schema:
        """Return the schema of a version."""
        members: dict[str, Schema] = {"ThingSpec": {"last": STRING}, "Box": {"label": STRING}}
        for line in self.lines:
            if face := line.faces[version]:
                members[line.type][self.called(face[0])] = face[2]
        box: Schema = {"type": "object", "properties": members["Box"]}
        if self.around == "keyed list":
            members["Box"]["name"] = STRING
            box["required"] = ["name"]
        keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
        boxes = {"": box, "list": many(box), "keyed list": many(box, **keys), "map": mapped(box)}
        members["ThingSpec"]["box"] = boxes[self.around]
        return with_spec({"type": "object", "properties": members["ThingSpec"]})

    def scheme(self, root: Path, *, hooked: bool) -> Scheme:
        """Generate the group in a folder, declared or with hooks, and return its scheme."""
        between: dict[str, Any] = {}
        parts: dict[tuple[str, int], list[str]] = {}
        for line in self.lines:
            for (older, newer), said in self._facts(line, hooked=hooked):
                name, fact = said
                edge = between.setdefault(f"v{older + 1} -> v{newer + 1}", {})
                edge.setdefault(line.type, {})[_escaped(self.called(name))] = fact
            if hooked:
                for older, part in self._parts(line):
                    parts.setdefault((line.type, older), []).append(part)
        schemas = {f"v{at + 1}": self.schema(at) for at in range(self.count)}
        hook = _hooks(parts) if parts else ""
        group = group_of(schemas, hook=hook, between=between or None)
        return scheme_of(build_project(root, *group))

    def _facts(self, line: Line, *, hooked: bool) -> Iterator[tuple[tuple[int, int], Any]]:
        for (older, newer), way in line.ways.items():
            one, other = line.faces[older], line.faces[newer]
            assert one and other
            rename = {} if one[0] == other[0] else {"rename": _escaped(self.called(other[0]))}
            if not hooked or newer > older + 1:
                said = {**way.fact, **rename}
            else:
                said = {} if rename or one[1] == other[1] or not way.fact else {"strategy": "hook"}
            if said:
                yield (older, newer), (one[0], said)
        for older, (_, value) in line.fills.items():
            if not hooked:
                name = line.name(older) or line.name(older + 1)
                yield (older, older + 1), (name, {"default": value})

    def _parts(self, line: Line) -> Iterator[tuple[int, str]]:
        for (older, newer), way in line.ways.items():
            ends = self.called(line.name(older)), self.called(line.name(newer))
            if newer == older + 1 and (way != SAME or ends[0] != ends[1]):
                yield older, f"Pair({ends[0]!r}, {ends[1]!r}, lib.{way.up}, lib.{way.down})"
        for older, (side, value) in line.fills.items():
            name = self.called(line.name(older) or line.name(older + 1))
            yield older, f"Fill({side!r}, {name!r}, {value!r})"


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _hooks(parts: Mapping[tuple[str, int], Sequence[str]]) -> str:
    text = (
        "from holdall import Composed\nfrom tests.laws import paired_functions as lib\n"
        "from tests.laws.paired_functions import Fill, Pair\n"
    )
    for number, ((type_, older), some) in enumerate(parts.items()):
        text += (
            f"from {{generated}}.things.v{older + 1} import storage as s{number}\n"
            f"class Hook{number}(Composed, s{number}.Assignable{type_}):\n"
            f"    parts = ({', '.join(some)},)\n"
        )
    return text


def draw(random: Random) -> Group:
    """Return a group of two to four versions."""
    count_ = random.choice([2, 3, 3, 4])
    names = (f"p{number}" for number in count(1))
    around = random.choice(["", "list", "list", "keyed list", "map"])
    lines = [_line(random, count_, names) for _ in range(random.randint(1, 3))]
    return Group(count_, around, [line for line in lines if any(line.faces)])


def _line(random: Random, versions: int, names: Iterator[str]) -> Line:
    line, last = Line(random.choice(["ThingSpec", "Box", "Box"])), -1
    form, name, has_gaps = random.choice([*FORMS]), next(names), random.random() < 0.4
    for version in range(versions):
        if has_gaps and random.random() < 0.4:
            line.faces.append(None)
            continue
        if last >= 0:
            here = [(to, way) for (a, to), ways in WAYS.items() if a == form for way in ways]
            new, way = random.choice(here)
            if last < version - 1 and "upgrade_with" in way.fact:
                new, way = form, SAME
            line.ways[last, version], form = way, new
            name = next(names) if random.random() < 0.2 else name
        schema, drawn = FORMS[form].schema, random.random()
        if drawn < 0.25:
            schema = {**schema, "default": FORMS[form].default}
        elif drawn < 0.4:
            schema = {**schema, "nullable": True}
        line.faces.append((name, form, schema))
        last = version
    if any("upgrade_with" in way.fact for way in line.ways.values()):
        for face in filter(None, line.faces):
            face[2].pop("nullable", None)  # functions would have to say what it becomes
    for older, (one, other) in enumerate(pairwise(line.faces)):
        is_gap = any(start <= older < end for start, end in line.ways)
        if bool(one) != bool(other) and not is_gap and random.random() < 0.6:
            lone = one or other
            assert lone
            value = random.choice(FORMS[lone[1]].values)
            line.fills[older] = "older" if one else "newer", value
    return line

"""Groups with a property that moves, each beside one in which it stays: both show the same.

A move says where a property is, and not what becomes of it. So whatever clients and API servers do
to two objects, one of each group, the property has the same value in both.
`python -m tests.laws.moved_groups --groups 500 --seed 1` is the long run: it prints each difference
and the counts. `--first N --groups 1` repeats one of a seed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

from holdall.scheme.scheme import Scheme
from tests.laws.long_run import play
from tests.laws.projects import INTEGER, NUMBER, STRING, Schema, many, nullable
from tests.support.projects import build_project, group_of, scheme_of, with_spec

PathTo: TypeAlias = tuple[str, ...]
ABSENT: Final = object()
KINDS: Final[dict[str, Schema]] = {
    "integer": INTEGER,
    "number": NUMBER,
    "text": STRING,
    "texts": many(STRING),
}
VALUES: Final[dict[str, list[Any]]] = {
    "integer": [1, 6, 7],
    "number": [2.5, 6, 7, 1.5],
    "text": ["x", "q", "w"],
    "texts": [["x", "y"], ["q"], ["w", "z"], ["x"], []],
}
DEFAULTS: Final[dict[str, Any]] = {"integer": 6, "number": 6, "text": "q", "texts": ["q"]}
STAYS: Final = ("c",)
PLACES: Final[dict[PathTo, str]] = {
    STAYS: "ThingSpec",
    ("box", "c"): "Box",
    ("kit", "c"): "Kit",
    ("box", "in", "c"): "In",
    ("kit", "e", "c"): "E",
}
"""Where the property may be, each with the type that holds it."""
_OTHERS: Final = {"text": "texts", "texts": "text"}


@dataclass
class Group:
    """A drawn group: the property's kind, place and default, version by version.

    `others` are the objects that have a property of their own.
    """

    kinds: list[str]
    places: list[PathTo]
    have_defaults: list[bool]
    others: list[list[PathTo]]
    is_nullable: bool

    def staying(self) -> Group:
        """Return the same group with a property that stays where it is."""
        count = len(self.kinds)
        return Group(
            self.kinds, [STAYS] * count, self.have_defaults, [[]] * count, self.is_nullable
        )

    def spec(self, version: int) -> Schema:
        """Return the schema of a version's spec."""
        kind = self.kinds[version]
        schema = {**KINDS[kind]}
        if self.have_defaults[version]:
            schema["default"] = DEFAULTS[kind]
        if self.is_nullable:
            schema = nullable(schema)
        spec: Schema = {"type": "object", "properties": {"other": STRING}}
        for path in self.others[version]:
            _declare(spec, (*path, "d"), STRING)
        _declare(spec, self.places[version], schema)
        return spec

    def has(self, version: int, holder: PathTo) -> bool:
        """Tell whether a version has an object at a path."""
        objects = [self.places[version][:-1], *self.others[version]]
        return any(path[: len(holder)] == holder for path in objects)

    def facts(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what is said of edges, and of versions between which there is no such object."""
        sides = [*zip(self.kinds, self.places, strict=True)]
        for place, type_ in PLACES.items():
            having = [at for at in range(len(sides)) if self.has(at, place[:-1])]
            there = [at for at in having if self.places[at] == place]
            for one, other in pairwise(there):
                onward, before = having[having.index(one) + 1], having[having.index(other) - 1]
                # Where a neighbour has the object without the property, that moves.
                is_linked = onward == other or (onward > one + 1 and before < other - 1)
                if is_linked and _OTHERS.get(self.kinds[one]) == self.kinds[other]:
                    said: Any = {type_: {"c": {"wrap": True}}}
                    yield f"v{one + 1} -> v{other + 1}", said
        for number, ((kind, older), (kind_there, newer)) in enumerate(pairwise(sides), 1):
            if older != newer:
                fact: Any = {"wrap": True} if _OTHERS.get(kind) == kind_there else {}
                moved = {"/".join(older): {"move": "/".join(newer), **fact}}
                yield f"v{number} -> v{number + 1}", {"ThingSpec": moved}

    def scheme(self, root: Path) -> Scheme:
        """Generate the group in a folder, and return its scheme."""
        schemas = {f"v{at + 1}": with_spec(self.spec(at)) for at in range(len(self.kinds))}
        group = group_of(schemas, between=dict(self.facts()) or None)
        return scheme_of(build_project(root, *group))


def _declare(spec: Schema, path: PathTo, schema: Schema) -> None:
    for name in path[:-1]:
        spec = spec["properties"].setdefault(name, {"type": "object", "properties": {}})
    spec["properties"][path[-1]] = schema


def draw(random: Random) -> Group:
    """Return a group of three to five versions."""
    count = random.choice([3, 4, 4, 5])
    family = random.choice([("integer", "number"), ("text", "texts")])
    often = [STAYS, STAYS, ("box", "c"), ("box", "c"), *PLACES]
    objects = [path for path in (("box",), ("kit",), ("box", "in")) if random.random() < 0.5]
    return Group(
        kinds=random.choices(family, k=count),
        places=random.choices(often, k=count),
        have_defaults=[random.random() < 0.25 for _ in range(count)],
        others=[[path for path in objects if random.random() < 0.8] for _ in range(count)],
        is_nullable=random.random() < 0.3,
    )


class Played:
    """An object of one group, on its way through the versions."""

    def __init__(self, group: Group, scheme: Scheme) -> None:
        self._group, self._scheme = group, scheme
        self._document: Any = None
        self._path: PathTo = ()

    def begin(self, version: int) -> None:
        """Make an object of a version."""
        head = {"apiVersion": f"example.com/v{version + 1}", "kind": "Thing"}
        self._document = {**head, "metadata": {"name": "t"}, "spec": {"other": "o"}}
        self._path = self._group.places[version]
        for path in self._group.others[version]:
            self._holder(path, is_made=True)["d"] = "k"

    def go(self, version: int) -> None:
        """Convert the object."""
        self._document = deepcopy(self._scheme.convert(self._document, to=f"v{version + 1}"))
        self._path = self._group.places[version]

    @property
    def has_holder(self) -> bool:
        """Whether the object has what holds the property."""
        return self._holder(self._path[:-1]) is not None

    @property
    def value(self) -> Any:
        """The value of the property, `ABSENT` for none."""
        holder = self._holder(self._path[:-1])
        return ABSENT if holder is None else holder.get("c", ABSENT)

    @value.setter
    def value(self, value: Any) -> None:
        holder = self._holder(self._path[:-1], is_made=value is not ABSENT)
        if value is not ABSENT:
            holder["c"] = value
        elif holder is not None:
            holder.pop("c", None)

    def _holder(self, path: PathTo, *, is_made: bool = False) -> Any:
        holder = self._document["spec"]
        for name in path:
            if holder.get(name) is None:
                if not is_made:
                    return None
                holder[name] = {}
            holder = holder[name]
        return holder


def difference(group: Group, random: Random, staying: Played, moving: Played) -> str:
    """Play a client and an API server on both; return what differs then, nothing if all is well."""
    both = staying, moving
    at = random.randrange(len(group.kinds))
    first = random.choice(VALUES[group.kinds[at]])
    for one in both:
        one.begin(at)
    staying.value = moving.value = first
    trail: list[Any] = [f"v{at + 1}", first]
    for _ in range(random.randint(2, 5)):
        at = random.randrange(len(group.kinds))
        for one in both:
            one.go(at)
        trail += [f"v{at + 1}", _shown(staying.value)]
        if staying.value != moving.value or type(staying.value) is not type(moving.value):
            return f"{trail}, moved: {_shown(moving.value)}"
        written = _written(group, random, at)
        if written is not None:
            staying.value = moving.value = written[0]
            trail += ["written", _shown(written[0])]
        is_filled = staying.value is ABSENT and group.have_defaults[at] and moving.has_holder
        if is_filled and random.random() < 0.6:
            staying.value = moving.value = DEFAULTS[group.kinds[at]]
            trail.append("filled in")
    return ""


def _written(group: Group, random: Random, at: int) -> tuple[Any] | None:
    choices: list[Callable[[], tuple[Any] | None]] = [
        lambda: None,
        lambda: None,
        lambda: (random.choice(VALUES[group.kinds[at]]),),
        lambda: (ABSENT,),
        lambda: (None,) if group.is_nullable else None,
    ]
    return random.choice(choices)()


def _shown(value: Any) -> Any:
    return "absent" if value is ABSENT else value


def check_group(seed: str, root: Path, sequences: int = 12) -> Sequence[str]:
    """Draw a group, generate it in a folder, and return the differences that were found."""
    group = draw(Random(seed))
    staying = Played(group.staying(), group.staying().scheme(root / "staying"))
    moving = Played(group, group.scheme(root / "moving"))
    randoms = [Random(f"{seed}-{number}") for number in range(sequences)]
    found = [difference(group, random, staying, moving) for random in randoms]
    return [f"{group}: {text}" for text in found if text]


def _played(seed: str, root: Path, sequences: int) -> tuple[int, Sequence[str]]:
    return sequences, check_group(seed, root, sequences)


if __name__ == "__main__":
    sys.exit(play("moved_groups", _played, "sequences", 12, "sequences of edits for each"))

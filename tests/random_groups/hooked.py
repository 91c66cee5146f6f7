"""Hooks as a user writes them: they make the same differences that other groups declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tests.random_groups.model import MEASURES, Kind
from tests.random_groups.pairs import Pair
from tests.random_groups.truth import number, numbers, spelled

HOOKABLE: Final = ("str", "enum", "num", "either", "span", "amount")
"""What a hook may show in another form, or under another name."""
FUNCTIONS: Final = """
from holdall import Completing, Composed, Members, TwoWay


class Gone(Exception):
    pass


def same(value):
    return value


def whole(value):
    if value != int(value):
        raise Gone
    return int(value)


def text(value):
    if not isinstance(value, str):
        raise Gone
    return value


def one_of(known, *, others=False):
    def find(value):
        for one, other in known:
            if (type(one), one) == (type(value), value):
                return other
        if others:
            return value
        raise Gone

    return find


class Pair(TwoWay):
    def __init__(self, older, newer, up, down):
        self.older, self.newer = (older,), (newer,)
        self.ways = up, down

    def to_newer(self, older: Members) -> Members:
        return made(older, self.newer[0], self.ways[0])

    def to_older(self, newer: Members) -> Members:
        return made(newer, self.older[0], self.ways[1])


def made(members, name, function):
    try:
        return {name: one if one is None else function(one) for one in members.values()}
    except Gone:
        return {}


class Within(Completing):
    def __init__(self, older, newer, depth, pairs):
        self.older, self.newer = older, newer
        self.depth, self.pairs = depth, pairs

    def complete_newer(self, older: Members, newer: Members) -> Members:
        for pair in self.pairs:
            change(newer.get(self.newer[0]), self.depth, pair.newer[0], pair.ways[0])
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        for pair in self.pairs:
            change(older.get(self.older[0]), self.depth, pair.older[0], pair.ways[1])
        return older


def change(value, depth, name, function):
    # `depth` lists and maps are around the objects.
    if depth and value is not None:
        for item in value.values() if isinstance(value, dict) else value:
            change(item, depth - 1, name, function)
    elif value is not None and value.get(name) is not None:
        value[name] = function(value[name])
"""


def part_of(pair: Pair) -> str:
    """Return the part of a hook that makes one face of another."""
    before, after = (pair.item.faces[version] for version in (pair.older, pair.newer))
    ways = functions(pair.item.kind, before.bent, after.bent)
    return f"Pair({before.name!r}, {after.name!r}, {ways})"


def part_within(pairs: Sequence[Pair]) -> str:
    """Return the part of a hook that completes the objects of one property.

    It names both ends of what moves into that one, or out of it.
    """
    ends, above = (pairs[0].older, pairs[0].newer), pairs[0].above
    assert above
    holder, outer, _ = above
    names = [[holder.faces[version].name] for version in ends]
    for item in outer.properties:
        faces = [item.faces.get(version) for version in ends]
        is_moved = all(faces) and {face.inside for face in faces if face} == {0, holder.id}
        for face, side in zip(faces, names, strict=True):
            if is_moved and face and not face.inside:
                side.append(face.name)
    sides = ", ".join(map(str, names))
    return f"Within({sides}, {depth(holder.kind)}, [{', '.join(map(part_of, pairs))}])"


def depth(kind: Kind) -> int:
    """Return how many lists and maps are around the objects of a kind."""
    return 1 + depth(kind.item) if kind.item else 0


def functions(kind: Kind, is_bent_before: bool, is_bent_after: bool) -> str:
    """Return the functions up and down of a property whose forms differ, or only its names."""
    if is_bent_before == is_bent_after:
        return "same, same"
    bend, back = _bending(kind)
    return f"{back}, {bend}" if is_bent_before else f"{bend}, {back}"


def _bending(kind: Kind) -> tuple[str, str]:
    if kind.name == "enum":
        known = list(kind.values.items())
        back = [(new, value) for value, new in known]
        return f"one_of({known}, others=True)", f"one_of({back}, others=True)"
    if kind.name in ("span", "amount"):
        said = (*numbers(kind), *MEASURES[kind.unit].values())
        spellings = {(type(one), one): spelled(kind, one) for one in said}
        back = [(one, text) for (_, one), text in spellings.items()]
        texts = [*MEASURES[kind.unit], *spellings.values()]
        return f"one_of({[(text, number(kind, text)) for text in texts]})", f"one_of({back})"
    return ("whole" if kind.name == "num" else "text"), "same"


def modules(
    parts: Mapping[tuple[str, str, str], Sequence[str]],
    protocols: Mapping[tuple[str, str, str], str],
    package: str,
) -> str:
    """Return the text of the hooks of a group, by the protocols of their edges."""
    text = FUNCTIONS
    for place, (key, some) in enumerate(parts.items()):
        text += (
            f"\n\nfrom {package}.things.{key[0]} import storage as s{place}\n\n\n"
            f"class Hook{place}(Composed, s{place}.{protocols[key]}):\n"
            f"    parts = ({', '.join(some)},)\n"
        )
    return text

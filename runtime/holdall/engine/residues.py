"""Residues: what a pair of functions does not bring back, written as differences of JSON objects.

A residue is a list of differences between what would come back by itself and what was there:
`{"at": [path], "was": …, "is": …}`; a side that is left out is absent. Only what differs is kept,
so an edit elsewhere does not touch it. A difference inside a list is that of a whole element, which
is found again wherever it went. If elements changed their places, each element of the list has a
difference, because their order follows from all of them. If several look alike, in whichever list
of the same kind, `of` says which of them it is, and of how many: `[0, 2]` is the first of two.
Where the elements around them differ, only those in the same one count, which a hash tells. If they
are more or fewer later, nobody can tell which one it is, unless it is where it was. `[0, 1]` says
that others have its name, so that this does not tell it either. A difference that is marked as
`filled` says no more than what was there: see `filled_in`. Source: docs/conversions.md, "Residue
and agreement".
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from holdall.engine.element_names import element_names
from holdall.engine.far_defaults import has_any_defaults
from holdall.engine.shown_elements import Shapes, has_all_of, have_moved, part_of, plain, shape_at
from holdall.errors import DecodeError
from holdall.text import json as _json
from holdall.types import JsonObject, get

Difference: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str | int, ...]

_DIGITS = 8
"""Length of a hash, which distinguishes a few elements with equal contents."""
_CONTAINERS = frozenset({dict, list})
_NO_SHAPES: Shapes = MappingProxyType({})
_SIDES = ("was", "is")
_VALUES = frozenset(_SIDES)
_KEYS = frozenset({"at", "of", "filled", *_VALUES})


def differences(base: JsonObject, wanted: JsonObject) -> list[Difference]:
    """Return the differences from `base` to `wanted`; values are shared with both."""
    found: list[Difference] = []
    _in_object(base, wanted, [], found)
    return _sorted(found)


def residue(base: JsonObject, wanted: JsonObject, shapes: Shapes) -> list[Difference]:
    """Return the differences as they are kept, each with which of the elements alike it is."""
    found = _with_neighbours(differences(base, wanted), base, wanted, shapes)
    alike = _Alike(base, shapes)
    for difference in found:
        if type(difference["at"][-1]) is int:
            paths = alike.paths(difference)
            if len(paths) > 1:
                difference["of"] = alike.rank(paths, tuple(difference["at"]))
            elif not alike.is_alone(difference):
                difference["of"] = [0, 1]  # after an edit, no name identifies it
    return found


def _sorted(found: list[Difference]) -> list[Difference]:
    """Sort differences: the members of an object have no order, so the residue has none of them."""
    if len(found) > 1:
        found.sort(key=lambda difference: _json.encode_known(difference["at"]))
    return found


def _with_neighbours(
    found: list[Difference], base: JsonObject, wanted: JsonObject, shapes: Shapes
) -> list[Difference]:
    """Return differences; of a list whose elements changed their places, one for each element."""
    lists: dict[Path, list[Difference]] = {}
    for difference in found:
        *above, index = difference["at"]
        if type(index) is int:
            lists.setdefault(tuple(above), []).append(difference)
    moved: list[Path] = []
    for above, items in lists.items():
        was, value = ([item[side] for item in items] for side in _SIDES)
        if len(items) > 1 and have_moved(was, value, shape_at(shapes, above)):
            moved.append(above)
    for above in sorted(moved, key=len, reverse=True):
        found = [one for one in found if tuple(one["at"][: len(above)]) != above]
        sides: Any = (get(base, *above), get(wanted, *above))
        found += [
            {"at": [*above, index], "was": was, "is": value}
            for index, (was, value) in enumerate(zip(*sides, strict=True))
        ]
    return _sorted(found) if moved else found


def is_spelling(difference: Difference) -> bool:
    """Return whether a difference says only how numbers are written."""
    return difference.keys() >= _VALUES and _json.equal(difference["was"], difference["is"])


def read_differences(value: Any, names: frozenset[str]) -> list[Difference]:
    """Return the residue in a bag entry. Raises DecodeError if it is malformed.

    It may only have differences of the members `names`.
    """
    if type(value) is not list:
        raise DecodeError("expected a list of differences")
    for index, item in enumerate(value):
        if not _is_difference(item, names):
            raise DecodeError("expected {at, was, is, of} of a member the hook claims", f"/{index}")
    return value


def are_used(kept: list[Difference], made: JsonObject) -> bool:
    """Return whether members agree with all kept differences, wherever elements have moved."""
    alike = _Alike(made)
    return all(
        "filled" in one
        or "shown" in one
        or (
            bool(alike.paths({**one, "was": one["is"]}))
            if type(one["at"][-1]) is int
            else _is_there(made, one, "is")
        )
        for one in kept
    )


def places(
    target: JsonObject, kept: list[Difference], shapes: Shapes = _NO_SHAPES
) -> list[Path | None]:
    """Return where each difference can be made, None where there is not what was there.

    An element in which a server of some version has filled in something is there.
    """
    alike, taken = _Alike(target, shapes), set[Path]()
    found: list[Path | None] = []
    for difference in kept:
        path = _place(target, difference, alike, taken)
        found.append(path)
        if path is not None:
            taken.add(path)
    for index, difference in enumerate(kept if shapes else ()):
        if found[index] is None and type(difference["at"][-1]) is int:
            found[index] = path = _nearest(difference, alike.plain_paths(difference), taken)
            if path is not None:
                taken.add(path)
    return found


def make(target: JsonObject, path: Path, difference: Difference) -> None:
    """Apply a difference at its place; the value is copied.

    Raises DecodeError if another difference removed the place, which no valid residue does.
    """
    container: Any = target
    try:
        for token in path[:-1]:
            container = container[token]
        if "is" in difference:
            container[path[-1]] = _json.copy(difference["is"])
        else:
            del container[path[-1]]
    except (IndexError, KeyError, TypeError) as error:
        raise DecodeError("one of the kept differences is inside another one") from error


def _is_difference(item: Any, names: frozenset[str]) -> bool:
    if type(item) is not dict or not item.keys() <= _KEYS or item.keys().isdisjoint(_VALUES):
        return False
    if item.get("filled", True) is not True:
        return False
    at = item.get("at")
    if type(at) is not list or not at or type(at[0]) is not str or at[0] not in names:
        return False
    if any(type(token) not in (str, int) for token in at):
        return False
    if int not in map(type, at):
        return "of" not in item
    return type(at[-1]) is int and item.keys() >= _VALUES and _is_rank(item.get("of"))


def _is_rank(of: Any) -> bool:
    if of is None:
        return True
    if type(of) is not list or [type(item) for item in of] not in ([int, int], [int, int, str]):
        return False
    return bool(0 <= of[0] < of[1])


def _in_object(base: Any, wanted: Any, at: list[Any], found: list[Difference]) -> None:
    for name, value in base.items():
        if name not in wanted:
            found.append({"at": [*at, name], "was": value})
        elif value is not wanted[name]:
            _in_value(value, wanted[name], [*at, name], found)
    for name, value in wanted.items():
        if name not in base:
            found.append({"at": [*at, name], "is": value})


def _in_value(base: Any, wanted: Any, at: list[Any], found: list[Difference]) -> None:
    kind = type(base)
    if kind is dict and type(wanted) is dict:
        _in_object(base, wanted, at, found)
    elif kind is list and type(wanted) is list and len(base) == len(wanted):
        for index, (one, other) in enumerate(zip(base, wanted, strict=True)):
            if one is other:
                continue
            here = [*at, index]
            inner: list[Difference] = []
            _in_value(one, other, here, inner)
            if type(one) in _CONTAINERS and any(
                int not in map(type, item["at"][len(here) :]) for item in inner
            ):
                inner = [{"at": here, "was": one, "is": other}]
            found += inner
    elif not _json.same(base, wanted):
        found.append({"at": at, "was": base, "is": wanted})


def _place(
    target: JsonObject, difference: Difference, alike: _Alike, taken: set[Path]
) -> Path | None:
    at: Path = tuple(difference["at"])
    if type(at[-1]) is str:
        return at if _is_there(target, difference, "was") else None
    paths = alike.paths(difference)
    if "of" in difference:
        rank: int
        rank, count, *around = difference["of"]
        inside = alike.inside(paths, around[0]) if around else paths
        if len(inside) == count:
            return inside[rank]
        rank = bisect_left(paths, at)
        return at if rank < len(paths) and paths[rank] == at else None
    return _nearest(difference, paths, taken if len(paths) > 1 else frozenset())


def _nearest(difference: Difference, paths: list[Path], taken: Set[Path]) -> Path | None:
    """Return the nearest path of an element that is nobody's; by rank, where several are alike."""
    at: Path = tuple(difference["at"])
    if "of" in difference:
        rank, count, *around = difference["of"]
        paths = [paths[rank]] if len(paths) == count and not around else []
    free = [path for path in paths if path not in taken]
    return min(free, key=lambda path: _distances(path, at), default=None)


def _is_there(target: JsonObject, difference: Difference, side: Literal["was", "is"]) -> bool:
    """Return whether one side of a difference is at its place."""
    value: Any = target
    *above, name = difference["at"]
    for token in above:
        if type(value) is not dict or token not in value:
            return False
        value = value[token]
    if type(value) is not dict or (name in value) != (side in difference):
        return False
    return name not in value or _json.equal(value[name], difference[side])


def _distances(one: Path, other: Path) -> list[int]:
    return [
        abs(a - b)
        for a, b in zip(one, other, strict=True)
        if isinstance(a, int) and isinstance(b, int)
    ]


class _Alike:
    """The elements of all lists that a path may refer to, by their contents."""

    def __init__(self, target: JsonObject, shapes: Shapes = _NO_SHAPES) -> None:
        self._target, self._shapes = target, shapes
        self._found: dict[tuple[str | None, ...], dict[bytes, list[Path]]] = {}
        self._plain: dict[Path, dict[bytes, list[Path]]] = {}
        self._hashes: dict[Path, str] = {}
        self._names: dict[Path, tuple[list[list[str]], Counter[str]]] = {}
        self._groups: dict[tuple[int, int], dict[str, list[Path]]] = {}

    def paths(self, difference: Difference) -> list[Path]:
        """Return, in order, the paths of all values that look like the former one."""
        shape = tuple([None if type(token) is int else token for token in difference["at"]])
        found = self._found.get(shape)
        if found is None:
            found = self._found[shape] = {}
            for path, value in _elements(self._target, shape):
                found.setdefault(_json.canonical(value), []).append(path)
        return found.get(_json.canonical(difference["was"]), [])

    def plain_paths(self, difference: Difference) -> list[Path]:
        """Return, in order, where in its list is what a server may have made of what was there."""
        *above, index = difference["at"]
        item = part_of(shape_at(self._shapes, above), index)
        if item is None or item.type is None or not has_any_defaults(item.type):
            return []
        place = tuple(above)
        found = self._plain.get(place)
        if found is None:
            items: Any = get(self._target, *above)
            found = self._plain[place] = {}
            for at, value in enumerate(items if type(items) is list else ()):
                found.setdefault(_json.canonical(plain(value, item)), []).append((*place, at))
        was = difference["was"]
        paths = found.get(_json.canonical(plain(was, item)), [])
        return [path for path in paths if has_all_of(get(self._target, *path), was)]

    def rank(self, paths: list[Path], at: Path) -> list[int | str]:
        """Return which of the paths one is, of how many, and inside which element if that helps."""
        for groups, end in self._grouped(paths):
            own = self._hash(at[:end])
            if len(groups[own]) < len(paths):
                return [bisect_left(groups[own], at), len(groups[own]), own]
        return [bisect_left(paths, at), len(paths)]

    def inside(self, paths: list[Path], own: str) -> list[Path]:
        """Return the paths that lead into an element with a hash."""
        found = (groups[own] for groups, _ in self._grouped(paths) if own in groups)
        return next(found, [])

    def is_alone(self, difference: Difference) -> bool:
        """Return whether no other element of its list has a name that the one there has."""
        *above, index = difference["at"]
        known = self._names.get(tuple(above))
        if known is None:
            items: Any = get(self._target, *above)
            names = element_names(items, shape_at(self._shapes, above))
            known = names, Counter(name for own in names for name in own)
            self._names[tuple(above)] = known
        names, counts = known
        return all(counts[name] == 1 for name in names[index])

    def _grouped(self, paths: list[Path]) -> Iterator[tuple[dict[str, list[Path]], int]]:
        """Yield the paths by the hash of an enclosing element, innermost first, and its end.

        Paths to values that look alike have the same shape.
        """
        shape = paths[0] if paths else ()
        for end in range(len(shape) - 1, 0, -1):
            if type(shape[end - 1]) is not int:
                continue
            groups = self._groups.get((id(paths), end))
            if groups is None:
                groups = self._groups[id(paths), end] = {}
                for path in paths:
                    groups.setdefault(self._hash(path[:end]), []).append(path)
            yield groups, end

    def _hash(self, path: Path) -> str:
        known = self._hashes.get(path)
        if known is None:
            value: Any = self._target
            for token in path:
                value = value[token]
            digest = hashlib.sha256(_json.canonical(value)).hexdigest()
            known = self._hashes[path] = digest[:_DIGITS]
        return known


def _elements(target: JsonObject, shape: Sequence[str | None]) -> list[tuple[Path, Any]]:
    """Return, in order, the values at paths of a shape, in which None is any list element."""
    found: list[tuple[Path, Any]] = [((), target)]
    for token in shape:
        if token is None:
            found = [
                ((*path, index), item)
                for path, value in found
                if type(value) is list
                for index, item in enumerate(value)
            ]
        else:
            found = [
                ((*path, token), value[token])
                for path, value in found
                if type(value) is dict and token in value
            ]
    return found

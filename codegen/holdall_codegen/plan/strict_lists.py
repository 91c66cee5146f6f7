"""Checking that the lists which a project declares to be strict are there."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from holdall.errors import Problem
from holdall.suggest import nearest
from holdall.text.pointer import join, split
from holdall_codegen.model import Group, ListOf, Location, MapOf, Ref, Type

_SUGGESTED = 10_000
"""How many places of a version are looked at for the nearest list; recursive types have no end."""


def check_strict_lists(
    group: Group, kind: str, types: Mapping[str, str], paths: Iterable[str], at: Location
) -> Iterator[Problem]:
    """Yield a problem for each path that leads to a list in no version of a kind.

    `types` are the names of its root types by version.
    """
    for path in paths:
        names = split(path)
        if not any(_is_list(group, version, Ref(name), names) for version, name in types.items()):
            known = dict.fromkeys(
                place
                for version, name in types.items()
                for place, value in islice(_places(group, version, Ref(name)), _SUGGESTED)
                if isinstance(value, ListOf)
            )
            text = f"carrier of {kind}: no version has a list at {path}{nearest(path, known)}"
            yield Problem("HA131", str(at), text, "correct the path in `strict`, or remove it")


def _is_list(group: Group, version: str, value: Type, names: Iterable[str]) -> bool:
    """Tell whether a path leads from a value to a list."""
    found: Type | None = value
    for name in names:
        if found is None:
            return False
        found = dict(_within(group, version, found)).get(name)
    return isinstance(found, ListOf)


def _places(group: Group, version: str, value: Type) -> Iterator[tuple[str, Type]]:
    """Yield a value and those within, each with its path, the shortest first."""
    work = deque([("", value)])
    while work:
        path, found = work.popleft()
        yield path, found
        work.extend((join(path, name), one) for name, one in _within(group, version, found))


def _within(group: Group, version: str, value: Type) -> Iterator[tuple[str, Type]]:
    """Yield the values within one, as paths name them."""
    match value:
        case ListOf(item=item) | MapOf(value=item):
            yield "*", item
        case Ref(type_name=name):
            for member in group.version(version).types[name].properties:
                yield member.name, member.type
        case _:
            return

"""Checking that the lists which a project declares to be strict are there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from holdall.errors import Problem
from holdall.suggest import nearest
from holdall.text.pointer import join
from holdall_codegen.model import Group, ListOf, Location, MapOf, Ref, Type


def check_strict_lists(
    group: Group, kind: str, types: Mapping[str, str], paths: Iterable[str], at: Location
) -> Iterator[Problem]:
    """Yield a problem for each path that leads to a list in no version of a kind.

    `types` are the names of its root types by version.
    """
    known: dict[str, None] = {}
    for version, name in types.items():
        for path in _lists(group, version, Ref(name), "", ()):
            known[path] = None
    for path in paths:
        if path not in known:
            text = f"carrier of {kind}: no version has a list at {path}{nearest(path, known)}"
            yield Problem("HA131", str(at), text, "correct the path in `strict`, or remove it")


def _lists(
    group: Group, version: str, value: Type, path: str, above: tuple[str, ...]
) -> Iterator[str]:
    """Yield the paths of all lists in a value; a type inside itself is entered once."""
    match value:
        case ListOf(item=item):
            yield path
            yield from _lists(group, version, item, join(path, "*"), above)
        case MapOf(value=item):
            yield from _lists(group, version, item, join(path, "*"), above)
        case Ref(type_name=name) if name not in above:
            for member in group.version(version).types[name].properties:
                inner = join(path, member.name)
                yield from _lists(group, version, member.type, inner, (*above, name))
        case _:
            return

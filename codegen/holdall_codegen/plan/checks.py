"""Checks of declarations: names of kinds, ends of moves, inner documents, carriers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import TypeAlias

from holdall.errors import Problem
from holdall.inner.declared import InnerDocuments
from holdall.plan.plans import TypeRef
from holdall.suggest import nearest
from holdall.text.pointer import join, split
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.config.names import join_path
from holdall_codegen.config.overlays import InnerConfig
from holdall_codegen.model import (
    Group,
    ListOf,
    Location,
    MapOf,
    Opaque,
    Ref,
    Type,
    Union,
    inside,
    is_text,
)
from holdall_codegen.plan.facts import Facts
from holdall_codegen.plan.matching import Matched
from holdall_codegen.plan.model import (
    SIDES,
    Conversion,
    Flipped,
    HidesZero,
    PlannedKind,
    Recurse,
    Reference,
    decision_about,
    moved_paths,
    ways,
)

# --- names of kinds ---------------------------------------------------------------------------


def check_kind_names(config: GroupConfig, kinds: Iterable[PlannedKind]) -> Iterator[Problem]:
    """Yield a problem for each kind named by `carrier` that the group does not have."""
    known = [kind.name for kind in kinds]
    for name in {**config.carriers, **config.limits}:
        if name not in known:
            text = f"carrier names the unknown kind {name!r}{nearest(name, known)}"
            fix = f"name one of {', '.join(known)}, or remove it"
            place = config.carrier_places.get(name, config.location)
            yield Problem("HA131", str(place), text, fix)


def lone_kinds(kinds: Sequence[PlannedKind], versions: int) -> Iterator[str]:
    """Yield a warning if no kind is in two versions, as their names may differ."""
    if versions > 1 and kinds and not any(len(kind.types) > 1 for kind in kinds):
        where = ", ".join(f"{kind.name} in {', '.join(kind.types)}" for kind in kinds)
        one = f'kinds: {{{kinds[-1].name}: ""}}'
        yield (
            f"nothing converts: no kind is in two versions, only {where}; if they are one kind,"
            f" give it one name in all sources, such as `{one}`"
        )


# --- ends of moves --------------------------------------------------------------------------------

_Edge: TypeAlias = tuple[TypeRef, TypeRef]
_Path: TypeAlias = tuple[str, ...]
_Link: TypeAlias = tuple[_Path, _Path, Conversion]
"""A path at one end, its partner at the other, and the conversion between them."""
_AS_WELL = "move {0} as well, or declare it not_same in its own type"
_OTHER_MEMBER = "let the reference of {0} name another member, or declare {0} not_same"
_Found: TypeAlias = tuple[_Path, str]
"""The second partner of a place, and a fix."""


def check_move_ends(edges: Mapping[_Edge, Matched], facts: Facts) -> Iterator[Problem]:
    """Yield a problem for each end of a declared move that has a second value.

    Objects convert whole. If two of them share a property, and another value moves to its place in
    one of them, one of the two values would be lost. The same holds for the text of a reference, if
    another value moves to the member that holds it.
    """
    for (older, newer), matched in edges.items():
        locations = {
            (one.path, one.move): one.location
            for one in facts.of_properties(older.version, newer.version, older.name)
        }
        paths = [(move.older, move.newer) for move in matched.moves]
        for ends in paths:
            for upward in (True, False):
                here, there = ends if upward else ends[::-1]
                found = _partner(edges, _links(matched, upward=upward), there, upward=upward)
                if found is None:
                    continue
                second, fix = found
                if any(
                    _leads_to(one[not upward], second) and not _leads_to(one[upward], there)
                    for one in paths
                ):
                    continue
                near, far = (older, newer) if upward else (newer, older)
                yield Problem(
                    "HA213",
                    str(locations[ends]),
                    f"{far} {join_path(there)} has two partners: {near} {join_path(here)}"
                    f" and {join_path(second)}",
                    fix.format(join_path(second)),
                )


def check_move_keys(edges: Mapping[_Edge, Matched], facts: Facts) -> Iterator[Problem]:
    """Yield a problem for each move whose key in bags is also the key of something else.

    The key of a move is its path, with slashes between the names; that of a property, declared or
    not, is its name, which may have slashes.
    """
    known: dict[tuple[TypeRef, str], _Path] = {}
    for ends, matched in edges.items():
        older, newer = ends
        declared = facts.of_properties(older.version, newer.version, older.name)
        for move in matched.moves:
            for holder, path in zip(ends, (move.older, move.newer), strict=True):
                key = "/".join(path)
                is_first = known.setdefault((holder, key), path) == path
                if len(path) > 1 and (key in matched.names or not is_first):
                    [where] = [
                        str(one.location)
                        for one in declared
                        if (one.path, one.move) == (move.older, move.newer)
                    ]
                    text = f"the key of {holder} {join_path(path)} in bags is taken: {key!r}"
                    yield Problem("HA213", where, text, "move it with a hook, or remove the move")


def _leads_to(path: _Path, place: _Path) -> bool:
    return place[: len(path)] == path


def _links(matched: Matched, *, upward: bool) -> Iterator[_Link]:
    """Yield what crosses to the other version, or back, by the path where it arrives."""
    for older, newer, conversion in ways(matched.pairs, matched.moves):
        yield (newer, older, conversion) if upward else (older, newer, conversion)


def _partner(
    edges: Mapping[_Edge, Matched], links: Iterator[_Link], place: _Path, *, upward: bool
) -> _Found | None:
    """Return what an object brings to a place inside it, by the path that it comes from."""
    for arrival, origin, conversion in links:
        rest = place[len(arrival) :]
        if rest and _leads_to(arrival, place):
            inner = _inside(edges, conversion, rest, upward=upward)
            if inner is not None:
                return (*origin, *inner[0]), inner[1]
    return None


def _inside(
    edges: Mapping[_Edge, Matched], conversion: Conversion, place: _Path, *, upward: bool
) -> _Found | None:
    """Return where in its partner the value at a place inside an object comes from."""
    match conversion:
        case HidesZero(inner=inner):
            return _inside(edges, inner, place, upward=upward)
        case Reference(member=member) if upward and place == (member,):
            return (), _OTHER_MEMBER
        case Flipped(inner=Reference(member=member)) if not upward and place == (member,):
            return (), _OTHER_MEMBER
        case Recurse(steps=types):
            found: _Found | None = place, _AS_WELL
            steps = [*pairwise(types)]
            for edge in reversed(steps) if upward else steps:
                found = found and _within(edges, edge, found[0], upward=upward)
            return found
        case _:
            return None


def _within(
    edges: Mapping[_Edge, Matched], edge: _Edge, place: _Path, *, upward: bool
) -> _Found | None:
    """Return the partner of a place in an object, None if there is none."""
    for arrival, origin, _ in _links(edges[edge], upward=upward):
        if arrival == place:
            return origin, _AS_WELL
    return _partner(edges, _links(edges[edge], upward=upward), place, upward=upward)


# --- inner documents ------------------------------------------------------------------------------


_FIX = "correct inner_documents"


def check_inner(
    group: Group,
    entries: Iterable[InnerConfig],
    kinds: Iterable[PlannedKind],
    matched: Mapping[tuple[TypeRef, TypeRef], Matched],
) -> Iterator[Problem]:
    """Yield a problem for each unknown holder, and each text that is not carried over."""
    known = {kind.name: kind for kind in kinds}
    for entry in entries:
        for holder in entry.declared.holders:
            for text, fix in _problems(group, entry.declared, holder, known, matched):
                yield Problem("HA131", str(entry.location), f"inner_documents: {text}", fix)


def _problems(
    group: Group,
    declared: InnerDocuments,
    holder: str,
    known: Mapping[str, PlannedKind],
    matched: Mapping[tuple[TypeRef, TypeRef], Matched],
) -> Iterator[tuple[str, str]]:
    if "/" in holder:
        if holder.rpartition("/")[0].rpartition("/")[0] == group.api_group:
            name = holder.rpartition("/")[2]
            yield f"{holder} belongs to the group itself", f"name only the kind: {name}"
        return
    kind = known.get(holder)
    if kind is None:
        yield f"the group has no kind {holder!r}{nearest(holder, known)}", _FIX
    elif declared.path[:2] == ("metadata", "annotations"):
        if kind.carrier in ("field", "none"):
            yield f"documents of {holder} have no annotations", "declare a path"
    elif kind.carrier == "changed-values":
        yield f"the values of {holder} are tracked, including strings", "declare an annotation"
    else:
        yield from _of_member(group, declared.path, kind, matched)


def _of_member(
    group: Group,
    path: tuple[str, ...],
    kind: PlannedKind,
    matched: Mapping[tuple[TypeRef, TypeRef], Matched],
) -> Iterator[tuple[str, str]]:
    shown = join_path(path)
    ways: dict[str, list[tuple[TypeRef, _Path]]] = {}
    for version, name in kind.types.items():
        way = _types_on(group, version, Ref(name), path)
        if way is None:
            yield (
                f"{kind.name} {version} has no string at {shown}",
                f"{_FIX}; all versions need the string",
            )
        else:
            ways[version] = way
    for older, newer in kind.edges if len(ways) == len(kind.types) else ():
        if why := _is_another(ways[older], ways[newer], matched):
            yield f"{why}, so {shown} is not the same string in both versions", _FIX
            return


def _is_another(
    older: Iterable[tuple[TypeRef, _Path]],
    newer: Iterable[tuple[TypeRef, _Path]],
    matched: Mapping[tuple[TypeRef, TypeRef], Matched],
) -> str:
    """Return what happens on the way to a string, "" if the same property has it at both ends."""
    for (one, rest), (other, _) in zip(older, newer, strict=False):
        edge = matched[one, other]
        for side in SIDES:
            moved = moved_paths(edge.moves, side)
            found = decision_about(rest, side, edge.decisions, moved)
            if found is not None and found.fate not in ("copied", "recursed"):
                return f"{one} to {other}: {found.name} is {found.fate}"
            if found is not None and found.partner != found.name:
                return f"{one} to {other}: {found.name} is {found.partner}"
    return ""


def _types_on(
    group: Group, version: str, type_: Type, path: _Path
) -> list[tuple[TypeRef, _Path]] | None:
    """Return the types on the way to a string, each with the rest of the path; None without one."""
    found: list[tuple[TypeRef, _Path]] = []
    for depth, name in enumerate(path):
        match type_:
            case Ref(type_name=holder):
                found.append((TypeRef(version, holder), path[depth:]))
                member = group.version(version).types[holder].property(name)
                if member is None:
                    return None
                type_ = member.type
            case MapOf(value=inner):
                type_ = inner
            case Opaque():
                return found
            case _:
                return None
    return found if isinstance(type_, Opaque) or is_text(type_) else None


# --- strict lists ---------------------------------------------------------------------------------


_SUGGESTED = 10_000
"""How many places of a version are searched for the nearest list; recursive types have no end."""


def check_strict_lists(
    group: Group, kind: str, types: Mapping[str, str], paths: Iterable[str], at: Location
) -> Iterator[Problem]:
    """Yield a problem for each path that does not lead to a list in any version of a kind.

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


def check_drop_first(
    group: Group, kind: str, types: Mapping[str, str], paths: Iterable[str], at: Location
) -> Iterator[Problem]:
    """Yield a problem for each path with a name that no version has, there or elsewhere.

    Bags hold values of one version in objects of another, so a path may combine two versions.
    """
    everywhere = {
        item.name
        for version in group.versions
        for type_ in version.types.values()
        for item in type_.properties
    }
    for path in paths:
        values = [(version, Ref(name)) for version, name in types.items()]
        found: list[tuple[str, Type]] = [*values]
        for name in split(f"/{path}"):
            inside = [
                (version, inner)
                for version, value in found
                for own, inner in _values_in(group, version, value)
                if name == "*" or own in (name, "*")
            ]
            if not inside and not any(_is_open(group, *one) for one in found):
                known = {own for one in found for own, _ in _values_in(group, *one)}
                if found and name != "*" and name not in everywhere:
                    text = f"carrier of {kind}: no version has {name!r} in the path {path}"
                    text += nearest(name, sorted(known))
                    fix = "correct the path in `drop_first`, or remove it"
                    yield Problem("HA131", str(at), text, fix)
                break
            found = inside


def _is_open(group: Group, version: str, value: Type) -> bool:
    """Tell whether a value may have undeclared members."""
    if isinstance(value, Ref):
        return group.version(version).types[value.type_name].preserve_unknown
    return isinstance(value, Opaque | Union)


def _is_list(group: Group, version: str, value: Type, names: Iterable[str]) -> bool:
    """Tell whether a path leads from a value to a list."""
    found: Type | None = value
    for name in names:
        found = found and inside(found, name, group.version(version).types)
    return isinstance(found, ListOf)


def _places(group: Group, version: str, value: Type) -> Iterator[tuple[str, Type]]:
    """Yield a value and the values in it, each with its path, the shortest first."""
    work = deque([("", value)])
    while work:
        path, found = work.popleft()
        yield path, found
        work.extend((join(path, name), one) for name, one in _values_in(group, version, found))


def _values_in(group: Group, version: str, value: Type) -> Iterator[tuple[str, Type]]:
    """Yield the values in a value, with their names in paths."""
    match value:
        case ListOf(item=item) | MapOf(value=item):
            yield "*", item
        case Ref(type_name=name):
            for member in group.version(version).types[name].properties:
                yield member.name, member.type
        case _:
            return

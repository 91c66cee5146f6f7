"""Checking that holders have the texts with inner documents that a project declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from holdall.errors import Problem
from holdall.inner.declared import InnerDocuments
from holdall.plan.plans import TypeRef
from holdall.suggest import nearest
from holdall_codegen.config.model import InnerConfig
from holdall_codegen.config.names import join_path
from holdall_codegen.model import Group, MapOf, Opaque, Ref, Type, is_text
from holdall_codegen.plan.matching import Matched
from holdall_codegen.plan.model import PlannedKind

_FIX = "correct inner_documents"


def check_inner(
    group: Group,
    entries: Iterable[InnerConfig],
    kinds: Iterable[PlannedKind],
    matched: Mapping[tuple[TypeRef, TypeRef], Matched],
) -> Iterator[Problem]:
    """Yield a problem for each holder that is not known, and each text that is not carried over."""
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
            yield f"{holder} is of the group itself", f"name the kind alone: {name}"
        return
    kind = known.get(holder)
    if kind is None:
        yield f"the group has no kind {holder!r}{nearest(holder, known)}", _FIX
    elif declared.path[:2] == ("metadata", "annotations"):
        if kind.carrier in ("field", "none"):
            yield f"documents of {holder} have no annotations", "declare a path"
    elif kind.carrier == "changed-values":
        yield f"values of {holder} are tracked, also those of texts", "declare an annotation"
    else:
        yield from _of_member(group, declared.path, kind, matched)


def _of_member(
    group: Group,
    path: tuple[str, ...],
    kind: PlannedKind,
    matched: Mapping[tuple[TypeRef, TypeRef], Matched],
) -> Iterator[tuple[str, str]]:
    shown = join_path(path)
    ways: list[list[TypeRef]] = []
    for version, name in kind.types.items():
        way = _types_on(group, version, Ref(name), path)
        if way is None:
            yield f"{kind.name} {version} has no string at {shown}", f"{_FIX}; all versions need it"
        else:
            ways.append(way)
    for older, newer in pairwise(ways) if len(ways) == len(kind.types) else ():
        for ends in zip(older, newer, strict=False):
            decisions = matched[ends].decisions if ends in matched else ()
            for decision in decisions:
                if decision.name in path and decision.fate not in ("copied", "recursed"):
                    text = f"{ends[0]} to {ends[1]}: {decision.name} is {decision.fate}"
                    yield f"{text}, so {shown} is not the same text in both", _FIX
                    return


def _types_on(
    group: Group, version: str, type_: Type, path: tuple[str, ...]
) -> list[TypeRef] | None:
    """Return the types on the way to a string; None if there is none."""
    found: list[TypeRef] = []
    for name in path:
        match type_:
            case Ref(type_name=holder):
                found.append(TypeRef(version, holder))
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

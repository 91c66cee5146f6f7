"""Binding hooks to the edges of a scheme: once, after importing and verifying them."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

from holdall.carriers.envelope import Code
from holdall.engine.code_texts import keep_texts
from holdall.engine.edges import NO_HOOK, EdgeEntry
from holdall.engine.hook_points import HookPoint, LinkEnd, bind
from holdall.engine.lossy_pairs import Link, peers_of
from holdall.engine.two_way import TwoWay
from holdall.errors import HookError, Problem
from holdall.objects.shapes import members_of
from holdall.plan.graph import first_steps
from holdall.verification import (
    HookClass,
    check_functions,
    find_sources,
    import_hooks,
    look_at_sources,
    verify_hooks,
)
from holdall.verification.behaviour import SourceCode, imported_texts
from holdall.verification.functions import functions_in
from holdall.verification.mistakes import UNWRITTEN

_Ends: TypeAlias = Mapping[tuple[type, type], Iterable[LinkEnd]]
"""The ends of skip links by the edge with which a link begins."""


def point_of(entry: EdgeEntry, links: _Ends, *, is_of_link: bool) -> HookPoint:
    """Return the hook point of an edge, against which hooks are verified."""
    to, older_members = entry.edge.to, members_of(entry.older)
    paired = {(name, other) for name in older_members if (other := to.partner(name)) is not None}
    moved = {(older[0], newer[0]) for older, (_, newer) in to.hops.items()}
    return HookPoint(
        protocol=entry.protocol.__name__,
        module=entry.protocol.__module__,
        older_version=entry.older.VERSION,
        older_type=entry.older.__name__,
        newer_version=entry.newer.VERSION,
        newer_module=entry.newer.__module__,
        newer_type=entry.newer.__name__,
        older_members=older_members,
        newer_members=members_of(entry.newer),
        must_claim_older=frozenset(entry.must_claim_older),
        must_claim_newer=frozenset(entry.must_claim_newer),
        partners=frozenset(paired | moved),
        links=(
            frozenset(links.get((entry.older, entry.newer), ())),
            frozenset(links.get((entry.newer, entry.older), ())),
        ),
        is_of_link=is_of_link,
    )


def bind_hooks(
    package: str,
    group_package: str,
    entries: Sequence[EdgeEntry],
    links: Sequence[Link],
    *,
    strict: bool,
) -> tuple[list[HookClass], list[Problem]]:
    """Verify, bind and return all hooks of `package` that belong to a group.

    Also returns remarks about hooks that are not written yet and fail when they run. Edges without
    a hook run none from now on. With `strict`, a hook that changes what it does not claim fails.
    Raises HookError with all problems.
    """
    hooked = {(link.ways[0][0][1], link.ways[0][2][1]) for link in links if link.is_hooked}
    ends = _ends_of(entries, links)
    edges = {
        point_of(entry, ends, is_of_link=(entry.older, entry.newer) in hooked): entry.edge
        for entry in entries
    }
    generated = {module for point in edges for module in (point.module, point.newer_module)}
    modules = [sys.modules[module] for module in sorted(generated)]
    imported = import_hooks(package, _folder_of(group_package), modules)
    found, problems = verify_hooks(imported, list(edges), [group_package], _others(group_package))
    if any(problem.code != UNWRITTEN for problem in problems):
        raise HookError(problems)
    for edge in edges.values():
        edge.to.bound = edge.back.bound = None
        edge.to.steps = edge.back.steps = None
        edge.to.two_way = edge.back.two_way = ()
        edge.to.always = edge.back.always = [], []
        edge.to.hook_names = edge.back.hook_names = NO_HOOK
    for hook in found:
        bind(edges[hook.point].to, hook.instance, "to", strict=strict)
        bind(edges[hook.point].back, hook.instance, "from", strict=strict)
    return found, problems


def _ends_of(entries: Sequence[EdgeEntry], links: Sequence[Link]) -> _Ends:
    edges = [(entry.older, entry.newer) for entry in entries]
    ways = [
        (here, LinkEnd(name, far, f"{older[0]} -> {newer[0]}", f"{older} {newer}"), there)
        for link in links
        for older, _, newer in link.ways[:1]
        for (_, here, name), _, (far, there, _) in link.ways
    ]
    return first_steps(peers_of([*edges, *((new, old) for old, new in edges)], links), ways)


def code_of(
    bound: Iterable[HookClass],
    package: str,
    storages: Iterable[str],
    entries: Iterable[EdgeEntry],
    links: Iterable[Link],
) -> Code:
    """Return the code that decides what is kept: that of two-way hooks, and of functions that a
    generated package's storage modules name.

    It is read now, because files may change, and parsed at first use. That of functions is read
    when they are loaded.
    """
    hooks = [(hook.instance, *getattr(hook.instance, "parts", ())) for hook in bound]
    two_way = [one for one in hooks if any(isinstance(part, TwoWay) for part in one)]
    classes = [type(part) for parts in two_way for part in parts]
    own = [cls for cls in classes if not f"{cls.__module__}.".startswith("holdall.")]
    outer = package.rpartition(".")[0] or package
    for module in {cls.__module__ for cls in own}:
        keep_texts(module, outer)
    hops = [hop for entry in entries for hop, _ in entry.edge.to.hops.values()]
    hops += [hop for link in links for _, hop, _ in link.ways]

    def digest(definitions: Iterable[tuple[str, str]]) -> str:
        found = [*definitions]
        tops = (module.partition(".")[0] for module, _ in found)
        return SourceCode(imported_texts(tops), outer).digest(found)[:8]

    @cache
    def of_hooks() -> str:
        return digest((cls.__module__, cls.__qualname__) for cls in own)

    @cache
    def of_functions() -> str:
        paths = {path for module in storages for path in functions_in(sys.modules[module])}
        return digest((module, name) for module, _, name in (it.partition(":") for it in paths))

    return Code(
        of_hooks if two_way else None,
        of_functions if any(hop.calls for hop in hops) else None,
    )


def look_further(hooks: str, group_package: str, modules: Sequence[str]) -> list[Problem]:
    """Return problems that binding does not see: mistakes that only the source of hooks shows, and
    functions that generated modules name but that cannot be loaded.
    """
    sources = find_sources(hooks, root=_folder_of(group_package))
    problems = look_at_sources([source for source in sources if source.problem is None])
    for module in modules:
        problems += check_functions(sys.modules[module])
    return problems


def _folder_of(package: str) -> Path | None:
    """Return the folder that contains a package's top-level package, with the hooks beside it.

    None if it is not in a folder; then the import system finds the hooks.
    """
    folder = Path(next(iter(importlib.import_module(package.split(".")[0]).__path__))).parent
    return folder if folder.is_dir() else None


def _others(group_package: str) -> Callable[[str], bool]:
    """Return a test for names of other generated groups, which verify their own hooks."""
    root, depth = group_package.split(".")[0], group_package.count(".") + 1

    @cache
    def exists(package: str) -> bool:
        return importlib.util.find_spec(package) is not None

    def is_foreign(name: str) -> bool:
        package = ".".join(name.split(".")[:depth])
        return name.startswith(f"{root}.") and package != group_package and exists(package)

    return is_foreign

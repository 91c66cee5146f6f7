"""What the schemas of a group may refuse of each other's objects, edge by edge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Final

from holdall.errors import Problem
from holdall.plan.plans import TypeRef
from holdall_codegen.breaking.ignoring import Accepted
from holdall_codegen.breaking.reading import schemas_of
from holdall_codegen.breaking.schema_changes import SchemaSide
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.plan.model import GroupPlan, PlannedKind
from holdall_codegen.project import Project, Reading
from holdall_codegen.propose.model import Proposal
from holdall_codegen.refusals.model import UNUSED_ACCEPTANCE, Refusal, Subject
from holdall_codegen.refusals.offers import with_offers
from holdall_codegen.refusals.walk import Claims, Walk
from holdall_codegen.views.hook_report import HookReport, claims_of

Found = Mapping[str, tuple[Refusal, ...]]
"""By package."""
Schemas = Mapping[str, Mapping[str, SchemaSide]]
"""By kind and version."""
NO_PROPOSALS: Final[Mapping[str, Sequence[Proposal]]] = MappingProxyType({})


def refusals_of(
    reading: Reading,
    project: Project,
    hooks: HookReport,
    proposals: Mapping[str, Sequence[Proposal]] = NO_PROPOSALS,
) -> tuple[Found, tuple[Problem, ...]]:
    """Return what schemas may refuse, by package, with what helps, and warnings about entries.

    What the configuration accepts is left out; its entries that accept nothing get the warnings.
    `proposals` are those of packages that are known already.
    """
    found: dict[str, tuple[Refusal, ...]] = {}
    unused: list[Problem] = []
    for config in project.config.groups:
        package = config.package
        plan = project.plans[package]
        schemas = schemas_with_likes(config, project)
        claims = {
            item.edge.ends: claims_of(item.hook)
            for item in hooks.points
            if item.package == package and item.hook is not None
        }
        find = partial(find_refusals, schemas=schemas, claims=claims)
        items = find(plan)
        model, known = reading.models[package], proposals.get(package)
        find_open = partial(_find_open, find=find, accepted=config.accepted)
        still_open = _open(items, config.accepted)
        found[package] = with_offers(model, config, plan, still_open, find_open, known)
        unused += (
            _unused(entry)
            for entry in config.accepted
            if not any(item.is_covered(entry) for item in items)
        )
    return found, tuple(unused)


def _open(found: Iterable[Refusal], accepted: Iterable[Accepted]) -> tuple[Refusal, ...]:
    """Return what no entry of the configuration accepts: only that needs a fix."""
    return tuple(item for item in found if not any(map(item.is_covered, accepted)))


def _find_open(
    plan: GroupPlan, find: Callable[[GroupPlan], Sequence[Refusal]], accepted: Sequence[Accepted]
) -> tuple[Refusal, ...]:
    return _open(find(plan), accepted)


def _unused(entry: Accepted) -> Problem:
    message = f"the entry of accept_refusals for {entry.rule} matches nothing that may be refused"
    fix = "correct it, or remove it; `holdall plan` lists what may be refused"
    return Problem(UNUSED_ACCEPTANCE, str(entry.location), message, fix)


def schemas_with_likes(config: GroupConfig, project: Project) -> Schemas:
    """Return the schemas of a group; versions without sources have those named by `like`."""
    models = {version.name: version.like for version in config.versions if version.like}
    found: dict[str, dict[str, SchemaSide]] = {}
    for kind, sides in schemas_of(config, project).items():
        found[kind] = {**sides}
        for name, like in models.items():
            if like in sides:
                found[kind].setdefault(name, sides[like])
    return found


def find_refusals(plan: GroupPlan, schemas: Schemas, claims: Claims) -> tuple[Refusal, ...]:
    """Return what the schemas may refuse, in the order of edges; each once for all its places."""
    found: dict[tuple[Subject, str, str], Refusal] = {}
    for kind in plan.kinds:
        for item in _of_kind(plan, kind, schemas, claims):
            key = item.subject, item.rule, item.what
            known = found.get(key, item)
            places = dict.fromkeys((*known.places, *item.places))
            found[key] = replace(known, places=tuple(places))
    ranks = {version.name: rank for rank, version in enumerate(plan.versions)}

    def order(item: Refusal) -> tuple[int, int, str, str, str]:
        one, other = (ranks[name] for name in item.subject.way)
        subject = item.subject
        return min(one, other), one, subject.target.name, subject.name, item.rule

    return tuple(sorted(found.values(), key=order))


def _of_kind(
    plan: GroupPlan, kind: PlannedKind, schemas: Schemas, claims: Claims
) -> Iterable[Refusal]:
    edges = {edge.ends: edge for edge in plan.edges}
    for pair in kind.edges:
        for is_forward in (True, False):
            ends = pair if is_forward else pair[::-1]
            sides = [schemas.get(kind.names.get(end, kind.name), {}).get(end) for end in ends]
            match sides:
                case [SchemaSide() as source, SchemaSide() as target]:
                    refs = [TypeRef(end, kind.types[end]) for end in ends]
                    walk = Walk(
                        edges, claims, source, target, is_forward, plan.declared is not None
                    )
                    yield from walk.refusals(kind.name, *refs)

"""Proposals for the groups of a project: their selection, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from holdall.plan.plans import TypeRef
from holdall.types import JsonValue
from holdall_codegen.config.model import GroupConfig, ProjectConfig
from holdall_codegen.model import Group
from holdall_codegen.plan.graph import choose_hub, kind_edges, version_edges
from holdall_codegen.project import Reading
from holdall_codegen.propose import Proposal, propose
from holdall_codegen.views.lookup import find_groups, find_versions, unknown

Ask = Callable[[tuple[Proposal, ...]], bool]


@dataclass(frozen=True, slots=True)
class Choice:
    """The selected part of a project; None: no restriction.

    `edge` is a pair of versions, `type_` the name of a type of either.
    """

    group: str | None = None
    type_: str | None = None
    edge: tuple[str, str] | None = None

    def takes(self, one: TypeRef, other: TypeRef) -> bool:
        """Tell whether proposals between two types are selected."""
        is_between = self.edge is None or {*self.edge} == {one.version, other.version}
        return is_between and self.type_ in (None, one.name, other.name)

    def __call__(self, unit: tuple[Proposal, ...]) -> bool:
        return all(self.takes(item.holders[0], item.target_holders[0]) for item in unit)


EVERYTHING = Choice()


def choose(reading: Reading, group: str | None, type_: str | None, edge: str | None) -> Choice:
    """Return the choice that options name. Raises UnknownNameError for unknown names."""
    models = find_groups(reading.models, group)
    if type_ is not None:
        names = {
            name for _, model in models for version in model.versions for name in version.types
        }
        if type_ not in names:
            raise unknown("type", type_, sorted(names))
    if edge is None:
        return Choice(group, type_)
    configs = {config.package: config for config in reading.config.groups}
    edges = [pair for at, model in models for pair in _edges_of(model, configs[at], type_)]
    return Choice(group, type_, find_versions(models, edge, edges))


def _edges_of(model: Group, config: GroupConfig, type_: str | None) -> Sequence[tuple[str, str]]:
    """Return the edges of a type of a group; if only one version has the type, that version's."""
    edges = version_edges(config, choose_hub(config))
    if type_ is None:
        return edges
    holders = {version.name for version in model.versions if type_ in version.types}
    own = kind_edges([version.name for version in model.versions], edges, holders)
    return own or [pair for pair in edges if not holders.isdisjoint(pair)]


def propose_all(
    reading: Reading, choice: Choice = EVERYTHING, ask: Ask | None = None
) -> dict[str, tuple[Proposal, ...]]:
    """Return the proposals for each chosen group, by package; `ask` chooses among them, too."""
    return {
        package: tuple(
            item
            for item in propose(model, reading.config.group(package), ask or choice)
            if item.is_declarable or choice((item,))
        )
        for package, model in find_groups(reading.models, choice.group)
    }


def proposal_lines(items: Iterable[Proposal], group: str = "") -> list[str]:
    """Return the lines about proposals; those that need code come last."""
    start = f"{group}: " if group else ""
    return [f"{start}{item.line}" for item in items if item.is_declarable] + [
        f"{start}{item.holders[0]} {item.property_path} -> {item.target_holders[0]}"
        f" {'/'.join(item.target)}: {item.why}"
        for item in items
        if not item.is_declarable
    ]


def group_title(config: ProjectConfig, package: str) -> str:
    """Return the name of a group if the project has several, else ""."""
    return config.group(package).name if len(config.groups) > 1 else ""


def proposals_value(found: dict[str, tuple[Proposal, ...]]) -> dict[str, JsonValue]:
    """Return proposals as a JSON value, by package."""
    return {package: [item.as_json() for item in items] for package, items in found.items()}

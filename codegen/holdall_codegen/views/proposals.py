"""Proposals for the groups of a project: which are wanted, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from holdall.types import JsonValue
from holdall_codegen.config.model import ProjectConfig
from holdall_codegen.model import Group
from holdall_codegen.project import Reading
from holdall_codegen.propose import Proposal, propose
from holdall_codegen.views.lookup import find_versions, unknown

Ask = Callable[[tuple[Proposal, ...]], bool]


@dataclass(frozen=True, slots=True)
class Choice:
    """Which proposals are wanted; None: no restriction. `type_` is a type of either version."""

    group: str | None = None
    type_: str | None = None
    edge: tuple[str, str] | None = None

    def __call__(self, unit: tuple[Proposal, ...]) -> bool:
        return all(
            self.edge in (None, item.edge)
            and self.type_ in (None, item.type, item.target_holders[0].name)
            for item in unit
        )


EVERYTHING = Choice()


def choose(reading: Reading, group: str | None, type_: str | None, edge: str | None) -> Choice:
    """Return the choice that options name. Raises UnknownNameError for what the project lacks."""
    models = _models(reading, group)
    if type_ is not None:
        names = {
            name for _, model in models for version in model.versions for name in version.types
        }
        if type_ not in names:
            raise unknown("type", type_, sorted(names))
    return Choice(group, type_, find_versions(models, edge) if edge is not None else None)


def propose_all(
    reading: Reading, choice: Choice = EVERYTHING, ask: Ask | None = None
) -> dict[str, tuple[Proposal, ...]]:
    """Return the proposals for each chosen group, by package; `ask` chooses among them, too."""
    configs = {config.package: config for config in reading.config.groups}
    return {
        package: tuple(
            item
            for item in propose(model, configs[package], ask or choice)
            if item.is_declarable or choice((item,))
        )
        for package, model in _models(reading, choice.group)
    }


def _models(reading: Reading, name: str | None) -> list[tuple[str, Group]]:
    found = [
        (config.package, reading.models[config.package])
        for config in reading.config.groups
        if name in (None, config.name, config.package, reading.models[config.package].api_group)
    ]
    if not found:
        raise unknown("group", name or "", [config.name for config in reading.config.groups])
    return found


def proposal_lines(items: Iterable[Proposal], group: str = "") -> list[str]:
    """Return what is shown of proposals, those last that take code."""
    start = f"{group}: " if group else ""
    return [f"{start}{item.line}" for item in items if item.is_declarable] + [
        f"{start}{item.holders[0]} {item.property_path} -> {item.target_holders[0]}"
        f" {'/'.join(item.target)}: {item.why}"
        for item in items
        if not item.is_declarable
    ]


def group_title(config: ProjectConfig, package: str) -> str:
    """Return the name of a group where a project has several; without others it says nothing."""
    names = {group.package: group.name for group in config.groups}
    return names[package] if len(names) > 1 else ""


def proposals_value(found: dict[str, tuple[Proposal, ...]]) -> dict[str, JsonValue]:
    """Return proposals as a JSON value, by package."""
    return {package: [item.as_json() for item in items] for package, items in found.items()}

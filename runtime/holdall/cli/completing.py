"""Shell completion of the project's versions, kinds, types and groups, without its code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem

from holdall.cli.common import Context, find_project
from holdall.errors import HoldallError
from holdall.text import json
from holdall.types import JsonObject, is_json_object, items, members, text

_Plans = list[tuple[str, JsonObject]]


def complete_names(command: click.Command) -> None:
    """Make a command's options and arguments complete the names that they take."""
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        complete_names(inner)
    for param in command.params:
        names = _SOURCES.get((param.metavar or "") if isinstance(param, click.Argument) else "")
        for option in (*param.opts, param.human_readable_name):
            names = names or _SOURCES.get(option)
        if names is not None and not isinstance(param.type, click.Choice | click.Path):
            param._custom_shell_complete = _completer(names)


def _completer(
    names: Callable[[_Plans], Iterator[str]],
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    def complete(ctx: click.Context, _: click.Parameter, start: str) -> list[CompletionItem]:
        found = dict.fromkeys(name for name in names(_plans(_root(ctx))) if name.startswith(start))
        return [CompletionItem(name) for name in found]

    return complete


def _root(ctx: click.Context) -> Path:
    run = ctx.find_object(Context)
    folder = ctx.find_root().params.get("folder")
    if run is not None:
        return run.root
    return folder if isinstance(folder, Path) else find_project(Path())


def _plans(root: Path) -> _Plans:
    """Return what was generated for each group, by group name."""
    from holdall.scheme.projects import CONFIG_FILE
    from holdall.text.yaml import load_all

    try:
        (config,) = load_all((root / CONFIG_FILE).read_bytes(), CONFIG_FILE)
    except (HoldallError, OSError, ValueError):
        return []
    said = members(config.value)
    plans: _Plans = []
    for name, group in members(said, "groups").items():
        package = group.get("package", name) if is_json_object(group) else name
        place = root / str(said.get("output", "generated")).replace(".", "/") / str(package)
        try:
            plan = json.decode((place / "plan.json").read_bytes())
        except (HoldallError, OSError):
            plan = group  # nothing generated yet
        plans.append((name, members(plan)))
    return plans


def _versions(plans: _Plans) -> Iterator[str]:
    for _, plan in plans:
        for version in items(plan, "versions"):
            yield version if isinstance(version, str) else text(version, "name")


def _edges(plans: _Plans) -> Iterator[str]:
    for _, plan in plans:
        names = list(_versions([("", plan)]))
        yield from (f"{older}..{newer}" for older, newer in pairwise(names))


def _kinds(plans: _Plans) -> Iterator[str]:
    for _, plan in plans:
        yield from (text(kind, "kind") for kind in items(plan, "kinds"))


def _types(plans: _Plans) -> Iterator[str]:
    for _, plan in plans:
        for inner in members(plan, "types").values():
            yield from members(inner)


_SOURCES: Final[Mapping[str, Callable[[_Plans], Iterator[str]]]] = {
    "--group": lambda plans: (name for name, _ in plans),
    "--kind": _kinds,
    "--type": _types,
    "--edge": _edges,
    "--to": _versions,
    "--from": _versions,
    "PATH": _types,
    "TYPE": _types,
    "EDGE": _edges,
    "VERSION": _versions,
}

"""`holdall version`: the life of a version, from its first day to its last."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from typing import Any

import click

from holdall.cli.common import Context, current, end, fail, json_option, pass_run
from holdall.cli.inputs import read_streams
from holdall.errors import PlanError, Problem
from holdall.text.streams import require_objects
from holdall.words import counted
from holdall_codegen.commands.common import refusals_are_findings
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.life.evidence import hidden_managers, uses_of
from holdall_codegen.life.files import VersionFiles
from holdall_codegen.life.steps import (
    REFUSED,
    add_version,
    deprecate_version,
    retire_version,
    unserve_version,
)
from holdall_codegen.output.files import unified_diff
from holdall_codegen.project import Project, load_project
from holdall_codegen.views.lookup import find_groups

_MANY = 10
"""How many uses to list."""

Step = Callable[[Project, GroupConfig], VersionFiles]


def _edits(command: Callable[..., tuple[Step, list[str]]]) -> Callable[..., None]:
    """Write all files of the step that a command returns, or none, and print what comes next."""

    @click.option("--group", metavar="NAME", help="The group, if there are several.")
    @click.option("--dry-run", is_flag=True, help="Write nothing; print the diff.")
    @json_option
    @pass_run
    def edit(
        run: Context, /, group: str | None, dry_run: bool, as_json: bool, **given: Any
    ) -> None:
        step, after = command(**given)
        with refusals_are_findings():
            project = load_project(run.root)
            files = step(project, _group(project, group))
            changed = files.changes()
        if not dry_run:
            files.write(changed)
        diffs = {name: unified_diff(name, *texts) for name, texts in changed.items()}
        if as_json:
            run.echo_json(
                {"files": list(changed), "diff": "".join(diffs.values()), "written": not dry_run}
            )
        elif dry_run:
            run.diff("".join(diffs.values()))
        else:
            for name in changed:
                run.echo(f"wrote {name}")
            for text in after:
                run.note(f"next: {text}")
        end(findings=False)

    return update_wrapper(edit, command)


@click.group("version")
def command() -> None:
    """Add a version, or retire one step by step: deprecate, unserve, retire."""


@command.command("add")
@click.argument("name")
@click.option("--from", "source", required=True, metavar="VERSION", help="The version to copy.")
@_edits
def add(name: str, source: str) -> tuple[Step, list[str]]:
    """Add the version NAME as a copy of another one; the storage version stays the same.

    Exit codes: 0 done, 1 refused, 2 files that cannot be read or edited.
    """
    after = [
        f"change what is new in {name}, and declare under `between` what happened to properties",
        "holdall generate",
        "holdall breaking --against the last release",
    ]
    return lambda project, config: add_version(project, config, name, source), after


@command.command("deprecate")
@click.argument("name")
@click.option("--warning", metavar="TEXT", help="The warning; default: use the newest version.")
@_edits
def deprecate(name: str, warning: str | None) -> tuple[Step, list[str]]:
    """Warn the users of the version NAME.

    Exit codes: 0 done, 1 refused, 2 files that cannot be read or edited.
    """

    def step(project: Project, config: GroupConfig) -> VersionFiles:
        newest = next(item.name for item in reversed(config.versions) if not item.internal)
        if warning is None and newest == name:
            fail(f"{name} is the newest version; say with --warning what its users should do")
        text = warning or f"{name} is deprecated; use {newest}"
        return deprecate_version(project, config, name, text)

    return step, ["holdall generate", "release it, and watch the metrics to see who still uses it"]


@command.command("unserve")
@click.argument("name")
@_edits
def unserve(name: str) -> tuple[Step, list[str]]:
    """Stop serving the version NAME; objects that are stored at it can still be read.

    Exit codes: 0 done, 1 refused: it is stored, or the only one; 2 files that cannot be read or
    edited.
    """
    after = [
        "holdall generate",
        "release it; then `holdall migrate --apply` until status.storedVersions does not list it",
    ]
    return lambda project, config: unserve_version(project, config, name), after


@command.command("retire")
@click.argument("name")
@click.option(
    "--stored",
    multiple=True,
    metavar="FILE|DIR|-",
    type=click.Path(path_type=Path),
    help="CRDs and objects of a cluster, as kubectl prints them; repeatable.",
)
@_edits
def retire(name: str, stored: tuple[Path, ...]) -> tuple[Step, list[str]]:
    """Remove the version NAME from the project, once no stored object and no bag needs it.

    Exit codes: 0 done, 1 refused: it is in use; 2 files that cannot be read or edited.
    """

    def step(project: Project, config: GroupConfig) -> VersionFiles:
        files = retire_version(project, config, name)
        plan = project.plans[config.package]
        streams = read_streams(stored, "kubernetes") if stored else ()
        documents = [document for stream in streams for document in stream.documents]
        objects = require_objects(documents)
        uses = list(uses_of(objects, plan, name))
        how = "`holdall migrate --apply`"
        if not plan.api_group:
            how = "`holdall rewrite` or `holdall convert`"
        if uses:
            raise PlanError(
                [
                    Problem(
                        REFUSED,
                        str(config.location),
                        f"{counted(len(uses), 'place uses', 'places use')} {name}",
                        f"run {how} until no object does; entries of bags stay: give their values "
                        f"a place in a newer version, keep {name} as an internal version, or, if "
                        "nobody needs these values, leave the objects out of --stored",
                        "\n".join(f"{where}: {use}" for where, use in uses[:_MANY]),
                    ),
                ]
            )
        run = current()
        if stored:
            run.note(f"checked {counted(len(objects), 'object')}: none uses {name}")
            if hidden := hidden_managers(objects, plan):
                run.note(_HIDDEN.format(objects=counted(hidden, "object does", "objects do")))
        else:
            run.note((_UNSEEN if plan.api_group else _UNSEEN_FILES).format(name=name))
        return files

    after = [
        "holdall generate, and remove the hooks of its edges",
        "remove its schemas, if no other version reads them",
    ]
    return step, after


_HIDDEN = (
    "{objects} not show managedFields; server-side apply fails once a version that they name "
    "is gone; get the objects with `kubectl get --show-managed-fields`"
)
_UNSEEN = """\
only the project was checked; check the cluster, too:
    kubectl get crds -o yaml > crds.yaml
    kubectl get RESOURCES -A -o json --show-managed-fields > objects.json
    holdall version retire {name} --stored crds.yaml --stored objects.json"""

_UNSEEN_FILES = """\
only the project was checked; check the stored documents, too, as files of JSON, YAML or lines:
    holdall version retire {name} --stored FILES"""


def _group(project: Project, name: str | None) -> GroupConfig:
    found = find_groups(project.plans, name)
    if len(found) > 1:
        fail(f"there are several groups; add --group {found[0][1].name}")
    return project.config.group(found[0][0])

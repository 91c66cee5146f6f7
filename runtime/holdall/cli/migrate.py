"""`holdall migrate`: rewrite the objects of a cluster in their storage version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, get_args

import click

from holdall.cli.common import (
    FINDINGS,
    USAGE,
    Context,
    end,
    fail,
    json_option,
    pass_run,
    progress,
)
from holdall.cli.inputs import read_rate
from holdall.errors import Problem, problem_value
from holdall.kubernetes.install.client import KubernetesCluster
from holdall.kubernetes.install.cluster import CONNECTION, InstallError, PacedCluster
from holdall.kubernetes.install.plan import select_crds
from holdall.kubernetes.migrate.procedure import Migration, Tally
from holdall.kubernetes.migrate.resources import (
    BAD_STATE,
    MigrateError,
    Resource,
    find_obstacles,
)
from holdall.kubernetes.migrate.returning import checks_of
from holdall.kubernetes.migrate.state import State
from holdall.kubernetes.migrate.writing import Outcome
from holdall.scheme.projects import load_schemes
from holdall.types import JsonObject

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_SHOWN: Final = 20
"""Maximum number of problems printed for each code; `--json` has all."""
_COUNTS: Final = ("objects", "checked", "to_rewrite", "older_bags", "to_clear")


@click.command("migrate")
@click.option("--crd", "crds", multiple=True, metavar="NAME", help="Only this CRD; repeatable.")
@click.option(
    "--group", "groups", multiple=True, metavar="GROUP", help="All CRDs of a group; repeatable."
)
@click.option("--dry-run", is_flag=True, help="Only count what there is to do; the default.")
@click.option("--apply", "applies", is_flag=True, help="Do it.")
@click.option(
    "--rate",
    type=read_rate,
    default="50",
    metavar="N/s",
    help="Write at most this often, such as 20/s; 0: no limit.",
)
@click.option(
    "--state",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Record progress in this file, and resume from it.",
)
@click.option(
    "--status",
    "via_status",
    is_flag=True,
    help="Write through /status, bypassing admission webhooks.",
)
@click.option(
    "--settle",
    default=5.0,
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="Seconds to wait before the first write, so that all API servers know the CRDs.",
)
@click.option(
    "--no-check", is_flag=True, help="Skip the check that every object comes back unchanged."
)
@click.option("--kubeconfig", type=_FILE, help="Use the cluster of this file.")
@click.option("--context", metavar="NAME", help="Use this context of the kubeconfig.")
@json_option
@pass_run
def command(
    run: Context,
    crds: tuple[str, ...],
    groups: tuple[str, ...],
    dry_run: bool,
    applies: bool,
    rate: float,
    file: Path | None,
    via_status: bool,
    settle: float,
    no_check: bool,
    kubeconfig: Path | None,
    context: str | None,
    as_json: bool,
) -> None:
    """Rewrite all objects in the storage version, so that older versions can be removed.

    Checks that every object comes back unchanged from every version, rewrites it with a patch that
    changes nothing, shrinks `status.storedVersions`, and removes entries of versions that are not
    served from `managedFields`. Running it again is harmless.

    Exit codes: 0 fine, 1 if something is left to do (without --apply) or failed, 2 wrong usage, or
    no cluster.
    """
    if dry_run and applies:
        raise click.UsageError("pass --dry-run or --apply, not both")
    try:
        is_needed = run.has_project or not (crds or groups)
        schemes = load_schemes(run.root) if is_needed else []
        state = State(file)
        cluster = PacedCluster(KubernetesCluster(kubeconfig, context), rate)
        migration = Migration(cluster, state, via_status, settle, progress)
        since = migration.clock()
        found, problems = select_crds(cluster, schemes, crds, groups)
        for crd in found:
            problems += find_obstacles(crd, via_status=via_status, checks=not no_check)
        if problems:
            raise MigrateError(problems)
        resources = [Resource.of(crd) for crd in found]
        checks = {} if no_check else checks_of(resources, schemes)
        tallies = [migration.examine(item, checks.get(item.name)) for item in resources]
        if applies and not any(tally.problems for tally in tallies):
            try:
                migration.migrate(tallies, since)
            except BaseException:
                if file is not None:
                    run.note(f"{file.as_posix()} records what is done: run it again to continue")
                raise
    except (InstallError, MigrateError) as error:
        is_usage = all(problem.code in (CONNECTION, BAD_STATE) for problem in error.problems)
        fail(error, USAGE if is_usage else FINDINGS)
    _report(run, tallies, as_json=as_json, applied=applies)
    failed = any(tally.problems for tally in tallies)
    end(findings=failed or (not applies and any(tally.is_needed for tally in tallies)))


def _report(run: Context, tallies: Sequence[Tally], *, as_json: bool, applied: bool) -> None:
    if as_json:
        run.echo_json([_value(tally) for tally in tallies])
        return
    rows = []
    for tally in tallies:
        counts = [*_rewritten(tally).values(), tally.fields_cleared]
        if not applied:
            counts = [getattr(tally, name) for name in _COUNTS]
        storage = [] if applied else [tally.resource.storage]
        stored = ",".join(tally.stored)
        rows.append([tally.resource.name, *storage, stored, *map(str, counts)])
    headers = ["CRD", "STORED", "REWRITTEN", "UNCHANGED", "GONE", "CONFLICT", "CLEARED"]
    if not applied:
        counted = [name.replace("_", " ").upper() for name in _COUNTS]
        headers = ["CRD", "STORAGE", "STORED", *counted]
    run.table(rows, headers)
    for tally in tallies:
        _report_problems(run, tally.problems)
        if not tally.checked and tally.objects and not tally.problems:
            run.note(f"{tally.resource.name}: round trips of its objects were not checked")
    if applied and any(not tally.is_finished for tally in tallies):
        run.note("not everything is migrated: fix what is listed, and run it again")


def _report_problems(run: Context, problems: Iterable[Problem]) -> None:
    by_code: dict[str, list[Problem]] = {}
    for problem in problems:
        by_code.setdefault(problem.code, []).append(problem)
    for code, found in by_code.items():
        for problem in found[:_SHOWN]:
            run.error(str(problem))
        if len(found) > _SHOWN:
            run.error(f"{code}: and {len(found) - _SHOWN} more; --json prints all")


def _rewritten(tally: Tally) -> dict[str, int]:
    return {outcome: tally.rewritten.get(outcome, 0) for outcome in get_args(Outcome)}


def _value(tally: Tally) -> JsonObject:
    return {
        "crd": tally.resource.name,
        "storage": tally.resource.storage,
        "storedVersions": [*tally.stored],
        "objects": tally.objects,
        "checked": tally.checked,
        "toRewrite": tally.to_rewrite,
        "olderBags": tally.older_bags,
        "toClear": tally.to_clear,
        "rewritten": {**_rewritten(tally)},
        "cleared": tally.fields_cleared,
        "finished": tally.is_finished,
        "problems": [problem_value(problem) for problem in tally.problems],
    }

"""`holdall install`: make a cluster convert with the webhook, or stop."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from holdall.cli.common import FINDINGS, USAGE, Context, end, fail, json_option, pass_run
from holdall.cli.inputs import read_streams
from holdall.errors import Problem, SourceError
from holdall.kubernetes.install.client import KubernetesCluster
from holdall.kubernetes.install.cluster import CONNECTION, Cluster, InstallError
from holdall.kubernetes.install.manifests import read_manifests
from holdall.kubernetes.install.plan import CrdChange, select_crds
from holdall.kubernetes.install.procedure import Installation, Options, Ways
from holdall.kubernetes.install.rescue import WARNING, backup_text, rescue, rescue_values
from holdall.kubernetes.install.target import Target, declared_target
from holdall.scheme.projects import load_schemes
from holdall.scheme.scheme import Scheme
from holdall.text.files import replace_file
from holdall.types import JsonObject, JsonValue

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("install")
@click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
@click.option("--apply", "applies", is_flag=True, help="Do it.")
@click.option("--service", metavar="NAME.NAMESPACE", help="The Service of the webhook.")
@click.option("--port", default=443, type=click.IntRange(1, 65535), help="The Service's port.")
@click.option("--path", default="/convert", help="The webhook's path in the Service.")
@click.option("--url", help="The URL of a webhook outside the cluster.")
@click.option("--ca", type=_FILE, help="The webhook's CA bundle, in PEM.")
@click.option("--ca-only", is_flag=True, help="Set caBundle and nothing else.")
@click.option("--crd", "crds", multiple=True, metavar="NAME", help="Only this CRD; repeatable.")
@click.option(
    "--deploy",
    "manifests",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE|DIR",
    help="Apply these manifests first; repeatable.",
)
@click.option(
    "--through",
    type=click.Choice(["auto", "direct", "proxy", "none"]),
    default="auto",
    help="How synthetic reviews reach the webhook from here.",
)
@click.option("--no-probe", is_flag=True, help="Do not make the API server ask the webhook first.")
@click.option("--force", is_flag=True, help="Take over fields from other managers.")
@click.option("--rescue", "rescues", is_flag=True, help="Turn conversion off: the last resort.")
@click.option(
    "--backup",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --rescue, write a script that turns conversion on again.",
)
@click.option(
    "--wait",
    default=120.0,
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="Wait this long for each object to be ready.",
)
@click.option("--kubeconfig", type=_FILE, help="Use the cluster of this file.")
@click.option("--context", metavar="NAME", help="Use this context of the kubeconfig.")
@json_option
@pass_run
def command(
    run: Context,
    dry_run: bool,
    applies: bool,
    service: str | None,
    port: int,
    path: str,
    url: str | None,
    ca: Path | None,
    ca_only: bool,
    crds: tuple[str, ...],
    manifests: tuple[Path, ...],
    through: Ways,
    no_probe: bool,
    force: bool,
    rescues: bool,
    backup: Path | None,
    wait: float,
    kubeconfig: Path | None,
    context: str | None,
    as_json: bool,
) -> None:
    """Make the CRDs of a cluster use the webhook, once it is ready and trusted.

    Applies the manifests, waits for the webhook, sends it synthetic reviews, makes the API server
    ask it, and only then changes the CRDs. Running it again is harmless.

    Exit codes: 0 fine, 1 if something would change (with --dry-run) or a step fails, 2 wrong
    usage, or no cluster.
    """
    if dry_run == applies:
        raise click.UsageError("pass --dry-run or --apply")
    options = Options("ca" if ca_only else "all", crds, through, not no_probe, force, wait)
    try:
        # The way out must not depend on a project that works.
        is_named = bool(crds) and (rescues or not run.has_project)
        schemes = [] if is_named else load_schemes(run.root)
        if rescues:
            cluster = KubernetesCluster(kubeconfig, context)
            _rescue(run, cluster, schemes, crds, applies, backup, as_json)
        target = _target(run, service, port, path, url, ca, ca_only=ca_only)
        objects = _objects(manifests)
        cluster = KubernetesCluster(kubeconfig, context)
        tell = run.note if as_json else run.echo
        installation = Installation(cluster, target, schemes, options, tell)
        if dry_run:
            changes = installation.prepare()
            _show(run, changes, as_json)
            end(findings=any(change.is_needed for change in changes))
        installation.install(objects)
    except InstallError as error:
        is_usage = all(problem.code == CONNECTION for problem in error.problems)
        fail(error, USAGE if is_usage else FINDINGS)
    if as_json:
        steps: list[JsonValue] = [*installation.steps]
        run.echo_json({"steps": steps, "installed": [*installation.installed]})
    elif not installation.installed:
        run.echo("nothing to change")


def _target(
    run: Context,
    service: str | None,
    port: int,
    path: str,
    url: str | None,
    ca: Path | None,
    *,
    ca_only: bool,
) -> Target:
    if ca_only:
        if ca is None or service is not None or url is not None:
            raise click.UsageError("--ca-only needs --ca FILE, without --service and --url")
    elif service is not None and url is not None:
        raise click.UsageError("pass --service NAME.NAMESPACE or --url URL, not both")
    bundle = ca.read_bytes() if ca is not None else b""
    if ca is not None and not bundle.strip():
        raise click.UsageError(f"{ca.as_posix()} is empty")
    if not ca_only and service is None and url is None:
        if (declared := declared_target(run.root, bundle)) is None:
            raise click.UsageError("pass --service NAME.NAMESPACE or --url URL")
        return declared
    name, _, namespace = (service or "").partition(".")
    return Target(url or "", name, namespace.removesuffix(".svc"), port, path, bundle)


def _objects(paths: Sequence[Path]) -> list[JsonObject]:
    if not paths:
        return []
    streams = read_streams(paths, "kubernetes")
    objects, problems = read_manifests(d for stream in streams for d in stream.documents)
    if problems:
        raise SourceError(problems)
    return objects


def _show(run: Context, changes: Sequence[CrdChange], as_json: bool) -> None:
    if as_json:
        run.echo_json(
            [
                {
                    "crd": change.name,
                    "changes": change.is_needed,
                    "before": change.before,
                    "after": change.after,
                }
                for change in changes
            ]
        )
        return
    for change in changes:
        if change.is_needed:
            run.write(change.diff())
    needed = sum(change.is_needed for change in changes)
    run.note(f"{needed} to change, {len(changes) - needed} unchanged")


def _rescue(
    run: Context,
    cluster: Cluster,
    schemes: Sequence[Scheme],
    names: Sequence[str],
    applies: bool,
    backup: Path | None,
    as_json: bool,
) -> None:
    crds, problems = select_crds(cluster, schemes, names)
    values = rescue_values(crds)
    if backup is not None and values:
        replace_file(backup, backup_text(values).encode())
    if as_json:
        run.echo_json({"warning": WARNING, "crds": [*values]})
    else:
        run.echo(WARNING)
        if values:
            run.write(backup_text(values))
        else:
            run.echo("no CRD uses a webhook")
    failed: list[Problem] = []
    for value in values if applies else ():
        try:
            rescue(cluster, str(value["crd"]))
        except InstallError as error:
            failed += error.problems
        else:
            run.note(f"{value['crd']}: strategy is None")
    if failed:
        raise InstallError([*problems, *failed])
    for problem in problems:
        run.warn(str(problem))
    end(findings=bool(problems) or (bool(values) and not applies))

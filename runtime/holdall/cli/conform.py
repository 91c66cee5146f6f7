"""`holdall conform`: the conformance list of conversion webhooks, tried on any of them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from holdall.cli.common import Context, end, json_option, pass_run, table

if TYPE_CHECKING:
    from holdall.kubernetes.conform import Verdict

_COLORS: Final = {"pass": "green", "fail": "red", "skip": "yellow", "info": "cyan"}
_EXISTING: Final = click.Path(exists=True, path_type=Path)


@click.command("conform")
@click.argument("url")
@click.option(
    "--crd",
    "crds",
    multiple=True,
    type=_EXISTING,
    metavar="FILE|DIR",
    help="CustomResourceDefinitions of the kinds that the webhook converts.",
)
@click.option(
    "--objects",
    multiple=True,
    type=_EXISTING,
    metavar="FILE|DIR",
    help="Objects to be converted, beside those made from the schemas.",
)
@click.option(
    "--ca",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Trust these certificates (PEM) instead of the system's.",
)
@click.option("--insecure", is_flag=True, help="Do not verify the certificate.")
@click.option(
    "--only", metavar="WC-NN,...", help="Run these checks only; numbers with or without `WC-`."
)
@click.option("--slow", is_flag=True, help="Run the check that takes two minutes as well.")
@click.option(
    "--pid", type=int, metavar="PID", help="The server's process; WC-74 ends it with SIGTERM."
)
@click.option(
    "--rotate",
    default="",
    metavar="COMMAND",
    help="A command that gives the server another certificate, for WC-76.",
)
@json_option
@pass_run
def command(
    run: Context,
    url: str,
    crds: tuple[Path, ...],
    objects: tuple[Path, ...],
    ca: str | None,
    insecure: bool,
    only: str | None,
    slow: bool,
    pid: int | None,
    rotate: str,
    as_json: bool,
) -> None:
    """Test a conversion webhook, written in whatever language, against the contract.

    URL is https://HOST[:PORT]/PATH, as in a CRD. Kinds and versions come from CRDs or from
    objects; with CRDs, objects are made from their schemas. What cannot be checked from outside
    is skipped, with the reason.

    Exit codes: 0 nothing failed, 1 some checks failed, 2 wrong use or no connection.
    """
    from holdall.kubernetes.conform import (
        Endpoint,
        Options,
        Trial,
        read_kinds,
        run_checks,
        select_checks,
    )

    kinds = read_kinds(crds, objects)
    endpoint = Endpoint.of(url, ca=ca, insecure=insecure)
    chosen = select_checks(_numbers(only))
    endpoint.connect().close()
    trial = Trial(endpoint, kinds, Options(slow=slow, pid=pid, rotate=rotate))

    def report(verdict: Verdict) -> None:
        if run.color_errors:
            run.note(f"{verdict.id} {verdict.outcome}")

    verdicts = run_checks(trial, chosen, report=report)
    counts: Counter[str] = Counter(verdict.outcome for verdict in verdicts)
    if as_json:
        run.echo_json(
            {
                "url": url,
                "kinds": [f"{kind.name}.{kind.group}" for kind in kinds],
                "counts": {name: counts[name] for name in ("pass", "fail", "skip", "info")},
                "checks": [verdict.to_json() for verdict in verdicts],
            }
        )
    else:
        _print(run, verdicts)
        run.note(", ".join(f"{counts[name]} {name}" for name in _COLORS if counts[name]))
    end(findings=counts["fail"] > 0)


def _numbers(only: str | None) -> set[str]:
    """Return the ids that `--only` names."""
    from holdall.kubernetes.conform import CHECKS

    known = {item.id for item in CHECKS}
    ids = set()
    for word in (only or "").replace(",", " ").split():
        name = f"WC-{word.upper().removeprefix('WC-').zfill(2)}"
        if name not in known:
            raise click.BadParameter(f"there is no check {word!r}", param_hint="--only")
        ids.add(name)
    return ids


def _print(run: Context, verdicts: list[Verdict]) -> None:
    """Print one line for each check, and below it why, unless it just passed."""
    rows = [[item.id, item.outcome, item.title] for item in verdicts]
    head, *lines = table(rows, ["CHECK", "RESULT", "CLAIM"]).splitlines()
    run.echo(head)
    for item, line in zip(verdicts, lines, strict=True):
        run.echo(run.style(line, fg=_COLORS[item.outcome]))
        if item.reason and item.outcome != "pass":
            run.echo(f"       {_shown(item.reason)}")


def _shown(reason: str) -> str:
    """Return a reason as one printable line."""
    line = " ".join(reason.split())
    return line if line.isprintable() else json.dumps(line)

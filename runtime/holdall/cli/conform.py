"""`holdall conform`: the conformance checks, run against any conversion webhook."""

from __future__ import annotations

import importlib
import json
import shutil
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any, Final

import click

from holdall.cli.common import Context, end, json_option, pass_run, table
from holdall.kubernetes.conform import (
    CHECKS,
    LEVELS,
    Endpoint,
    Level,
    Options,
    Trial,
    Verdict,
    keep_exchanges,
    read_expected,
    read_subjects,
    run_checks,
    select_checks,
)
from holdall.types import JsonValue

# These draw and judge objects; without them the command says which extra to install.
for _needed in ("rstr", "cel_expr_python"):
    importlib.import_module(_needed)

_COLORS: Final = {
    "pass": "green",
    "fail": "red",
    "expected": "green",
    "skip": "yellow",
    "info": "cyan",
}
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
    help="Objects to convert, in addition to those made from the schemas.",
)
@click.option(
    "--ca",
    type=click.Path(exists=True, dir_okay=False),
    help="Trust these certificates (PEM) instead of the system's.",
)
@click.option("--insecure", is_flag=True, help="Do not verify the certificate.")
@click.option(
    "--only", metavar="WC-NN,...", help="Run only these checks; numbers with or without `WC-`."
)
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="operations",
    help="Failures of this level, and of those listed before it, count for the exit code.",
)
@click.option(
    "--expected",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Failures that are expected for some kinds, each with its reason (YAML or JSON). They do "
    "not count; if one does not occur, that is a failure.",
)
@click.option("--seed", type=int, default=0, help="Draw other objects from the schemas.")
@click.option(
    "--evidence",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the requests and answers that prove failures.",
)
@click.option("--slow", is_flag=True, help="Also run the check that takes two minutes.")
@click.option(
    "--pid", type=int, metavar="PID", help="The server's process; WC-74 ends it with SIGTERM."
)
@click.option(
    "--rotate",
    default="",
    show_default=False,
    metavar="COMMAND",
    help="A command that replaces the server's certificate, for WC-76.",
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
    level: Level,
    expected: Path | None,
    seed: int,
    evidence: Path | None,
    slow: bool,
    pid: int | None,
    rotate: str,
    as_json: bool,
) -> None:
    """Test a conversion webhook in any language against the contract.

    URL is https://HOST[:PORT]/PATH, as in a CRD. Kinds and versions come from CRDs or from
    objects; with CRDs, objects are drawn from their schemas. What cannot be checked from outside
    is skipped, with the reason.

    Exit codes: 0 nothing failed up to --level, 1 some checks failed, 2 wrong usage or no
    connection.
    """
    endpoint = Endpoint.of(url, ca=ca, insecure=insecure)
    subjects = read_subjects(crds, objects)
    for problem in subjects.refused:
        run.warn(str(problem))
    known = () if expected is None else read_expected(expected, subjects.kinds)
    chosen = select_checks(_numbers(only))
    endpoint.connect().close()
    options = Options(slow=slow, pid=pid, rotate=rotate)
    trial = Trial(endpoint, subjects.kinds, options, seed=seed)

    def report(verdict: Verdict) -> None:
        if run.color_errors:
            run.note(f"{verdict.id} {verdict.outcome}")

    verdicts = run_checks(trial, chosen, report=report, expected=known)
    proofs: dict[str, list[JsonValue]] = {
        item.id: [
            {"sent": it.sent, "got": it.got, "repeat": it.curl(endpoint.trust, file)}
            for it, file in keep_exchanges(evidence, item.id, item.exchanges)
        ]
        for item in verdicts
    }
    counts: Counter[str] = Counter(verdict.outcome for verdict in verdicts)
    left_out = trial.left_out()
    if as_json:
        run.echo_json(
            {
                "url": url,
                "seed": seed,
                "kinds": [f"{kind.name}.{kind.group}" for kind in subjects.kinds],
                "counts": {name: counts[name] for name in _COLORS},
                "checks": [{**item.to_json(), "proofs": proofs[item.id]} for item in verdicts],
                "left_out": [*left_out],
            }
        )
    else:
        print_verdicts(run, verdicts, proofs)
        for text in left_out:
            run.note(f"not drawn: {text}")
        run.note(_summary(verdicts, counts, level))
    end(findings=any(verdict.counts_at(level) for verdict in verdicts))


def _numbers(only: str | None) -> set[str]:
    """Return the ids that `--only` names."""
    known = {item.id for item in CHECKS}
    ids = set()
    for word in (only or "").replace(",", " ").split():
        name = f"WC-{word.upper().removeprefix('WC-').zfill(2)}"
        if name not in known:
            text = f"there is no check {word!r}; use WC-01 to {CHECKS[-1].id}"
            raise click.BadParameter(text, param_hint="--only")
        ids.add(name)
    return ids


def print_verdicts(run: Context, verdicts: list[Verdict], proofs: dict[str, list[Any]]) -> None:
    """Print one line for each check, and below it the reasons, unless it simply passed.

    Below them are known failures, each with its reason and what the check found.
    """
    rows = [[item.id, item.level, item.outcome, item.title] for item in verdicts]
    head, *lines = table(rows, ["CHECK", "LEVEL", "RESULT", "CLAIM"]).splitlines()
    width = (
        shutil.get_terminal_size().columns
        if run.terminal
        else len(max(lines, key=len, default="")) + 1
    )
    folded = textwrap.TextWrapper(width, subsequent_indent=" " * head.index("CLAIM"))
    run.echo(head)
    for item, line in zip(verdicts, lines, strict=True):
        run.echo(run.style(folded.fill(line), fg=_COLORS[item.outcome]))
        for reason in (item.reason, item.measured) if item.outcome != "pass" else ():
            if reason:
                run.echo(f"       {_shown(reason)}")
        for kind, reason, seen in item.known:
            run.echo(f"       {_shown(f'{kind} fails as expected: {reason}')}")
            run.echo(f"         {_shown(seen)}")
        for proof in proofs[item.id]:
            run.echo(f"       sent    {_shown(proof['sent'])}")
            run.echo(f"       got     {_shown(proof['got'])}")
            repeat = proof["repeat"] or "too large for a line: --evidence DIR keeps it"
            run.echo(f"       repeat  {_shown(repeat)}")


def _summary(verdicts: list[Verdict], counts: Counter[str], level: Level) -> str:
    text = ", ".join(f"{counts[name]} {name}" for name in _COLORS if counts[name])
    failed: Counter[str] = Counter(item.level for item in verdicts if item.outcome == "fail")
    spared = counts["fail"] - sum(item.counts_at(level) for item in verdicts)
    parts = [f"{number} {name}" for name, number in failed.items()]
    more = f" ({', '.join(parts)})" if parts else ""
    return f"{text}{more}" + (f"; {spared} beyond --level {level} do not count" if spared else "")


def _shown(reason: str) -> str:
    """Return a reason as one printable line."""
    line = " ".join(reason.split())
    return line if line.isprintable() else json.dumps(line)

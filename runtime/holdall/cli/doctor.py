"""`holdall doctor`: what is wrong with existing CRDs, or will be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import click

from holdall.cli.common import Context, end, fail, json_option, pass_run
from holdall.cli.inputs import read_streams
from holdall.errors import HoldallError, problem_value
from holdall.kubernetes.crds.findings import NOT_A_CRD
from holdall.kubernetes.doctor import Diagnosis, examine
from holdall.kubernetes.doctor.examination import crds_in
from holdall.scheme.projects import load_schemes
from holdall.text.documents import Document
from holdall.text.streams import STDIN
from holdall.words import counted

_COLORS: Final = {"error": "red", "warning": "yellow", "note": None}


@click.command("doctor")
@click.argument("paths", nargs=-1, metavar="[FILE|DIR|-]...", type=click.Path(path_type=Path))
@click.option(
    "--yaml",
    "scalars",
    type=click.Choice(["strict", "kubernetes"]),
    default="kubernetes",
    help="Read plain scalars as kubectl does (kubernetes), or refuse those that "
    "readers disagree about.",
)
@click.option(
    "--ignore", "ignored", multiple=True, metavar="CODE", help="Leave out this code; repeatable."
)
@click.option("--strict", is_flag=True, help="Exit with 1 for notes, too.")
@json_option
@pass_run
def command(
    run: Context,
    paths: tuple[Path, ...],
    scalars: Literal["strict", "kubernetes"],
    ignored: tuple[str, ...],
    strict: bool,
    as_json: bool,
) -> None:
    """Examine CRDs in files, folders or standard input; in a project, also compare them with it.

    Exit codes: 0 fine or notes only, 1 errors or warnings, 2 unreadable input or no CRD in it.
    """
    documents = [d for stream in read_streams(paths, scalars) for d in stream.documents]
    examined = crds_in(documents)
    if not examined:
        fail(f"{NOT_A_CRD} the input contains no CustomResourceDefinition")
    found = [item for item in _examine(run, documents) if item.problem.code not in ignored]
    if as_json:
        for_all = ({"level": it.level, "crd": it.crd, **problem_value(it.problem)} for it in found)
        run.echo_json([*for_all])
    else:
        for item in found:
            level = run.style(f"{item.level}:", fg=_COLORS[item.level], bold=True)
            # Nobody can look up lines of standard input.
            is_named = len(examined) > 1 and item.problem.where.startswith(STDIN)
            run.echo(f"{level} {f'{item.crd}: ' if is_named else ''}{item.problem}")
        run.note(_count(found, len(examined)))
    end(findings=any(item.level != "note" or strict for item in found))


def _examine(run: Context, documents: Sequence[Document]) -> list[Diagnosis]:
    """Return what is found, compared with the project if there is one; warns if it is broken."""
    if not run.has_project:
        return examine(documents)
    try:
        return examine(documents, load_schemes(run.root))
    except HoldallError as error:
        run.warn(f"the project cannot be loaded, so the CRDs are not compared with it:\n{error}")
        return examine(documents)


def _count(found: Sequence[Diagnosis], crds: int) -> str:
    numbers = [
        counted(count, level)
        for level in ("error", "warning", "note")
        if (count := sum(item.level == level for item in found))
    ]
    return f"{counted(crds, 'CRD')} examined: {', '.join(numbers) or 'all is well'}"

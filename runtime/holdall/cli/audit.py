"""`holdall audit`: what is in the property bags of objects, and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import click

from holdall.auditing import Finding, audit
from holdall.batches import subject_of
from holdall.cli.common import Context, end, json_option, pass_run, table
from holdall.cli.inputs import read_streams
from holdall.documents import Document
from holdall.errors import HoldallError
from holdall.projects import CONFIG_FILE, Schemes, load_schemes
from holdall.scheme import Scheme
from holdall.streams import objects_of
from holdall.types import JsonObject, JsonValue


@click.command("audit")
@click.argument("paths", nargs=-1, metavar="[FILE|DIR|-]...", type=click.Path(path_type=Path))
@click.option(
    "--yaml",
    "scalars",
    type=click.Choice(["strict", "kubernetes"]),
    default="strict",
    help="Refuse plain scalars that readers disagree about (strict, the default), "
    "or read them as kubectl does.",
)
@click.option("--fail-on-residue", is_flag=True, help="Exit with 1 if any bag holds anything.")
@json_option
@pass_run
def command(
    run: Context,
    paths: tuple[Path, ...],
    scalars: Literal["strict", "kubernetes"],
    fail_on_residue: bool,
    as_json: bool,
) -> None:
    """List the entries of all property bags: path, property, origin version, size in bytes, why.

    Reads API objects and stored objects in files, folders or standard input. In a project with
    generated code the plan says why an entry is there.

    Exit codes: 0 fine, 1 with --fail-on-residue if there are entries, 2 unreadable input.
    """
    schemes = _schemes(run)
    found = [
        (document, pointer, value, finding)
        for stream in read_streams(paths, scalars)
        for document in stream.documents
        for pointer, value in objects_of(document.value)
        for finding in audit(value, _scheme_for(schemes, value))
    ]
    if as_json:
        run.echo_json([_as_json(*entry) for entry in found])
    else:
        for text in _report(found):
            run.echo(text)
        if not found:
            run.note("all property bags are empty")
    end(findings=fail_on_residue and bool(found))


_Found = tuple[Document, str, JsonObject, Finding]


def _schemes(run: Context) -> Schemes:
    """Return the project's schemes; none without holdall.yaml, none and a note if broken."""
    if not (run.root / CONFIG_FILE).exists():
        return Schemes(())
    try:
        return Schemes(load_schemes(run.root))
    except HoldallError as error:
        run.note(f"the reasons are unknown, for the project cannot be loaded:\n{error}")
        return Schemes(())


def _scheme_for(schemes: Schemes, value: JsonObject) -> Scheme | None:
    return schemes.find(str(value.get("apiVersion")), str(value.get("kind")))


def _report(found: list[_Found]) -> Iterator[str]:
    rows: dict[str, list[tuple[str, ...]]] = {}
    for document, pointer, value, finding in found:
        line, _ = document.position(pointer)
        title = f"{document.file}:{line} {subject_of(value)}".rstrip()
        cells = (
            finding.path or "/",
            finding.property,
            finding.origin,
            str(finding.size),
            finding.why,
        )
        rows.setdefault(title, []).append(cells)
    for title, entries in rows.items():
        yield title
        lines = table(entries, ("PATH", "PROPERTY", "ORIGIN", "SIZE", "WHY")).splitlines()
        yield "\n".join(f"  {line}" for line in lines)


def _as_json(document: Document, pointer: str, value: JsonObject, finding: Finding) -> JsonValue:
    line, _ = document.position(pointer)
    return {
        "file": document.file,
        "line": line,
        "object": subject_of(value),
        **finding.to_json(),
    }

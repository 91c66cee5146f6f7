"""`holdall audit`: what is in the property bags of objects, and what happens to their fields."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NoReturn

import click

from holdall.cli.common import Context, end, json_option, pass_run, yaml_option
from holdall.cli.inputs import read_objects
from holdall.cli.validating import read_schemas
from holdall.errors import ConversionError, HoldallError
from holdall.explain.audit import Finding, audit
from holdall.explain.fates import FieldFate, fates
from holdall.scheme.batches import Fault, describe_failure, raise_if_invalid
from holdall.scheme.projects import load_schemes
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.text.documents import Document
from holdall.types import JsonObject, JsonValue
from holdall.words import counted


@click.command("audit")
@click.argument("paths", nargs=-1, metavar="[FILE|DIR|-]...", type=click.Path(path_type=Path))
@yaml_option
@click.option("--fail-on-residue", is_flag=True, help="Exit with 1 if any bag holds anything.")
@click.option("--fate", is_flag=True, help="List what happens to each field on the way to --to.")
@click.option("--valid", is_flag=True, help="List what the schemas refuse in each object.")
@click.option("--to", metavar="VERSION", help="The version or apiVersion for --fate or --valid.")
@json_option
@pass_run
def command(
    run: Context,
    paths: tuple[Path, ...],
    scalars: Literal["strict", "kubernetes"],
    fail_on_residue: bool,
    fate: bool,
    valid: bool,
    to: str | None,
    as_json: bool,
) -> None:
    """List the entries of all property bags: path, property, origin version, size in bytes, why.

    Reads API objects and stored objects in files, folders or standard input. In a project with
    generated code, the plan gives the reason for each entry.

    With --fate, lists every field of API objects instead: what happens to it on the way to a
    version, and where it ends up. Converts the objects to find out, and writes nothing.

    With --valid, lists what the schemas of the project refuse in API objects: as they are, or
    with --to after a conversion to that version.

    Exit codes: 0 fine, 1 with --fail-on-residue if there are entries, with --fate if an object
    cannot be converted or loses a field, with --valid if one is refused, 2 unreadable input.
    """
    if valid:
        if fate or fail_on_residue:
            raise click.UsageError("pass --valid without --fate and --fail-on-residue")
        _list_flaws(run, paths, scalars, to, as_json=as_json)
    if fate or to:
        if fate and fail_on_residue:
            raise click.UsageError("pass --fate without --fail-on-residue")
        if not to:
            raise click.UsageError("--fate needs a version: also pass --to VERSION")
        if not fate:
            raise click.UsageError("--to is for --fate and --valid: also pass one of them")
        _list_fates(run, paths, scalars, to, as_json=as_json)
    schemes = _schemes(run)
    objects = read_objects(paths, scalars, at_least_one=False)
    found = [
        (_head(document, pointer, subject), finding)
        for document, pointer, value in objects
        for subject, each in _with_inner(schemes, value)
        for finding in audit(each, _scheme_for(schemes, each))
    ]
    if as_json:
        run.echo_json([{**head, **finding.to_json()} for head, finding in found])
    else:
        _report(run, found)
        if not found:
            several = counted(len(objects), "object")
            none = "no bag holds anything: there are no objects"
            run.note(f"no bag of {several} holds anything" if objects else none)
    end(findings=fail_on_residue and bool(found))


def _list_fates(
    run: Context,
    paths: tuple[Path, ...],
    scalars: Literal["strict", "kubernetes"],
    to: str,
    *,
    as_json: bool,
) -> NoReturn:
    schemes = Schemes(load_schemes(run.root))
    schemes.check_target(to)
    schemes.load()
    results: list[JsonValue] = []
    failed = lost = False
    for document, pointer, value in read_objects(paths, scalars):
        title = schemes.subject_of(value)
        try:
            found = _fates_of(schemes, value, to)
        except HoldallError as error:
            run.error(str(describe_failure(error, title, document, pointer)))
            failed = True
            continue
        lost = lost or any(item.lost for item in found)
        head = _head(document, pointer, title)
        if as_json:
            fields: list[JsonValue] = [item.to_json() for item in found]
            results.append({**head, "to": to, "fields": fields})
        else:
            run.echo(_title(head))
            rows = [(item.path, item.fate, _ends(item)) for item in found]
            run.table(rows, ("FIELD", "FATE", "IN THE END"), indent=2)
    if as_json:
        run.echo_json(results)
    end(findings=failed or lost)


def _list_flaws(
    run: Context,
    paths: tuple[Path, ...],
    scalars: Literal["strict", "kubernetes"],
    to: str | None,
    *,
    as_json: bool,
) -> NoReturn:
    schemes = Schemes(load_schemes(run.root))
    if to is not None:
        schemes.check_target(to)
    schemes.load()
    find_flaws = read_schemas(run.root)
    failures: list[Fault] = []
    objects = read_objects(paths, scalars)
    for document, pointer, value in objects:
        try:
            names = schemes.names_of(value)
            known = schemes.find(*names) is not None
            target = to or names.api_version
            result = value if known and not to else schemes.convert({**value}, to=target)
            raise_if_invalid(result, schemes.names_of(result), find_flaws)
        except HoldallError as error:
            subject = schemes.subject_of(value)
            failures.append(describe_failure(error, subject, document, pointer))
    if as_json:
        run.echo_json([failure.to_json() for failure in failures])
    else:
        for failure in failures:
            run.echo(str(failure))
        valid = len(objects) - len(failures)
        several = counted(len(objects), "object")
        run.note(f"{valid:,} of {several} {'is' if valid == 1 else 'are'} valid")
    end(findings=bool(failures))


def _fates_of(schemes: Schemes[Scheme], value: JsonObject, to: str) -> list[FieldFate]:
    scheme = _scheme_for(schemes, value)
    if scheme is None:
        schemes.convert({**value}, to=to)  # raises for an unknown apiVersion or kind
        return []
    if scheme.is_foreign_holder(*schemes.names_of(value)):
        text = "it has no fates: its group is not in this project; only the documents in it change"
        raise ConversionError(text)
    return fates(value, scheme, to)


def _ends(item: FieldFate) -> str:
    """Return where a field ends up, "" if it stays in its place."""
    entries = [f"{entry} in the bag of {entry.path or '/'}" for entry in item.waiting]
    return ", ".join([*item.shown, *entries]) if (item.path,) != item.shown or entries else ""


def _head(document: Document, pointer: str, subject: str) -> JsonObject:
    """Return where an object is, and its name in messages."""
    line, _ = document.position(pointer)
    return {"file": document.file, "line": line, "object": subject}


def _title(head: JsonObject) -> str:
    return f"{head['file']}:{head['line']} {head['object']}".rstrip()


def _schemes(run: Context) -> Schemes[Scheme]:
    """Return the project's schemes; none without holdall.yaml, or with a note if it is broken."""
    try:
        schemes = Schemes(load_schemes(run.root) if run.has_project else ())
        schemes.load()
        return schemes
    except HoldallError as error:
        run.note(f"the reasons are unknown, because the project cannot be loaded:\n{error}")
        return Schemes(())


def _scheme_for(schemes: Schemes[Scheme], value: JsonObject) -> Scheme | None:
    return schemes.find(*schemes.names_of(value)) if schemes.knows(value) else None


def _with_inner(schemes: Schemes[Scheme], value: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Yield an object and its inner documents, each with its name in messages."""
    subject = schemes.subject_of(value)
    yield subject, value
    for inner in schemes.documents_in(value):
        yield f"{subject} has as text: {schemes.subject_of(inner)}", inner


def _report(run: Context, found: list[tuple[JsonObject, Finding]]) -> None:
    rows: dict[str, list[tuple[str, ...]]] = {}
    for head, it in found:
        cells = (it.path or "/", it.property, it.origin, str(it.size), it.why)
        rows.setdefault(_title(head), []).append(cells)
    for title, entries in rows.items():
        run.echo(title)
        run.table(entries, ("PATH", "PROPERTY", "ORIGIN", "SIZE", "WHY"), indent=2)

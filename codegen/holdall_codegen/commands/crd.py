"""`holdall crd`: one CRD per kind, with all its versions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from holdall.cli.common import Context, current, end, fail, json_option, pass_run
from holdall.errors import problem_value
from holdall.text.files import as_written, replace_files
from holdall.text.streams import (
    FORMS,
    UNKEPT,
    find_inputs,
    read_inputs,
    rewrite_stream,
    write_documents,
)
from holdall_codegen.commands.common import refusals_are_findings
from holdall_codegen.output.crds import CrdSet, make_crds, update_documents
from holdall_codegen.output.files import unified_diff
from holdall_codegen.project import load_project


@dataclass(frozen=True, slots=True)
class _File:
    """A file to be written, with its text before, if there is one."""

    path: Path
    text: bytes
    before: bytes | None

    @property
    def is_current(self) -> bool:
        return self.text == self.before


@click.command("crd")
@click.option("--group", metavar="NAME", help="Only this group.")
@click.option("--kind", "kinds", multiple=True, metavar="NAME", help="Only this kind; repeatable.")
@click.option(
    "--into",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Update the CRDs in this file; keep what holdall does not own in them.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write one file per CRD to this folder.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 with a diff if files differ.")
@json_option
@pass_run
def command(
    run: Context,
    group: str | None,
    kinds: tuple[str, ...],
    into: Path | None,
    output: Path | None,
    check: bool,
    as_json: bool,
) -> None:
    """Make the CRD of each kind from all its versions; print it, write it, or update a manifest.

    Exit codes: 0 fine, 1 what an API server would refuse, or with --check a difference; 2
    unreadable input or unwritable output.
    """
    if into is not None and output is not None:
        fail("--into and --output exclude each other")
    if check and into is None and output is None:
        fail("--check needs --into or --output")
    with refusals_are_findings():
        crds = make_crds(load_project(run.root), group=group, kinds=kinds)
        files, dropped = _files(crds, into, output)
    changed = [file for file in files if not file.is_current]
    if not check:
        replace_files((file.path, file.text) for file in changed)
    for warning in crds.warnings:
        run.warn(str(warning))
    for name in dropped:
        run.warn(
            f"{name} is removed; make sure that status.storedVersions does not list it any more"
        )
    if as_json:
        run.echo_json(
            {
                "crds": [manifest.value for manifest in crds.manifests],
                "files": [file.path.as_posix() for file in files],
                "changed": [file.path.as_posix() for file in changed],
                "dropped": list(dropped),
                "warnings": [problem_value(problem) for problem in crds.warnings],
            }
        )
    elif check:
        for file in changed:
            run.diff(unified_diff(file.path.as_posix(), file.before, file.text))
    elif files:
        for file in changed:
            run.echo(f"wrote {file.path.as_posix()}")
        run.note(f"{len(changed)} written, {len(files) - len(changed)} unchanged")
    else:
        values = (manifest.value for manifest in crds.manifests)
        run.write(write_documents(values, "yaml"))
    end(findings=check and bool(changed))


def _files(
    crds: CrdSet, into: Path | None, output: Path | None
) -> tuple[list[_File], tuple[str, ...]]:
    """Return the files that the options ask for, and the versions that are gone from them."""
    if into is not None:
        (stream,) = read_inputs(find_inputs([into]), scalars="kubernetes")
        updated = update_documents(stream.documents, crds.manifests)
        results = [[value] for value in updated.documents]
        written = rewrite_stream(stream, results, FORMS[into.suffix.lower()])
        for place in written.lost:
            current().warn(f"{place}: comments and style are not kept: {UNKEPT}")
        return [_File(into, written.data, stream.data)], updated.dropped
    files = []
    if output is not None:
        for manifest in crds.manifests:
            path = output / f"{manifest.name}.yaml"
            before = as_written(path.read_bytes()) if path.is_file() else None
            files.append(_File(path, write_documents([manifest.value], "yaml"), before))
    return files, ()

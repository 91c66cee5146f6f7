"""`holdall convert`: objects in files, folders and pipes, or line by line, to another version."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click

from holdall.cli.common import Context, end, forget, pass_run, progress
from holdall.scheme.projects import load_schemes
from holdall.scheme.schemes import Schemes

Form = Literal["yaml", "json"]


@click.command("convert")
@click.argument("paths", nargs=-1, metavar="[FILE|DIR|-]...", type=click.Path(path_type=Path))
@click.option("--to", metavar="VERSION", help="The version or apiVersion to convert to.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE|DIR",
    help="Write here; a folder takes one file for each file read. Default: standard output.",
)
@click.option(
    "--yaml",
    "scalars",
    type=click.Choice(["strict", "kubernetes"]),
    default="strict",
    help="Refuse plain scalars that readers disagree about (strict, the default), "
    "or read them as kubectl does.",
)
@click.option(
    "--output-format",
    "form",
    type=click.Choice(["yaml", "json"]),
    help="Write this form; default: the form of the input.",
)
@click.option(
    "--pass-unknown", is_flag=True, help="Pass objects of unknown kinds through unchanged."
)
@click.option(
    "--jsonl",
    is_flag=True,
    help='Answer requests {"to": ..., "object": {...}} on standard input, one per line.',
)
@click.option("--json", "as_json", is_flag=True, help="Print errors as JSON, one per line.")
@pass_run
def command(
    run: Context,
    paths: tuple[Path, ...],
    to: str | None,
    output: Path | None,
    scalars: Literal["strict", "kubernetes"],
    form: Form | None,
    pass_unknown: bool,
    jsonl: bool,
    as_json: bool,
) -> None:
    """Convert objects in YAML or JSON to another version.

    Reads files, folders (recursively) or standard input; documents and the items of lists keep
    their order. An object that cannot be converted is reported and left out; the others are
    written.

    Exit codes: 0 all converted, 1 some objects failed, 2 wrong usage, unreadable input, or a place
    that cannot be written (then no file is changed).
    """
    if jsonl:
        if paths or to or output or form or pass_unknown or as_json:
            raise click.UsageError("--jsonl takes no files and no other options")
        _filter_lines(run)
        return
    if not to:
        raise click.UsageError("say --to VERSION, or --jsonl")
    # What only files need is imported here: the filter starts without it.
    from holdall.cli.inputs import read_streams
    from holdall.cli.outputs import Outputs
    from holdall.scheme.batches import Batch, Failure
    from holdall.text.json import encode

    schemes = Schemes(load_schemes(run.root))
    schemes.check_target(to)
    schemes.load()
    streams = read_streams(paths, scalars)
    outputs = Outputs.plan(streams, output, form, many=len(paths) > 1 or _has_folder(paths))

    def report(failure: Failure) -> None:
        if as_json:
            click.echo(encode(failure.to_json()), err=True)
        else:
            run.error(str(failure))

    def warn(text: str) -> None:
        if as_json:
            click.echo(encode({"warning": text}), err=True)
        else:
            run.warn(text)

    batch = Batch(schemes, to, report, warn, pass_unknown)
    with progress(streams, label="converting") as waiting:
        results = [
            [value for document in stream.documents for value in batch.convert(document)]
            for stream in waiting
        ]
    outputs.write(results)
    if output is not None or batch.failed:
        passed = f", {batch.passed} passed through" if batch.passed else ""
        run.note(f"{batch.converted} converted{passed}, {batch.failed} failed")
    end(findings=batch.failed > 0)


def _has_folder(paths: tuple[Path, ...]) -> bool:
    return any(path.is_dir() for path in paths)


def _filter_lines(run: Context) -> None:
    from holdall.scheme.json_lines import serve_lines
    from holdall.webhook.collector import spared_collector

    schemes = Schemes(load_schemes(run.root))
    schemes.load()
    try:
        with spared_collector():
            serve_lines(schemes, sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        forget(sys.stdout)

"""`holdall convert`: objects in files, folders and pipes, or line by line, to another version."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Literal

import click

from holdall.cli.common import COLUMN_OPTIONS, Context, end, forget, pass_run, progress, yaml_option
from holdall.scheme.projects import load_schemes
from holdall.scheme.schemes import Schemes
from holdall.types import JsonValue

Form = Literal["yaml", "json"]


@click.command("convert")
@click.argument("paths", nargs=-1, metavar="[FILE|DIR|-]...", type=click.Path(path_type=Path))
@click.option("--to", metavar="VERSION", help="The version or apiVersion to convert to.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE|DIR",
    help="Write here; in a folder, one file for each file read. Default: standard output.",
)
@yaml_option
@click.option(
    "--output-format",
    "form",
    type=click.Choice(["yaml", "json"]),
    help="Form of the output; default: that of the input.",
)
@click.option(
    "--pass-unknown", is_flag=True, help="Pass objects of unknown kinds through unchanged."
)
@click.option(
    "--validate",
    is_flag=True,
    help="Fail objects that the schema of the target version refuses.",
)
@click.option("--jsonl", is_flag=True, help="Read JSON lines, whatever the names of the files.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=1,
    help="Processes to use, for JSON lines and tables; the order is kept.",
)
@click.option(
    "--errors",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write what could not be converted to this file, as JSON lines with place and reason.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Continue an interrupted run with the same options; needs files and -o.",
)
@click.option(
    "--column",
    default="",
    show_default=False,
    metavar="NAME",
    help="The column of a table to convert.",
)
@COLUMN_OPTIONS[0]
@COLUMN_OPTIONS[1]
@COLUMN_OPTIONS[2]
@click.option(
    "--requests",
    is_flag=True,
    help='Answer requests {"to": ..., "object": {...}} on standard input, one per line.',
)
@click.option("--json", "as_json", is_flag=True, help="Print errors as JSON, one per line.")
@pass_run
def command(
    run: Context,
    /,
    paths: tuple[Path, ...],
    to: str | None,
    output: Path | None,
    scalars: Literal["strict", "kubernetes"],
    form: Form | None,
    pass_unknown: bool,
    validate: bool,
    jsonl: bool,
    jobs: int,
    errors: Path | None,
    resume: bool,
    requests: bool,
    as_json: bool,
    **columns: str,
) -> None:
    """Convert objects in YAML or JSON to another version.

    Reads files, folders (recursively) or standard input; documents and the items of lists keep
    their order. An object that cannot be converted is reported and left out; the others are
    written. JSON lines (.jsonl, .ndjson, also .gz and .zst) and tables (.parquet) are read,
    converted and written piece by piece, so they may have any size.

    Exit codes: 0 all converted, 1 some objects failed or lost data, 2 wrong usage, unreadable
    input, or a place that cannot be written (then no file is changed).
    """
    if requests:
        others = (paths, to, output, form, pass_unknown, validate, jsonl, errors, resume, as_json)
        if any(others) or any(columns.values()):
            raise click.UsageError("--requests takes no files and no other options")
        _filter_lines(run)
        return
    if not to:
        raise click.UsageError("pass --to VERSION, or --requests")
    # Imported here, because only files need it: the filter starts faster without.
    from holdall.bulk.lines import Settings
    from holdall.cli.bulk import Bulk, Told, is_file, require_apart, split_inputs
    from holdall.cli.outputs import Outputs
    from holdall.cli.validating import read_schemas
    from holdall.scheme.batches import Batch
    from holdall.text.streams import UNKEPT, Stream, read_inputs, read_pipe, require_documents

    schemes = Schemes(load_schemes(run.root))
    schemes.check_target(to)
    if not pass_unknown:
        schemes.check_kind(columns["kind"])
    schemes.load()
    documents, sources = split_inputs(paths, jsonl=jsonl)
    if not sources and (resume or jobs > 1 or any(columns.values())):
        raise click.UsageError("--resume, --jobs and columns are for JSON lines and tables")
    if sources and form == "yaml" and not documents:
        raise click.UsageError(
            "--output-format is for YAML and JSON; lines and tables keep their form"
        )
    if sources and documents and (output is None or is_file(output)):
        text = f"{sources[0].name} and {documents[0].path} do not fit one output; pass -o DIR"
        raise click.UsageError(text)
    if sources and documents and errors:
        raise click.UsageError("--errors is for documents or for JSON lines; convert them apart")
    if errors is not None:
        files = [item.path for item in documents or ()]
        files += [source.path for source in sources if source.path is not None]
        require_apart(errors, files if output is None else [*files, output])
    many = len(paths) > 1 or any(path.is_dir() for path in paths)
    told = Told(run, as_json, errors)
    find_flaws = read_schemas(run.root) if validate else None
    batch = Batch(schemes, to, told.report, told.warn, pass_unknown, find_flaws, run.traceback)
    counts: Counter[str] = Counter()
    outputs: Outputs | None = None
    streams: list[Stream] = []
    results: list[list[list[JsonValue]]] = []
    if documents is None or documents:
        if documents is None:
            streams = [read_pipe(sys.stdin.buffer.read(), scalars=scalars)]
        else:
            streams = read_inputs(documents, scalars=scalars)
        outputs = Outputs.plan(streams, output, form, many=many)
        if errors is not None:
            require_apart(errors, [file for file, _ in outputs.files])
        if not sources and all(item.value is None for one in streams for item in one.documents):
            require_documents(streams)
        with progress(streams, label="converting") as waiting:
            results = [
                [batch.convert(document) for document in stream.documents] for stream in waiting
            ]
        counts.update(
            converted=batch.converted, passed=batch.passed, failed=batch.failed, lost=batch.lost
        )
    if sources:
        make_check = read_schemas if validate else None
        settings = Settings(run.root.resolve(), to, pass_unknown, make_check, run.traceback)
        bulk = Bulk(told, settings, jobs, resume, columns)
        counts.update(bulk.run(sources, output, many=many))
    if outputs is not None:
        outputs.require_kept(streams, batch.failed)
        for place in outputs.write(streams, results, run.results):
            run.warn(f"{place}: comments and style are not kept: {UNKEPT}")
        told.write(apart=bool(sources))
    has_findings = bool(counts["failed"] or counts["lost"])
    if output is not None or has_findings or not counts.total():
        told.note(counts)
    end(findings=has_findings)


def _filter_lines(run: Context) -> None:
    from holdall.scheme.json_lines import serve_lines
    from holdall.webhook.collector import spared_collector

    schemes = Schemes(load_schemes(run.root))
    schemes.load()
    try:
        with spared_collector():
            serve_lines(schemes, sys.stdin.buffer, run.results)
    except BrokenPipeError:
        forget(run.out or sys.stdout)

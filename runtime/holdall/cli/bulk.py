"""JSON lines and tables of `holdall convert`: where they are written, and what is reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from time import monotonic
from typing import BinaryIO, Final

import click

from holdall.bulk.arrow import Columns
from holdall.bulk.drafts import PART, part_of
from holdall.bulk.lines import Refused, Settings
from holdall.bulk.runs import Run
from holdall.bulk.sources import Source, codec_of, form_of
from holdall.cli.bars import bar
from holdall.cli.common import Context
from holdall.cli.inputs import is_pipe
from holdall.cli.outputs import places_below, require_unmixed
from holdall.errors import WorkerLost
from holdall.scheme.batches import Fault
from holdall.text import json as _json
from holdall.text.files import is_stream, replace_file, target_of
from holdall.text.streams import FORMS, Input, find_inputs
from holdall.types import JsonValue

_RECORD: Final = ".holdall-convert.json"
_COLUMNS: Final = "column", "version_column", "kind_column", "kind"
_ALWAYS: Final = "converted", "failed"
_SHOWN: Final = "converted", "unchanged", "lossy", "passed", "empty", "failed"


def split_inputs(
    paths: Sequence[Path], *, jsonl: bool
) -> tuple[Sequence[Input] | None, list[Source]]:
    """Return the files that are read whole, None for standard input, and those read in pieces.

    Raises SourceError with the problems of all paths, and UsageError for `-` beside files.
    """
    if is_pipe(paths):
        return ((), [Source(None, None, "lines")]) if jsonl else (None, [])
    documents: list[Input] = []
    sources: list[Source] = []
    for item in find_inputs(paths, lambda path: form_of(path) or (jsonl and path in paths)):
        if _is_record(item.path) and item.path not in paths:
            continue
        form = form_of(item.path) or (("lines", codec_of(item.path)) if jsonl else None)
        if form is None:
            documents.append(item)
        else:
            sources.append(Source(item.path, item.relative, *form))
    return documents, sources


def _is_record(path: Path) -> bool:
    """Return whether a file in a folder is the record of a run that was interrupted."""
    return path.name == _RECORD or (
        path.name.endswith(f"{PART}.json") and path.with_suffix("").is_file()
    )


def is_file(output: Path) -> bool:
    """Return whether an output is one file, by its name if it does not exist yet."""
    if output.exists():
        return not output.is_dir()
    return form_of(output) is not None or output.suffix.lower() in FORMS


def require_apart(errors: Path, others: Sequence[Path]) -> None:
    """Raise UsageError if the file of errors is also read or written as something else."""
    if not is_stream(errors) and target_of(errors) in {target_of(other) for other in others}:
        raise click.UsageError(f"--errors needs a file of its own: {errors}")


@dataclass(slots=True)
class Told:
    """Where errors and warnings go: to standard error, and those of documents to a file as well.

    With a file of errors standard error has only their number.
    """

    run: Context
    as_json: bool
    file: Path | None = None
    refused: list[Refused] = field(default_factory=list)

    def report(self, fault: Fault, value: JsonValue) -> None:
        """Report a document that failed, or keep both for the file of errors."""
        if self.file is not None:
            line = int(fault.where.rsplit(":", 2)[1])
            self.refused.append(Refused(fault, line, _json.encode(value).decode()))
        else:
            self._tell(fault)

    def refuse(self, refused: Refused) -> None:
        """Report a line or row that failed; a file of errors has it already."""
        if self.file is None:
            self._tell(refused.fault)

    def _tell(self, fault: Fault) -> None:
        if self.as_json:
            click.echo(_json.encode(fault.to_json()), err=True)
        else:
            if fault.stack:
                click.echo(fault.stack, err=True, nl=False)
            self.run.error(str(fault))

    def warn(self, text: str) -> None:
        """Report values that found no place."""
        if self.as_json:
            click.echo(_json.encode({"warning": text}), err=True)
        else:
            self.run.warn(text)

    def write(self, *, apart: bool) -> None:
        """Write the file of errors, if there is to be one; a run over lines writes its own."""
        if self.file is not None and not apart:
            lines = [_json.encode(one.to_json()) + b"\n" for one in self.refused]
            replace_file(self.file, b"".join(lines))

    def note(self, counts: Counter[str]) -> None:
        """Print the number of documents by outcome."""
        shown = [f"{counts[name]:,} {name}" for name in _SHOWN if counts[name] or name in _ALWAYS]
        text = ", ".join(shown)
        if counts["lost"]:
            text += f"; {counts['lost']:,} of them lost data"
        if self.file is not None and counts["failed"]:
            text += f": see {self.file}"
        self.run.note(text)


@dataclass(slots=True)
class Bulk:
    """A run over files that are read in pieces."""

    told: Told
    settings: Settings
    jobs: int
    resume: bool
    columns: dict[str, str]

    def run(self, sources: Sequence[Source], output: Path | None, *, many: bool) -> Counter[str]:
        """Convert all sources, and return the counts by outcome.

        Raises SourceError, OSError, UsageError and what the conversion of a project raises.
        """
        tables = [source for source in sources if source.form == "table"]
        column = self.columns["column"]
        if tables and not column:
            raise click.UsageError(f"pass --column, the column of {tables[0].name} to convert")
        if any(self.columns.values()) and not tables:
            raise click.UsageError("columns are for tables (.parquet)")
        places, record, alone = self._places(sources, output, many=many)
        errors = self.told.file
        files = [source.path for source in sources if source.path is not None]
        written = places if isinstance(places, list) else []
        drafts = [*map(part_of, written)] if record is None else [record, *map(part_of, written)]
        if errors is not None:
            require_apart(errors, [*written, *drafts])
            drafts.append(part_of(errors))
            alone.append(errors)
        require_unmixed(zip(files, cycle(written), strict=False))
        _require_no_draft([*files, *written], drafts)
        if isinstance(places, list):
            _require_fitting(sources, places)
        if tables and not isinstance(places, list):
            raise click.UsageError("a table cannot be written to standard output; pass -o FILE")
        run = Run(
            self.settings,
            sources,
            places,
            self.jobs,
            self.told.file,
            self.resume,
            record,
            alone,
            Columns(*(self.columns[name] for name in _COLUMNS)) if tables else None,
            self.told.refuse,
            self.told.warn,
        )
        try:
            # Results on the terminal would be mixed with the bar.
            is_alone = isinstance(places, list) or not self.told.run.terminal
            with _bar(sources, quiet=self.told.run.quiet or not is_alone) as run.tell:
                return run.run()
        except (OSError, KeyboardInterrupt, WorkerLost):
            if record is not None and record.exists():
                self.told.run.note("what was converted is kept: continue with --resume")
            raise

    def _places(
        self, sources: Sequence[Source], output: Path | None, *, many: bool
    ) -> tuple[list[Path] | BinaryIO, Path | None, list[Path]]:
        """Return where results are written, the record of the run if it can be resumed, and what
        no other run may write meanwhile."""
        if output is None:
            if self.resume:
                raise click.UsageError(
                    "--resume needs -o FILE: a run to standard output cannot continue"
                )
            return self.told.run.results, None, []
        once = [one.name for one in sources if one.path is None or is_stream(one.path)]
        if self.resume and once:
            text = f"--resume needs files: {once[0]} can be read only once"
            raise click.UsageError(text)
        if not output.is_dir() and not (many and not is_file(output)):
            if is_stream(output):
                return [output], None, []
            record = output.with_name(f"{output.name}{PART}.json")
            return [output], None if once else record, [output]
        names = [source.relative for source in sources]
        places = places_below(output, names, [source.name for source in sources])
        record = output / _RECORD
        return places, None if once else record, [record]


def _require_no_draft(paths: Iterable[Path], drafts: Iterable[Path]) -> None:
    """Raise UsageError for a file that is read or written, if it is also a draft or the record."""
    taken = {target_of(draft) for draft in drafts}
    for path in paths:
        if target_of(path) in taken:
            text = "a file of this name keeps what is converted until all is complete"
            raise click.UsageError(f"{path}: {text}; rename it, or write elsewhere")


def _require_fitting(sources: Sequence[Source], places: Sequence[Path]) -> None:
    """Raise UsageError for a place that cannot hold its results, or has another form's suffix."""
    if len(places) < len(sources) and any(source.form == "table" for source in sources):
        raise click.UsageError("several tables do not fit one file; pass -o DIR")
    for source, place in zip(sources, places, strict=False):
        named, _ = form_of(place) or (FORMS.get(place.suffix.lower()), "")
        fits = (None, "table") if source.form == "table" else (None, "lines", "json")
        if named not in fits and not is_stream(place):
            what = "a table" if source.form == "table" else "JSON lines"
            form = ".parquet" if source.form == "table" else ".jsonl"
            text = f"{source.name} is {what}, but {place} has the suffix of another form"
            raise click.UsageError(f"{text}; name it {form}")


@contextmanager
def _bar(
    sources: Sequence[Source], *, quiet: bool
) -> Iterator[Callable[[int, int, Counter[str]], None]]:
    """Show progress, speed and remaining time, on a terminal."""
    sizes = [source.size() for source in sources]
    known = [size for size in sizes if size is not None]
    before = [sum(known[:index]) for index in range(len(known))]
    begun: list[tuple[float, int]] = []

    def tell(source: int, position: int, counts: Counter[str]) -> None:
        now, done = monotonic(), counts.total()
        if not begun:
            begun.append((now, done))
        since, first = begun[0]
        rate = f"{(done - first) / (now - since):,.0f}/s" if now > since else ""
        shown.show(before[source] + position, rate)

    if len(known) < len(sizes):
        yield lambda _source, _position, _counts: None
        return
    with bar("converting", sum(known), quiet=quiet) as shown:
        yield tell

"""A run over files of lines and tables, which are read, converted and written piece by piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import BinaryIO, Final

from holdall.bulk.arrow import Columns
from holdall.bulk.drafts import Draft, Endings, Progress, Record, held, require_kept
from holdall.bulk.engines import groups_of
from holdall.bulk.lines import Converted, Refused, Settings, convert_lines
from holdall.bulk.sources import Source, codec_of, compress, opened
from holdall.bulk.workers import InOrder, workers
from holdall.errors import HoldallError, WorkerLost
from holdall.scheme.projects import load_schemes
from holdall.text import json as _json
from holdall.text.files import shown, write_all

_SECONDS: Final = 5.0
"""Seconds between writes of a run's record: a killed run repeats at most this much."""


@dataclass(slots=True)
class Run:
    """The task: sources, and a place for each of them or one for all.

    `places` are files, or a stream for everything. `alone` are files that no other run may
    write meanwhile. `refuse` gets each document that fails, `warn` what found no place, `tell` the
    counts and the position in a source.
    """

    settings: Settings
    sources: Sequence[Source]
    places: Sequence[Path] | BinaryIO
    jobs: int = 1
    errors: Path | None = None
    resume: bool = False
    record: Path | None = None
    alone: Sequence[Path] = ()
    columns: Columns | None = None
    refuse: Callable[[Refused], None] = lambda _: None
    warn: Callable[[str], None] = lambda _: None
    tell: Callable[[int, int, Counter[str]], None] = lambda _source, _position, _counts: None
    counts: Counter[str] = field(default_factory=Counter)
    _progress: Progress = field(init=False)
    _kept: Progress = field(init=False)
    """The progress from which `resume` continues; a table starts again."""

    def run(self) -> Counter[str]:
        """Convert everything, and return the counts by outcome.

        All files take their places at the end. An interruption leaves drafts for `resume`; an error
        in the input or the options leaves nothing.
        Raises SourceError, OSError, UnknownKindError, WorkerLost.
        """
        with held(self.alone):
            return self._run()

    def _run(self) -> Counter[str]:
        places = self.places if isinstance(self.places, Sequence) else ()
        drafts = [Draft(place) for place in places]
        errors = Draft(self.errors) if self.errors is not None else None
        # The file of errors is placed first: its documents are lost once their source is replaced.
        every = [*([errors] if errors is not None else []), *drafts]
        record = Record(self.record) if self.record is not None else None
        fresh = self._fresh()
        self._progress = record.load(fresh) if record is not None and self.resume else fresh
        self._kept = self._progress
        if record is not None:
            self._require(drafts, errors, record)
        self.counts.update(self._progress.counts)
        endings = Endings()
        try:
            if not self._progress.placing:
                with endings.threads, workers(self.jobs, self.settings.documents) as in_order:
                    self._convert(in_order, drafts, errors, record, endings)
                if errors is None:
                    self._require_kept(places)
                for draft in every:
                    draft.end()
                self._kept = replace(self._progress, placing=True)
                if record is not None:
                    record.save(self._kept)
            for draft in every:
                draft.place()
        except BaseException as error:
            if record is None or (
                isinstance(error, HoldallError) and not isinstance(error, WorkerLost)
            ):
                for draft in every:
                    draft.discard()
                if record is not None:
                    record.remove()
            else:
                with suppress(OSError):  # the older record continues from an earlier position
                    endings.wait()
                    record.save(self._kept)
                for draft in every:
                    draft.leave()
            raise
        if record is not None:
            record.remove()
        return self.counts

    def _require(self, drafts: Sequence[Draft], errors: Draft | None, record: Record) -> None:
        """Raise SourceError if drafts are shorter than the record says."""
        begun = self._progress
        if begun.placing:
            return
        many = len(drafts) > 1
        wanted = [(done, 0) for done in drafts[: begun.current]] if many else []
        own = drafts[begun.current if many else 0 :][:1]
        for draft, count in ((errors, begun.errors), *((each, begun.written) for each in own)):
            if draft is not None and count:
                wanted.append((draft, count))
        for draft, count in wanted:
            if not draft.holds(count):
                text = f"the draft of {draft.path} is missing, or shorter than it was"
                raise record.refused(text)

    def _require_kept(self, places: Sequence[Path]) -> None:
        """Raise SourceError if lines that failed would be lost; a table keeps its rows."""
        lines = [it.path for it in self.sources if it.path is not None and it.form != "table"]
        fix = "collect them with --errors FILE, or write elsewhere with -o"
        require_kept(lines, places, self.counts["failed"], fix)

    def _fresh(self) -> Progress:
        columns = list(self.columns) if self.columns is not None else None
        settings = {
            "to": self.settings.to,
            "pass_unknown": self.settings.pass_unknown,
            "validate": self.settings.make_check is not None,
            "columns": columns,
            "errors": shown(self.errors.resolve()) if self.errors is not None else None,
            "groups": [list(group) for group in groups_of(load_schemes(self.settings.root))],
        }
        return Progress(settings, [source.identity() for source in self.sources])

    def _convert(
        self,
        in_order: InOrder,
        drafts: Sequence[Draft],
        errors: Draft | None,
        record: Record | None,
        endings: Endings,
    ) -> None:
        begun = self._progress
        if errors is not None:
            errors.begin(begun.errors)
        if len(drafts) == 1:
            drafts[0].begin(begun.written)
        saved = monotonic()
        for index in range(begun.current, len(self.sources)):
            own = drafts[min(index, len(drafts) - 1)] if drafts else None
            if len(drafts) > 1 and own is not None:
                own.begin(self._progress.written)
            source = self.sources[index]
            for done in self._pieces(in_order, source, own):
                self._write(done.placed(source.name, self._progress.line), own, errors)
                if source.form != "table":
                    self._kept = self._progress
                self.tell(index, done.position, self.counts)
                if record is not None and monotonic() - saved > _SECONDS:
                    for draft in (own, errors):
                        if draft is not None:
                            draft.sync()
                    endings.wait()
                    record.save(self._kept)
                    saved = monotonic()
            written = self._progress.written
            if len(drafts) > 1 and own is not None:
                self._complete(own)
                endings.add(own)
                written = 0
            self._kept = self._progress = replace(
                self._progress, current=index + 1, read=0, line=1, written=written
            )
        endings.wait()
        if len(drafts) == 1:
            self._complete(drafts[0])

    def _complete(self, draft: Draft) -> None:
        """Write the contents of a file without documents: compressed, it is not empty."""
        if not self._progress.written:
            draft.write(compress(b"", codec_of(draft.path)))

    def _pieces(self, in_order: InOrder, source: Source, own: Draft | None) -> Iterator[Converted]:
        if source.form == "table":
            from holdall.bulk.tables import convert_table

            yield from convert_table(in_order, self.settings, source, self.columns, own)
            return
        with opened(source, codec_of(own.path) if own is not None else "") as blocks:
            yield from in_order(convert_lines, blocks(self._progress.read))

    def _write(self, done: Converted, own: Draft | None, errors: Draft | None) -> None:
        """Write and report a piece, and then record all of it in the progress."""
        if own is not None:
            own.write(done.text)
        elif not isinstance(self.places, Sequence):
            write_all(self.places, done.text)
        refused = b""
        if errors is not None and done.refused:
            refused = b"".join(_json.encode(one.to_json()) + b"\n" for one in done.refused)
            errors.write(refused)
        self.counts.update(done.counts)
        self._progress = replace(
            self._progress,
            read=done.end,
            line=self._progress.line + done.lines,
            written=self._progress.written + len(done.text),
            errors=self._progress.errors + len(refused),
            counts=dict(self.counts),
        )
        for text in done.warnings:
            self.warn(text)
        for one in done.refused:
            self.refuse(one)

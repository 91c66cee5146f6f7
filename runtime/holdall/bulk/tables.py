"""Parquet files, read and written in batches of rows; rows stay, whatever their outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from holdall.bulk.arrow import (
    ERROR,
    OUTCOME,
    Columns,
    bytes_of,
    check_columns,
    convert_batches,
    import_arrow,
)
from holdall.bulk.documents import LOSS, Documents
from holdall.bulk.drafts import Draft
from holdall.bulk.lines import LOST, Converted, Refused, Settings
from holdall.bulk.sources import Source, damaged
from holdall.bulk.workers import InOrder
from holdall.errors import Problem, SourceError
from holdall.scheme.batches import Fault
from holdall.text.files import naming

_ROWS: Final = 512
"""Number of rows that are converted together."""
_GROUP: Final = 64 * 2**20
"""Bytes of rows that are written as one row group."""


def convert_rows(columns: Columns, documents: Documents, batch: Any) -> list[Any]:
    """Convert a batch of rows to one or more batches."""
    return list(convert_batches(documents, [batch], columns))


def convert_table(
    in_order: InOrder,
    settings: Settings,
    source: Source,
    columns: Columns | None,
    draft: Draft | None,
) -> Iterator[Converted]:
    """Write a table with its documents converted and three columns added, and yield each batch.

    Raises SourceError for a file that is not Parquet, or lacks the column.
    """
    import_arrow()
    from pyarrow import ArrowException, parquet

    if source.path is None or draft is None:
        fix = "write it to a file, and pass its name"
        raise SourceError([Problem("HA101", source.name, "a table must be a file", fix)])
    if columns is None:
        text = "the column of the documents is not given"
        raise SourceError([Problem("HA410", source.name, text, "pass --column NAME")])
    try:
        with parquet.ParquetFile(source.path) as file:
            schema = file.schema_arrow
            _check_columns(source, schema, columns)
            done = in_order(partial(convert_rows, columns), file.iter_batches(_ROWS))
            rows = 0
            size = source.size() or 0
            total = max(file.metadata.num_rows, 1)
            with _Table(draft) as table:
                for batches in done:
                    table.add(batches)
                    for batch in batches:
                        rows += batch.num_rows
                        yield _told(batch, columns, size * rows // total)
                if not rows:
                    table.add([next(_converted_none(settings, columns, schema))])
                table.end()
    except (ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise damaged(source, error) from error


def _check_columns(source: Source, schema: Any, columns: Columns) -> None:
    """Raise SourceError that names the file, which may be one of many."""
    try:
        check_columns(schema, columns)
    except SourceError as error:
        problems = (replace(it, where=f"{source.name}: {it.where}") for it in error.problems)
        raise SourceError(problems) from error


class _Table:
    """A Parquet file that is written to a draft, in row groups."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._size = 0

    def add(self, batches: list[Any]) -> None:
        """Collect batches, and write them once they fill a row group."""
        self._waiting.extend(batches)
        self._size += sum(batch.nbytes for batch in batches)
        if self._writer is None or self._size > _GROUP:
            self._write()

    def end(self) -> None:
        """Write the collected batches, and the end of the file."""
        self._write()
        with naming(self._draft.path):
            self._writer.close()

    def _write(self) -> None:
        from pyarrow import Table, parquet

        with naming(self._draft.path):
            if self._writer is None:
                self._writer = parquet.ParquetWriter(self._draft.file, self._waiting[0].schema)
            elif any(batch.num_rows for batch in self._waiting):
                self._writer.write_table(Table.from_batches(self._waiting))
                self._waiting, self._size = [], 0

    def __enter__(self) -> _Table:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.is_open = False  # closing must not write to the discarded draft


def _converted_none(settings: Settings, columns: Columns, schema: Any) -> Iterator[Any]:
    """Yield a batch without rows, with the converted schema."""
    import pyarrow

    return convert_batches(
        settings.documents(), [pyarrow.RecordBatch.from_pylist([], schema)], columns
    )


def _told(batch: Any, columns: Columns, position: int) -> Converted:
    counts: Counter[str] = Counter(batch.column(OUTCOME).to_pylist())
    refused, warnings = [], []
    if counts["failed"] or counts["lossy"]:
        outcomes, errors = batch.column(OUTCOME), batch.column(ERROR)
        for index in range(batch.num_rows):
            if errors[index].is_valid:
                said = errors[index].as_py()
                if outcomes[index].as_py() == "failed":
                    fault = Fault(**said, where=f":{index}")
                    (text,) = bytes_of(batch.slice(index, 1), columns.document)
                    shown = (text or b"").decode(errors="backslashreplace")
                    refused.append(Refused(fault, index, shown))
                else:
                    if said["code"] == LOSS:
                        counts[LOST] += 1
                    warnings.append(f":{index}: {said['message']}")
    return Converted(b"", counts, refused, warnings, batch.num_rows, 0, position)

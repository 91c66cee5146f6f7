"""Parquet files that are written: what a batch of rows costs."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from holdall.bulk.drafts import Draft
from holdall.bulk.tables import _Table
from tests.support.work import steps_of


def test_batches_that_wait_are_not_measured_again(tmp_path: Path) -> None:
    """A batch of rows costs the same, however many others wait to be written with it."""
    batch = pa.RecordBatch.from_pydict({"doc": ["{}"] * 8})
    draft = Draft(tmp_path / "out.parquet")
    with _Table(draft) as table:
        table.add([batch])
        first = steps_of(lambda: table.add([batch]))
        for _ in range(200):
            table.add([batch])
        assert steps_of(lambda: table.add([batch])) == first
        table.end()
    draft.discard()

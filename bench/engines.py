"""Spark and Ray: `convert_frame` and `convert_dataset` beside the bare engine, which parses and
serialises the same column; one worker and two.

It needs the environment of `make engines`. HOLDALL_BENCH_OBJECTS sets the number of documents.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from bench.lines import pool
from bench.report import Row
from generated.batch import SCHEME

_ROWS = int(os.environ.get("HOLDALL_BENCH_OBJECTS", "80000"))
_ROOT = Path(__file__).parents[1]
_TO = "v20240701"
_FILES = 8
_ROUNDS = 2


def again(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Parse and serialise a column: the least that any conversion on an engine does."""
    import msgspec

    decode, encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode
    texts = [encode(decode(text)) for text in batch.column("doc").to_pylist()]
    return pa.RecordBatch.from_pydict({"doc": pa.array(texts, pa.binary())})


def again_each(source: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Do so with all batches of a task."""
    return map(again, source)


class Again:
    """An actor that does so."""

    def __call__(self, table: pa.Table) -> pa.Table:
        return pa.Table.from_batches([again(batch) for batch in table.to_batches()])


def on_spark(folder: str, workers: int) -> tuple[float, float]:
    """Return the seconds of the bare engine and of holdall."""
    from pyspark.sql import SparkSession  # pyright: ignore[reportMissingImports]

    from holdall.bulk.spark import convert_frame

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.files.maxPartitionBytes", "4m").getOrCreate()
    frame = spark.read.parquet(folder)

    def run(made: Any) -> None:
        made.write.format("noop").mode("overwrite").save()

    bare = frame.mapInArrow(again_each, "doc binary")
    whole = convert_frame(SCHEME, frame, column="doc", to=_TO)
    return _best(lambda: run(bare), lambda: run(whole))


def on_ray(folder: str, workers: int) -> tuple[float, float]:
    """Return the seconds of the bare engine and of holdall."""
    import ray  # pyright: ignore[reportMissingImports]
    from ray.data import ActorPoolStrategy  # pyright: ignore[reportMissingImports]

    from holdall.bulk.ray import convert_dataset

    # Actors take their processors for themselves; one is left to what feeds them.
    ray.init(num_cpus=workers + 1, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    dataset = ray.data.read_parquet(folder).repartition(_FILES).materialize()
    actors: Any = {"compute": ActorPoolStrategy(size=workers), "batch_size": 4096}

    def run(made: Any) -> None:
        for _ in made.iter_internal_ref_bundles():
            pass

    def bare() -> None:
        run(dataset.map_batches(Again, batch_format="pyarrow", **actors))

    def whole() -> None:
        run(convert_dataset(SCHEME, dataset, column="doc", to=_TO, **actors))

    return _best(bare, whole)


def _best(bare: Callable[[], None], whole: Callable[[], None]) -> tuple[float, float]:
    """Return the best of some interleaved rounds, after one that warms up."""
    times: list[tuple[float, float]] = []
    for _ in range(_ROUNDS + 1):
        start = perf_counter()
        bare()
        between = perf_counter()
        whole()
        times.append((between - start, perf_counter() - between))
    first, second = zip(*times[1:], strict=True)
    return min(first), min(second)


def measure() -> list[Row]:
    """Measure both engines, each number of workers in a process of its own."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        table = pa.table({"doc": pa.array([pool()] * (_ROWS // _FILES), pa.binary())})
        for number in range(_FILES):
            parquet.write_table(table, f"{folder}/{number}.parquet")
        for engine in ("spark", "ray"):
            took = {}
            for workers in (1, 2):
                bare, whole = took[workers] = _apart(engine, folder, workers)
                title = f"{engine}, {_ROWS:,} Pools, {workers} worker{'s' * (workers > 1)}"
                rows.append(
                    Row(f"{title}: parse and serialise", bare, f"{_ROWS / bare:,.0f}/s", "")
                )
                rows.append(Row(f"{title}: converted", whole, f"{whole / bare:.2f} x", "2.5 x"))
            gain = took[1][1] / took[2][1]
            rows.append(Row(f"{engine}: two workers against one", None, f"{gain:.2f} x", ""))
    return rows


def _apart(engine: str, folder: str, workers: int) -> tuple[float, float]:
    command = [sys.executable, "-m", "bench.engines", engine, folder, str(workers)]
    done = subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.PIPE, text=True)
    bare, whole = done.stdout.splitlines()[-1].split()
    return float(bare), float(whole)


if __name__ == "__main__":
    if sys.argv[1:]:
        engine, folder, workers = sys.argv[1:]
        print(*{"spark": on_spark, "ray": on_ray}[engine](folder, int(workers)), flush=True)
    else:
        from bench.report import markdown

        print(markdown(measure()))

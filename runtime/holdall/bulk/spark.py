"""Documents in a column of an Apache Spark DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from holdall.bulk.arrow import (
    BEFORE,
    ERROR,
    FAULT,
    OUTCOME,
    Columns,
    check_columns,
    convert_batches,
)
from holdall.bulk.engines import documents_of, prober, raise_if_unready, work_of
from holdall.errors import import_extra
from holdall.scheme.scheme import Scheme

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame  # pyright: ignore[reportMissingImports]

_FIX: Final = (
    "install holdall on the workers, and send them the generated package and the hooks: "
    "`spark-submit --py-files packages.zip`, `spark.sparkContext.addPyFile('packages.zip')`, "
    "or with Spark Connect `spark.addArtifact('packages.zip', pyfile=True)`"
)
_PROBES: Final = 1000
"""Number of rows, which Spark distributes to as many tasks as it has processors."""


def convert_frame(
    schemes: Scheme | Iterable[Scheme],
    frame: DataFrame,
    *,
    column: str,
    to: str,
    version_column: str = "",
    kind_column: str = "",
    kind: str = "",
) -> DataFrame:
    """Return a Spark DataFrame with its documents in another version.

    Arguments and columns are those of `batches`. Small tasks check at once that workers have the
    packages; the documents are converted when Spark runs the frame.

    Raises SourceError, UnknownKindError, WorkerUnready, and NotInstalled without pyspark.
    """
    types = import_extra("pyspark.sql.types", "spark")
    columns = Columns(column, version_column, kind_column, kind)
    work = work_of(schemes, to, columns)
    session = frame.sparkSession
    # For an empty frame this needs no task, and it also works for streams.
    schema = session.createDataFrame([], frame.schema).toArrow().schema
    folds = session.conf.get("spark.sql.caseSensitive") != "true"
    check_columns(schema, columns, folds=folds)
    probe = prober(work)

    def answers(source: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow

        yield from (pyarrow.RecordBatch.from_pydict({"found": [probe()]}) for _ in source)

    found = session.range(_PROBES).mapInArrow(answers, "found string").collect()
    raise_if_unready((row["found"] for row in found), _FIX)

    names = frame.columns

    def convert(source: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        named = (batch.rename_columns(names) for batch in source)
        for batch in convert_batches(documents_of(work), named, columns):
            yield batch.rename_columns(_numbered(batch.num_columns))

    text = types.StringType()
    fault = types.StructType([types.StructField(name, text) for name in FAULT])
    added = [(OUTCOME, text), (ERROR, fault), (BEFORE, text)]
    # Spark passes columns to Arrow by name, and gives dots and case in names a meaning.
    numbered = frame.toDF(*_numbered(len(names)))
    made = types.StructType([*numbered.schema.fields])
    for number, (_, kind) in enumerate(added, len(names)):
        made.add(f"c{number}", kind)
    return numbered.mapInArrow(convert, made).toDF(*names, *(name for name, _ in added))


def _numbered(count: int) -> list[str]:
    return [f"c{number}" for number in range(count)]

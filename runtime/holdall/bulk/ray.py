"""Documents in a column of a Ray Data dataset."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from holdall.bulk.arrow import Columns, check_columns, convert_batches, import_extra
from holdall.bulk.engines import Work, documents_of, prober, raise_if_unready, work_of
from holdall.scheme.scheme import Scheme

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset  # pyright: ignore[reportMissingImports]

_FIX: Final = (
    "install holdall on the workers, and send them the generated package and the hooks: "
    "`ray.init(runtime_env={'working_dir': '.'})`, or `py_modules` with a list of their folders"
)


def convert_dataset(
    schemes: Scheme | Iterable[Scheme],
    dataset: Dataset,
    *,
    column: str,
    to: str,
    version_column: str = "",
    kind_column: str = "",
    kind: str = "",
    **options: Any,
) -> Dataset:
    """Return a Ray dataset with its documents in another version.

    All is as `batches` says. One small task on each machine sees at once whether the workers have
    the packages; actors convert the documents when Ray runs the dataset. `options` are those of
    `map_batches`, such as `compute` and `batch_size`.

    Raises SourceError, UnknownKindError, WorkerUnready, and NotInstalled without Ray.
    """
    import_extra("ray.data", "ray")
    ray = import_extra("ray", "ray")
    import pyarrow

    columns = Columns(column, version_column, kind_column, kind)
    work = work_of(schemes, to, columns)
    if found := dataset.schema():
        names = pyarrow.schema([(name, pyarrow.null()) for name in found.names])
        schema = found.base_schema
        # Of pandas' types only the names say anything before they are Arrow's.
        check_columns(schema if isinstance(schema, pyarrow.Schema) else names, columns)
    probe = ray.remote(prober(work)).options(
        num_cpus=0, scheduling_strategy="SPREAD", runtime_env=options.get("runtime_env")
    )
    raise_if_unready(ray.get([probe.remote() for _ in ray.nodes()]), _FIX)
    made = {"fn_constructor_args": (work,), "batch_format": "pyarrow", **options}
    converted: Dataset = dataset.map_batches(Converter, **made)
    return converted


class Converter:
    """An actor: it loads the schemes once."""

    def __init__(self, work: Work) -> None:
        self._documents = documents_of(work)
        self._columns = work.columns

    def __call__(self, table: pa.Table) -> pa.Table:
        """Return a piece of the dataset with its documents converted."""
        from pyarrow import RecordBatch, Table

        # A table without rows may have no batch that would say what its columns are.
        source = table.to_batches() or [RecordBatch.from_pylist([], schema=table.schema)]
        return Table.from_batches(convert_batches(self._documents, source, self._columns))

"""Documents in a column of a Ray Data dataset."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from holdall.bulk.arrow import Columns, check_columns, convert_batches
from holdall.bulk.engines import Work, documents_of, prober, raise_if_unready, work_of
from holdall.errors import import_extra
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

    Arguments and columns are those of `batches`. One small task on each machine checks at once that
    workers have the packages; actors convert the documents when Ray runs the dataset. `options` are
    those of `map_batches`, such as `compute` and `batch_size`.

    Raises SourceError, UnknownKindError, WorkerUnready, and NotInstalled without Ray.
    """
    import_extra("ray.data", "ray")
    ray = import_extra("ray", "ray")
    import pyarrow

    columns = Columns(column, version_column, kind_column, kind)
    work = work_of(schemes, to, columns)
    if found := dataset.schema():
        schema = found.base_schema
        # Of pandas' types only the names are known before they become Arrow's.
        types = schema.types if isinstance(schema, pyarrow.Schema) else []
        fields = [
            (name, pyarrow.null() if kind is None or _is_pickled(kind) else kind)
            for name, kind in zip_longest(found.names, types)
        ]
        check_columns(pyarrow.schema(fields), columns)
    probe = ray.remote(prober(work)).options(
        num_cpus=0, scheduling_strategy="SPREAD", runtime_env=options.get("runtime_env")
    )
    raise_if_unready(ray.get([probe.remote() for _ in ray.nodes()]), _FIX)
    converted: Dataset = dataset.map_batches(
        Converter, fn_constructor_args=(work,), batch_format="pyarrow", **options
    )
    return converted


class Converter:
    """An actor, which loads the schemes once."""

    def __init__(self, work: Work) -> None:
        self._documents = documents_of(work)
        self._columns = work.columns

    def __call__(self, table: pa.Table) -> pa.Table:
        """Return a piece of the dataset with its documents converted."""
        from pyarrow import RecordBatch, Table

        for name in filter(None, self._columns[:3]):
            table = _unpickled(table, name)
        # A table without rows may have no batch with its schema.
        source = table.to_batches() or [RecordBatch.from_pylist([], schema=table.schema)]
        return Table.from_batches(convert_batches(self._documents, source, self._columns))


def _unpickled(table: pa.Table, name: str) -> pa.Table:
    """Return a table with a column of text where pandas has NaN among texts, so that Ray pickles
    the values; other mixtures stay, and are refused."""
    import pyarrow

    at = table.schema.get_field_index(name)
    if not _is_pickled(table.schema.field(at).type):
        return table
    try:
        plain: Any = pyarrow.array(table.column(at).to_pylist(), from_pandas=True)
    except (pyarrow.ArrowException, UnicodeError):
        return table
    return table.set_column(at, name, plain)


def _is_pickled(kind: Any) -> bool:
    return getattr(kind, "extension_name", "") == "ray.data.arrow_pickled_object"

"""Arrow record batches: converting a column of documents, and adding the outcome of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from holdall.bulk.documents import Documents, Result, Row
from holdall.errors import Problem, SourceError, import_extra
from holdall.scheme.batches import Fault
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.suggest import nearest

if TYPE_CHECKING:
    import pyarrow as pa

OUTCOME: Final = "outcome"
ERROR: Final = "error"
BEFORE: Final = "version_before"
_ADDED: Final = (OUTCOME, ERROR, BEFORE)

FAULT: Final = ("code", "path", "message")
_EMPTY: Final = "empty"
"""The outcome of a null in the column of documents."""

MAX_OFFSET: Final = 2**31 - 1
"""Maximum bytes of one array of type string or binary; a batch that exceeds them is split."""


class Columns(NamedTuple):
    """The column of the documents, and those of their version and kind if these are beside them.

    `kind` is the kind of all documents, if there is no column of it.
    """

    document: str
    version: str = ""
    kinds: str = ""
    kind: str = ""


def batches(
    schemes: Scheme | Iterable[Scheme],
    source: Iterable[pa.RecordBatch],
    *,
    column: str,
    to: str,
    version_column: str = "",
    kind_column: str = "",
    kind: str = "",
) -> Iterator[pa.RecordBatch]:
    """Yield Arrow record batches with their documents in another version.

    `column` has JSON, as text or binary, and keeps its type. Documents without apiVersion and kind
    have them in `version_column` and `kind_column`, or all have one `kind`; the conversion updates
    these columns. Three columns are added: `outcome` (`converted`, `unchanged`, `lossy`, `failed`,
    or `empty` for null), `error` (`code`, `path`, `message`) and `version_before`. A document that
    fails stays as it was, and does not affect others.

    Raises SourceError for columns that are missing or of another type, UnknownKindError, and
    NotInstalled without pyarrow.
    """
    every = [schemes] if isinstance(schemes, Scheme) else schemes
    columns = Columns(column, version_column, kind_column, kind)
    documents = documents_for(every, to, columns)
    return convert_batches(documents, source, columns)


def documents_for(schemes: Iterable[Scheme], to: str, columns: Columns) -> Documents:
    """Return a column's converter. Raises UnknownKindError, and what loading a scheme raises."""
    documents = Documents(Schemes(schemes), to)
    documents.schemes.check_kind(columns.kind)
    return documents


def convert_batches(
    documents: Documents, source: Iterable[pa.RecordBatch], columns: Columns
) -> Iterator[pa.RecordBatch]:
    """Convert batches as `batches` does, with documents that are already loaded."""
    arrow = import_arrow()
    for batch in source:
        if not isinstance(batch, arrow.RecordBatch):
            found = type(batch).__name__
            raise TypeError(f"expected record batches, found {found}; pass `table.to_batches()`")
        check_columns(batch.schema, columns)
        yield from _convert(arrow, documents, batch, columns)


def import_arrow() -> Any:
    """Return pyarrow. Raises NotInstalled."""
    return import_extra("pyarrow", "arrow")


def check_columns(schema: pa.Schema, columns: Columns, *, folds: bool = False) -> None:
    """Raise SourceError if columns are missing, or have the wrong type.

    `folds` says that readers of the result ignore case in names.
    """
    arrow = import_arrow()
    problems = []
    names = (columns.document, True), (columns.version, False), (columns.kinds, False)
    for name, is_document in names:
        # A column that is given must exist, even if documents have version and kind themselves.
        if not name and not is_document:
            continue
        where = f"column {name!r}"
        count = schema.names.count(name) if name else 0
        if count != 1:
            text = f"there are {count} columns of this name" if count else "there is no such column"
            text += nearest(name, filter(None, schema.names)) if not count else ""
            fix = "rename one of them" if count else f"name one of: {', '.join(schema.names)}"
            problems.append(Problem("HA410", where, text, fix))
            continue
        found = schema.field(name).type
        if not _can_hold(arrow, found, is_document=is_document):
            wanted = "JSON as text or binary" if is_document else "text"
            fix = "cast it, or name another column"
            if arrow.types.is_struct(found) or arrow.types.is_map(found):
                fix = "read it as text: a struct does not say which members a document had"
            problems.append(Problem("HA411", where, f"expected {wanted}, found {found}", fix))
    for name, count in Counter(name for name, _ in names if name).items():
        if count > 1:
            text = "one column cannot be two of document, version and kind"
            problems.append(Problem("HA411", f"column {name!r}", text, "name a column for each"))
    if columns.kind and columns.kinds:
        text = f"the kind is given twice, by a column and as {columns.kind!r}"
        problems.append(Problem("HA411", f"column {columns.kinds!r}", text, "pass one of them"))
    for name in schema.names:
        if (name.lower() if folds else name) in _ADDED:
            text = "the result needs a new column of this name"
            problems.append(Problem("HA412", f"column {name!r}", text, "rename or drop it"))
    if problems:
        raise SourceError(problems)


def _can_hold(arrow: Any, found: Any, *, is_document: bool) -> bool:
    plain = _plain(arrow, found)
    # Engines give a piece in which no row has a value the type `null`.
    texts = {arrow.null(), arrow.string(), arrow.large_string(), arrow.string_view()}
    if plain in texts:
        return not (is_document and arrow.types.is_dictionary(found))
    # The bytes of extension types are not text: Ray pickles objects.
    binaries = {arrow.binary(), arrow.large_binary(), arrow.binary_view()}
    return is_document and found == plain and plain in binaries


def _convert(
    arrow: Any, documents: Documents, batch: pa.RecordBatch, columns: Columns
) -> Iterator[pa.RecordBatch]:
    names = columns.document, columns.version, columns.kinds
    told = [
        _told(columns, *row) for row in zip(*(bytes_of(batch, it) for it in names), strict=True)
    ]
    converted = documents.convert_all(one for one in told if one and not isinstance(one, Result))
    kind_of = batch.schema.field(columns.document).type
    limit = MAX_OFFSET if _plain(arrow, kind_of) in (arrow.string(), arrow.binary()) else None
    results: list[Result | None] = []
    size = first = 0
    for index, one in enumerate(told):
        result = one if one is None or isinstance(one, Result) else next(converted)
        if result is not None:
            size += len(result.document)
            if limit is not None and size > limit and results:
                yield _assembled(arrow, batch.slice(first, len(results)), columns, results)
                first, results, size = index, [], len(result.document)
        results.append(result)
    yield _assembled(arrow, batch.slice(first), columns, results)


def _told(
    columns: Columns, text: bytes | None, version: bytes | None, kind: bytes | None
) -> Row | Result | None:
    """Return a document with the version and kind beside it; a failure if these are missing, and
    None without a document."""
    if text is None:
        return None
    kind_said = (kind or b"").decode(errors="replace") or columns.kind
    version_said = (version or b"").decode(errors="replace")
    for name, word in ((columns.version, version), (columns.kinds, kind)):
        if name and not word:
            fault = Fault("HA413", "", f"the column {name!r} is empty")
            return Result("failed", text, version_said, kind_said, version_said, fault)
    return text, kind_said, version_said


def _assembled(
    arrow: Any, batch: pa.RecordBatch, columns: Columns, results: list[Result | None]
) -> pa.RecordBatch:
    """Return a batch with its documents replaced by results, and the outcomes added."""
    schema = batch.schema
    arrays: list[Any] = list(batch.columns)
    made: dict[str, list[bytes | None]] = {
        columns.document: [None if one is None else one.document for one in results]
    }
    if columns.version:
        made[columns.version] = [None if one is None else one.version.encode() for one in results]
    if columns.kinds:
        made[columns.kinds] = [None if one is None else one.kind.encode() for one in results]
    for name, values in made.items():
        at = schema.get_field_index(name)
        if name != columns.document:
            # Version and kind of a null or failed document stay.
            said = bytes_of(batch, name)
            values = [
                old if one is None or one.outcome == "failed" else new
                for one, old, new in zip(results, said, values, strict=True)
            ]
        arrays[at] = _array(arrow, values, schema.field(at).type)
    faults = [None if one is None else one.fault for one in results]
    error = arrow.struct([(name, arrow.string()) for name in FAULT])
    added = (
        arrow.array([_EMPTY if one is None else one.outcome for one in results], arrow.string()),
        arrow.array([None if one is None else _shown(one) for one in faults], error),
        arrow.array([one.before or None if one is not None else None for one in results], "string"),
    )
    fields = list(schema)
    for name, array in zip(_ADDED, added, strict=True):
        fields.append(arrow.field(name, array.type))
        arrays.append(array)
    whole: pa.RecordBatch = arrow.RecordBatch.from_arrays(
        arrays, schema=arrow.schema(fields, schema.metadata)
    )
    return whole


def _shown(fault: Fault) -> dict[str, str]:
    # A message may quote what UTF-8 cannot encode.
    words = (fault.code, fault.path, fault.message)
    return {
        name: word.encode(errors="backslashreplace").decode()
        for name, word in zip(FAULT, words, strict=True)
    }


def _plain(arrow: Any, found: Any) -> Any:
    """Return the type of a column's values, decoded if it is a dictionary or run-end encoded."""
    if isinstance(found, arrow.BaseExtensionType):
        return _plain(arrow, found.storage_type)
    return found.value_type if arrow.types.is_dictionary(found) else found


def bytes_of(batch: pa.RecordBatch, name: str) -> list[bytes | None]:
    """Return the values of a text or binary column, however it is stored; nulls without a name."""
    if not name:
        return [None] * batch.num_rows
    arrow = import_arrow()
    array: Any = batch.column(name)
    if isinstance(array, arrow.ExtensionArray):
        array = array.storage
    if arrow.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    values: list[bytes | None] = array.cast(arrow.large_binary()).to_pylist()
    return values


def _array(arrow: Any, values: list[bytes | None], wanted: Any) -> Any:
    from pyarrow import compute

    if isinstance(wanted, arrow.BaseExtensionType):
        return arrow.ExtensionArray.from_storage(wanted, _array(arrow, values, wanted.storage_type))
    if wanted == arrow.null():
        return arrow.nulls(len(values))
    # Invalid text stays as it is: its outcome says that it failed.
    options = compute.CastOptions(_plain(arrow, wanted), allow_invalid_utf8=True)
    array = compute.cast(arrow.array(values, arrow.large_binary()), options=options)
    if not arrow.types.is_dictionary(wanted):
        return array
    encoded = array.dictionary_encode()
    indices = encoded.indices.cast(wanted.index_type)
    return arrow.DictionaryArray.from_arrays(indices, encoded.dictionary, ordered=wanted.ordered)

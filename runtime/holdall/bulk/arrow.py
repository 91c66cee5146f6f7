"""Arrow record batches, one after the other: a column of documents converted, and what happened to
each of them beside it."""

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
"""Bytes that one array of type string or binary can hold; a batch that grows beyond is cut."""


class Columns(NamedTuple):
    """Where the documents stand; what says their version and kind, if they do not themselves.

    `kind` is that of all documents, for those that have no column of it.
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

    `column` has JSON, as text or binary, and keeps its type. Documents that do not say apiVersion
    and kind have them in `version_column` and in `kind_column`, or are all of one `kind`; these
    columns follow the conversion. Three columns are added: `outcome` (`converted`, `unchanged`,
    `lossy`, `failed`, or `empty` for null), `error` (`code`, `path`, `message`) and
    `version_before`. A document that failed stays as it was, and concerns nobody else.

    Raises SourceError for columns that are missing or of another type, UnknownKindError, and
    NotInstalled without pyarrow.
    """
    every = [schemes] if isinstance(schemes, Scheme) else schemes
    columns = Columns(column, version_column, kind_column, kind)
    documents = documents_for(every, to, columns)
    return convert_batches(documents, source, columns)


def documents_for(schemes: Iterable[Scheme], to: str, columns: Columns) -> Documents:
    """Return what converts a column. Raises UnknownKindError, and what loading a scheme does."""
    documents = Documents(Schemes(schemes), to)
    documents.schemes.check_kind(columns.kind)
    return documents


def convert_batches(
    documents: Documents, source: Iterable[pa.RecordBatch], columns: Columns
) -> Iterator[pa.RecordBatch]:
    """Do the same with what is loaded already."""
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
    """Raise SourceError if the columns cannot be what they are said to be.

    `folds` says that names which differ only in their case are one to whoever reads the result.
    """
    arrow = import_arrow()
    problems = []
    names = (columns.document, True), (columns.version, False), (columns.kinds, False)
    for name, is_document in names:
        # A document without a column is an error, too: what says the others may be missing.
        if not name and not is_document:
            continue
        where = f"column {name!r}"
        count = schema.names.count(name) if name else 0
        if count != 1:
            text = f"there are {count} of it" if count else "there is no such column"
            text += nearest(name, filter(None, schema.names)) if not count else ""
            fix = "rename one of them" if count else f"name one of: {', '.join(schema.names)}"
            problems.append(Problem("HA410", where, text, fix))
            continue
        found = schema.field(name).type
        if not _can_hold(arrow, found, is_document=is_document):
            wanted = "JSON as text or binary" if is_document else "text"
            fix = "cast it, or name another column"
            if arrow.types.is_struct(found) or arrow.types.is_map(found):
                fix = "read it as text: here it is unknown which members a document had"
            problems.append(Problem("HA411", where, f"expected {wanted}, found {found}", fix))
    for name, count in Counter(name for name, _ in names if name).items():
        if count > 1:
            text = "it cannot hold more than one of document, version and kind"
            problems.append(Problem("HA411", f"column {name!r}", text, "name a column for each"))
    if columns.kind and columns.kinds:
        text = f"the kind is said twice, by a column and as {columns.kind!r}"
        problems.append(Problem("HA411", f"column {columns.kinds!r}", text, "say one of them"))
    for name in schema.names:
        if (name.lower() if folds else name) in _ADDED:
            text = "a column of this name is to be added"
            problems.append(Problem("HA412", f"column {name!r}", text, "rename or drop it"))
    if problems:
        raise SourceError(problems)


def _can_hold(arrow: Any, found: Any, *, is_document: bool) -> bool:
    plain = _plain(arrow, found)
    # Engines say `null` of a piece in which no row has a value.
    texts = {arrow.null(), arrow.string(), arrow.large_string(), arrow.string_view()}
    if plain in texts:
        return not (is_document and arrow.types.is_dictionary(found))
    # The bytes of a type that someone made are not text: Ray pickles objects.
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
    """Return a document with what is said beside it; its failure if that is missing, and None if
    there is no document."""
    if text is None:
        return None
    kind_said = (kind or b"").decode(errors="replace") or columns.kind
    version_said = (version or b"").decode(errors="replace")
    for name, word in ((columns.version, version), (columns.kinds, kind)):
        if name and not word:
            fault = Fault("HA413", "", f"there is nothing in the column {name!r}")
            return Result("failed", text, version_said, kind_said, version_said, fault)
    return text, kind_said, version_said


def _assembled(
    arrow: Any, batch: pa.RecordBatch, columns: Columns, results: list[Result | None]
) -> pa.RecordBatch:
    """Return a batch with its results instead of its documents, and beside them."""
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
            # What is beside a null document, or beside one that failed, stays.
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
    # A message may quote what UTF-8 cannot hold.
    words = (fault.code, fault.path, fault.message)
    return {
        name: word.encode(errors="backslashreplace").decode()
        for name, word in zip(FAULT, words, strict=True)
    }


def _plain(arrow: Any, found: Any) -> Any:
    """Return the type that a column is stored as; that of its values, if these are encoded."""
    if isinstance(found, arrow.BaseExtensionType):
        return _plain(arrow, found.storage_type)
    return found.value_type if arrow.types.is_dictionary(found) else found


def bytes_of(batch: pa.RecordBatch, name: str) -> list[bytes | None]:
    """Return what a column of text or binary holds, whatever it is stored as; nulls if it has no
    name."""
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
    # Bad text that came in goes out: it failed, and says so beside itself.
    options = compute.CastOptions(_plain(arrow, wanted), allow_invalid_utf8=True)
    array = compute.cast(arrow.array(values, arrow.large_binary()), options=options)
    if not arrow.types.is_dictionary(wanted):
        return array
    encoded = array.dictionary_encode()
    indices = encoded.indices.cast(wanted.index_type)
    return arrow.DictionaryArray.from_arrays(indices, encoded.dictionary, ordered=wanted.ordered)

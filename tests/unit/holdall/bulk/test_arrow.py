"""Record batches: documents converted, what became of each beside it, bad ones on their own."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import holdall
from holdall.bulk import arrow
from holdall.errors import NotInstalled, SourceError, UnknownKindError
from holdall.scheme.scheme import Scheme
from tests.support.commands import python
from tests.support.projects import THING_CONFIG, THING_FILES, build_project


def thing(version: str = "v1", **spec: Any) -> str:
    head = {"apiVersion": f"example.com/{version}", "kind": "Thing"}
    return json.dumps({**head, "spec": spec}, separators=(",", ":"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project with the kind Thing in v1 and v2."""
    kept = [*sys.path]
    yield build_project(tmp_path_factory.mktemp("things"), THING_CONFIG, THING_FILES)
    sys.path[:] = kept


def batch_of(values: list[Any], type: pa.DataType | None = None, **more: Any) -> pa.RecordBatch:
    array = pa.array(values, pa.string() if type is None else type)
    return pa.RecordBatch.from_pydict({"doc": array, **more})


def converted(scheme: Scheme, batch: pa.RecordBatch, **options: Any) -> pa.RecordBatch:
    (result,) = holdall.batches(scheme, [batch], **{"column": "doc", "to": "v2", **options})
    return result


@pytest.mark.parametrize(
    "type",
    [
        *(pa.string(), pa.large_string(), pa.string_view(), pa.json_()),
        *(pa.binary(), pa.large_binary(), pa.binary_view()),
    ],
    ids=str,
)
def test_a_column_keeps_its_type(scheme: Scheme, type: pa.DataType) -> None:
    """Whatever holds the JSON, the result holds what `convert_bytes` gives, in the same type."""
    old = thing(color="red", size=1)
    storage = type.storage_type if isinstance(type, pa.BaseExtensionType) else type
    array = pa.array([old.encode(), None], pa.binary()).cast(storage)
    if storage is not type:
        array = pa.ExtensionArray.from_storage(type, array)
    result = converted(scheme, pa.RecordBatch.from_arrays([array], ["doc"]))
    assert result.schema.field("doc").type == type
    found = result.column("doc")
    plain = found.storage if storage is not type else found
    expected = scheme.convert_bytes(old, to="v2")
    assert plain.cast(pa.binary()).to_pylist() == [expected, None]
    assert result.column("outcome").to_pylist() == ["converted", "empty"]
    assert result.column("version_before").to_pylist() == ["example.com/v1", None]


def test_other_columns_stay(scheme: Scheme) -> None:
    """The rest of a batch is as it was, metadata and order included; the new columns come last."""
    batch = batch_of([thing()], id=[7]).replace_schema_metadata({"who": "me"})
    result = converted(scheme, batch)
    assert result.schema.names == ["doc", "id", "outcome", "error", "version_before"]
    assert result.column("id").to_pylist() == [7]
    assert result.schema.metadata == {b"who": b"me"}


BAD = [
    ('{"apiVersion":"example.com/v1","ki', "HA501", ""),
    ("", "HA501", ""),
    ("[1]", "HA502", ""),
    ('{"kind":"Thing"}', "HA502", "/apiVersion"),
    (thing("v9"), "HA401", ""),
    (thing().replace("Thing", "Thong"), "HA401", ""),
    (thing(parts=[{"name": "a"}, 5]), "HA502", "/spec/parts/1"),
    (thing(size=1).replace(":1}", ":1e400}"), "HA501", ""),
    (thing(size=1).replace(":1}", ":0.10000000000000000001}"), "HA501", ""),
    ("[" * 100_000, "HA501", ""),
]


def test_a_bad_document_is_an_outcome_of_its_own(scheme: Scheme) -> None:
    """It stays as it was, its error says code and path, and its neighbours are converted."""
    good = thing(size=1)
    texts = [text for bad, _, _ in BAD for text in (bad, good)]
    result = converted(scheme, batch_of(texts))
    new = scheme.convert_bytes(good, to="v2").decode()
    assert result.column("doc").to_pylist() == [t for bad, _, _ in BAD for t in (bad, new)]
    errors = result.column("error").to_pylist()
    assert [(e["code"], e["path"]) for e in errors[::2]] == [(c, p) for _, c, p in BAD]
    assert all(e["message"] for e in errors[::2])
    assert errors[1::2] == [None] * len(BAD)


def test_text_that_is_not_utf8_fails_and_stays(scheme: Scheme) -> None:
    """An engine may hand over bad text in a column of text: the same bytes come back."""
    raw = pa.array([b'{"a":"\xff"}', thing().encode()], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 2, raw.buffers())
    result = converted(scheme, pa.RecordBatch.from_arrays([text], ["doc"]))
    assert result.column("doc").cast(pa.binary())[0].as_py() == b'{"a":"\xff"}'
    assert result.column("outcome").to_pylist() == ["failed", "converted"]


def test_what_is_of_the_version_already_stays_byte_for_byte(scheme: Scheme) -> None:
    """Nothing is written anew for nothing: neither spaces nor the spelling of numbers change."""
    text = '{"kind": "Thing",  "apiVersion":"example.com/v2", "spec": {"a": 1.50}}'
    result = converted(scheme, batch_of([text]))
    assert result.column("doc").to_pylist() == [text]
    assert result.column("outcome").to_pylist() == ["unchanged"]


def test_there_and_back(scheme: Scheme) -> None:
    """`version_before` is what leads back."""
    old = thing(color="red", size=1)
    new = converted(scheme, batch_of([old]))
    (before,) = new.column("version_before").to_pylist()
    back = converted(scheme, new.select(["doc"]), to=before)
    assert json.loads(back.column("doc")[0].as_py()) == json.loads(old)


def test_a_column_without_a_type_has_no_documents(scheme: Scheme) -> None:
    """Engines say `null` of a piece in which no row has a value: rows are empty, the type stays."""
    result = converted(scheme, batch_of([None, None], pa.null()))
    assert result.column("doc").type == pa.null()
    assert result.column("outcome").to_pylist() == ["empty", "empty"]
    named = batch_of([thing()], version=pa.nulls(1))
    (error,) = converted(scheme, named, version_column="version").column("error").to_pylist()
    assert error["code"] == "HA413"


def test_what_found_no_place_is_told(scheme: Scheme) -> None:
    """A document whose annotations are full is converted; its outcome says what it lost."""
    document = json.loads(thing(color="red"))
    document["metadata"] = {"annotations": {"full": "x" * 262140}}
    result = converted(scheme, batch_of([json.dumps(document)]))
    assert result.column("outcome").to_pylist() == ["lossy"]
    (error,) = result.column("error").to_pylist()
    assert (error["code"], error["path"]) == ("HA510", "/spec")
    assert "v1/color is lost" in error["message"]


@pytest.mark.parametrize("encode", [False, True])
@pytest.mark.parametrize("version", ["v1", "example.com/v1"])
def test_columns_may_say_version_and_kind(scheme: Scheme, version: str, encode: bool) -> None:
    """Documents without names are converted, stay without, and their columns follow."""
    text = '{"spec":{"color":"red","size":1}}'
    names = [pa.array([version] * 2), pa.array(["Thing", None])]
    if encode:
        names = [name.dictionary_encode() for name in names]
    batch = batch_of([text, text], version=names[0], kind=names[1])
    result = converted(scheme, batch, version_column="version", kind_column="kind")
    whole = json.loads(scheme.convert_bytes(thing(color="red", size=1), to="v2"))
    there = json.loads(result.column("doc")[0].as_py())
    assert {"apiVersion": "example.com/v2", "kind": "Thing", **there} == whole
    assert result.column("version").to_pylist() == [version.replace("1", "2"), version]
    assert result.column("version").type == names[0].type
    assert result.column("outcome").to_pylist() == ["converted", "failed"]
    assert result.column("error")[1].as_py()["code"] == "HA413"
    assert result.column("version_before").to_pylist() == [version, version]
    back = converted(
        scheme,
        result.slice(0, 1).select(["doc", "version", "kind"]),
        to="v1",
        version_column="version",
        kind_column="kind",
    )
    assert json.loads(back.column("doc")[0].as_py()) == json.loads(text)


def test_a_kind_for_all(scheme: Scheme) -> None:
    """Where all documents are of one kind no column has to say it."""
    batch = batch_of(['{"spec":{"size":1}}'], version=["v1"])
    result = converted(scheme, batch, version_column="version", kind="Thing")
    assert result.column("doc").to_pylist() == ['{"spec":{"size":1}}']
    assert result.column("version").to_pylist() == ["v2"]


def test_a_member_of_that_name_is_not_lost(scheme: Scheme) -> None:
    """A document with a `kind` of its own fails where a column says the kind."""
    batch = batch_of(['{"kind":"round"}'], version=["v1"])
    result = converted(scheme, batch, version_column="version", kind="Thing")
    (error,) = result.column("error").to_pylist()
    assert (error["code"], error["path"]) == ("HA501", "/kind")
    assert result.column("doc").to_pylist() == ['{"kind":"round"}']


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"doc": [1]}, {}, "HA411 column 'doc': expected JSON as text or binary, found int64"),
        ({"doc": [[1]]}, {}, "found list"),
        ({"doc": [{"a": 1}]}, {}, "read it as text: a struct does not say which members"),
        ({"dok": ["{}"]}, {}, "HA410 column 'doc': there is no such column"),
        ({"dok": ["{}"]}, {}, 'did you mean "dok"?'),
        ({"doc": ["{}"], "v": [1]}, {"version_column": "v"}, "expected text, found int64"),
        ({"doc": ["{}"], "error": [1]}, {}, "HA412 column 'error'"),
        ({"doc": ["{}"], "k": ["A"]}, {"kind_column": "k", "kind": "Thing"}, "given twice"),
        ({"doc": ["{}"]}, {"version_column": "doc"}, "column 'doc': one column cannot be two"),
        ({"doc": ["{}"], "": ["{}"]}, {"column": ""}, "HA410 column '': there is no such column"),
    ],
)
def test_wrong_columns_are_told(
    scheme: Scheme, columns: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    """What, where and the fix, before anything is converted."""
    with pytest.raises(SourceError, match="fix: ") as caught:
        converted(scheme, pa.RecordBatch.from_pydict(columns), **options)
    assert message in str(caught.value)


def test_two_columns_of_a_name_are_told(scheme: Scheme) -> None:
    """Nobody knows which of them holds the documents."""
    batch = pa.RecordBatch.from_arrays([pa.array(["{}"])] * 2, names=["doc", "doc"])
    message = "HA410 column 'doc': there are 2 columns of this name\n    fix: rename one"
    with pytest.raises(SourceError, match=message):
        converted(scheme, batch)


def test_bytes_of_a_type_that_is_not_text_are_refused(scheme: Scheme) -> None:
    """Such as pickled objects: what they are stored as would be taken for bad JSON."""
    type = pa.opaque(pa.binary(), "object", "pickle")
    array = pa.ExtensionArray.from_storage(type, pa.array([thing().encode()], pa.binary()))
    with pytest.raises(SourceError, match="expected JSON as text or binary, found extension"):
        converted(scheme, pa.RecordBatch.from_arrays([array], ["doc"]))


def test_what_is_not_a_batch_is_told(scheme: Scheme) -> None:
    """A table is made of columns; it gives batches if it is asked for them."""
    with pytest.raises(TypeError, match=r"found ChunkedArray; pass `table.to_batches\(\)`"):
        next(holdall.batches(scheme, pa.table({"doc": ["{}"]}), column="doc", to="v2"))


def test_an_unknown_kind_is_told_at_once(scheme: Scheme) -> None:
    """It would fail every document."""
    with pytest.raises(UnknownKindError, match="no group has the kind 'Thong'; did you mean"):
        holdall.batches(scheme, iter(()), column="doc", to="v2", kind="Thong")


def test_an_unknown_target_is_told_at_once(scheme: Scheme) -> None:
    """Before the first batch is asked for."""
    with pytest.raises(UnknownKindError, match='did you mean "v2"'):
        holdall.batches(scheme, iter(()), column="doc", to="v22")


def test_a_batch_that_grows_too_large_is_cut(
    scheme: Scheme, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What 32-bit offsets cannot hold in one array comes in several batches, in order."""
    monkeypatch.setattr(arrow, "MAX_OFFSET", 130)
    texts = [thing(size=number) for number in range(7)]
    found = list(holdall.batches(scheme, [batch_of(texts)], column="doc", to="v2"))
    assert [len(batch) for batch in found] == [2, 2, 2, 1]
    sizes = [json.loads(t)["spec"]["size"] for b in found for t in b.column("doc").to_pylist()]
    assert sizes == list(range(7))


def test_batches_without_rows_stay(scheme: Scheme) -> None:
    """An empty batch gives an empty batch with all columns."""
    result = converted(scheme, batch_of([]))
    assert (result.num_rows, len(result.schema)) == (0, 4)


def test_slices_are_read_from_where_they_begin(scheme: Scheme) -> None:
    """A batch that is a part of a larger one has an offset."""
    texts = [thing(size=number) for number in range(5)]
    result = converted(scheme, batch_of(texts).slice(2, 2))
    sizes = [json.loads(text)["spec"]["size"] for text in result.column("doc").to_pylist()]
    assert sizes == [2, 3]


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing and what installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(NotInstalled, match=r"pip install 'holdall\[arrow\]'"):
        arrow.import_arrow()


def test_importing_holdall_does_not_import_pyarrow() -> None:
    """An extra costs nobody else."""
    code = "import sys, holdall; holdall.batches; print('pyarrow' in sys.modules)"
    assert python("-c", code).stdout == "False\n"

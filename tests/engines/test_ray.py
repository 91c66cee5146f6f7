"""Documents on Ray Data: the bytes of one machine, and errors that the driver tells."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from generated.batch import SCHEME
from holdall.bulk.engines import WorkerUnready
from holdall.bulk.ray import convert_dataset
from holdall.errors import SourceError, UnknownKindError
from tests.engines import documents
from tests.support.projects import scheme_of

# What Ray warns of is its own.
pytestmark = pytest.mark.filterwarnings("default")
_THING = '{"apiVersion":"example.com/v1","kind":"Thing","spec":{"size":1}}'
_PACKAGES = {"env_vars": {"PYTHONPATH": str(documents.ROOT)}}


def dataset_of(ray: Any, kind: pa.DataType) -> Any:
    numbers, texts = zip(*documents.rows(), strict=True)
    table = pa.table({"id": numbers, "doc": pa.array(texts).cast(kind)})
    return ray.data.from_arrow(table).repartition(5)


def convert(dataset: Any, **options: Any) -> Any:
    given = {"column": "doc", "to": documents.TO, "runtime_env": _PACKAGES, **options}
    return convert_dataset(SCHEME, dataset, **given)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary()], ids=str)
def test_the_bytes_are_those_of_one_machine(ray: Any, kind: pa.DataType, tmp_path: Path) -> None:
    """Documents of four versions in five blocks, with outcome, error and version before."""
    found = documents.by_number(convert(dataset_of(ray, kind)).take_all())
    assert found == documents.on_one_machine(kind)
    assert {row["outcome"] for row in found} >= {"converted", "unchanged", "failed", "empty"}
    if kind == pa.string():
        lines = documents.on_the_command_line(tmp_path)
        assert [row["doc"] for row in found[: len(lines)]] == lines


def test_documents_come_back(ray: Any) -> None:
    """What was converted goes back to the version that it had, as on one machine."""
    new = documents.on_one_machine(pa.string())
    for version in documents.VERSIONS:
        fine = [row for row in new if row["outcome"] in ("converted", "unchanged")]
        mine = [row for row in fine if row["version_before"].endswith(f"/{version}")]
        rows = [{"id": row["id"], "doc": row["doc"]} for row in mine]
        dataset = ray.data.from_items(rows, override_num_blocks=3)
        back = documents.by_number(convert(dataset, to=version, batch_size=7).take_all())
        expected = [SCHEME.convert_bytes(row["doc"], to=version).decode() for row in mine]
        assert expected
        assert [row["doc"] for row in back] == expected


def test_blocks_without_rows_or_types(ray: Any) -> None:
    """A block in which no row has a value has no type; pandas' blocks have types of their own."""
    bad = [{"doc": None}, {"doc": "{"}]
    blocks = convert(ray.data.from_items(bad, override_num_blocks=2)).take_all()
    assert sorted(row["outcome"] for row in blocks) == ["empty", "failed"]
    frame = pa.table({"doc": ["{", None]}).to_pandas()
    pandas = convert(ray.data.from_pandas(frame)).take_all()
    assert sorted(row["outcome"] for row in pandas) == ["empty", "failed"]
    assert convert(ray.data.from_items([])).take_all() == []


def test_what_is_missing_in_pandas_is_a_null(ray: Any) -> None:
    """Where NaN is among texts Ray pickles them all."""
    source = {"doc": ["{}", "{", float("nan")], "version": ["v20210101", float("nan"), "x"]}
    rows = [dict(zip(source, row, strict=True)) for row in zip(*source.values(), strict=True)]
    for dataset in (
        ray.data.from_pandas(pa.table({"id": [1, 2, 3]}).to_pandas().assign(**source)),
        ray.data.from_items(rows, override_num_blocks=1),
    ):
        found = convert(dataset, version_column="version", kind="Pool").take_all()
        assert [row["outcome"] for row in found] == ["converted", "failed", "empty"]
        assert [row["doc"] for row in found] == ["{}", "{", None]
        assert [row["version"] for row in found] == [documents.TO, None, "x"]


def test_options_that_are_holdalls_own_are_refused(ray: Any) -> None:
    """By the driver: on a worker they would end the run."""
    with pytest.raises(TypeError, match="batch_format"):
        convert(ray.data.from_items([{"doc": "{}"}]), batch_format="pandas")


def test_columns_say_version_and_kind(ray: Any) -> None:
    """They follow; a row that says nothing fails by itself."""
    source = {"doc": ["{}", "{}", None], "version": ["v20210101", None, "v20210101"]}
    dataset = ray.data.from_arrow(pa.table({"id": [1, 2, 3], **source}))
    found = documents.by_number(convert(dataset, version_column="version", kind="Pool").take_all())
    assert [row["version"] for row in found] == [documents.TO, None, "v20210101"]
    assert [row["outcome"] for row in found] == ["converted", "failed", "empty"]
    assert found[1]["error"]["code"] == "HA413"


@pytest.mark.parametrize("pandas", [False, True])
def test_wrong_columns_are_told_before_a_document_is_converted(ray: Any, pandas: bool) -> None:
    """What, where and the fix, as on one machine."""
    table = pa.table({"id": [1], "doc": ["{}"], "error": ["x"]})
    data = ray.data.from_pandas(table.to_pandas()) if pandas else ray.data.from_arrow(table)
    for column, message in (
        ("dok", 'did you mean "doc"?'),
        ("doc", "HA412 column 'error'"),
        ("id", "HA411 column 'id': expected JSON as text or binary, found int64"),
    ):
        if pandas and column == "id":
            continue  # its type is known once it is Arrow's
        with pytest.raises(SourceError, match="fix: ") as caught:
            convert(data, column=column)
        assert message in str(caught.value)
    with pytest.raises(UnknownKindError, match="no group has the version 'v1'"):
        convert(data, to="v1")


def test_workers_without_the_packages_are_told(ray: Any, elsewhere: Path, tmp_path: Path) -> None:
    """The driver names what is missing and how to send it; once it is sent, workers convert."""
    scheme = scheme_of(elsewhere)
    dataset = ray.data.from_items([{"doc": _THING}])
    package = scheme.package.partition(".")[0]

    def convert(path: Path | None) -> Any:
        there = {"env_vars": {"PYTHONPATH": str(path)}} if path else None
        return convert_dataset(scheme, dataset, column="doc", to="v2", runtime_env=there)

    with pytest.raises(WorkerUnready, match="runtime_env") as caught:
        convert(None)
    assert f"the generated package {scheme.package} does not exist" in str(caught.value)
    shutil.copytree(elsewhere / package, tmp_path / "half" / package)
    with pytest.raises(WorkerUnready, match=f"of hooks, {scheme.hooks}, is missing"):
        convert(tmp_path / "half")
    (row,) = convert(elsewhere).take_all()
    assert row["doc"].encode() == scheme.convert_bytes(_THING, to="v2")


def test_workers_without_holdall_are_told(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The probe runs there, too."""
    monkeypatch.setattr("holdall.bulk.engines.__name__", "holdall_that_is_missing.engines")
    with pytest.raises(WorkerUnready, match="ModuleNotFoundError: No module named 'holdall_that"):
        convert(ray.data.from_items([{"doc": "{}"}]))

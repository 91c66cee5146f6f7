"""Documents on Spark: the bytes of one machine, and errors that the driver tells."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from generated.batch import SCHEME
from holdall.bulk.engines import WorkerUnready
from holdall.bulk.spark import convert_frame
from holdall.errors import SourceError, UnknownKindError
from tests.engines import documents
from tests.support.projects import scheme_of

# What Spark warns of is its own.
pytestmark = pytest.mark.filterwarnings("default")
_THING = '{"apiVersion":"example.com/v1","kind":"Thing","spec":{"size":1}}'


@pytest.fixture(scope="session")
def packages(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Send the packages of the sample project to the workers."""
    send(spark, tmp_path_factory.mktemp("packages"), documents.ROOT, "generated", "hooks")


def send(spark: Any, folder: Path, root: Path, *names: str) -> None:
    """Send packages in an archive."""
    for name in names:
        shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    spark.sparkContext.addPyFile(shutil.make_archive(f"{folder}-{names[0]}", "zip", folder))


def frame_of(spark: Any) -> Any:
    return spark.createDataFrame([*documents.rows()], "id long, doc string").repartition(5)


def read(frame: Any) -> list[dict[str, Any]]:
    return documents.by_number(row.asDict(recursive=True) for row in frame.collect())


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize("kind", ["string", "binary"])
def test_the_bytes_are_those_of_one_machine(spark: Any, kind: str, tmp_path: Path) -> None:
    """Documents of four versions in five partitions, with outcome, error and version before."""
    frame = frame_of(spark).selectExpr("id", f"cast(doc as {kind}) as doc")
    found = read(convert_frame(SCHEME, frame, column="doc", to=documents.TO))
    expected = documents.on_one_machine(pa.string() if kind == "string" else pa.binary())
    assert found == expected
    assert {row["outcome"] for row in found} >= {"converted", "unchanged", "failed", "empty"}
    if kind == "string":
        lines = documents.on_the_command_line(tmp_path)
        assert [row["doc"] for row in found[: len(lines)]] == lines


@pytest.mark.usefixtures("packages")
def test_documents_come_back(spark: Any) -> None:
    """What was converted goes back to the version that it had, as on one machine."""
    there = convert_frame(SCHEME, frame_of(spark), column="doc", to=documents.TO)
    new = {row["id"]: row["doc"] for row in documents.on_one_machine(pa.string())}
    for version in documents.VERSIONS:
        fine = there.where("outcome != 'failed'")
        mine = fine.where(fine.version_before.endswith(f"/{version}")).select("id", "doc")
        back = read(convert_frame(SCHEME, mine, column="doc", to=version))
        assert back
        for row in back:
            assert row["doc"].encode() == SCHEME.convert_bytes(new[row["id"]], to=version)


@pytest.mark.usefixtures("packages")
def test_columns_say_version_and_kind(spark: Any) -> None:
    """They follow; a row that says nothing fails by itself."""
    source = [("{}", "v20210101"), ("{}", None), (None, "v20210101")]
    frame = spark.createDataFrame(source, "doc string, version string").coalesce(1)
    found = convert_frame(
        SCHEME, frame, column="doc", to=documents.TO, version_column="version", kind="Pool"
    ).collect()
    assert [row.version for row in found] == [documents.TO, None, "v20210101"]
    assert [row.outcome for row in found] == ["converted", "failed", "empty"]
    assert found[1].error.code == "HA413"


@pytest.mark.usefixtures("packages")
def test_wrong_columns_are_told_before_a_task_runs(spark: Any) -> None:
    """What, where and the fix, as on one machine; a task of this frame would fail."""
    frame = spark.sql("select 1L id, cast(raise_error('it runs') as string) doc, 'x' Error")
    for column, message in (
        ("id", "HA411 column 'id': expected JSON as text or binary, found int64"),
        ("dok", 'did you mean "doc"?'),
        ("doc", "HA412 column 'Error'"),
        ("", "HA410 column ''"),
    ):
        with pytest.raises(SourceError, match="fix: ") as caught:
            convert_frame(SCHEME, frame, column=column, to=documents.TO)
        assert message in str(caught.value)
    with pytest.raises(UnknownKindError, match="no group has the version 'v1'"):
        convert_frame(SCHEME, frame, column="doc", to="v1")


@pytest.mark.usefixtures("packages")
def test_columns_may_have_any_name(spark: Any) -> None:
    """Also names in which a dot or a backtick means something to Spark, and equal ones."""
    frame = spark.sql("select '{' `the.doc`, 1 `a``b`, 2 x, 3 x, 4 X")
    (row,) = convert_frame(SCHEME, frame, column="the.doc", to=documents.TO).collect()
    assert row.__fields__[:5] == ["the.doc", "a`b", "x", "x", "X"]
    assert (*row[:6],) == ("{", 1, 2, 3, 4, "failed")


@pytest.mark.usefixtures("packages")
def test_streams_and_other_columns(spark: Any, tmp_path: Path) -> None:
    """A streaming frame is converted as it comes, and columns of any type stay."""
    kinds = "id long, doc string, at timestamp, more map<string,array<int>>"
    rows = "select 1L id, '{' doc, timestamp'2024-01-02 03:04:05' at, map('a', array(1)) more"
    spark.sql(rows).write.parquet(str(tmp_path / "source"))
    stream = spark.readStream.schema(kinds).parquet(str(tmp_path / "source"))
    converted = convert_frame(SCHEME, stream, column="doc", to=documents.TO)
    query = converted.writeStream.format("memory").queryName("got").outputMode("append")
    query.trigger(availableNow=True).start().awaitTermination()
    (row,) = spark.table("got").collect()
    assert (row.outcome, row.more, row["at"].year) == ("failed", {"a": [1]}, 2024)


def test_workers_without_the_packages_are_told(spark: Any, elsewhere: Path, tmp_path: Path) -> None:
    """The driver names what is missing and how to send it; once it is sent, workers convert."""
    scheme = scheme_of(elsewhere)
    frame = spark.createDataFrame([(_THING,)], "doc string")
    package = scheme.package.partition(".")[0]

    def convert() -> Any:
        return convert_frame(scheme, frame, column="doc", to="v2")

    with pytest.raises(WorkerUnready, match="addPyFile") as caught:
        convert()
    assert f"the generated package {scheme.package} does not exist" in str(caught.value)
    assert "--py-files" in str(caught.value) and "spark.addArtifact" in str(caught.value)
    send(spark, tmp_path / "one", elsewhere, package)
    with pytest.raises(WorkerUnready, match=f"of hooks, {scheme.hooks}, is missing"):
        convert()
    send(spark, tmp_path / "other", elsewhere, scheme.hooks)
    (row,) = convert().collect()
    assert row.doc.encode() == scheme.convert_bytes(_THING, to="v2")


def test_workers_without_holdall_are_told(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The probe runs there, too."""
    monkeypatch.setattr("holdall.bulk.engines.__name__", "holdall_that_is_missing.engines")
    with pytest.raises(WorkerUnready, match="ModuleNotFoundError: No module named 'holdall_that"):
        convert_frame(SCHEME, frame_of(spark), column="doc", to=documents.TO)


def test_spark_runs_this_python(spark: Any) -> None:
    """Otherwise what is tested here would not be what the workers do."""
    import pyspark

    def version(source: Any) -> Any:
        for _ in source:
            yield pa.RecordBatch.from_pydict({"python": [sys.executable]})

    found = spark.range(1).mapInArrow(version, "python string").collect()
    assert {Path(row.python).parent for row in found} == {Path(sys.executable).parent}
    assert pyspark.__version__ == spark.version

"""`holdall rewrite` and `holdall settle` on PostgreSQL: all types, writers at work, sudden ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from holdall.cli.root import root as holdall_command
from tests.databases.conftest import as_server
from tests.support.projects import THING_CONFIG, THING_FILES, build_project

ROWS = int(os.environ.get("HOLDALL_ROWS", "10000"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the kind Thing in v1 and v2."""
    return build_project(tmp_path_factory.mktemp("things"), THING_CONFIG, THING_FILES)


@pytest.fixture(autouse=True)
def _own_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    yield


@pytest.fixture
def database(postgres: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection, outside of any transaction; all tables are dropped at the end."""
    url = sa.make_url(postgres)
    with psycopg.connect(
        host=str(url.query["host"]), user=url.username, dbname=url.database, autocommit=True
    ) as connection:
        yield connection
        connection.execute("drop schema public cascade")
        connection.execute("create schema public")


def document(number: int, version: str = "v1", **more: Any) -> dict[str, Any]:
    spec = {"size": number, "color": f"c{number % 7}", "parts": [{"name": "x", "weight": number}]}
    if version == "v2":
        spec = {"size": number, "shade": number % 5}
    head = {"apiVersion": f"example.com/{version}", "kind": "Thing"}
    return {**head, "metadata": {"name": f"n{number}"}, "spec": {**spec, **more}}


def mixed(number: int) -> dict[str, Any]:
    return document(number, "v2" if number % 3 == 0 else "v1")


def fill(database: psycopg.Connection[Any], create: str, count: int) -> None:
    database.execute(create)
    with database.cursor() as cursor, cursor.copy("copy things (id, doc) from stdin") as copy:
        for number in range(count):
            copy.write_row((number, json.dumps(mixed(number))))


def found(database: psycopg.Connection[Any]) -> dict[int, dict[str, Any]]:
    rows = database.execute("select id::text::int, doc::text from things")
    return {key: json.loads(text) for key, text in rows}


def tables(database: psycopg.Connection[Any]) -> set[str]:
    query = "select table_name from information_schema.tables where table_schema = 'public'"
    return {name for (name,) in database.execute(query)}


def arguments(project: Path, postgres: str, command: str, *more: str) -> list[str]:
    place = ["--table", "things", "--column", "doc"]
    return ["--project", str(project), command, postgres, *place, *more]


def run(project: Path, postgres: str, command: str, *more: str) -> Result:
    return CliRunner().invoke(holdall_command, arguments(project, postgres, command, *more))


@pytest.mark.parametrize("kind", ["jsonb", "json", "text", "varchar(4000)"])
@pytest.mark.parametrize("key", ["bigint", "text", "numeric"])
def test_there_and_back(
    project: Path, postgres: str, database: psycopg.Connection[Any], kind: str, key: str
) -> None:
    """Every row goes to the version and comes back exactly; then nothing is left behind."""
    fill(database, f"create table things (id {key} primary key, doc {kind})", 500)
    result = run(project, postgres, "rewrite", "--to", "v2", "--verify", "--batch", "64")
    assert result.exit_code == 0, result.output
    assert "167 unchanged, 333 written" in result.stdout
    assert all(doc["apiVersion"][-2:] == "v2" for doc in found(database).values())
    result = run(project, postgres, "rewrite", "--rollback", "--batch", "64")
    assert result.exit_code == 0, result.output
    assert found(database) == {number: mixed(number) for number in range(500)}
    assert tables(database) == {"things"}


def test_bytes_and_other_keys(
    project: Path, postgres: str, database: psycopg.Connection[Any]
) -> None:
    """Documents as bytea, keys of two columns, one a uuid and one a time; a schema of its own."""
    database.execute("create schema own")
    database.execute(
        "create table own.things (a uuid, b timestamptz, doc bytea, primary key (a, b))"
    )
    database.execute(
        "insert into own.things select gen_random_uuid(), now() + n * interval '1 ms', %s::bytea"
        " from generate_series(1, 50) n",
        (json.dumps(document(1)).encode(),),
    )
    place = ("--project", str(project), "rewrite", postgres, "--table", "own.things")
    for way in (("--to", "v2"), ("--rollback",)):
        options = [*place, "--column", "doc", "--batch", "7", *way]
        result = CliRunner().invoke(holdall_command, options)
        assert "50 written" in result.stdout, result.output
    texts = {bytes(doc) for (doc,) in database.execute("select doc from own.things")}
    assert [json.loads(text) for text in texts] == [document(1)]
    database.execute("drop schema own cascade")


def test_what_the_database_refuses(
    project: Path, postgres: str, database: psycopg.Connection[Any]
) -> None:
    """A row that no longer fits its column is reported, and its neighbours are written."""
    fill(database, "create table things (id bigint primary key, doc varchar(220))", 10)
    result = run(project, postgres, "rewrite", "--to", "v2")
    assert result.exit_code == 1
    assert "HA426 id 1: the database refuses: value too long" in result.stderr
    assert found(database)[1] == document(1)


class Writers:
    """Others at work: they edit, insert and delete rows, and keep in mind what must be there."""

    def __init__(self, postgres: str, rows: int) -> None:
        url = sa.make_url(postgres)
        self._host, self._user = str(url.query["host"]), url.username
        self._rows = rows
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(n,)) for n in range(3)]
        self.sizes: dict[int, int] = {}
        self.deleted: set[int] = set()
        self.inserted: dict[int, dict[str, Any]] = {}
        self.errors: list[psycopg.Error] = []

    def __enter__(self) -> Writers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()
        assert not self.errors

    def _work(self, number: int) -> None:
        try:
            with psycopg.connect(host=self._host, user=self._user, autocommit=True) as connection:
                step = 0
                while not self._end.is_set():
                    step += 1
                    key = (step * 7919 + number * 104729) % self._rows
                    key -= key % 3 - number  # each thread has rows of its own
                    if not 0 <= key < self._rows or key in self.deleted:
                        continue
                    if step % 50 == 0:
                        connection.execute("delete from things where id = %s", (key,))
                        self.deleted.add(key)
                        self.sizes.pop(key, None)
                    elif step % 10 == 0:
                        new = self._rows + step * 3 + number
                        self.inserted[new] = document(new)
                        text = json.dumps(self.inserted[new])
                        connection.execute("insert into things values (%s, %s)", (new, text))
                    else:
                        connection.execute(
                            "update things set doc = jsonb_set(doc, '{spec,size}', %s)"
                            " where id = %s",
                            (json.dumps(step), key),
                        )
                        self.sizes[key] = step
        except psycopg.Error as error:
            self.errors.append(error)


def expected(writers: Writers, rows: int) -> dict[int, dict[str, Any]]:
    """What must be there in the end: what was, with all edits."""
    wanted = {number: mixed(number) for number in range(rows) if number not in writers.deleted}
    wanted |= writers.inserted
    for key, size in writers.sizes.items():
        wanted[key]["spec"]["size"] = size
    return wanted


@pytest.mark.parametrize("batch", ["20", "500"])
def test_with_writers_at_work(
    project: Path, postgres: str, database: psycopg.Connection[Any], batch: str
) -> None:
    """No edit is lost, no deleted row is back, on the way there and on the way back."""
    fill(database, "create table things (id bigint primary key, doc jsonb)", ROWS)
    with Writers(postgres, ROWS) as writers:
        result = run(project, postgres, "rewrite", "--to", "v2", "--batch", batch)
        assert result.exit_code in (0, 1), result.output
        result = run(project, postgres, "rewrite", "--rollback", "--batch", batch)
        assert result.exit_code in (0, 1), result.output
    # What was inserted behind or refused meanwhile is done once the writers rest.
    assert run(project, postgres, "rewrite", "--rollback").exit_code == 0 or not tables(
        database
    ) - {"things"}
    assert len(writers.sizes) > 50 and len(writers.deleted) > 1
    assert found(database) == expected(writers, ROWS)


@pytest.mark.parametrize("way", [("--to", "v2"), ("--rollback",)])
def test_kill(
    project: Path,
    postgres: str,
    database: psycopg.Connection[Any],
    way: tuple[str, ...],
    project_root: Path,
) -> None:
    """kill -9, again and again, with writers at work: nothing lost, nothing converted twice."""
    fill(database, "create table things (id bigint primary key, doc jsonb)", ROWS)
    if way == ("--rollback",):
        assert run(project, postgres, "rewrite", "--to", "v2").exit_code == 0
    paths = os.pathsep.join(str(project_root / source) for source in ("runtime", "codegen"))
    options = arguments(project, postgres, "rewrite", *way, "--batch", "100", "--state", "s.json")
    kills = 0
    with Writers(postgres, ROWS) as writers:
        for wait in (1.5, 2.0, 2.5):
            process = subprocess.Popen(
                [sys.executable, "-m", "holdall.cli", *options],
                env={**os.environ, "PYTHONPATH": paths},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(wait)
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
    assert kills
    if Path("s.json").exists():
        assert run(project, postgres, *options[2:3], *way, "--state", "s.json").exit_code == 0
    if way == ("--to", "v2"):
        assert run(project, postgres, "rewrite", "--to", "v2").exit_code == 0
        assert {doc["apiVersion"] for doc in found(database).values()} == {"example.com/v2"}
    if tables(database) != {"things"}:
        assert run(project, postgres, "rewrite", "--rollback").exit_code == 0
    # A writer inserts at v1 while rows are at v2: a row of either version goes back to its own.
    assert found(database) == expected(writers, ROWS)


def test_a_full_disk(
    project: Path, postgres: str, database: psycopg.Connection[Any], tmp_path: Path
) -> None:
    """What was written stays, the rest is as it was; with room again it goes on to the end."""
    place = Path(f"{sa.make_url(postgres).query['host']}/small")
    as_server("mkdir", place)
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=777", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can be made by root only")
    try:
        as_server("mkdir", place / "own")
        database.execute(f"create tablespace small location '{place / 'own'}'".encode())
        create = "create table things (id bigint primary key, doc jsonb) tablespace small"
        fill(database, create, 20_000)
        database.execute("alter table things set (autovacuum_enabled = false)")
        room = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize - 2**20
        (place / "ballast").write_bytes(b"\0" * max(room, 0))
        before = found(database)
        result = run(project, postgres, "rewrite", "--to", "v2", "--state", "s.json")
        assert result.exit_code == 2, result.output
        assert "HA424 things.doc: the database gave up: could not extend file" in result.stderr
        middle = found(database)
        done = [key for key in middle if middle[key] != before[key]]
        (count,) = database.execute("select count(*) from holdall_things_doc").fetchone() or (0,)
        assert 0 < len(done) == count < 20_000 and max(done) - min(done) < 1.6 * count
        subprocess.run(["mount", "-o", "remount,size=200m", str(place)], check=True)
        assert run(project, postgres, "rewrite", "--to", "v2", "--state", "s.json").exit_code == 0
        assert run(project, postgres, "rewrite", "--rollback").exit_code == 0
        assert found(database) == before
        database.execute("drop table things")
        database.execute("drop tablespace small")
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


def test_settle(project: Path, postgres: str, database: psycopg.Connection[Any]) -> None:
    """What only the way back needed is listed, then dropped."""
    fill(database, "create table things (id bigint primary key, doc jsonb)", 300)
    assert run(project, postgres, "rewrite", "--to", "v2").exit_code == 0
    result = run(project, postgres, "settle", "--to", "v2")
    assert (result.exit_code, "bags in 200 rows" in result.stdout) == (1, True), result.output
    assert run(project, postgres, "settle", "--to", "v2", "--apply").exit_code == 0
    documents = found(database)
    assert all("annotations" not in doc["metadata"] for doc in documents.values())
    assert documents[1]["spec"] == {"size": 1, "parts": [{"name": "x"}]}
    assert tables(database) == {"things"}

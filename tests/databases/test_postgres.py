"""`holdall rewrite` on PostgreSQL: the types of its columns and keys, and a full disk."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from holdall.cli.root import root as holdall_command
from holdall.databases.tables import Names, connect, find
from tests.databases.conftest import as_server
from tests.databases.things import Server, assert_there_and_back, document, postgres_server


@pytest.fixture
def database(postgres: str) -> Iterator[Server]:
    """A server; all tables are dropped at the end."""
    found = postgres_server(postgres)
    yield found
    found.clear()


@pytest.mark.parametrize("kind", ["jsonb", "json", "text", "varchar(4000)"])
@pytest.mark.parametrize("key", ["bigint", "text", "numeric"])
def test_there_and_back(project: Path, database: Server, kind: str, key: str) -> None:
    assert_there_and_back(project, database, kind, key)


def test_bytes_and_other_keys(project: Path, database: Server) -> None:
    """Documents as bytea, keys of two columns, one a uuid and one a time; a schema of its own."""
    database.execute("create schema own")
    database.execute(
        "create table own.things (a uuid, b timestamptz, doc bytea, primary key (a, b))"
    )
    database.execute(
        "insert into own.things select gen_random_uuid(), now() + n * interval '1 ms', :doc"
        " from generate_series(1, 50) n",
        {"doc": json.dumps(document(1)).encode()},
    )
    place = ("--project", str(project), "rewrite", database.url, "--table", "own.things")
    for way in (("--to", "v2"), ("--rollback",)):
        options = [*place, "--column", "doc", "--batch", "7", *way]
        result = CliRunner().invoke(holdall_command, options)
        assert "50 written" in result.stdout, result.output
    texts = {bytes(doc) for (doc,) in database.execute("select doc from own.things")}
    assert [json.loads(text) for text in texts] == [document(1)]
    database.execute("drop schema own cascade")


def test_an_index_that_failed(project: Path, database: Server) -> None:
    """PostgreSQL keeps what `concurrently` has begun: it says nothing about rows that are there."""
    database.fill("create table things (id integer, doc jsonb)", 3)
    database.execute("update things set id = 1")
    build = "create unique index concurrently one on things (id)"
    with pytest.raises(sa.exc.IntegrityError):
        database.execute(build)
    result = database.run(project, "rewrite", "--to", "v2", "--key", "id")
    assert (result.exit_code, database.tables()) == (2, {"things"})
    assert "HA423 things: no index makes id unique" in result.stderr
    database.execute("drop index one")
    database.execute("delete from things where ctid <> (select min(ctid) from things)")
    database.execute(build)
    assert database.run(project, "rewrite", "--to", "v2", "--key", "id").exit_code == 0


def test_names_with_dots(project: Path, database: Server) -> None:
    """In quotes they are names: of a table, and of a schema."""
    database.execute('create schema "o.wn"')
    database.execute('create table "o.wn"."a.b" (id integer, doc jsonb)')
    database.execute('create unique index "u.i" on "o.wn"."a.b" (id)')
    values = {"doc": json.dumps(document(1))}
    database.execute('insert into "o.wn"."a.b" values (1, cast(:doc as jsonb))', values)
    place = ("--project", str(project), "rewrite", database.url, "--table", '"o.wn"."a.b"')
    options = [*place, "--column", "doc", "--key", "id", "--to", "v2"]
    result = CliRunner().invoke(holdall_command, options)
    database.execute('drop schema "o.wn" cascade')
    assert '"o.wn"."a.b".doc: 1 written' in result.stdout, result.output


def test_a_key_that_does_not_find_its_row(project: Path, database: Server) -> None:
    """A `real` is not equal to what the driver makes of it: its rows were taken for deleted."""
    database.fill("create table things (id real primary key, doc jsonb)", 3)
    result = database.run(project, "rewrite", "--to", "v2")
    assert (result.exit_code, database.tables()) == (2, {"things"})
    assert "HA423 things: id is part of the key, but rows cannot be found by" in result.stderr


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("timestamp", ["infinity", "-infinity", "2020-01-01 00:00:00.000001"]),
        ("timestamptz", ["infinity", "20000-01-01", "2020-10-25 02:30+02", "2020-10-25 02:30+01"]),
        ("date", ["infinity", "0044-03-15 BC", "2020-01-01"]),
        ("tstzrange", ["[2020-01-01,infinity)", "[-infinity,2020-01-01)", "empty"]),
        ("tstzmultirange", ["{[2020-01-01,infinity)}", "{}"]),
        ("time", ["24:00", "00:00", "12:00"]),
        ("interval", ["1 month", "30 days 1 second", "17 years", "178000000 years"]),
        ("integer[]", ["{1}", "{1,70000}", "{}"]),
        ("jsonb", ["1", '"a"', "{}", "[1]"]),
    ],
)
def test_keys_that_the_driver_has_no_value_for(
    project: Path, database: Server, key: str, values: list[str]
) -> None:
    """They come and go as text; no row is left out, met without end or taken for gone."""
    database.execute(f"create table things (id {key} primary key, doc jsonb)")
    rows = [{"id": value, "doc": json.dumps(document(n))} for n, value in enumerate(values)]
    database.execute(f"insert into things values (cast(:id as {key}), :doc)", *rows)
    before = database.execute("select id::text, doc from things order by id")
    for way, count in ((("--to", "v2"), 1), (("--rollback",), len(values))):
        options = ("--batch", str(count), *way)
        result = database.run(project, "rewrite", *options)
        assert f"things.doc: {len(values)} written" in result.stdout, result.output
    assert database.execute("select id::text, doc from things order by id") == before


def test_a_server_that_may_not_be_written(project: Path, database: Server) -> None:
    """It concerns no row: the run ends and says what to do, also where there are records."""
    database.fill("create table things (id bigint primary key, doc jsonb)", 10)
    read_only = Server(
        f"{database.url}&options=-c%20default_transaction_read_only%3Don", database.edit
    )
    cases = [("--to", "v2"), ("--to", "v2", "--no-record"), ("--rollback",)]
    for way in cases:
        if "--rollback" in way:
            assert database.run(project, "rewrite", "--to", "v2").exit_code == 0
        result = read_only.run(project, "rewrite", *way)
        assert (result.exit_code, result.stdout) == (2, ""), result.output
        assert result.stderr.startswith("HA424 things.doc: the database failed: cannot execute")
        assert "fix: use a user, a file and a server that allow" in result.stderr


def test_rows_that_are_locked_a_while(project: Path, database: Server) -> None:
    """Where a row is refused, the others are written one by one; each is counted once."""
    database.fill("create table things (id bigint primary key, doc jsonb)", 6)
    database.execute("alter table things add check (id <> 1 or doc->>'apiVersion' like '%v1')")
    limited = Server(f"{database.url}&options=-c%20lock_timeout%3D100", database.edit)
    with database.engine.connect() as other:
        other.exec_driver_sql("begin; select * from things where id = 4 for update")
        threading.Timer(0.5, lambda: other.exec_driver_sql("commit")).start()
        result = limited.run(project, "rewrite", "--to", "v2")
    assert "things.doc: 1 refused, 2 unchanged, 3 written" in result.stdout, result.output


def test_another_run_creates_the_records(project: Path, database: Server) -> None:
    """Two runs may begin at once: the second one waits for the table, and then uses it."""
    database.fill("create table things (id bigint primary key, doc jsonb)", 6)
    waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'"
    engine = connect(database.url)
    with engine.connect() as other:
        find(engine, Names("things", "doc")).records.create(other)

        def commit_when_the_run_waits() -> None:
            while not database.execute(waiting):
                time.sleep(0.01)
            other.commit()

        thread = threading.Thread(target=commit_when_the_run_waits)
        thread.start()
        result = database.run(project, "rewrite", "--to", "v2")
        thread.join()
    engine.dispose()
    assert "things.doc: 2 unchanged, 4 written" in result.stdout, result.output
    assert "4 written" in database.run(project, "rewrite", "--rollback").stdout


def test_what_the_database_refuses(project: Path, database: Server) -> None:
    """A row that no longer fits its column is reported, and its neighbours are written."""
    database.fill("create table things (id bigint primary key, doc varchar(220))", 10)
    result = database.run(project, "rewrite", "--to", "v2")
    assert result.exit_code == 1
    assert "HA426 id 1: the database refuses it: value too long" in result.stderr
    assert database.found()[1] == document(1)


def test_a_full_disk(project: Path, database: Server) -> None:
    """What was written stays, the rest is as it was; with room again it goes on to the end."""
    place = Path(f"{sa.make_url(database.url).query['host']}/small")
    as_server("mkdir", place)
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=777", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can be made by root only")
    try:
        as_server("mkdir", place / "own")
        database.execute(f"create tablespace small location '{place / 'own'}'")
        create = "create table things (id bigint primary key, doc jsonb) tablespace small"
        database.fill(create, 20_000)
        database.execute("alter table things set (autovacuum_enabled = false)")
        room = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize - 2**20
        (place / "ballast").write_bytes(b"\0" * max(room, 0))
        before = database.found()
        result = database.run(project, "rewrite", "--to", "v2", "--state", "s.json")
        assert result.exit_code == 2, result.output
        assert "HA424 things.doc: the database failed: could not extend file" in result.stderr
        middle = database.found()
        done = [key for key in middle if middle[key] != before[key]]
        (name,) = (name for name in database.tables() if name.startswith("holdall_"))
        ((count,),) = database.execute(f"select count(*) from {name}")
        assert 0 < len(done) == count < 20_000 and max(done) - min(done) < 1.6 * count
        subprocess.run(["mount", "-o", "remount,size=200m", str(place)], check=True)
        assert database.run(project, "rewrite", "--to", "v2", "--state", "s.json").exit_code == 0
        assert database.run(project, "rewrite", "--rollback").exit_code == 0
        assert database.found() == before
        database.execute("drop table things")
        database.execute("drop tablespace small")
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)

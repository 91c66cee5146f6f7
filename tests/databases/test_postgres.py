"""`holdall rewrite` on PostgreSQL: the types of its columns and keys, and a full disk."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from holdall.cli.root import root as holdall_command
from tests.databases.conftest import as_server
from tests.databases.things import Server, document, mixed, postgres_server


@pytest.fixture
def database(postgres: str) -> Iterator[Server]:
    """A server; all tables are dropped at the end."""
    found = postgres_server(postgres)
    yield found
    found.clear()


@pytest.mark.parametrize("kind", ["jsonb", "json", "text", "varchar(4000)"])
@pytest.mark.parametrize("key", ["bigint", "text", "numeric"])
def test_there_and_back(project: Path, database: Server, kind: str, key: str) -> None:
    """Every row goes to the version and comes back exactly; then nothing is left behind."""
    database.fill(f"create table things (id {key} primary key, doc {kind})", 500)
    result = database.run(project, "rewrite", "--to", "v2", "--verify", "--batch", "64")
    assert result.exit_code == 0, result.output
    assert "167 unchanged, 333 written" in result.stdout
    assert all(doc["apiVersion"][-2:] == "v2" for doc in database.found().values())
    result = database.run(project, "rewrite", "--rollback", "--batch", "64")
    assert result.exit_code == 0, result.output
    assert database.found() == {number: mixed(number) for number in range(500)}
    assert database.tables() == {"things"}


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


def test_a_key_that_does_not_find_its_row(project: Path, database: Server) -> None:
    """A `real` is not equal to what the driver makes of it: its rows were taken for deleted."""
    database.fill("create table things (id real primary key, doc jsonb)", 3)
    result = database.run(project, "rewrite", "--to", "v2")
    assert (result.exit_code, database.tables()) == (2, {"things"})
    assert "HA423 things: id is of the key, and rows cannot be found by a REAL" in result.stderr


def test_what_the_database_refuses(project: Path, database: Server) -> None:
    """A row that no longer fits its column is reported, and its neighbours are written."""
    database.fill("create table things (id bigint primary key, doc varchar(220))", 10)
    result = database.run(project, "rewrite", "--to", "v2")
    assert result.exit_code == 1
    assert "HA426 id 1: the database refuses: value too long" in result.stderr
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
        assert "HA424 things.doc: the database gave up: could not extend file" in result.stderr
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

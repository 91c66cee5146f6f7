"""`holdall rewrite` on MariaDB, by the dialect of MySQL: the types of its columns and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases.things import Server, document, mariadb_server, mixed


@pytest.fixture
def database(mariadb: str) -> Iterator[Server]:
    """A server; all tables are dropped at the end."""
    found = mariadb_server(mariadb)
    yield found
    found.clear()


@pytest.mark.parametrize("kind", ["json", "longtext", "varchar(4000)", "longblob"])
@pytest.mark.parametrize("key", ["bigint", "varchar(40)", "decimal(20,0)"])
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


def test_a_text_that_a_collation_takes_for_another(project: Path, database: Server) -> None:
    """Keys and documents are compared letter by letter, whatever the column's collation says."""
    create = "create table things (id varchar(40) collate utf8mb4_bin primary key, doc longtext"
    database.execute(f"{create} collate utf8mb4_general_ci)")
    rows = {key: document(1, color=key) for key in ("a", "A", "\u00e4", "\u00c4", "b")}
    values = [{"id": key, "doc": json.dumps(doc)} for key, doc in rows.items()]
    database.execute("insert into things values (:id, :doc)", *values)
    for way in (("--to", "v2"), ("--rollback",)):
        result = database.run(project, "rewrite", *way, "--batch", "1")
        assert "5 written" in result.stdout, result.output
    found = database.execute("select id, doc from things")
    assert {key: json.loads(text) for key, text in found} == rows


def test_what_the_database_refuses(project: Path, database: Server) -> None:
    """A row that no longer fits its column is reported, and its neighbours are written."""
    database.fill("create table things (id bigint primary key, doc varchar(220))", 10)
    result = database.run(project, "rewrite", "--to", "v2")
    assert result.exit_code == 1
    assert "HA426 id 1: the database refuses: " in result.stderr
    assert "Data too long for column 'doc'" in result.stderr
    assert database.found()[1] == document(1)

"""`holdall rewrite` on MySQL and MariaDB: the types of their columns and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.databases.things import Server, assert_there_and_back, document, mixed, mysql_server


@pytest.fixture(params=["mysql", "mariadb"])
def database(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server; all tables are dropped at the end."""
    found = mysql_server(request.getfixturevalue(request.param))
    yield found
    found.clear()


@pytest.mark.parametrize("kind", ["json", "longtext", "varchar(4000)", "longblob"])
@pytest.mark.parametrize("key", ["bigint", "varchar(40)", "decimal(20,0)"])
def test_there_and_back(project: Path, database: Server, kind: str, key: str) -> None:
    assert_there_and_back(project, database, kind, key)


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


@pytest.mark.parametrize("charset", ["latin1", "utf8mb3"])
def test_columns_of_other_character_sets(project: Path, database: Server, charset: str) -> None:
    """As old tables have them."""
    kind = f"longtext character set {charset}"
    database.fill(f"create table things (id bigint primary key, doc {kind})", 10)
    result = database.run(project, "rewrite", "--to", "v2", "--verify")
    assert result.exit_code == 0, result.output
    result = database.run(project, "rewrite", "--rollback")
    assert result.exit_code == 0, result.output
    assert database.found() == {number: mixed(number) for number in range(10)}


@pytest.mark.parametrize("kind", ["enum('2', '0', '1')", "set('2', '0', '1')", "bit(4)", "float"])
def test_keys_that_are_not_what_they_are_compared_as(
    project: Path, database: Server, kind: str
) -> None:
    """Rows were left out or read without end, in the order of one thing and behind another."""
    database.execute(f"create table things (id {kind} primary key, doc json)")
    result = database.run(project, "rewrite", "--to", "v2")
    assert (result.exit_code, database.tables()) == (2, {"things"}), result.output
    assert "HA423 things: id is part of the key, but rows cannot be found by" in result.stderr


def test_an_engine_without_transactions(project: Path, database: Server) -> None:
    """Its rows would be written without their records, if one of a batch is refused."""
    database.fill("create table things (id bigint primary key, doc json) engine=MyISAM", 3)
    result = database.run(project, "rewrite", "--to", "v2")
    assert (result.exit_code, database.tables()) == (2, {"things"}), result.output
    assert "HA433 things: MyISAM has no transactions" in result.stderr
    database.execute("alter table things engine=InnoDB")
    # Where a server makes tables of something else by default, records are not.
    database.execute("set global default_storage_engine = MyISAM")
    try:
        assert database.run(project, "rewrite", "--to", "v2").exit_code == 0
    finally:
        database.execute("set global default_storage_engine = InnoDB")
    named = "select engine from information_schema.tables where table_schema = database()"
    assert {engine for (engine,) in database.execute(named)} == {"InnoDB"}


def test_what_the_database_refuses(project: Path, database: Server) -> None:
    """A row that no longer fits its column is reported, and its neighbours are written."""
    database.fill("create table things (id bigint primary key, doc varchar(220))", 10)
    result = database.run(project, "rewrite", "--to", "v2")
    assert result.exit_code == 1
    assert "HA426 id 1: the database refuses it: " in result.stderr
    assert "Data too long for column 'doc'" in result.stderr
    assert database.found()[1] == document(1)


def test_a_trigger_that_refuses_a_row(project: Path, database: Server) -> None:
    """It is a matter of that row alone, though the driver says the same of a server that ends."""
    database.fill("create table things (id bigint primary key, doc longtext)", 10)
    database.execute(
        "create trigger guard before update on things for each row"
        " if new.id = 1 then signal sqlstate '45000' set message_text = 'not this'; end if"
    )
    result = database.run(project, "rewrite", "--to", "v2")
    assert result.exit_code == 1, result.output
    assert "HA426 id 1: the database refuses it: (1644, 'not this')" in result.stderr
    assert "1 refused, 4 unchanged, 5 written" in result.stdout


def test_each_batch_begins_at_its_key(project: Path, database: Server) -> None:
    """What is done is not read again, neither for a key of two columns."""
    database.execute("create table things (a int, b int, doc text, primary key (a, b))")
    rows = [{"a": n // 20, "b": n % 20, "doc": json.dumps(document(n))} for n in range(1000)]
    database.execute("insert into things values (:a, :b, :doc)", *rows)
    status = "show global status like 'Handler_read_next'"
    ((_, before),) = database.execute(status)
    assert database.run(project, "rewrite", "--to", "v2", "--dry-run", "--batch", "10").stdout
    ((_, later),) = database.execute(status)
    assert int(later) - int(before) < 3000


@pytest.mark.parametrize("kind", ["json", "longtext", "longblob"])
def test_values_that_a_json_type_may_spell_otherwise(
    project: Path, database: Server, kind: str
) -> None:
    """What the column shows of a document is the same after the way there and back."""
    database.execute(f"create table things (id bigint primary key, doc {kind})")
    odd: dict[str, Any] = {
        "numbers": [0, -1, 2**53 + 1, 2**63, 2**64 - 1, -(2**63), 1.0, 0.1, 1e22, 5e-324, -0.5],
        "texts": ["", "\u00e9", "e\u0301", "\U0001f600", "\u0000", '"\\/', "\u2028"],
        "empty": [{}, [], None, {"": None}],
    }
    rows = [{"id": number, "doc": json.dumps(document(number, odd=odd))} for number in range(1, 20)]
    database.execute("insert into things values (:id, :doc)", *rows)
    before = database.execute("select id, doc from things order by id")
    result = database.run(project, "rewrite", "--to", "v2", "--verify")
    assert (result.exit_code, "19 written" in result.stdout) == (0, True), result.output
    assert {doc["spec"]["odd"] == odd for doc in database.found().values()} == {True}
    result = database.run(project, "rewrite", "--rollback")
    assert result.exit_code == 0, result.output
    after = database.execute("select id, doc from things order by id")
    assert [json.loads(doc) for _, doc in after] == [json.loads(doc) for _, doc in before]

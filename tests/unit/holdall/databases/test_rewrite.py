"""`holdall rewrite` and `holdall settle` on SQLite: every row there and back, others at work."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import Result

from holdall.bulk.documents import Documents
from holdall.bulk.documents import Result as Converted
from holdall.databases import rewriting, state
from holdall.databases.rows import Change, Reader, Writer
from holdall.databases.tables import Names, connect, find
from holdall.scheme.batches import Fault
from tests.support import plain_documents
from tests.support.clock import Clock
from tests.support.commands import run as run_command
from tests.support.projects import THING_CONFIG, THING_FILES, build_project

pytestmark = pytest.mark.usefixtures("own_folder")

TABLE = "create table things (id integer primary key, doc text)"


def thing(number: int = 0, version: str = "v1", **spec: Any) -> str:
    head = {"apiVersion": f"example.com/{version}", "kind": "Thing"}
    return json.dumps({**head, "spec": {"size": number, **spec}}, separators=(",", ":"))


def make(rows: Sequence[tuple[Any, ...]], create: str = TABLE) -> None:
    """Make a database with rows of key and document."""
    with connected() as database:
        database.execute(create)
        marks = ", ".join("?" * len(rows[0])) if rows else ""
        name = create.split()[2]
        database.executemany(f"insert into {name} values ({marks})", rows) if rows else None


class connected:
    """The database; what was done is committed and it is closed at the end."""

    def __enter__(self) -> sqlite3.Connection:
        self._connection = sqlite3.connect("d.db", timeout=10)
        return self._connection

    def __exit__(self, *_: object) -> None:
        self._connection.commit()
        self._connection.close()


def rows(query: str = "select id, doc from things order by id") -> list[tuple[Any, ...]]:
    with connected() as database:
        return database.execute(query).fetchall()


def tables() -> set[str]:
    return {name for (name,) in rows("select name from sqlite_master where type = 'table'")}


def records(column: str = "doc", table: str = "things") -> str:
    """Return the name of the table of records."""
    (name,) = (name for name in tables() if name.startswith(f"holdall_{table}_{column}"))
    return name


def run(
    project: Path,
    command: str,
    *arguments: str,
    url: str = "sqlite:///d.db",
    table: str = "things",
    column: str = "doc",
) -> Result:
    return run_command(project, command, url, "--table", table, "--column", column, *arguments)


def rewrite(project: Path, *arguments: str, **options: str) -> Result:
    return run(project, "rewrite", *arguments, **options)


MIXED = [
    (1, thing(1, color="red", box={"a": [1, None]}, parts=[{"name": "x", "weight": 5}])),
    (2, thing(2, "v2", shade=7)),
    (3, None),
    (5, thing(5)),
    (8, '{"apiVersion": "example.com/v2",  "kind": "Thing"}'),
    (13, thing(13, other="kept")),
]


def test_there_and_back(project: Path) -> None:
    """All rows are of the version; each goes back to the one it had; nothing is left behind."""
    make(MIXED)
    result = rewrite(project, "--to", "v2")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "things.doc: 1 empty, 2 unchanged, 3 written" in result.stdout
    assert "rows with bags: 1, " in result.stdout
    new = dict(rows())
    assert [json.loads(new[key])["apiVersion"] for key in (1, 2, 5, 8, 13)] == [
        "example.com/v2"
    ] * 5
    assert (new[2], new[3], new[8]) == (MIXED[1][1], None, MIXED[4][1])
    assert tables() == {"things", records()}
    result = rewrite(project, "--rollback")
    assert result.exit_code == 0, result.stderr
    assert [(key, text and json.loads(text)) for key, text in rows()] == [
        (key, text and json.loads(text)) for key, text in MIXED
    ]
    assert tables() == {"things"}


def test_documents_that_say_their_version_elsewhere(tmp_path: Path) -> None:
    """Rows of all versions go to one and back exactly, those that never said theirs, too; what
    only the way back needs is settled."""
    shop = build_project(tmp_path / "shop", plain_documents.CONFIG, plain_documents.FILES)
    stored = [
        {"type": "Order", "id": "a", "total": 3, "metadata": {"clerk": "Eve"}},
        {"schemaVersion": "v1", "type": "Order", "id": "b"},
        {"schemaVersion": 2, "type": "Order", "id": "c", "kind": "rush"},
        {"schemaVersion": 3, "type": "Order", "id": "d"},
        {"schemaVersion": 4, "type": "Order", "id": "e"},
    ]
    make([(number, json.dumps(value)) for number, value in enumerate(stored)])
    result = rewrite(shop, "--to", "v3", "--verify")
    assert result.exit_code == 1
    assert "/schemaVersion: 4 is not a version" in result.stderr
    make_whole = [*stored[:4]]
    with connected() as database:
        database.execute("delete from things where id = 4")
    result = rewrite(shop, "--to", "v3", "--verify")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [json.loads(text)["schemaVersion"] for _, text in rows()] == [3] * 4
    result = rewrite(shop, "--rollback")
    assert result.exit_code == 0, result.stderr
    assert [json.loads(text) for _, text in rows()] == make_whole
    assert rewrite(shop, "--to", "v3").exit_code == 0
    result = run(shop, "settle", "--to", "v3", "--apply")
    assert result.exit_code == 0, result.stderr
    assert all("$propertyBag" not in text for _, text in rows())


def test_objects_of_others_with_documents_as_text(tmp_path: Path) -> None:
    """They go back to the version of their documents; with several of them there is no way back,
    so they stay, unless nobody asks for one."""
    inner = "    inner_documents: [{in: [v1/ConfigMap], annotation: things}]\n"
    third = '      - {schemas: v2.yaml, version: v3, kinds: {Thing: ""}}\n    versions'
    config = THING_CONFIG.replace("v2]", "v2, v3]").replace("    versions", third)
    project = build_project(tmp_path / "inner", config + inner, THING_FILES)

    def holder(*versions: str) -> str:
        text = "".join(f"---\n{thing(1, version, a='b')}\n" for version in versions)
        value = {"apiVersion": "v1", "kind": "ConfigMap"}
        return json.dumps({**value, "metadata": {"annotations": {"things": text}}})

    make([(1, holder("v1", "v1")), (2, holder("v2")), (3, holder("v3")), (4, holder("v1", "v2"))])
    old = [json.loads(text) for _, text in rows()]
    result = rewrite(project, "--to", "v3")
    assert "1 refused, 1 unchanged, 2 written" in result.stdout
    assert (
        "HA425 id 4: its documents have several versions, so there is none to go back to"
        in result.stderr
    )
    assert "1 refused, 3 unchanged" in rewrite(project, "--to", "v3").stdout
    result = run(project, "settle", "--to", "v3")
    assert (result.exit_code, "bags in 0 rows" in result.stdout) == (1, True), result.stderr
    assert result.stderr.startswith(
        "HA430 id 4: it has several versions\n    fix: run `holdall rewrite` first\n"
    )
    assert rewrite(project, "--rollback").exit_code == 0
    assert [json.loads(text) for _, text in rows()] == old
    assert "nothing was written" in rewrite(project, "--to", "v3", "--verify").stderr
    assert "3 written" in rewrite(project, "--to", "v3", "--no-record").stdout


def test_a_dry_run_counts(project: Path) -> None:
    """By version, with bags; nothing changes, and code 1 says that something is to be done."""
    make([*MIXED, (21, "{")])
    before = rows()
    result = rewrite(project, "--to", "v2", "--dry-run", "--json")
    assert result.exit_code == 1, result.stderr
    told = json.loads(result.stdout)
    assert told["versions"] == {"example.com/v1": 3, "example.com/v2": 2, "none": 1}
    assert told["outcomes"] == {"to write": 3, "unchanged": 2, "empty": 1, "refused": 1}
    assert told["bags"]["rows"] == 1 and told["bags"]["bytes"] > 0
    assert (rows(), tables()) == (before, {"things"})


def test_what_verify_refuses_is_told_as_json(project: Path) -> None:
    """The rows that keep all others from being written are in the JSON, as of other runs."""
    make([*MIXED, (21, "{")])
    before = rows()
    result = rewrite(project, "--to", "v2", "--verify", "--json")
    told = json.loads(result.stdout)
    assert [problem["key"] for problem in told["problems"]] == [{"id": "21"}]
    assert told["outcomes"] == {"to write": 3, "unchanged": 2, "empty": 1, "refused": 1}
    assert (result.exit_code, rows(), tables()) == (1, before, {"things"})


def test_it_can_be_run_again(project: Path) -> None:
    """Rows of the version stay, byte for byte, and so does their way back."""
    make(MIXED)
    rewrite(project, "--to", "v2")
    after = rows()
    assert "5 unchanged" in rewrite(project, "--to", "v2").stdout
    assert rows() == after
    assert rewrite(project, "--to", "v2", "--dry-run").exit_code == 0
    assert len(rows(f"select * from {records()}")) == 3


def test_bad_rows_stay_and_are_reported(project: Path) -> None:
    """With key, code and path; their neighbours are written; code 1."""
    bad = thing(2, parts=[5])
    make([(1, thing(1)), (2, bad), (3, '{"apiVersion'), (4, thing(4, "v9")), (5, thing(5))])
    result = rewrite(project, "--to", "v2", "--errors", "e.jsonl")
    assert result.exit_code == 1
    found = [json.loads(line) for line in Path("e.jsonl").read_text().splitlines()]
    assert [(e["key"], e["code"], e["path"]) for e in found] == [
        ({"id": "2"}, "HA502", "/spec/parts/0"),
        ({"id": "3"}, "HA501", ""),
        ({"id": "4"}, "HA401", ""),
    ]
    new = dict(rows())
    assert (new[2], new[3]) == (bad, '{"apiVersion')
    assert new[1] == thing(1, "v2") and new[5] == thing(5, "v2")
    assert "HA502 id 2: /spec/parts/0: expected" in rewrite(project, "--to", "v2").stderr


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("5", "HA502 id 2: expected object, found integer"),
        ("-1.5", "HA502 id 2: expected object, found number"),
        ("1e12", "HA502 id 2: expected object, found number"),
        ("9e999", "HA501 id 2: malformed JSON"),
        ("cast(x'7b2261223a22ff227d' as text)", "HA501 id 2: malformed JSON at byte 6: not UTF-8"),
        ("x'eda080'", "HA501 id 2: malformed JSON at byte 0"),
    ],
)
def test_what_sqlite_keeps_in_any_column(project: Path, value: str, message: str) -> None:
    """A number, or text that is not UTF-8, is a matter of its row."""
    make([(1, thing(1)), (3, thing(3))], "create table things (id integer primary key, doc)")
    with connected() as database:
        database.execute(f"insert into things values (2, {value})")
    stored = "select doc = {} from things where id = 2"
    result = rewrite(project, "--to", "v2", "--verify")
    assert (result.exit_code, message in result.stderr) == (1, True), result.output
    result = rewrite(project, "--to", "v2")
    assert (result.exit_code, message in result.stderr) == (1, True), result.output
    assert rows("select doc from things where id <> 2") == [(thing(1, "v2"),), (thing(3, "v2"),)]
    assert rows(stored.format(value)) == [(1,)]


def test_a_row_that_would_lose_something_stays(project: Path) -> None:
    """Where the annotations are full the row is refused, and not written."""
    document = json.loads(thing(1, color="red"))
    document["metadata"] = {"annotations": {"full": "x" * 262140}}
    make([(1, json.dumps(document))])
    result = rewrite(project, "--to", "v2")
    assert (result.exit_code, "HA510 id 1: /spec: " in result.stderr) == (1, True)
    assert rows() == [(1, json.dumps(document))]


def test_verify_writes_nothing_unless_all_return(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row that would come back otherwise keeps all rows as they are."""
    make(MIXED)
    before = rows()
    real = rewriting.Conversions.returns

    def doubt(self: Any, row: Any, result: Any) -> Any:
        found = real(self, row, result)
        assert found is None
        return Fault("HA425", "", "doubt") if row.key == (5,) else None

    monkeypatch.setattr(rewriting.Conversions, "returns", doubt)
    result = rewrite(project, "--to", "v2", "--verify")
    assert (result.exit_code, rows(), tables()) == (1, before, {"things"})
    assert "HA425 id 5" in result.stderr and "nothing was written" in result.stderr
    monkeypatch.setattr(rewriting.Conversions, "returns", real)
    assert rewrite(project, "--to", "v2", "--verify").exit_code == 0
    assert "HA425" not in result.stdout and "3 written" in rewrite(project, "--rollback").stdout


def test_verify_sees_what_does_not_return(project: Path) -> None:
    """A value that the way back changes is found."""
    make([(1, thing(1))])
    engine = connect("sqlite:///d.db")
    place = find(engine, Names("things", "doc"))
    from holdall.scheme.projects import load_schemes

    conversions = rewriting.Conversions(load_schemes(project), place)
    (row,) = next(Reader(place, 9).batches())
    engine.dispose()
    result = conversions.convert(row, "v2")
    assert conversions.returns(row, result) is None
    other = result._replace(document=result.document.replace(b":1}", b":1.0}"))
    fault = conversions.returns(row, other)
    assert fault is not None and fault.code in ("HA425", "HA502")


@pytest.mark.parametrize(
    ("create", "keys"),
    [
        ("create table things (id text primary key, doc text)", ["b", "a", "a ", "A", "ä", ""]),
        ("create table things (id blob primary key, doc text)", [b"\0", b"a", b"\xff"]),
        ("create table things (id text not null unique, doc json)", ["x", "y"]),
        ("create table things (id integer primary key, doc blob)", [1, -2, 2**62]),
        ("create table things (id datetime primary key, doc text)", ["2020-01-01", "not a date"]),
        ("create table things (id text collate nocase primary key, doc text)", ["a", "B", "c"]),
        ('create table things ("select" text primary key, doc text)', ["a", "b"]),
        ("create table things (id not null unique, doc)", [1, "1", 1.5, b"1", "a"]),
    ],
)
@pytest.mark.parametrize("batch", ["1", "2"])
def test_keys_of_all_types(project: Path, create: str, keys: list[Any], batch: str) -> None:
    """Keys come and go as they are; no row is left out, none is met twice."""
    make([(key, thing(n, color="c")) for n, key in enumerate(keys)], create)
    options = ["--key", "id"] if "unique" in create else []
    result = rewrite(project, "--to", "v2", "--batch", batch, *options)
    assert (result.exit_code, f"{len(keys)} written" in result.stdout) == (0, True), result.output
    result = rewrite(project, "--rollback", "--batch", batch, *options)
    assert result.exit_code == 0, result.stderr
    found = {json.loads(doc)["spec"]["size"]: key for key, doc in rows("select * from things")}
    assert found == dict(enumerate(keys))


def test_a_key_that_cannot_be_asked_for(project: Path) -> None:
    """SQLite has texts that are not UTF-8, and no driver gives it one."""
    make([(f"{n}", thing(n)) for n in range(3)], "create table things (id text primary key, doc)")
    with connected() as database:
        database.execute("update things set id = cast(x'31ff' as text) where id = '1'")
    result = rewrite(project, "--to", "v2", "--batch", "1")
    assert result.exit_code == 2
    assert r"HA423 things.doc: the key '1\udcff' is not UTF-8" in result.stderr


def test_a_key_that_is_named_twice(project: Path) -> None:
    """It is one column."""
    make(MIXED)
    assert rewrite(project, "--to", "v2", "--key", "id", "--key", "id").exit_code == 0


def test_keys_of_several_columns(project: Path) -> None:
    """Rows are read in the order of all of them."""
    create = "create table things (a integer, b text, doc text, primary key (a, b))"
    make([(a, b, thing(a)) for a in (1, 2) for b in "xyz"], create)
    assert "6 written" in rewrite(project, "--to", "v2", "--batch", "2").stdout
    assert "6 written" in rewrite(project, "--rollback", "--batch", "4").stdout


def test_columns_may_say_version_and_kind(project: Path) -> None:
    """They are written with the document, and go back with it."""
    create = "create table things (id integer primary key, doc text, v text, k text)"
    made = [(1, '{"spec":{"color":"red"}}', "v1", "Thing"), (2, "{}", "", "Thing")]
    make(made, create)
    options = ("--version-column", "v", "--kind-column", "k")
    result = rewrite(project, "--to", "v2", *options)
    assert (result.exit_code, "HA413 id 2" in result.stderr) == (1, True)
    (first, second) = rows("select * from things")
    assert first[2:] == ("v2", "Thing") and "apiVersion" not in first[1] and second == made[1]
    assert rewrite(project, "--rollback", *options).exit_code == 0
    assert rows("select * from things") == made


# --- others at work ---


def before_writing(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[Sequence[Change]], object]
) -> None:
    """Act whenever a batch has been read and is about to be written."""
    real = Writer.write

    def write(self: Writer, changes: Sequence[Change]) -> Any:
        act(changes)
        return real(self, changes)

    monkeypatch.setattr(Writer, "write", write)


def while_writing(monkeypatch: pytest.MonkeyPatch, *statement: Any) -> None:
    """Let others work once, between the reading and the writing of a batch."""
    done: list[bool] = []

    def work(_: object) -> None:
        if not done:
            done.append(True)
            with connected() as database:
                database.execute(*statement)

    before_writing(monkeypatch, work)


def interrupted(project: Path, monkeypatch: pytest.MonkeyPatch, key: int, *way: str) -> None:
    """Rewrite until Ctrl-C, just before the batch that begins at a key; each batch is noted."""
    monkeypatch.setattr(state, "_SECONDS", -1.0)

    def stop(changes: Sequence[Change]) -> None:
        if changes and changes[0].row.key >= (key,):
            raise KeyboardInterrupt

    with monkeypatch.context() as meanwhile:
        before_writing(meanwhile, stop)
        rewrite(project, *way)


def test_an_edit_meanwhile_wins(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is read again, and what was edited is converted."""
    make([(key, thing(key)) for key in range(5)])
    while_writing(monkeypatch, "update things set doc = ? where id = 3", (thing(77),))
    result = rewrite(project, "--to", "v2")
    assert (result.exit_code, "5 written" in result.stdout) == (0, True)
    assert "example.com/v1  5\n" in result.stdout
    assert dict(rows())[3] == thing(77, "v2")


def test_an_edit_of_a_letter_is_an_edit(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the column takes large and small letters for equal."""
    create = "create table things (id integer primary key, doc text collate nocase)"
    make([(1, thing(1, color="red"))], create)
    new = thing(1, color="RED")
    while_writing(monkeypatch, "update things set doc = ?", (new,))
    assert rewrite(project, "--to", "v2").exit_code == 0
    assert rewrite(project, "--rollback").exit_code == 0
    assert json.loads(rows()[0][1]) == json.loads(new)


def test_a_row_that_is_deleted_meanwhile(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is gone, and stays so; it leaves no record."""
    make([(key, thing(key)) for key in range(5)])
    while_writing(monkeypatch, "delete from things where id = 3")
    result = rewrite(project, "--to", "v2")
    assert (result.exit_code, "1 gone, 4 written" in result.stdout) == (0, True)
    assert [key for key, _ in rows()] == [0, 1, 2, 4]
    assert [key for (key,) in rows(f"select id from {records()}")] == [0, 1, 2, 4]
    with connected() as database:
        database.execute("delete from things where id = 4")
    result = rewrite(project, "--rollback")
    assert (result.exit_code, "1 gone, 3 written" in result.stdout) == (0, True)
    assert tables() == {"things"}


def test_a_row_that_others_rewrote_is_not_rewritten_twice(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second command, at the same time, finds it done."""
    make([(1, thing(1, color="red"))])
    new = thing(1, "v2", shade=1)
    while_writing(monkeypatch, "update things set doc = ?", (new,))
    assert "1 unchanged" in rewrite(project, "--to", "v2").stdout
    assert rows() == [(1, new)]


@pytest.mark.parametrize(
    ("place", "key"), [("read", 0), ("read", 4), ("read", 6), ("write", 0), ("write", 4)]
)
def test_two_rollbacks_at_once(
    project: Path, monkeypatch: pytest.MonkeyPatch, place: str, key: int
) -> None:
    """Wherever the other one overtakes, and drops the records at its end: all rows are back."""
    old = [(number, thing(number, color="red")) for number in range(6)]
    make(old)
    assert rewrite(project, "--to", "v2").exit_code == 0
    begun: list[int] = []
    others: list[Result] = []

    def overtake(at: int) -> None:
        if not begun and at >= key:
            begun.append(at)
            others.append(rewrite(project, "--rollback"))

    if place == "write":
        before_writing(monkeypatch, lambda changes: overtake(changes[0].row.key[0]))
    else:
        read = Reader.batches

        def batches(self: Reader, after: Any = None) -> Any:
            for batch in read(self, after):
                overtake(batch[0].key[0])
                yield batch
            overtake(6)

        monkeypatch.setattr(Reader, "batches", batches)
    result = rewrite(project, "--rollback", "--batch", "2", "--state", "s.json")
    assert [one.exit_code for one in (result, *others)] == [0, 0], result.stderr
    assert result.stderr in ("", "another rollback took back the other rows meanwhile\n")
    assert (rows(), tables()) == (old, {"things"})
    assert not Path("s.json").exists()


def test_a_table_that_is_dropped_meanwhile(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the documents: nothing is back."""
    make([(1, thing(1))])
    rewrite(project, "--to", "v2")
    while_writing(monkeypatch, "drop table things")
    result = rewrite(project, "--rollback")
    assert (result.exit_code, "HA424 things.doc: the database failed: " in result.stderr) == (
        2,
        True,
    )
    assert records() in tables()


def test_a_row_that_never_rests(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reported, and the others are written."""
    make([(1, thing(1)), (2, thing(2))])
    count = iter(range(100))

    def edit(_: object) -> None:
        with connected() as database:
            database.execute("update things set doc = ? where id = 1", (thing(next(count)),))

    before_writing(monkeypatch, edit)
    result = rewrite(project, "--to", "v2")
    assert (result.exit_code, "HA427 id 1" in result.stderr) == (1, True)
    assert dict(rows())[2] == thing(2, "v2")


def test_what_the_database_refuses_is_reported(project: Path) -> None:
    """A check of the table concerns its row; the others are written."""
    check = "check (doc not like '%/v2%size\":7}%')"
    create = f"create table things (id integer primary key, doc text {check})"
    make([(key, thing(key)) for key in (6, 7, 8)], create)
    result = rewrite(project, "--to", "v2")
    assert result.exit_code == 1
    assert "HA426 id 7: the database refuses it: CHECK constraint failed" in result.stderr
    assert [json.loads(doc)["apiVersion"][-2:] for _, doc in rows()] == ["v2", "v1", "v2"]


def test_a_row_that_a_trigger_keeps(project: Path) -> None:
    """It is not said that others changed it, and that another run would help."""
    make([(key, thing(key)) for key in (6, 7, 8)])
    with connected() as database:
        ignore = "when old.id = 7 begin select raise(ignore); end"
        database.execute(f"create trigger keeping before update on things {ignore}")
    result = rewrite(project, "--to", "v2")
    assert (result.exit_code, "things.doc: 1 refused, 2 written" in result.stdout) == (1, True)
    assert "HA426 id 7: the database refuses it: without an error it stays" in result.stderr
    assert "fix: look for a trigger" in result.stderr
    assert [json.loads(doc)["apiVersion"][-2:] for _, doc in rows()] == ["v2", "v1", "v2"]


def test_a_record_of_a_version_that_is_gone(project: Path) -> None:
    """Its row stays, with one code and one fix; the others go back."""
    make([(1, thing(1)), (2, thing(2))])
    rewrite(project, "--to", "v2")
    with connected() as database:
        gone = "set holdall_version_before = 'example.com/v0' where id = 1"
        database.execute(f"update {records()} {gone}")
    result = rewrite(project, "--rollback")
    assert (result.exit_code, "things.doc: 1 refused, 1 written" in result.stdout) == (1, True)
    message, fix = result.stderr.splitlines()
    assert message.startswith("HA401 id 1: no group has the version 'example.com/v0'")
    assert fix == "    fix: roll back with a project that still has this version"
    assert rows(f"select id from {records()}") == [(1,)]


@pytest.mark.parametrize("command", ["rewrite", "settle"])
def test_state_and_errors_are_two_files(project: Path, command: str) -> None:
    """The errors would replace the state, and the next run could not resume."""
    make([(1, thing(1))])
    result = run(project, command, "--to", "v2", "--state", "s", "--errors", "./s")
    assert (result.exit_code, Path("s").exists()) == (2, False)
    assert "--errors needs a file of its own" in result.stderr


def test_a_lock_where_rows_are_written_one_by_one(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those before it are written once, and counted as such."""
    check = "check (doc not like '%/v2%size\":1}%')"
    make(
        [(key, thing(key)) for key in (1, 2, 3)],
        f"create table things (id integer primary key, doc text {check})",
    )
    monkeypatch.setattr(time, "sleep", lambda _: None)
    real, failures = Writer._write_all, [2]

    def write(self: Writer, changes: Sequence[Change]) -> bool:
        if [change.row.key for change in changes] == [(3,)] and failures[0]:
            failures[0] -= 1
            raise sa.exc.OperationalError("x", {}, Exception("database is locked"))
        return real(self, changes)

    monkeypatch.setattr(Writer, "_write_all", write)
    result = rewrite(project, "--to", "v2")
    assert "things.doc: 1 refused, 2 written" in result.stdout, result.output
    assert len(rows(f"select * from {records()}")) == 2


@pytest.mark.parametrize("name", ["a) b", 'a"b', "a, b"])
def test_a_unique_column_of_any_name(project: Path, name: str) -> None:
    """A constraint in the text of the table is known by its index."""
    quoted = name.replace('"', '""')
    create = f'create table things (doc text, "{quoted}" text not null, unique ("{quoted}"))'
    make([(thing(1), "a")], create)
    result = rewrite(project, "--to", "v2", "--key", name)
    assert (result.exit_code, "1 written" in result.stdout) == (0, True), result.stderr


@pytest.mark.parametrize("name", ["before", "old", "new", "k_0", "old_version", "holdall_before"])
def test_names_of_columns_mean_nothing_else(project: Path, name: str) -> None:
    """Neither that of the key, nor that of a column that is nobody's business."""
    for table, columns in (
        ("keyed", f"{name} text primary key, doc text"),
        ("other", f"id text primary key, doc text, {name} text"),
    ):
        values = [(f"a{at}", thing(at), f"own {at}")[: columns.count("text")] for at in range(3)]
        make(values, f"create table {table} ({columns})")
        result = run(project, "rewrite", "--to", "v2", table=table)
        assert (result.exit_code, "3 written" in result.stdout) == (0, True), result.output
        assert [(row[0], *row[2:]) for row in rows(f"select * from {table} order by 1")] == [
            (row[0], *row[2:]) for row in values
        ]
        assert run(project, "rewrite", "--rollback", table=table).exit_code == 0
        assert rows(f"select * from {table} order by 1") == values


# --- sudden ends ---


def test_a_full_disk(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written stays, the rest is as it was, and the command goes on once there is room."""
    make([(key, thing(key, color="red" * 50)) for key in range(2000)])
    pages = rows("pragma page_count")[0][0]
    monkeypatch.setattr(time, "sleep", lambda _: None)

    def limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"pragma max_page_count = {pages + 20}")

    sa.event.listen(sa.Engine, "connect", limit)
    try:
        result = rewrite(project, "--to", "v2", "--state", "s.json", "--batch", "50")
    finally:
        sa.event.remove(sa.Engine, "connect", limit)
    assert result.exit_code == 2
    assert "the database failed: database or disk is full" in result.stderr
    found = [json.loads(doc)["apiVersion"] for _, doc in rows()]
    done = found.count("example.com/v2")
    left = 2000 - done
    assert 0 < done < 2000 and found == ["example.com/v2"] * done + ["example.com/v1"] * left
    assert len(rows(f"select * from {records()}")) == done
    result = rewrite(project, "--to", "v2", "--state", "s.json")
    assert f"{left:,} written" in result.stdout and "unchanged" not in result.stdout
    assert not Path("s.json").exists()
    assert rewrite(project, "--rollback").exit_code == 0
    assert rows() == [(key, thing(key, color="red" * 50)) for key in range(2000)]


KILLED = """\
import os, random, signal, sys
import sqlalchemy
from holdall.cli import main

left = random.randrange(5, 20)

@sqlalchemy.event.listens_for(sqlalchemy.Engine, "commit")
def kill(connection):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("way", [("--to", "v2"), ("--rollback",)])
def test_kill(project: Path, project_root: Path, way: tuple[str, ...]) -> None:
    """kill -9 in the middle of a transaction loses nothing; run again, it ends as a single run."""
    count = 3_000
    make([(key, thing(key, color="red")) for key in range(count)])
    if way == ("--rollback",):
        assert rewrite(project, "--to", "v2").exit_code == 0
    paths = os.pathsep.join(str(project_root / source) for source in ("runtime", "codegen"))
    command = [sys.executable, "-c", KILLED, "--project", str(project), "rewrite"]
    command += ["sqlite:///d.db", "--table", "things", "--column", "doc", *way, "--batch", "100"]
    waiting = "select count(*) from things where doc like '%/v1%'"
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, check=False)
    assert done.returncode == -signal.SIGKILL
    middle = rows(waiting)[0][0]
    assert 0 < middle < count
    assert len(rows(f"select * from {records()}")) == count - middle
    assert rewrite(project, *way).exit_code == 0
    assert rows(waiting)[0][0] == (0 if "--to" in way else count)
    rewrite(project, "--rollback") if "--to" in way else None
    assert rows() == [(key, thing(key, color="red")) for key in range(count)]


def test_the_state_goes_on_from_the_last_key(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows before it are not read again; the file of another rewrite is refused."""
    make([(key, thing(key)) for key in range(10)])
    interrupted(project, monkeypatch, 6, "--to", "v2", "--state", "s.json", "--batch", "2")
    assert json.loads(Path("s.json").read_text())["after"] == [5]
    result = rewrite(project, "--rollback", "--state", "s.json")
    assert (result.exit_code, "HA428 s.json" in result.stderr) == (2, True)
    result = rewrite(project, "--to", "v2", "--state", "s.json")
    assert "things.doc: 4 written" in result.stdout
    for text in ("", "[]", "{", '{"after":[{"type":"uuid","text":"x"}]}'):
        Path("s.json").write_text(text)
        assert "HA428 s.json" in rewrite(project, "--to", "v2", "--state", "s.json").stderr


def test_the_file_of_errors_is_not_the_database(project: Path) -> None:
    make(MIXED)
    result = rewrite(project, "--to", "v2", "--errors", "d.db")
    assert (result.exit_code, rows()) == (2, MIXED)
    assert "--errors needs a file of its own: d.db" in result.stderr


def test_a_file_of_errors_that_cannot_be_written(project: Path) -> None:
    """It is known before the first row is."""
    make(MIXED)
    result = rewrite(project, "--to", "v2", "--errors", "d.db/errors.jsonl")
    assert (result.exit_code, rows()) == (2, MIXED)
    assert "d.db/errors.jsonl: Not a directory" in result.stderr


def test_what_is_left_is_counted(project: Path) -> None:
    """Behind the key that the state names, and of records only those: bars begin and end there."""
    make(MIXED)
    assert rewrite(project, "--to", "v2").exit_code == 0
    place = find(connect("sqlite:///d.db"), Names("things", "doc"))
    counts = [Reader(place, 2).count(after) for after in (None, (0,), (5,), (13,))]
    assert counts == [6, 6, 2, 0]
    assert [Reader(place, 2, of_records=True).count(after) for after in (None, (5,))] == [3, 1]
    place.engine.dispose()


def state_after(key: str, value: object) -> str:
    """Return the state of a rewrite to v2 that has come to a row."""
    saved = {"format": 1, "url": "sqlite:///d.db", "column": "things.doc", "work": "rewrite v2"}
    return json.dumps({**saved, "key": [key], "refused": 0, "after": [value]})


def test_the_state_is_of_one_key(project: Path) -> None:
    """By another key it would leave out rows that were never read."""
    make([(key, thing(key)) for key in range(4)], "create table things (id integer unique, doc)")
    with connected() as database:
        database.execute("alter table things add name text")
        database.execute("update things set name = 'n' || (9 - id)")
        database.execute("create unique index names on things (name)")
    Path("s.json").write_text(state_after("name", "n8"))
    result = rewrite(project, "--to", "v2", "--state", "s.json", "--key", "id")
    assert (result.exit_code, "HA428 s.json" in result.stderr, tables()) == (2, True, {"things"})
    result = rewrite(project, "--to", "v2", "--state", "s.json", "--key", "name")
    assert "things.doc: 1 written" in result.stdout, result.stderr


def test_a_dry_run_leaves_the_state(project: Path) -> None:
    """It counts all rows, and changes nothing."""
    make([(key, thing(key)) for key in range(4)])
    text = state_after("id", 2)
    Path("s.json").write_text(text)
    result = rewrite(project, "--to", "v2", "--state", "s.json", "--dry-run")
    assert "things.doc: 4 to write" in result.stdout
    assert Path("s.json").read_text() == text


def test_what_was_refused_before_the_state_is_not_forgotten(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of errors is there after an early end; who goes on is told that rows stay."""
    make([(key, thing(key) if key else "{") for key in range(6)])
    way = ("--to", "v2", "--state", "s.json", "--batch", "2", "--errors", "e.jsonl")
    interrupted(project, monkeypatch, 4, *way)
    assert json.loads(Path("e.jsonl").read_text())["key"] == {"id": "0"}
    result = rewrite(project, *way)
    assert (result.exit_code, "things.doc: 1 refused, 2 written" in result.stdout) == (1, True)
    text = "rows that earlier runs left as they are: 1; run it again to list them\n"
    assert (result.stderr, Path("s.json").exists()) == (text, False)
    assert "HA501 id 0" in rewrite(project, "--to", "v2").stderr


def test_keys_in_the_state_are_what_they_were() -> None:
    """Whatever a driver has for a key comes back from the file."""
    import datetime
    import decimal
    import uuid

    key = (
        *(1, 2**70, "a", b"\xff", uuid.UUID(int=5), decimal.Decimal("1.50"), 0.1),
        *(datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4, 5, 6)),
        *(datetime.time(3, 4, 5, 6), datetime.timedelta(hours=-30, microseconds=5)),
    )
    found = tuple(state._read(json.loads(json.dumps(state._shown(part)))) for part in key)
    assert found == key and [*map(type, found)] == [*map(type, key)]


def test_the_pace(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--rate lets so many rows be written in a second at most, also after a second without any."""
    make([(key, thing(key)) for key in range(40)])
    clock, slept = Clock(), list[float]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        # The machine is suspended for an hour.
        clock.advance(seconds if len(slept) > 1 else 3600)

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", clock)
    rewrite(project, "--to", "v2", "--batch", "10", "--rate", "20/s")
    assert slept == [0.5, 0.5, 0.5, 0.5]


# --- settling ---


def test_settle(project: Path) -> None:
    """What is dropped is listed first; then no bag and no record is left, and the rest stays."""
    make(MIXED)
    rewrite(project, "--to", "v2")
    before = rows()
    result = run(project, "settle", "--to", "v2")
    assert result.exit_code == 1
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["ORIGIN", "PROPERTY", "ROWS"]
    assert ["v1", "color", "1"] in lines and ["v1", "box", "1"] in lines
    assert "bags in 1 row, " in result.stdout and "former versions: 3" in result.stdout
    assert rows() == before
    result = run(project, "settle", "--to", "v2", "--apply")
    assert result.exit_code == 0, result.stderr
    after = dict(rows())
    assert json.loads(after[1]) == json.loads(thing(1, "v2", parts=[{"name": "x"}]))
    assert all(after[key] == dict(before)[key] for key in (2, 3, 5, 8, 13))
    assert tables() == {"things"}
    assert run(project, "settle", "--to", "v2").exit_code == 0
    result = rewrite(project, "--rollback")
    assert (result.exit_code, "HA431 things.doc" in result.stderr) == (2, True)


def test_settle_waits_for_all_rows(project: Path) -> None:
    """A row of another version, or a bad one, keeps everything."""
    make(MIXED)
    rewrite(project, "--to", "v2")
    with connected() as database:
        database.execute("insert into things values (99, ?)", (thing(99),))
    before = rows()
    result = run(project, "settle", "--to", "v2", "--apply")
    assert (result.exit_code, "HA430 id 99" in result.stderr) == (1, True)
    assert (rows(), len(tables())) == (before, 2)


def test_settle_keeps_what_the_way_on_needs(project: Path) -> None:
    """At the older version bags hold what the newer one needs."""
    make([(1, thing(1, "v2", shade=5))])
    rewrite(project, "--to", "v1")
    before = rows()
    assert run(project, "settle", "--to", "v1", "--apply").exit_code == 0
    assert rows() == before
    rewrite(project, "--to", "v2")
    assert json.loads(rows()[0][1])["spec"] == {"size": 1, "shade": 5}


def test_settle_as_json(project: Path) -> None:
    """One value."""
    make(MIXED)
    rewrite(project, "--to", "v2")
    told = json.loads(run(project, "settle", "--to", "v2", "--json").stdout)
    assert (told["rows"], told["records"]) == (1, 3)
    assert {"origin": "v1", "property": "color", "rows": 1} in told["entries"]


# --- bad input ---


@pytest.mark.parametrize(
    ("create", "arguments", "message"),
    [
        ("create table other (id integer primary key, doc text)", (), "did you mean"),
        ("create table things (id integer primary key, dok text)", (), 'did you mean "dok"?'),
        ("create table things (id integer primary key, doc integer)", (), "HA422 things.doc"),
        ("create table things (id integer, doc text)", (), "HA423 things: the table has no prim"),
        ("create table things (id integer, doc text)", ("--key", "id"), "makes id unique"),
        ("create table things (id integer unique, doc text)", ("--key", "idd"), 'mean "id"?'),
        (TABLE, ("--version-column", "v"), "HA421 things.v"),
        ("create table things (doc text primary key)", (), "HA423 things: doc is part of the key"),
        (
            "create table things (id integer, v text, doc text, primary key (id, v))",
            ("--version-column", "v"),
            "HA423 things: v is part of the key",
        ),
    ],
)
def test_tables_that_cannot_be_rewritten(
    project: Path, create: str, arguments: tuple[str, ...], message: str
) -> None:
    """What, where and the fix; nothing is changed, no table made."""
    make([], create)
    before = tables()
    table = "thinks" if "other" in create else "things"
    result = rewrite(project, "--to", "v2", *arguments, table=table)
    expected = "HA421 thinks: there is no such table" if "other" in create else message
    assert (result.exit_code, expected in result.stderr) == (2, True), result.stderr
    assert "fix: " in result.stderr
    assert tables() == before


def test_a_name_with_a_dot(project: Path) -> None:
    """In quotes it is a table, without them a schema and its table; the way back is the same."""
    with connected() as database:
        database.execute('create table "a.b" (id integer primary key, doc text)')
        database.execute('insert into "a.b" values (?, ?)', (1, thing(1)))
    for name, *way in (('"a.b"', "--to", "v2"), ('main."a.b"', "--rollback")):
        result = rewrite(project, *way, table=name)
        assert result.stdout.endswith(f"{name}.doc: 1 written\n"), result.output
    assert (rows('select id, doc from "a.b"'), tables()) == ([(1, thing(1))], {"a.b"})
    for name, said in (
        ("a.b", "there is no schema a\n    fix: write '\"a.b\"': put a name with a dot in double"),
        ("b.b", "there is no schema b\n    fix: schemas: main"),
        ('"a.c"', 'there is no such table; did you mean ""a.b""?\n    fix: name one of: "a.b"'),
    ):
        result = rewrite(project, "--to", "v2", table=name)
        assert (result.exit_code, f"HA421 {name}: {said}" in result.stderr) == (2, True), result
        assert said in result.stderr, result.stderr


@pytest.mark.parametrize("index", ["(id) where doc is not null", "(lower(id))"])
def test_an_index_that_is_not_about_all_rows(project: Path, index: str) -> None:
    """Rows that it says nothing about may have equal keys; SQLAlchemy's warnings are nobody's."""
    make([("a", thing(1)), ("b", None)], "create table things (id text, doc text)")
    with connected() as database:
        database.execute(f"create unique index one on things {index}")
    result = rewrite(project, "--to", "v2", "--key", "id")
    assert result.exit_code == 2
    assert result.stderr.startswith("HA423 things: no index makes id unique"), result.stderr


def test_an_index_that_tells_more_apart_than_its_column(project: Path) -> None:
    """Behind `a` of a batch `A` was not met, and the end was that all rows had been."""
    create = "create table things (id text collate nocase, doc text)"
    make([(key, thing(n)) for n, key in enumerate("aAbB")], create)
    with connected() as database:
        database.execute("create unique index one on things (id collate binary)")
    result = rewrite(project, "--to", "v2", "--key", "id", "--batch", "1")
    assert (result.exit_code, tables()) == (2, {"things"})
    assert "HA423 things: by the column's collation id is equal in several" in result.stderr
    with connected() as database:
        database.execute("delete from things where id = 'A' collate binary")
        database.execute("delete from things where id = 'B' collate binary")
    assert "2 written" in rewrite(project, "--to", "v2", "--key", "id", "--batch", "1").stdout


def test_a_view(project: Path) -> None:
    """No key of it can be made unique: its table is to be named."""
    make([(1, thing(1))])
    with connected() as database:
        database.execute("create view shown as select * from things")
    for options in ((), ("--key", "id")):
        result = rewrite(project, "--to", "v2", *options, table="shown")
        assert (result.exit_code, "HA421 shown: this is a view" in result.stderr) == (2, True)


def test_a_database_without_tables(project: Path) -> None:
    """There are no names to choose from."""
    Path("d.db").write_bytes(b"")
    result = rewrite(project, "--to", "v2")
    assert (
        "HA421 things: there is no such table\n    fix: check the URL: its user sees no tables"
        in result.stderr
    )


def test_rows_without_a_key(project: Path) -> None:
    """A null in a unique column would never be met."""
    make([(1, thing(1)), (None, thing(2))], "create table things (id text unique, doc text)")
    result = rewrite(project, "--to", "v2", "--key", "id")
    assert (result.exit_code, "HA423 things: 1 row has no id" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:///missing.db", "there is no such file"),
        ("nonsense", "this is not the URL of a database"),
        ("postgresql://u:secret@h:port/d", "this is not the URL of a database"),
        ("mysql://u:secret@127.0.0.1:1/d?x=1", "the driver refuses its options: "),
        ("mysql://u:secret@127.0.0.1:1/d?charset=x", "the driver refuses its options: "),
        ("sqlite:///:memory:?timeout=long", "could not convert string to float: 'long'"),
        ("oracle://u:secret@h/d", "oracle databases are not supported"),
        ("postgresql://u:secret@127.0.0.1:1/d", "the database cannot be reached"),
        ("mysql://u:secret@127.0.0.1:1/d", "the database cannot be reached"),
        ("mariadb://u:secret@127.0.0.1:1/d", "the database cannot be reached"),
        ("mysql+nodriver://h/d", "fix: write mysql:// in the URL, and install pymysql"),
        ("sqlite+nodriver:///d", "there is no such file"),
    ],
)
def test_databases_that_cannot_be_reached(project: Path, url: str, message: str) -> None:
    """The password is never shown, and no file is made."""
    result = rewrite(project, "--to", "v2", url=url)
    assert result.exit_code == 2
    assert "HA420 " in result.stderr and message in result.stderr
    assert "secret" not in result.output and list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "pass --to VERSION, or --rollback"),
        (("--to", "v2", "--rollback"), "pass --to VERSION, or --rollback"),
        (("--rollback", "--verify"), "are not for --rollback"),
        (("--to", "v22"), 'did you mean "v2"?'),
        (("--to", "v2", "--kind", "Thong"), "no group has the kind 'Thong'; did you mean"),
        (("--to", "v2", "--rate", "fast"), "is not a rate"),
        (("--to", "v2", "--batch", "0"), "--batch"),
    ],
)
def test_wrong_use(project: Path, arguments: tuple[str, ...], message: str) -> None:
    """Wrong use is exit code 2 with one clear sentence; nothing is changed."""
    make(MIXED)
    result = rewrite(project, *arguments)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    assert (rows(), tables()) == ([*MIXED], {"things"})


@pytest.mark.parametrize(
    ("url", "missing", "fix"),
    [
        ("postgresql://h/d", "psycopg", "pip install 'holdall[sql]' 'psycopg[binary]'"),
        ("mysql://h/d", "pymysql", "pip install 'holdall[sql]' 'pymysql'"),
        ("postgresql+psycopg2://h/d", "psycopg2", "pip install 'holdall[sql]' 'psycopg2'"),
    ],
)
def test_without_a_driver(
    project: Path, monkeypatch: pytest.MonkeyPatch, url: str, missing: str, fix: str
) -> None:
    """The driver of the documentation is that of a URL without one."""

    def create(parsed: sa.URL, **_: Any) -> Any:
        raise ModuleNotFoundError("", name=parsed.drivername.partition("+")[2])

    monkeypatch.setattr(sa, "create_engine", create)
    result = rewrite(project, "--to", "v2", url=url)
    assert result.stderr == f"HA407 {missing} is not installed\n    fix: {fix}\n"


def test_without_sqlalchemy_the_extra_is_named(project: Path, project_root: Path) -> None:
    """What is missing and what installs it."""
    code = (
        "import sys; sys.modules['sqlalchemy'] = None; from holdall.cli import main;"
        "sys.exit(main(['rewrite', 'x', '--table', 't', '--column', 'c']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, "pip install 'holdall[sql]'" in done.stderr) == (2, True), done.stderr


def test_no_record(project: Path) -> None:
    """--no-record makes no table; the way back is a rewrite to one version."""
    make([(1, thing(1, color="red"))])
    assert rewrite(project, "--to", "v2", "--no-record").exit_code == 0
    assert tables() == {"things"}
    assert rewrite(project, "--to", "v1", "--no-record").exit_code == 0
    assert rows() == [(1, thing(1, color="red"))]


# --- the table of records ---


def test_a_table_of_others_is_never_dropped(project: Path) -> None:
    """A table that has the name of the records and other columns is refused, and stays."""
    make(MIXED)
    rewrite(project, "--to", "v2")
    name = records()
    with connected() as database:
        database.execute(f"drop table {name}")
        database.execute(f"create table {name} (id integer primary key, note text)")
        database.execute(f"insert into {name} values (1, 'mine')")
    before = rows()
    for result in (
        run(project, "settle", "--to", "v2", "--apply"),
        run(project, "settle", "--to", "v2"),
        rewrite(project, "--to", "v1"),
        rewrite(project, "--to", "v1", "--verify"),
        rewrite(project, "--rollback"),
    ):
        assert result.exit_code == 2
        message = f"HA432 {name}: this is not a table of records that holdall made: "
        assert message in result.stderr
        assert "expected id, holdall_version_before, found id, note" in result.stderr
        assert f"fix: rename the table {name}" in result.stderr
        assert (rows(), rows(f"select * from {name}")) == (before, [(1, "mine")])
    assert rewrite(project, "--to", "v1", "--no-record").exit_code == 0


def test_records_by_another_key_are_not_taken(project: Path) -> None:
    """The key that they were made with is named."""
    create = "create table things (id integer primary key, name text unique, doc text)"
    make([(1, "a", thing(1)), (2, "b", thing(2))], create)
    assert rewrite(project, "--to", "v2", "--key", "name").exit_code == 0
    result = rewrite(project, "--rollback")
    assert (result.exit_code, f"HA432 {records()}: " in result.stderr) == (2, True)
    assert "its records have the key name, not id" in result.stderr
    assert "fix: pass --key name" in result.stderr
    assert rewrite(project, "--rollback", "--key", "name").exit_code == 0


def test_columns_do_not_share_records(project: Path) -> None:
    """Table and column that read the same in a row have tables beside of their own."""
    make([(1, thing(1))], "create table orders (id integer primary key, item_doc text)")
    make([(1, thing(1))], "create table orders_item (id integer primary key, doc text)")
    for table, column in (("orders", "item_doc"), ("orders_item", "doc")):
        assert rewrite(project, "--to", "v2", table=table, column=column).exit_code == 0
    assert len(tables()) == 4
    assert rewrite(project, "--rollback", table="orders", column="item_doc").exit_code == 0
    assert "1 written" in rewrite(project, "--rollback", table="orders_item").stdout
    assert tables() == {"orders", "orders_item"}


# --- what the database says ---


def test_a_database_that_others_hold(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is waited for; if it stays so that is said, with a fix."""
    make([(1, thing(1))])
    other = sqlite3.connect("d.db", isolation_level=None, check_same_thread=False)
    other.execute("begin exclusive")
    url = "sqlite:///d.db?timeout=0.01"
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    result = rewrite(project, "--to", "v2", url=url)
    assert result.exit_code == 2
    assert f"HA424 {url}: the database failed: database is locked" in result.stderr
    assert "fix: end what locks it" in result.stderr and "defect" not in result.stderr
    assert len(slept) == 4
    monkeypatch.setattr(time, "sleep", lambda _: other.rollback())
    result = rewrite(project, "--to", "v2", url=url)
    assert (result.exit_code, "1 written" in result.stdout) == (0, True), result.stderr
    other.close()


def test_a_database_that_is_held_meanwhile(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading waits as writing does."""
    make([(1, thing(1)), (2, thing(2))])
    other = sqlite3.connect("d.db", isolation_level=None)
    real = Writer.write

    def write(self: Writer, changes: Sequence[Change]) -> Any:
        done = real(self, changes)
        other.execute("begin exclusive")
        return done

    monkeypatch.setattr(Writer, "write", write)
    monkeypatch.setattr(time, "sleep", lambda _: other.rollback())
    url = "sqlite:///d.db?timeout=0.01"
    result = rewrite(project, "--to", "v2", "--batch", "1", url=url)
    other.close()
    assert (result.exit_code, "2 written" in result.stdout) == (0, True), result.stderr


def test_a_file_that_is_not_a_database(project: Path) -> None:
    """It is named as such."""
    Path("route.yaml").write_text("kind: Route\n" * 100)
    result = rewrite(project, "--to", "v2", url="sqlite:///route.yaml")
    assert result.exit_code == 2
    assert "HA420 sqlite:///route.yaml: the file is not an SQLite database" in result.stderr
    assert "fix: name the file of the database" in result.stderr


def test_a_database_that_may_not_be_written(project: Path) -> None:
    """To run it again would not help; what would is said."""
    make([(1, thing(1))])
    url = "sqlite:///file:d.db?mode=ro&uri=true"
    for more in ([], ["--no-record"]):
        result = rewrite(project, "--to", "v2", *more, url=url)
        assert result.exit_code == 2
        assert "HA424 things.doc: the database failed: attempt to write a re" in result.stderr
        assert "fix: use a user, a file and a server that allow" in result.stderr


@pytest.mark.parametrize("file", ["/dev/zero", "fifo", "/dev/null"])
def test_the_state_is_a_regular_file(project: Path, file: str) -> None:
    """A device has no end, and a pipe none that comes."""
    make([(1, thing(1))])
    if file == "fifo":
        os.mkfifo("fifo")
    result = rewrite(project, "--to", "v2", "--state", file)
    assert (result.exit_code, rows()) == (2, [(1, thing(1))])
    assert f"HA428 {file}: this is not a regular file" in result.stderr
    assert "fix: name another file" in result.stderr and Path(file).exists()


def test_verify_tells_bad_rows_from_those_that_do_not_return(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that cannot be converted are counted by themselves, each with its error."""
    make([(1, thing(1)), (2, "{"), (3, thing(3, parts=[5])), (4, thing(4))])
    result = rewrite(project, "--to", "v2", "--verify")
    assert result.exit_code == 1
    assert "HA501 id 2: " in result.stderr and "HA502 id 3: /spec/parts/0: " in result.stderr
    assert "2 rows cannot be converted; nothing was written" in result.stderr
    assert "would not come back" not in result.stderr
    real = Documents.convert

    def convert(self: Any, text: bytes, *names: str) -> Any:
        if b"example.com/v2" in text:
            fault = Fault("HA502", "/spec", "a hook is wrong")
            return Converted("failed", text, fault=fault)
        return real(self, text, *names)

    monkeypatch.setattr(Documents, "convert", convert)
    with connected() as database:
        database.execute("delete from things where id in (3, 4)")
    result = rewrite(project, "--to", "v2", "--verify")
    assert (
        "HA502 id 1: /spec: it could not be converted back to example.com/v1: a hook is"
        in result.stderr
    )
    assert "1 row cannot be converted, 1 row would not come back; nothing" in result.stderr


def test_one_row_is_a_row(project: Path) -> None:
    """Where there is one, numbers of rows say so."""
    make([(1, thing(1, color="red"))])
    rewrite(project, "--to", "v2")
    result = run(project, "settle", "--to", "v2", "--apply")
    assert "bags in 1 row, " in result.stdout and "1 row settled" in result.output

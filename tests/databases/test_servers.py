"""`holdall rewrite` and `holdall settle` on every server: writers at work, and sudden ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import Result

from holdall.databases.rows import Change, Writer, Written
from tests.databases.things import Server, Writers, expected, mysql_server, postgres_server

ROWS = int(os.environ.get("HOLDALL_ROWS", "10000"))
_SERVERS = {
    "postgres": (postgres_server, "jsonb"),
    "mariadb": (mysql_server, "json"),
    "mysql": (mysql_server, "json"),
}


@pytest.fixture(params=[*_SERVERS])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[Server, str]]:
    """A server, and how a table of Things is created on it."""
    made, kind = _SERVERS[request.param]
    found = made(request.getfixturevalue(request.param))
    yield found, f"create table things (id bigint primary key, doc {kind})"
    found.clear()


@pytest.mark.parametrize("batch", ["20", "500"])
def test_with_writers_at_work(project: Path, server: tuple[Server, str], batch: str) -> None:
    """No edit is lost, no deleted row is back, on the way there and on the way back."""
    database, create = server
    database.fill(create, ROWS)
    with Writers(database, ROWS) as writers:
        result = database.run(project, "rewrite", "--to", "v2", "--batch", batch)
        assert result.exit_code in (0, 1), result.output
        result = database.run(project, "rewrite", "--rollback", "--batch", batch)
        assert result.exit_code in (0, 1), result.output
    # What was inserted behind or refused meanwhile is done once the writers rest.
    is_back = database.run(project, "rewrite", "--rollback").exit_code == 0
    assert is_back or database.tables() == {"things"}
    assert len(writers.sizes) > 50 and len(writers.deleted) > 1
    assert database.found() == expected(writers, ROWS)


@pytest.mark.parametrize("way", [("--to", "v2"), ("--rollback",)])
def test_kill(
    project: Path, server: tuple[Server, str], way: tuple[str, ...], project_root: Path
) -> None:
    """kill -9, again and again, with writers at work: nothing lost, nothing converted twice."""
    database, create = server
    database.fill(create, ROWS)
    if way == ("--rollback",):
        assert database.run(project, "rewrite", "--to", "v2").exit_code == 0
    paths = os.pathsep.join(str(project_root / source) for source in ("runtime", "codegen"))
    options = (*way, "--batch", "100", "--state", "s.json")
    kills = 0
    with Writers(database, ROWS) as writers:
        for wait in (1.5, 2.0, 2.5):
            arguments = database.arguments(project, "rewrite", *options)
            process = subprocess.Popen(
                [sys.executable, "-m", "holdall", *arguments],
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
        assert database.run(project, "rewrite", *way, "--state", "s.json").exit_code == 0
    if way == ("--to", "v2"):
        assert database.run(project, "rewrite", "--to", "v2").exit_code == 0
        assert {doc["apiVersion"] for doc in database.found().values()} == {"example.com/v2"}
    if database.tables() != {"things"}:
        assert database.run(project, "rewrite", "--rollback").exit_code == 0
    # A writer inserts at v1 while rows are at v2: a row of either version goes back to its own.
    assert database.found() == expected(writers, ROWS)


def test_two_rollbacks_at_once(
    project: Path, server: tuple[Server, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one takes the last rows back and drops the records: that is no failure."""
    database, create = server
    database.fill(create, 300)
    before = database.found()
    assert database.run(project, "rewrite", "--to", "v2").exit_code == 0
    write, others = Writer.write, list[Result]()

    def overtaken(self: Writer, changes: Sequence[Change]) -> list[tuple[Change, Written, str]]:
        if changes[0].row.key[0] > 100 and not others:
            with monkeypatch.context() as meanwhile:
                meanwhile.setattr(Writer, "write", write)
                others.append(database.run(project, "rewrite", "--rollback"))
        return write(self, changes)

    monkeypatch.setattr(Writer, "write", overtaken)
    result = database.run(project, "rewrite", "--rollback", "--batch", "40")
    assert [one.exit_code for one in (result, *others)] == [0, 0], result.output
    assert result.stderr == "another rollback took back the other rows meanwhile\n"
    assert (database.found(), database.tables()) == (before, {"things"})


def test_settle(project: Path, server: tuple[Server, str]) -> None:
    """What only the way back needed is listed, then dropped."""
    database, create = server
    database.fill(create, 300)
    assert database.run(project, "rewrite", "--to", "v2").exit_code == 0
    result = database.run(project, "settle", "--to", "v2")
    assert (result.exit_code, "bags in 200 rows" in result.stdout) == (1, True), result.output
    assert database.run(project, "settle", "--to", "v2", "--apply").exit_code == 0
    documents = database.found()
    assert all("annotations" not in doc["metadata"] for doc in documents.values())
    assert documents[1]["spec"] == {"size": 1, "parts": [{"name": "x"}]}
    assert database.tables() == {"things"}

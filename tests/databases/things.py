"""Rows of Things in two versions, on whatever server, and others who work on them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from click.testing import CliRunner, Result

from holdall.cli.root import root as holdall_command


@dataclass(frozen=True)
class Server:
    """A server; `edit` is what sets the size in a document to `:size`."""

    url: str
    edit: str

    @cached_property
    def engine(self) -> sa.Engine:
        """Connections, outside of any transaction."""
        return sa.create_engine(self.url, isolation_level="AUTOCOMMIT")

    def execute(self, text: str, *values: dict[str, Any]) -> Any:
        """Execute a statement; return the rows, if it gives any."""
        with self.engine.connect() as connection:
            made = connection.execute(sa.text(text), [*values] or None)
            return made.all() if made.returns_rows else []

    def fill(self, create: str, count: int) -> None:
        """Create a table with so many rows."""
        self.execute(create)
        with self.engine.connect() as connection:
            for start in range(0, count, 1000):
                rows = [
                    {"id": str(number), "doc": json.dumps(mixed(number))}
                    for number in range(start, min(start + 1000, count))
                ]
                connection.execute(sa.text("insert into things values (:id, :doc)"), rows)

    def found(self) -> dict[int, dict[str, Any]]:
        """Return all documents by the number of their row."""
        rows = self.execute("select id, doc from things")
        return {
            int(key): json.loads(doc) if isinstance(doc, str | bytes) else doc for key, doc in rows
        }

    def tables(self) -> set[str]:
        """Return the names of all tables."""
        return {*sa.inspect(self.engine).get_table_names()}

    def clear(self) -> None:
        """Drop all tables."""
        for name in self.tables():
            self.execute(f"drop table {name}")
        self.engine.dispose()

    def arguments(self, project: Path, command: str, *more: str) -> list[str]:
        """Return the arguments of `holdall` for the column."""
        place = ["--table", "things", "--column", "doc"]
        return ["--project", str(project), command, self.url, *place, *more]

    def run(self, project: Path, command: str, *more: str) -> Result:
        """Run a command on the column."""
        return CliRunner().invoke(holdall_command, self.arguments(project, command, *more))


def postgres_server(url: str) -> Server:
    """Return a PostgreSQL."""
    return Server(url, "jsonb_set(doc, '{spec,size}', to_jsonb(cast(:size as integer)))")


def mysql_server(url: str) -> Server:
    """Return a MySQL or MariaDB."""
    return Server(url, "json_set(doc, '$.spec.size', cast(:size as signed))")


def document(number: int, version: str = "v1", **more: Any) -> dict[str, Any]:
    """Return the document of a row."""
    spec = {"size": number, "color": f"c{number % 7}", "parts": [{"name": "x", "weight": number}]}
    if version == "v2":
        spec = {"size": number, "shade": number % 5}
    head = {"apiVersion": f"example.com/{version}", "kind": "Thing"}
    return {**head, "metadata": {"name": f"n{number}"}, "spec": {**spec, **more}}


def mixed(number: int) -> dict[str, Any]:
    """Return the document of a row in a table of both versions."""
    return document(number, "v2" if number % 3 == 0 else "v1")


def assert_there_and_back(project: Path, database: Server, kind: str, key: str) -> None:
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


class Writers:
    """Others at work: they edit, insert and delete rows, and keep in mind what must be there."""

    def __init__(self, server: Server, rows: int) -> None:
        self._server, self._rows = server, rows
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(n,)) for n in range(3)]
        self.sizes: dict[int, int] = {}
        self.deleted: set[int] = set()
        self.inserted: dict[int, dict[str, Any]] = {}
        self.errors: list[sa.exc.DBAPIError] = []

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
            with self._server.engine.connect() as connection:
                step = 0
                while not self._end.is_set():
                    step += 1
                    self._write(connection.execute, number, step)
        except sa.exc.DBAPIError as error:
            self.errors.append(error)

    def _write(self, execute: Callable[..., object], number: int, step: int) -> None:
        key = (step * 7919 + number * 104729) % self._rows
        key -= key % 3 - number  # each thread has rows of its own
        if not 0 <= key < self._rows or key in self.deleted:
            return
        if step % 50 == 0:
            execute(sa.text("delete from things where id = :id"), {"id": key})
            self.deleted.add(key)
            self.sizes.pop(key, None)
        elif step % 10 == 0:
            new = self._rows + step * 3 + number
            self.inserted[new] = document(new)
            row = {"id": new, "doc": json.dumps(self.inserted[new])}
            execute(sa.text("insert into things values (:id, :doc)"), row)
        else:
            edit = f"update things set doc = {self._server.edit} where id = :id"
            execute(sa.text(edit), {"size": step, "id": key})
            self.sizes[key] = step


def expected(writers: Writers, rows: int) -> dict[int, dict[str, Any]]:
    """Return what must be there in the end: what was, with all edits."""
    wanted = {number: mixed(number) for number in range(rows) if number not in writers.deleted}
    wanted |= writers.inserted
    for key, size in writers.sizes.items():
        wanted[key]["spec"]["size"] = size
    return wanted

"""`holdall rewrite` beside a bare UPDATE of the same rows, there and back, every row compared.

HOLDALL_BENCH_DATABASE names a database to work in; default: a file of SQLite.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import sqlalchemy as sa

from bench.lines import pool
from bench.report import Row
from generated.batch import SCHEME
from holdall.text import json as _json

_ROWS = int(os.environ.get("HOLDALL_BENCH_OBJECTS", "1000000"))
_ROOT = Path(__file__).parents[1]
_VERSIONS = ("v20210101", "v20220601", "v20230501")
_TABLE = "holdall_bench"


def measure() -> list[Row]:
    """Fill a table with documents of three versions, rewrite it, and take it back."""
    with tempfile.TemporaryDirectory() as folder:
        url = os.environ.get("HOLDALL_BENCH_DATABASE", f"sqlite:///{folder}/bench.db")
        engine = sa.create_engine(url)
        name = engine.dialect.name
        kind = "jsonb" if name == "postgresql" else "text"
        with engine.begin() as connection:
            connection.execute(sa.text(f"drop table if exists {_TABLE}"))
            connection.execute(
                sa.text(f"create table {_TABLE} (id integer primary key, doc {kind})")
            )
            _fill(connection, kind)
        bare = _timed(lambda: _update(engine, kind))
        there = _timed(lambda: _rewrite(url, "--to", "v20240701"))
        back = _timed(lambda: _rewrite(url, "--rollback"))
        same = _compare(engine)
        with engine.begin() as connection:
            connection.execute(sa.text(f"drop table {_TABLE}"))
        engine.dispose()
    title = f"{name}, {_ROWS:,} rows of three versions"
    return [
        Row(f"{title}: a bare UPDATE of all", bare, f"{_ROWS / bare:,.0f}/s", ""),
        Row(f"{title}: `rewrite --to`", there, f"{_ROWS / there:,.0f}/s", ""),
        Row(f"{title}: `rewrite --rollback`", back, f"{_ROWS / back:,.0f}/s", ""),
        Row("rows that came back exactly", None, f"{same:,}", f"{_ROWS:,}"),
    ]


def _documents() -> list[bytes]:
    return [SCHEME.convert_bytes(pool(), to=version) for version in _VERSIONS]


def _fill(connection: sa.Connection, kind: str) -> None:
    documents = [text.decode() for text in _documents()]
    insert = sa.text(f"insert into {_TABLE} values (:id, cast(:doc as {kind}))")
    for first in range(0, _ROWS, 1000):
        rows = [
            {"id": key, "doc": documents[key % 3]} for key in range(first, min(first + 1000, _ROWS))
        ]
        connection.execute(insert, rows)


def _update(engine: sa.Engine, kind: str) -> None:
    new = "doc || '{}'::jsonb" if kind == "jsonb" else "doc || ' '"
    with engine.begin() as connection:
        connection.execute(sa.text(f"update {_TABLE} set doc = {new}"))


def _rewrite(url: str, *way: str) -> None:
    program = Path(sys.executable).with_name("holdall")
    command: list[str | Path] = [program, "--quiet", "--project", _ROOT, "rewrite", url]
    command += ["--table", _TABLE]
    subprocess.run([*command, "--column", "doc", *way], check=True, stdout=subprocess.DEVNULL)


def _timed(work: Callable[[], None]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _compare(engine: sa.Engine) -> int:
    wanted = [_json.decode(text) for text in _documents()]
    same = 0
    with engine.connect() as connection:
        query = sa.text(f"select id, cast(doc as text) from {_TABLE}")
        for key, text in connection.execution_options(yield_per=1000).execute(query):
            same += _json.same(_json.decode(text), wanted[key % 3])
    return same


if __name__ == "__main__":
    from bench.report import markdown

    print(markdown(measure()))

"""What databases refuse, as each driver says it: what it means, and what is tried again."""

from __future__ import annotations

import sqlite3
import time
from typing import Any

import pytest
from psycopg import errors
from sqlalchemy import exc

from holdall.databases.refusals import gave_up, meaning, patiently


def from_sqlite(code: int) -> sqlite3.Error:
    """Return an error that has a result code of SQLite."""
    error = sqlite3.OperationalError("no")
    error.sqlite_errorcode = code
    return error


def with_state(name: str, state: str, *arguments: Any) -> Exception:
    """Return an error that has a state under the name that a driver gives it."""
    error = Exception(*arguments)
    setattr(error, name, state)
    return error


def wrapped(original: BaseException, **options: Any) -> exc.OperationalError:
    """Return what SQLAlchemy raises for an error of a driver."""
    return exc.OperationalError("select 'secret'", {}, original, **options)


@pytest.mark.parametrize(
    ("original", "means"),
    [
        (from_sqlite(sqlite3.SQLITE_BUSY), "busy"),
        (from_sqlite(sqlite3.SQLITE_BUSY_SNAPSHOT), "busy"),
        (from_sqlite(sqlite3.SQLITE_READONLY_DIRECTORY), "read-only"),
        (from_sqlite(sqlite3.SQLITE_FULL), "full"),
        (from_sqlite(sqlite3.SQLITE_NOTADB), "not a database"),
        (from_sqlite(sqlite3.SQLITE_ERROR), "other"),
        (errors.DeadlockDetected("no"), "busy"),
        (errors.LockNotAvailable("no"), "busy"),
        (errors.QueryCanceled("canceling statement due to statement timeout"), "slow"),
        (errors.ReadOnlySqlTransaction("no"), "read-only"),
        (errors.DiskFull("no"), "full"),
        (errors.SyntaxError("no"), "other"),
        (Exception(1205, "no"), "busy"),
        (Exception(1290, "no"), "read-only"),
        (Exception(1114, "no"), "full"),
        (Exception(1644, "no"), "row"),
        (Exception(3819, "no"), "row"),
        (with_state("pgcode", "40P01", "no"), "busy"),
        (with_state("sqlstate", "HY000", 1205, "no"), "busy"),
        (with_state("sqlstate", "40001", 1213, "no"), "busy"),
        (with_state("sqlstate", "HY000", 1114, "no"), "full"),
        (with_state("sqlstate", "HY000", 1290, "no"), "read-only"),
        (with_state("sqlstate", "42000", 1064, "no"), "other"),
        (Exception(), "other"),
    ],
)
def test_meanings(original: BaseException, means: str) -> None:
    """The numbers of drivers say what is to be done; statements are never shown."""
    error = wrapped(original)
    assert meaning(error) == means
    text = str(gave_up("t.doc", error))
    assert text.startswith("HA424 t.doc: the database failed: ") and "\n    fix: " in text
    assert "secret" not in text
    assert ("run it again" in text) == (means in ("busy", "slow", "full", "row", "other"))


def test_a_lost_connection() -> None:
    """It is lost whatever number the driver gives, and not tried again."""
    error = wrapped(Exception(1205, "no"), connection_invalidated=True)
    assert meaning(error) == "lost"
    assert meaning(exc.NoSuchTableError("t")) == "other"


@pytest.mark.parametrize(
    ("code", "tries"), [(sqlite3.SQLITE_BUSY, 5), (sqlite3.SQLITE_FULL, 1), (1, 5)]
)
def test_patience(monkeypatch: pytest.MonkeyPatch, code: int, tries: int) -> None:
    """What may pass is tried again, longer each time; a full disk stays full."""
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    done: list[int] = []

    def work() -> None:
        done.append(1)
        raise wrapped(from_sqlite(code))

    with pytest.raises(exc.OperationalError):
        patiently(work)
    assert (len(done), len(slept), sorted(slept)) == (tries, tries - 1, slept)
    assert patiently(lambda: 5) == 5

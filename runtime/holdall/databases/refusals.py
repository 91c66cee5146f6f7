"""Database errors: retried where that can help, otherwise reported with a fix."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias, TypeVar

from sqlalchemy import exc

from holdall.errors import Problem, ProblemsError

T = TypeVar("T")
Meaning: TypeAlias = Literal[
    "busy", "slow", "full", "lost", "read-only", "not a database", "row", "no table", "other"
]

_TRIES: Final = 5
_AGAIN: Final = "run it again: rows that are already written stay as they are"
_FIXES: Final[dict[Meaning, str]] = {
    "busy": f"end what locks it, or wait for it to end, and {_AGAIN}",
    "slow": f"end what locks it, pass a smaller --batch, or raise the timeout, and {_AGAIN}",
    "full": f"free some space, and {_AGAIN}",
    "lost": f"check that the database is running, and {_AGAIN}",
    "read-only": "use a user, a file and a server that allow writing",
    "not a database": "name the file of the database, or restore it",
    "row": f"correct the row, or what refuses it, and {_AGAIN}",
    "no table": f"restore the table, and {_AGAIN}",
    "other": f"correct what the database names, and {_AGAIN}",
}
_NUMBERS: Final[dict[Meaning, set[int | str]]] = {
    "busy": {5, 6, "40001", "40P01", "55P03", 1205, 1213},
    "slow": {"57014", 1969, 3024},
    "full": {13, "53100", 1021, 1114},
    "read-only": {3, 8, "25006", "42501", 1044, 1142, 1290, 1792},
    "not a database": {11, 26},
    "row": {1644, 3157, 3819},
    "no table": {"42P01", 1146},
}
"""Result codes of SQLite, SQLSTATEs of PostgreSQL, error numbers of MySQL.

Those of `row` are errors that a MySQL driver reports like errors of the whole database, although
only a row is refused: by a trigger or a check, or because it is nested too deeply.
"""


class DatabaseError(ProblemsError):
    """A table that cannot be rewritten, or an error of a database."""

    code = "HA429"


def refused(code: str, where: str, text: str, fix: str) -> DatabaseError:
    """Return the error of one problem."""
    return DatabaseError([Problem(code, where, text, fix)])


def gave_up(where: str, error: exc.SQLAlchemyError) -> DatabaseError:
    """Return the error for a database that fails."""
    return refused("HA424", where, f"the database failed: {cause(error)}", _FIXES[meaning(error)])


def cause(error: exc.SQLAlchemyError) -> str:
    """Return the database's message, without statement and parameters."""
    original = error.orig if isinstance(error, exc.DBAPIError) else error
    return str(original).strip().partition("\n")[0]


def meaning(error: exc.SQLAlchemyError) -> Meaning:
    """Return what an error means, by the codes that drivers give."""
    if not isinstance(error, exc.DBAPIError):
        return "other"
    if error.connection_invalidated:
        return "lost"
    numbers = {*_numbers(error.orig)}
    for means, known in _NUMBERS.items():
        if numbers & known:
            return means
    # SQLite has one code for all mistakes of a statement.
    return "no table" if str(error.orig).startswith("no such table: ") else "other"


def _numbers(original: BaseException | None) -> Iterator[int | str]:
    """Yield the codes of drivers; MySQL's SQLSTATEs are left out, because many errors share one."""
    result = getattr(original, "sqlite_errorcode", 0)
    if result:
        yield result & 0xFF  # the other bits only add detail
    for found in (
        getattr(original, "sqlstate", None),
        getattr(original, "pgcode", None),
        *getattr(original, "args", ())[:1],
    ):
        if isinstance(found, int | str):
            yield found


def patiently(work: Callable[[], T]) -> T:
    """Do work, and retry it while the database is busy: locked, or in a deadlock.

    Raises SQLAlchemyError for errors that last, or that retrying cannot help.
    """
    for attempt in range(_TRIES):
        try:
            return work()
        except exc.OperationalError as error:
            if attempt == _TRIES - 1 or meaning(error) not in ("busy", "slow", "other"):
                raise
            time.sleep(0.1 * 2**attempt)
    raise AssertionError("the last attempt returns or raises")

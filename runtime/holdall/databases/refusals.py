"""What databases refuse: tried again where that can help, else said with what to do about it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Literal, TypeAlias, TypeVar

from sqlalchemy import exc

from holdall.errors import Problem, ProblemsError

T = TypeVar("T")
Meaning: TypeAlias = Literal["busy", "slow", "full", "lost", "read-only", "not a database", "other"]

_TRIES: Final = 5
_AGAIN: Final = "run it again: rows that are written already stay as they are"
_FIXES: Final[dict[Meaning, str]] = {
    "busy": f"end what locks it, or wait for its end, and {_AGAIN}",
    "slow": f"end what locks it, pass a smaller --batch, or allow more time, and {_AGAIN}",
    "full": f"make room, and {_AGAIN}",
    "lost": f"see that the database runs, and {_AGAIN}",
    "read-only": "take a user and a file that may be written, and a server that is not read-only",
    "not a database": "name the file of the database, or restore it",
    "other": f"correct what the database names, and {_AGAIN}",
}
_NUMBERS: Final[dict[Meaning, set[int | str]]] = {
    "busy": {5, 6, "40001", "40P01", "55P03", 1205, 1213},
    "slow": {"57014", 1969, 3024},
    "full": {13, "53100", 1021, 1114},
    "read-only": {3, 8, "25006", "42501", 1044, 1142, 1290, 1792},
    "not a database": {11, 26},
}
"""Results of SQLite, states of PostgreSQL, errors of MySQL."""


class DatabaseError(ProblemsError):
    """A table that cannot be worked on, or a database that refuses to."""

    code = "HA429"


def refused(code: str, where: str, text: str, fix: str) -> DatabaseError:
    """Return the error of one problem."""
    return DatabaseError([Problem(code, where, text, fix)])


def gave_up(where: str, error: exc.SQLAlchemyError) -> DatabaseError:
    """Return what is said where a database does not do what it has to."""
    return refused("HA424", where, f"the database gave up: {cause(error)}", _FIXES[meaning(error)])


def cause(error: exc.SQLAlchemyError) -> str:
    """Return what the database says, without statement and parameters."""
    original = error.orig if isinstance(error, exc.DBAPIError) else error
    return str(original).strip().partition("\n")[0]


def meaning(error: exc.SQLAlchemyError) -> Meaning:
    """Tell what a refusal means, by the numbers that drivers give."""
    if not isinstance(error, exc.DBAPIError):
        return "other"
    if error.connection_invalidated:
        return "lost"
    number = _number(error.orig)
    for means, known in _NUMBERS.items():
        if number in known:
            return means
    return "other"


def _number(original: BaseException | None) -> int | str | None:
    result = getattr(original, "sqlite_errorcode", None)
    if isinstance(result, int):
        return result & 0xFF  # the other bits say more about the same
    state = getattr(original, "sqlstate", None)
    if isinstance(state, str):
        return state
    first = original.args[0] if original is not None and original.args else None
    return first if isinstance(first, int) else None


def patiently(work: Callable[[], T]) -> T:
    """Do work, and again where the database is busy: locked, or in a deadlock with others.

    Raises SQLAlchemyError for what stays, or cannot pass.
    """
    for attempt in range(_TRIES):
        try:
            return work()
        except exc.OperationalError as error:
            if attempt == _TRIES - 1 or meaning(error) not in ("busy", "slow", "other"):
                raise
            time.sleep(0.1 * 2**attempt)
    raise AssertionError("the last try returns or raises")

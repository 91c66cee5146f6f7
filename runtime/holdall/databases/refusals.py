"""What databases refuse: tried again where that can help, else said with what to do about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias, TypeVar

from sqlalchemy import exc

from holdall.errors import Problem, ProblemsError

T = TypeVar("T")
Meaning: TypeAlias = Literal[
    "busy", "slow", "full", "lost", "read-only", "not a database", "row", "other"
]

_TRIES: Final = 5
_AGAIN: Final = "run it again: rows that are written already stay as they are"
_FIXES: Final[dict[Meaning, str]] = {
    "busy": f"end what locks it, or wait for its end, and {_AGAIN}",
    "slow": f"end what locks it, pass a smaller --batch, or allow more time, and {_AGAIN}",
    "full": f"make room, and {_AGAIN}",
    "lost": f"see that the database runs, and {_AGAIN}",
    "read-only": "take a user and a file that may be written, and a server that is not read-only",
    "not a database": "name the file of the database, or restore it",
    "row": f"correct the row, or what refuses it, and {_AGAIN}",
    "other": f"correct what the database names, and {_AGAIN}",
}
_NUMBERS: Final[dict[Meaning, set[int | str]]] = {
    "busy": {5, 6, "40001", "40P01", "55P03", 1205, 1213},
    "slow": {"57014", 1969, 3024},
    "full": {13, "53100", 1021, 1114},
    "read-only": {3, 8, "25006", "42501", 1044, 1142, 1290, 1792},
    "not a database": {11, 26},
    "row": {1644, 3157, 3819},
}
"""Results of SQLite, states of PostgreSQL, errors of MySQL.

Of a row are those that a driver of MySQL does not tell from what concerns all: it was refused by a
trigger or by a check, or is nested too deep.
"""


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
    numbers = {*_numbers(error.orig)}
    for means, known in _NUMBERS.items():
        if numbers & known:
            return means
    return "other"


def _numbers(original: BaseException | None) -> Iterator[int | str]:
    """Yield what drivers say; those of MySQL have a state, too, but one for many errors."""
    result = getattr(original, "sqlite_errorcode", 0)
    if result:
        yield result & 0xFF  # the other bits say more about the same
    for found in (
        getattr(original, "sqlstate", None),
        getattr(original, "pgcode", None),
        *getattr(original, "args", ())[:1],
    ):
        if isinstance(found, int | str):
            yield found


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

"""What differs between databases: how a document is read, written and compared."""

from __future__ import annotations

import datetime
from typing import Any, Final, Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy import types
from sqlalchemy.dialects import mysql, postgresql

Storage: TypeAlias = Literal["plain", "json", "jsonb"]
"""How a column holds JSON: as text or bytes, or as a type of its own."""

NAMES: Final = ("sqlite", "postgresql", "mysql", "mariadb")


class Raw(types.UserDefinedType[object]):
    """Values as the driver reads and writes them, whatever the column's type is."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        """Return the type's name; no column is created with it."""
        return "RAW"


RAW: Final = Raw()


def storage_of(column: sa.Column[Any], dialect: str) -> Storage | None:
    """Return how a column holds JSON; None if it cannot."""
    kind = column.type
    if isinstance(kind, postgresql.JSONB):
        return "jsonb"
    if isinstance(kind, types.JSON):
        return "plain" if dialect == "sqlite" else "json"
    if (isinstance(kind, types.String) and not isinstance(kind, types.Enum)) or is_binary(kind):
        return "plain"
    return "plain" if dialect == "sqlite" and isinstance(kind, types.NullType) else None


def is_binary(kind: types.TypeEngine[Any]) -> bool:
    """Return whether values of a type are bytes; each dialect has its own types for that."""
    try:
        return kind.python_type is bytes
    except NotImplementedError:
        return False


def finds_rows(kind: types.TypeEngine[Any], dialect: str) -> bool:
    """Return whether drivers return values of a type equal to those stored, and in their order.

    They do not for short floats, may not for unknown types, and `hstore` has no order. MySQL sorts
    enums, sets and bits as numbers, but compares them with what drivers return as text.
    """
    if dialect == "sqlite":
        return True
    is_short = isinstance(kind, types.Float) and not isinstance(kind, types.Double)
    is_number = dialect != "postgresql" and isinstance(kind, types.Enum | mysql.SET | mysql.BIT)
    return not (is_short or is_number or isinstance(kind, types.NullType | postgresql.HSTORE))


def raw(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """Return a column with values as the driver reads and writes them."""
    return sa.type_coerce(column, RAW)


_BOUNDED: Final = datetime.datetime, datetime.date, datetime.time, datetime.timedelta, list
"""Python types that lack values of PostgreSQL, such as `infinity`, or do not round-trip."""


def _as_text(key: sa.ColumnElement[Any], dialect: str) -> bool:
    """Return whether a key is read and bound as text: the driver's value may not find it."""
    if dialect != "postgresql":
        return False
    if isinstance(key.type, types.JSON | postgresql.ranges.AbstractRange):
        return True  # bounds of ranges may be `infinity`, too
    try:
        return key.type.python_type in _BOUNDED
    except NotImplementedError:
        return False


def key_value(key: sa.ColumnElement[Any], dialect: str) -> sa.ColumnElement[Any]:
    """Return a key column as it is read."""
    return sa.cast(key, types.Text()) if _as_text(key, dialect) else raw(key)


def key_mark(name: str, key: sa.ColumnElement[Any], dialect: str) -> sa.ColumnElement[Any]:
    """Return a bound parameter for a key value that was read."""
    if _as_text(key, dialect):
        return sa.cast(sa.bindparam(name, type_=types.Text()), key.type)
    return sa.bindparam(name, type_=RAW)


def is_key(keys: list[sa.Column[Any]], dialect: str) -> list[sa.ColumnElement[bool]]:
    """Return the condition that the key is the one bound as `holdall_k_0`, `holdall_k_1`, …"""
    return [raw(key) == key_mark(f"holdall_k_{i}", key, dialect) for i, key in enumerate(keys)]


def read(column: sa.Column[Any], storage: Storage) -> sa.ColumnElement[Any]:
    """Return the text of the document."""
    return raw(column) if storage == "plain" else sa.cast(column, types.Text())


def bound(name: str, column: sa.Column[Any], storage: Storage) -> sa.ColumnElement[Any]:
    """Return a bound parameter for a document given as text."""
    if storage == "plain":
        return sa.bindparam(name, type_=RAW)
    return sa.cast(sa.bindparam(name, type_=types.Text()), column.type)


def is_still(column: sa.Column[Any], storage: Storage, dialect: str) -> sa.ColumnElement[bool]:
    """Return the condition that the document is still the one that was read, `holdall_old`.

    Text is compared character by character: the column's collation may equate different ones.
    """
    if storage == "jsonb" or (storage == "json" and dialect != "postgresql"):
        return column == bound("holdall_old", column, storage)
    if storage == "json":
        return sa.cast(column, types.Text()) == sa.bindparam("holdall_old", type_=types.Text())
    old = sa.bindparam("holdall_old", type_=RAW)
    if dialect == "sqlite":
        binary = types.LargeBinary()
        return sa.cast(column, binary) == sa.cast(old, binary)
    if is_binary(column.type):
        return raw(column) == old
    if dialect == "postgresql":
        return sa.collate(column, "C") == sa.bindparam("holdall_old", type_=types.Text())
    # The column may have another character set, which does not have this collation.
    text = sa.cast(column, mysql.CHAR(charset="utf8mb4"))
    return sa.collate(text, "utf8mb4_bin") == sa.bindparam("holdall_old", type_=types.Text())


def after(keys: list[sa.Column[Any]], dialect: str) -> sa.ColumnElement[bool]:
    """Return the condition that a row comes after a key, bound as `holdall_after_0`, …

    MySQL uses no index to compare row values: it would read all rows before the key again.
    """
    marks = [key_mark(f"holdall_after_{index}", key, dialect) for index, key in enumerate(keys)]
    parts = [raw(key) for key in keys]
    if len(keys) > 1 and dialect not in ("mysql", "mariadb"):
        return sa.tuple_(*parts) > sa.tuple_(*marks)
    behind: sa.ColumnElement[bool] = parts[-1] > marks[-1]
    for part, mark in zip(parts[-2::-1], marks[-2::-1], strict=True):
        behind = sa.or_(part > mark, sa.and_(part == mark, behind))
    return behind

"""The table of records: the version that each row had before it was rewritten."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import types

from holdall.databases.refusals import patiently, refused
from holdall.databases.table_names import name_of

BEFORE: Final = "holdall_version_before"
"""The column of the table of records that says the version of a row before it was rewritten."""
_LONGEST: Final = 60
"""Bytes of a name: PostgreSQL has room for 63, MySQL for 64 characters."""
_DIGITS: Final = 8


def records_of(
    table: sa.Table, column: sa.Column[Any], keys: Sequence[sa.Column[Any]], dialect: str
) -> sa.Table:
    """Return the table of records of a column, whether it is there or not.

    Its name ends with a digest of both names: `a_b.c` and `a.b_c` have different ones.
    """
    # Others may take large and small letters of a table for equal.
    same = table.name if dialect == "postgresql" else table.name.lower()
    digest = hashlib.sha256(f"{same}\0{column.name}".encode()).hexdigest()[:_DIGITS]
    readable = f"holdall_{table.name}_{column.name}".encode()[: _LONGEST - _DIGITS - 1]
    name = f"{readable.decode(errors='ignore')}_{digest}"
    own = [
        sa.Column(k.name, _own_type(k.type), primary_key=True, autoincrement=False) for k in keys
    ]
    before = sa.Column(BEFORE, types.String(250), nullable=False)
    # Whatever a server makes tables of by default: these need transactions.
    engines: dict[str, Any] = {"mysql_engine": "InnoDB", "mariadb_engine": "InnoDB"}
    return sa.Table(name, sa.MetaData(), *own, before, schema=table.schema, **engines)


def _own_type(kind: types.TypeEngine[Any]) -> types.TypeEngine[Any]:
    """Return the type of a key in records; SQLite leaves values of a `blob` alone, as of none."""
    return types.LargeBinary() if isinstance(kind, types.NullType) else kind


def has_records(engine: sa.Engine, records: sa.Table) -> bool:
    """Return whether the table of records is there.

    Raises DatabaseError if what is there has that name only, or keeps rows by another key: it is
    not to be written, and not to be dropped.
    """
    found = patiently(lambda: _columns(engine, records))
    expected = list(records.columns.keys())
    if found is None or {*found} == {*expected}:
        return found is not None
    where, keys = name_of(records), [name for name in found if name != BEFORE]
    if BEFORE in found:
        wanted = ", ".join(name for name in expected if name != BEFORE)
        text = f"its records are of the key {', '.join(keys)}, not of {wanted}"
        fix = f"pass {' '.join(f'--key {name}' for name in keys)}, as when they were made"
        raise refused("HA432", where, text, fix)
    text = (
        "this is not a table of records of holdall: "
        f"expected {', '.join(expected)}, found {', '.join(found)}"
    )
    raise refused("HA432", where, text, f"rename the table {where}: records need its name")


def make_records(engine: sa.Engine, records: sa.Table) -> None:
    """Make the table of records if it is missing. Raises DatabaseError, see `has_records`."""
    if not has_records(engine, records):
        patiently(lambda: records.create(engine, checkfirst=True))


def drop_records(engine: sa.Engine, records: sa.Table) -> None:
    """Drop the table of records if it is there. Raises DatabaseError, see `has_records`."""
    if has_records(engine, records):
        patiently(lambda: records.drop(engine, checkfirst=True))


def count_records(engine: sa.Engine, records: sa.Table) -> int:
    """Return how many rows have a record. Raises DatabaseError, see `has_records`."""

    def count() -> int:
        with engine.connect() as connection:
            query = sa.select(sa.func.count()).select_from(records)
            return int(connection.execute(query).scalar_one())

    return patiently(count) if has_records(engine, records) else 0


def _columns(engine: sa.Engine, records: sa.Table) -> list[str] | None:
    inspector = sa.inspect(engine)
    if not inspector.has_table(records.name, schema=records.schema):
        return None
    return [found["name"] for found in inspector.get_columns(records.name, records.schema)]

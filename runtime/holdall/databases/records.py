"""The table of records: the version that each row had before it was rewritten."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import exc, types

from holdall.databases.refusals import patiently, refused
from holdall.databases.table_names import name_of

BEFORE: Final = "holdall_version_before"
"""The column of the table of records with the version of a row before it was rewritten."""
_LONGEST: Final = 60
"""Maximum bytes of a name: PostgreSQL allows 63, MySQL 64 characters."""
_DIGITS: Final = 8


def records_of(
    table: sa.Table, column: sa.Column[Any], keys: Sequence[sa.Column[Any]], dialect: str
) -> sa.Table:
    """Return the table of records of a column, whether it exists or not.

    Its name ends with a digest of both names, so that `a_b.c` and `a.b_c` get different ones.
    """
    # Other servers may ignore case in names of tables.
    same = table.name if dialect == "postgresql" else table.name.lower()
    digest = hashlib.sha256(f"{same}\0{column.name}".encode()).hexdigest()[:_DIGITS]
    readable = f"holdall_{table.name}_{column.name}".encode()[: _LONGEST - _DIGITS - 1]
    name = f"{readable.decode(errors='ignore')}_{digest}"
    own = [
        sa.Column(k.name, _own_type(k.type), primary_key=True, autoincrement=False) for k in keys
    ]
    before = sa.Column(BEFORE, types.String(250), nullable=False)
    # The server's default engine may lack transactions, which records need.
    engines: dict[str, Any] = {"mysql_engine": "InnoDB", "mariadb_engine": "InnoDB"}
    return sa.Table(name, sa.MetaData(), *own, before, schema=table.schema, **engines)


def _own_type(kind: types.TypeEngine[Any]) -> types.TypeEngine[Any]:
    """Return the type of a key in records; SQLite stores values of a `blob` column unchanged."""
    return types.LargeBinary() if isinstance(kind, types.NullType) else kind


def has_records(engine: sa.Engine, records: sa.Table) -> bool:
    """Return whether the table of records exists.

    Raises DatabaseError if a table of that name is something else, or has another key: it must not
    be written or dropped.
    """
    found = patiently(lambda: _columns(engine, records))
    expected = list(records.columns.keys())
    if found is None or {*found} == {*expected}:
        return found is not None
    where, keys = name_of(records), [name for name in found if name != BEFORE]
    if BEFORE in found:
        wanted = ", ".join(name for name in expected if name != BEFORE)
        text = f"its records have the key {', '.join(keys)}, not {wanted}"
        fix = f"pass {' '.join(f'--key {name}' for name in keys)}, as when they were made"
        raise refused("HA432", where, text, fix)
    text = (
        "this is not a table of records that holdall made: "
        f"expected {', '.join(expected)}, found {', '.join(found)}"
    )
    raise refused("HA432", where, text, f"rename the table {where}: the records need this name")


def make_records(engine: sa.Engine, records: sa.Table) -> None:
    """Create the table of records if it is missing. Raises DatabaseError like `has_records`."""
    if has_records(engine, records):
        return
    try:
        patiently(lambda: records.create(engine, checkfirst=True))
    except exc.DBAPIError:  # PostgreSQL says so if another run creates it at the same time
        if not has_records(engine, records):
            raise


def drop_records(engine: sa.Engine, records: sa.Table) -> None:
    """Drop the table of records if it exists. Raises DatabaseError like `has_records`."""

    def drop() -> None:
        with engine.begin() as connection:  # another run may drop it at the same time
            connection.execute(sa.schema.DropTable(records, if_exists=True))

    if has_records(engine, records):
        patiently(drop)


def count_records(engine: sa.Engine, records: sa.Table) -> int:
    """Return how many rows have a record. Raises DatabaseError like `has_records`."""

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

"""The table: its documents, its key, and the records of former versions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import event, exc, types

from holdall.databases import dialects
from holdall.databases.dialects import Storage, finds_rows
from holdall.databases.records import records_of
from holdall.databases.refusals import (
    DatabaseError,
    cause,
    gave_up,
    meaning,
    patiently,
    refused,
)
from holdall.databases.table_names import name_as_read, name_of, read_name
from holdall.errors import NotInstalled, Problem
from holdall.suggest import nearest
from holdall.words import counted

_DRIVERS: Final = {
    "postgresql": ("psycopg", "psycopg[binary]"),
    "mysql": ("pymysql", "pymysql"),
    "mariadb": ("pymysql", "pymysql"),
}
"""The default drivers of databases, and the packages to install."""


class Names(NamedTuple):
    """The command line's names: of the table and its columns, and the documents' kind."""

    table: str
    column: str
    keys: Sequence[str] = ()
    version: str = ""
    kinds: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A column of documents that was found in the database and can be rewritten.

    `version` and `kinds` are the columns with version and kind, if there are any; `records` is the
    table of its records.
    """

    engine: sa.Engine
    table: sa.Table
    column: sa.Column[Any]
    keys: tuple[sa.Column[Any], ...]
    storage: Storage
    version: sa.Column[Any] | None
    kinds: sa.Column[Any] | None
    kind: str
    records: sa.Table

    @property
    def dialect(self) -> str:
        """The name of the SQL dialect."""
        return self.engine.dialect.name

    @property
    def name(self) -> str:
        """The name of the column in messages."""
        return f"{name_of(self.table)}.{self.column.name}"


def connect(url: str) -> sa.Engine:
    """Return the engine of a database. Raises DatabaseError, NotInstalled without its driver."""
    try:
        parsed = sa.make_url(url)
    except (exc.ArgumentError, ValueError) as error:  # ValueError: the port is not a number
        fix = "write DIALECT://USER:PASSWORD@HOST/DATABASE, such as sqlite:///file.db"
        raise refused("HA420", "", "this is not the URL of a database", fix) from error
    shown = parsed.render_as_string(hide_password=True)
    name = parsed.get_backend_name()
    if name not in dialects.NAMES:
        near = nearest(name, dialects.NAMES)
        text = f"{name} databases are not supported{near}"
        raise refused("HA420", shown, text, f"use one of: {', '.join(dialects.NAMES)}")
    driver, package = _DRIVERS.get(name, ("", ""))
    if parsed.drivername == name and driver:
        parsed = parsed.set(drivername=f"{name}+{driver}")
    path = parsed.database or ":memory:"
    is_file = name == "sqlite" and path != ":memory:" and not path.startswith("file:")
    if is_file and not Path(path).is_file():  # SQLite would create an empty one
        raise refused("HA420", shown, "there is no such file", "check the path")
    try:
        # Parameters are documents, which must not appear in messages.
        engine = sa.create_engine(parsed, hide_parameters=True)
        if name == "sqlite":
            event.listen(engine, "connect", _read_any_text)
        if name == "postgresql":
            event.listen(engine, "connect", _write_dates_alike)
        patiently(lambda: _reach(engine))
    except exc.NoSuchModuleError as error:
        fix = f"write {name}:// in the URL, and install {package}" if driver else f"write {name}://"
        raise refused("HA420", shown, "this driver is not known", fix) from error
    except (exc.ArgumentError, TypeError, ValueError, AttributeError) as error:
        text = f"the driver refuses its options: {str(error).partition(chr(10))[0]}"
        raise refused("HA420", shown, text, "correct what follows `?` in the URL") from error
    except ModuleNotFoundError as error:
        other = package if error.name == driver else str(error.name)
        raise NotInstalled(str(error.name), "sql", other) from error
    except exc.DBAPIError as error:
        means = meaning(error)
        if means == "busy":
            raise gave_up(shown, error) from error
        if means == "not a database":
            text, fix = "the file is not an SQLite database", "name the file of the database"
            raise refused("HA420", shown, text, fix) from error
        text = f"the database cannot be reached: {cause(error)}"
        raise refused("HA420", shown, text, "check the URL, and that the database runs") from error
    return engine


def _read_any_text(connection: Any, _: object) -> None:
    """Make SQLite read text that is not UTF-8, so that only its row fails."""
    connection.text_factory = lambda text: text.decode(errors="surrogateescape")


def _write_dates_alike(connection: Any, _: object) -> None:
    """Make PostgreSQL write dates in keys as it reads them, whatever its settings are."""
    with connection.cursor() as cursor:
        cursor.execute("set datestyle to iso")
    connection.commit()


def _reach(engine: sa.Engine) -> None:
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                # SQLite opens any file, and reads it only for the first query.
                connection.exec_driver_sql("select 1 from sqlite_master limit 1")
    except exc.DBAPIError:
        engine.dispose()  # the caller gets no engine to dispose of
        raise


def find(engine: sa.Engine, names: Names) -> Place:
    """Find the table, and check that it can be rewritten. Raises DatabaseError."""
    with warnings.catch_warnings():
        # SQLAlchemy warns of what it cannot read, such as indexes on expressions; not needed here.
        warnings.simplefilter("ignore", exc.SAWarning)
        return patiently(lambda: _find(engine, names))


def _find(engine: sa.Engine, names: Names) -> Place:
    schema, name = read_name(names.table)
    inspector = sa.inspect(engine)
    _check_schema(inspector, schema, names.table)
    if name in inspector.get_view_names(schema or None):
        text = "this is a view, whose rows have no key"
        raise refused("HA421", names.table, text, "name the table with the documents")
    try:
        metadata = sa.MetaData()
        table = sa.Table(
            name, metadata, schema=schema or None, autoload_with=engine, resolve_fks=False
        )
    except exc.NoSuchTableError as error:
        known = [name_as_read(schema, one) for one in inspector.get_table_names(schema or None)]
        text = f"there is no such table{nearest(names.table, known)}"
        fix = (
            f"name one of: {', '.join(known)}"
            if known
            else "check the URL: its user sees no tables"
        )
        raise refused("HA421", names.table, text, fix) from error
    problems: list[Problem] = []
    column = _column(table, names.column, problems)
    version = _column(table, names.version, problems)
    kinds = _column(table, names.kinds, problems)
    named = [_column(table, key, problems) for key in dict.fromkeys(names.keys)]
    where = f"{name_of(table)}.{names.column}"
    storage = None
    if column is not None:
        storage = dialects.storage_of(column, engine.dialect.name)
        if storage is None:
            text = f"expected JSON, text or binary, found {column.type}"
            problems.append(Problem("HA422", where, text, "name another column"))
    found = [key for key in named or table.primary_key if key is not None]
    if not problems:
        written = {each for each in (column, version, kinds) if each is not None}
        problems += _key_problems(engine, table, found, written)
        problems += _engine_problems(engine, table)
    if problems or column is None or storage is None:
        raise DatabaseError(problems)
    records = records_of(table, column, found, engine.dialect.name)
    return Place(engine, table, column, (*found,), storage, version, kinds, names.kind, records)


def _check_schema(inspector: sa.Inspector, schema: str, text: str) -> None:
    """Raise DatabaseError if there is no such schema; the dot may belong to the table's name."""
    known = inspector.get_schema_names() if schema else []
    if not known or schema.lower() in map(str.lower, known):
        return
    fix = f"schemas: {', '.join(known)}"
    if text in inspector.get_table_names():
        fix = f"write '{name_as_read('', text)}': put a name with a dot in double quotes"
    raise refused("HA421", text, f"there is no schema {schema}{nearest(schema, known)}", fix)


def _column(table: sa.Table, name: str, problems: list[Problem]) -> sa.Column[Any] | None:
    if not name:
        return None
    if name in table.columns:
        return table.columns[name]
    text = f"the table has no such column{nearest(name, table.columns.keys())}"
    fix = f"name one of: {', '.join(table.columns.keys())}"
    problems.append(Problem("HA421", f"{name_of(table)}.{name}", text, fix))
    return None


def _key_problems(
    engine: sa.Engine,
    table: sa.Table,
    keys: Sequence[sa.Column[Any]],
    written: set[sa.Column[Any]],
) -> list[Problem]:
    """Return why a key does not identify rows: it must be unique, set in each row, and constant.

    `written` are the columns that change.
    """
    where = name_of(table)
    if not keys:
        text = "the table has no primary key, so its rows cannot be told apart"
        return [Problem("HA423", where, text, "pass --key with a unique column, or add a key")]
    for key in keys:
        if key in written:
            text = f"{key.name} is part of the key, but would change: rows could not be found again"
            return [Problem("HA423", where, text, "pass --key with another unique column")]
        if not finds_rows(key.type, engine.dialect.name):
            text = (
                f"{key.name} is part of the key, but rows cannot be found by its type {key.type!r}"
            )
            return [Problem("HA423", where, text, "pass --key with another unique column")]
    inspector = sa.inspect(engine)
    names = {key.name for key in keys}
    unique = [set(table.primary_key.columns.keys())]
    # SQLite has an index for each unique constraint, but SQLAlchemy cannot parse all constraints.
    broken = _broken_indexes(engine, table)
    for index in inspector.get_indexes(table.name, schema=table.schema, include_auto_indexes=True):
        # A partial index, such as with `postgresql_where`, covers only some rows.
        has_condition = any(
            option.endswith("_where") for option in index.get("dialect_options", {})
        )
        if index["unique"] and not has_condition and index["name"] not in broken:
            unique.append({name or "" for name in index["column_names"]})
    for constraint in inspector.get_unique_constraints(table.name, schema=table.schema):
        unique.append({*constraint["column_names"]})
    shown = ", ".join(key.name for key in keys)
    if not any(known and known <= names for known in unique):
        text = f"no index makes {shown} unique: rows could be confused"
        return [Problem("HA423", where, text, "add a unique index, or name another key")]
    nulls = sa.select(sa.func.count()).where(sa.or_(*(key.is_(None) for key in keys)))
    with engine.connect() as connection:
        count = connection.execute(nulls).scalar_one()
        same = engine.dialect.name == "sqlite" and connection.execute(_twice(table, keys)).first()
    if count:
        text = f"{counted(count, 'row')} {'has' if count == 1 else 'have'} no {shown}"
        return [Problem("HA423", where, text, "fill the column, or name another key")]
    if same:
        text = f"by the column's collation {shown} is equal in several rows, unlike in the index"
        return [Problem("HA423", where, text, "pass --key with another unique column")]
    return []


_BROKEN: Final = sa.text(
    "select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid"
    " where i.indrelid = cast(:name as regclass) and not i.indisvalid"
)
"""Indexes of PostgreSQL whose creation `concurrently` has failed or is still running."""


def _broken_indexes(engine: sa.Engine, table: sa.Table) -> set[str]:
    """Return the names of indexes that may not cover existing rows yet."""
    if engine.dialect.name != "postgresql":
        return set()
    named = engine.dialect.identifier_preparer.format_table(table)
    with engine.connect() as connection:
        return {*connection.execute(_BROKEN, {"name": named}).scalars()}


_ENGINES: Final = sa.text(
    "select t.engine from information_schema.tables t"
    " join information_schema.engines e on e.engine = t.engine and e.transactions <> 'YES'"
    " where t.table_schema = coalesce(:schema, database()) and t.table_name = :name"
)
"""The storage engine of a table of MySQL or MariaDB, if it has no transactions."""


def _engine_problems(engine: sa.Engine, table: sa.Table) -> list[Problem]:
    """Return why rows and their records cannot be written in one transaction."""
    if engine.dialect.name not in ("mysql", "mariadb"):
        return []
    with engine.connect() as connection:
        of = {"schema": table.schema, "name": table.name}
        found = connection.execute(_ENGINES, of).scalar()
    if found is None:
        return []
    text = f"{found} has no transactions: a row could be written without a record"
    named = engine.dialect.identifier_preparer.format_table(table)
    return [Problem("HA433", name_of(table), text, f"alter table {named} engine=InnoDB")]


def _twice(table: sa.Table, keys: Sequence[sa.Column[Any]]) -> sa.Select[Any]:
    """Return the query of rows whose keys are equal by the column's collation: a unique index of
    SQLite may have another collation."""
    if all(isinstance(key.type, types.Integer) for key in keys):
        return sa.select(sa.literal(1)).where(sa.false())
    found = sa.select(sa.literal(1)).select_from(table).group_by(*keys)
    return found.having(sa.func.count() > 1).limit(1)

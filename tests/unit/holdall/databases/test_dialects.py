"""The statements of each dialect, as the database gets them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.engine import make_url

from holdall.databases.dialects import after, finds_rows, is_key, key_value, storage_of
from holdall.databases.records import BEFORE
from holdall.databases.rows import Reader, Writer
from holdall.databases.tables import Place

MYSQL, POSTGRES, SQLITE = (
    make_url(url).get_dialect()()
    for url in ("mysql+pymysql://", "postgresql+psycopg://", "sqlite://")
)


def place_of(dialect: sa.Dialect, kind: sa.types.TypeEngine[Any]) -> Place:
    table = sa.Table(
        "t", sa.MetaData(), sa.Column("id", sa.BigInteger, primary_key=True), sa.Column("doc", kind)
    )
    key = sa.Column("id", sa.BigInteger, primary_key=True)
    records = sa.Table("r", sa.MetaData(), key, sa.Column(BEFORE, sa.String(250)))
    storage = storage_of(table.c.doc, dialect.name)
    assert storage is not None
    engine: Any = SimpleNamespace(dialect=dialect)
    return Place(engine, table, table.c.doc, (table.c.id,), storage, None, None, "", records)


def sql(statement: Any, dialect: sa.Dialect) -> str:
    return " ".join(str(statement.compile(dialect=dialect)).split())


@pytest.mark.parametrize(
    ("dialect", "kind", "read", "update"),
    [
        (
            MYSQL,
            mysql.JSON(),
            "CAST(t.doc AS CHAR)",
            "doc=CAST(%s AS JSON) WHERE t.id = %s AND t.doc = CAST(%s AS JSON)",
        ),
        (
            MYSQL,
            mysql.LONGTEXT(),
            "t.doc",
            "AND (CAST(t.doc AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_bin) = %s",
        ),
        (MYSQL, mysql.LONGBLOB(), "t.doc", "doc=%s WHERE t.id = %s AND t.doc = %s"),
        (
            POSTGRES,
            postgresql.JSON(),
            "CAST(t.doc AS TEXT)",
            "AND CAST(t.doc AS TEXT) = %(holdall_old)s",
        ),
        (
            POSTGRES,
            sa.Text(),
            "t.doc",
            "doc=%(holdall_new)s WHERE t.id = %(holdall_k_0)s "
            'AND (t.doc COLLATE "C") = %(holdall_old)s',
        ),
        (
            SQLITE,
            sa.JSON(),
            "t.doc",
            "doc=? WHERE t.id = ? AND CAST(t.doc AS BLOB) = CAST(? AS BLOB)",
        ),
    ],
    ids=lambda value: str(getattr(value, "name", value))[:20],
)
def test_statements(
    dialect: sa.Dialect, kind: sa.types.TypeEngine[Any], read: str, update: str
) -> None:
    """Documents are read as text, written as their type, and compared letter by letter."""
    place = place_of(dialect, kind)
    reader, writer = Reader(place, 10), Writer(place, "add")
    assert f"{read} AS d" in sql(reader._after, dialect)
    assert "ORDER BY t.id" in sql(reader._after, dialect)
    assert update in sql(writer._update, dialect)
    assert sql(writer._forget, dialect).startswith("DELETE FROM r WHERE r.id = ")
    assert "LEFT OUTER JOIN t ON r.id = t.id" in sql(
        Reader(place, 10, of_records=True)._first, dialect
    )


@pytest.mark.parametrize(
    ("dialect", "behind"),
    [
        (SQLITE, "(t.a, t.b, t.c) > (?, ?, ?)"),
        (MYSQL, "t.a > %s OR t.a = %s AND (t.b > %s OR t.b = %s AND t.c > %s)"),
    ],
    ids=["sqlite", "mysql"],
)
def test_keys_of_several_columns(dialect: sa.Dialect, behind: str) -> None:
    """Each batch begins where the index says: MySQL compares rows of values without one."""
    columns = [sa.Column(name, sa.Integer) for name in "abc"]
    sa.Table("t", sa.MetaData(), *columns)
    assert sql(after(columns, dialect.name), dialect) == behind


@pytest.mark.parametrize("kind", [sa.Integer(), sa.DateTime(), sa.Enum("a"), sa.Numeric()])
def test_other_types_hold_no_documents(kind: sa.types.TypeEngine[Any]) -> None:
    """A number, a time and a choice are refused on every database."""
    for dialect in ("sqlite", "postgresql", "mysql"):
        assert storage_of(sa.Column("c", kind), dialect) is None


def test_ends_of_ranges_may_be_infinite() -> None:
    """The driver has no such times: these keys come and go as text."""
    key = sa.Column("during", postgresql.TSTZRANGE())
    assert finds_rows(key.type, "postgresql")
    assert sql(key_value(key, "postgresql"), POSTGRES) == "CAST(during AS TEXT)"
    (found,) = is_key([key], "postgresql")
    assert sql(found, POSTGRES) == "during = CAST(%(holdall_k_0)s::VARCHAR AS TSTZRANGE)"


def test_a_type_without_an_order_is_not_a_key() -> None:
    assert not finds_rows(postgresql.HSTORE(), "postgresql")

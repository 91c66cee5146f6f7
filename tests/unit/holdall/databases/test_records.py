"""The table of records: a name of its own for each column, within the limits of all databases."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from holdall.databases.records import BEFORE, records_of


def name_of(table: str, column: str, dialect: str = "sqlite") -> str:
    """Return the name of the table of records of a column."""
    made = sa.Table(table, sa.MetaData(), sa.Column("id"), sa.Column(column))
    found = records_of(made, made.columns[column], [made.columns["id"]], dialect)
    assert [*found.columns.keys()] == ["id", BEFORE]
    return found.name


def test_names_are_read_and_told_apart() -> None:
    """The same letters in a row, divided elsewhere, are another name."""
    first, second = name_of("orders", "item_doc"), name_of("orders_item", "doc")
    assert first.startswith("holdall_orders_item_doc_") and first != second
    assert first[:-8] == second[:-8]


@pytest.mark.parametrize("letter", ["x", "ä", "漢"])
def test_names_fit(letter: str) -> None:
    """PostgreSQL has room for 63 bytes; long names that differ at their end only are told apart."""
    names = {name_of(letter * 60 + end, "doc") for end in "ab"}
    assert len(names) == 2
    assert all(len(name.encode()) <= 60 and name.isprintable() for name in names)


def test_large_and_small_letters() -> None:
    """PostgreSQL tells them apart in any case, MySQL on some systems only."""
    names = [name_of(name, "doc", "mysql") for name in ("Orders", "orders")]
    assert names[0] != names[1] and names[0].lower() == names[1]
    names = [name_of(name, "doc", "postgresql") for name in ("Orders", "orders")]
    assert names[0].lower() != names[1]

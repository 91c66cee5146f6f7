"""Names of tables as they are given: a dot takes schema and table apart, unless it is quoted."""

from __future__ import annotations

import pytest

from holdall.databases.refusals import DatabaseError
from holdall.databases.table_names import name_as_read, read_name


@pytest.mark.parametrize(
    ("text", "schema", "name"),
    [
        ("things", "", "things"),
        ("shop.things", "shop", "things"),
        ('"a.b"', "", "a.b"),
        ('shop."a.b"', "shop", "a.b"),
        ('"my.shop".things', "my.shop", "things"),
        ('"say ""a"""', "", 'say "a"'),
        ("two words", "", "two words"),
    ],
)
def test_names_are_read_as_they_are_written(text: str, schema: str, name: str) -> None:
    assert read_name(text) == (schema, name)
    assert name_as_read(schema, name) == text


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a.b.c", '"a', 'a"b', '"a"b', '""'])
def test_what_names_no_table(text: str) -> None:
    with pytest.raises(DatabaseError, match="a name with a dot in double quotes"):
        read_name(text)

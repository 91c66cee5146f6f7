"""Names of tables: `TABLE` or `SCHEMA.TABLE`; names with dots are double-quoted, as in SQL."""

from __future__ import annotations

import re
from typing import Final

import sqlalchemy as sa

from holdall.databases.refusals import refused

_PART: Final = r'"(?:[^"]|"")+"|[^".]+'
_NAME: Final = re.compile(rf"(?:({_PART})\.)?({_PART})")


def read_name(text: str) -> tuple[str, str]:
    """Return the names of a schema, "" if there is none, and of a table. Raises DatabaseError."""
    found = _NAME.fullmatch(text)
    if found is None:
        fix = "write TABLE or SCHEMA.TABLE; put a name with a dot in double quotes: 'shop.\"a.b\"'"
        raise refused("HA421", text, "this does not name a table", fix)
    schema, name = (_unquoted(part or "") for part in found.groups())
    return schema, name


def name_of(table: sa.Table) -> str:
    """Return the name of a table as `read_name` reads it."""
    return name_as_read(str(table.schema or ""), table.name)


def name_as_read(schema: str, name: str) -> str:
    """Return the text that `read_name` reads as these names."""
    parts = (part for part in (schema, name) if part)
    return ".".join(_quoted(part) if {".", '"'} & {*part} else part for part in parts)


def _quoted(part: str) -> str:
    return '"{}"'.format(part.replace('"', '""'))


def _unquoted(part: str) -> str:
    return part[1:-1].replace('""', '"') if part.startswith('"') else part

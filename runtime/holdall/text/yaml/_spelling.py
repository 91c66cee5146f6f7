"""How new values are written in a YAML text."""

from __future__ import annotations

import re
from typing import Final

from holdall.text import json
from holdall.text.yaml._dump import dump
from holdall.types import JsonValue, is_json_object

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")


class Spelling:
    """Blocks as `dump` writes them; `indent` is the indentation of dashes below a key."""

    indent = 0

    def lines(self, value: JsonValue, level: int) -> list[str]:
        """Return the lines of a non-empty mapping or list as a block, at depth `level`."""
        lines: list[str] = []
        if is_json_object(value):
            for key, item in value.items():
                name = dump({key: None})[: -len(" null\n")]
                if isinstance(item, dict | list) and item:
                    indent = " " * (2 if isinstance(item, dict) else self.indent)
                    lines += [name, *_indented(self.lines(item, level + 1), indent)]
                else:
                    first, *rest = _scalar(item)
                    lines += [f"{name} {first}", *rest]
        for item in value if isinstance(value, list) else ():
            if isinstance(item, dict | list) and item:
                first, *rest = self.lines(item, level + 1)
                lines += [f"- {first}", *_indented(rest, "  ")]
            else:
                first, *rest = _scalar(item)
                lines += [f"- {first}", *rest]
        return lines

    def flow(self, value: JsonValue) -> str:
        """Return a value as it is written inside brackets."""
        if is_json_object(value):
            members = (f"{self.flow(key)}: {self.flow(item)}" for key, item in value.items())
            return f"{{{', '.join(members)}}}"
        if isinstance(value, list):
            return f"[{', '.join(map(self.flow, value))}]"
        plain = _scalar(value)[0]
        if not isinstance(value, str) or (_WORD.fullmatch(value) and plain == value):
            return plain
        return json.encode(value).decode()


def requoted(value: str, quote: str) -> str | None:
    """Return a text in the given quotes, None if they cannot hold it."""
    if not value.isprintable():
        return None
    if quote == "'":
        return "'" + value.replace("'", "''") + "'"
    return json.encode(value).decode()


def _scalar(value: JsonValue) -> list[str]:
    return dump({"k": value})[3:-1].split("\n")


def _indented(lines: list[str], indent: str) -> list[str]:
    return [f"{indent}{line}" if line else line for line in lines]

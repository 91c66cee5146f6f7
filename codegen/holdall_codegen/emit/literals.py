"""JSON values and texts as Python source has them."""

from __future__ import annotations

from collections.abc import Iterable

from holdall.types import JsonValue
from holdall_codegen.emit.lines import Call, Expression, Keyword


def quoted(text: str) -> str:
    """Return a string literal: in double quotes, or in single ones where that escapes less."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    body = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    letters = (
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in body
    )
    return f"{quote}{''.join(letters)}{quote}"


def texts(values: Iterable[str]) -> Call:
    """Return a tuple of strings."""
    return Call("(", [quoted(value) for value in values])


def literal(value: JsonValue) -> Expression:
    """Return a JSON value as Python has it."""
    match value:
        case str():
            return quoted(value)
        case list():
            return Call("[", list(map(literal, value)), "]")
        case dict():
            members: list[Expression] = [
                Keyword(quoted(key), literal(item)) for key, item in value.items()
            ]
            return Call("{", members, "}")
        case _:
            return repr(value)

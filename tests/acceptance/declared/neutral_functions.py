"""The functions of the neutral form as Python functions that do what their operation says.

Values are JSON: an object of a declared type is a dict.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from holdall_codegen.declared.types import RANGES
from tests.acceptance.declared.cases import FormError, Node, node, refuse_unknown

_KEYS: Final[dict[str, frozenset[str]]] = {
    "const": frozenset({"value"}),
    "identity": frozenset(),
    "saturating_cast": frozenset({"to"}),
    "checked_cast": frozenset({"to", "on_overflow"}),
    "table": frozenset({"table", "else"}),
    "wrap": frozenset({"key", "null_passthrough", "else"}),
    "unwrap": frozenset({"key", "null_passthrough", "else"}),
    "cases": frozenset({"null", "key", "inner", "else"}),
    "uncases": frozenset({"null", "key", "inner", "else"}),
}


def python_name(name: str) -> str:
    """Return a Python name for the path of a function: `self::defaults::bar`."""
    text = re.sub(r"\W+", "_", name).strip("_")
    return f"fn_{text}" if not text.isidentifier() or text in ("None", "True", "False") else text


def render_function(python: str, operation: Node, where: str) -> list[str]:
    """Return the lines of a function that does what an operation says. Raises FormError."""
    operation = node(operation, where)
    op = operation.get("op")
    if op not in _KEYS:
        raise FormError(f"{where} has the unknown op {op}")
    refuse_unknown(operation, {"op", *_KEYS[op]}, where)
    # A constant is a default, which gets nothing, or converts a value, whichever it is.
    parameters = "*value" if op == "const" else "value"
    body = _BODIES[op](operation, where)
    return [f"def {python}({parameters}):", *(f"    {line}" for line in body), "", ""]


def _const(operation: Node, where: str) -> list[str]:
    return [f"return {operation.get('value')!r}"]


def _identity(operation: Node, where: str) -> list[str]:
    return ["return value"]


def _range(operation: Node, where: str) -> tuple[int, int]:
    to = str(operation.get("to"))
    known: Mapping[str, tuple[int, int]] = {**RANGES, "isize": RANGES["i64"]}
    if to not in known:
        raise FormError(f"{where} casts to the unknown type {to}")
    return known[to]


def _saturating_cast(operation: Node, where: str) -> list[str]:
    low, high = _range(operation, where)
    return [f"return max({low}, min(int(value), {high}))"]


def _checked_cast(operation: Node, where: str) -> list[str]:
    low, high = _range(operation, where)
    return [
        f"if not {low} <= int(value) <= {high}:",
        f'    raise ValueError(f"{{value}} does not fit into {operation["to"]}")',
        "return int(value)",
    ]


def _else(operation: Node) -> str:
    if "else" in operation:
        return f"return {operation['else']!r}"
    return 'raise ValueError(f"no result for {value!r}")'


def _table(operation: Node, where: str) -> list[str]:
    rows = operation.get("table")
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and len(row) == 2 for row in rows
    ):
        raise FormError(f"{where} has no table of pairs")
    return [
        f"for argument, result in {rows!r}:",
        "    if type(argument) is type(value) and argument == value:",
        "        return result",
        _else(operation),
    ]


def _wrap(operation: Node, where: str) -> list[str]:
    lines = ["if value is None:", "    return None"] if operation.get("null_passthrough") else []
    return [*lines, f"return {{{_key(operation, where)!r}: value}}"]


def _unwrap(operation: Node, where: str) -> list[str]:
    lines = ["if value is None:", "    return None"] if operation.get("null_passthrough") else []
    key = _key(operation, where)
    return [
        *lines,
        f"if isinstance(value, dict) and {key!r} in value:",
        f"    return value[{key!r}]",
        _else(operation),
    ]


def _cases(operation: Node, where: str) -> list[str]:
    key, inner = _key(operation, where), _key(operation, where, "inner")
    return [
        "if value is None:",
        f"    return {operation.get('null')!r}",
        f"return {{{key!r}: {{{inner!r}: value}}}}",
    ]


def _uncases(operation: Node, where: str) -> list[str]:
    key, inner = _key(operation, where), _key(operation, where, "inner")
    return [
        f"held = value.get({key!r}) if isinstance(value, dict) else None",
        f"if isinstance(held, dict) and {inner!r} in held:",
        f"    return held[{inner!r}]",
        _else(operation),
    ]


def _key(operation: Node, where: str, name: str = "key") -> str:
    key: Any = operation.get(name)
    if not isinstance(key, str):
        raise FormError(f"{where} has no {name}")
    return key


_BODIES: Final = {
    "const": _const,
    "identity": _identity,
    "saturating_cast": _saturating_cast,
    "checked_cast": _checked_cast,
    "table": _table,
    "wrap": _wrap,
    "unwrap": _unwrap,
    "cases": _cases,
    "uncases": _uncases,
}

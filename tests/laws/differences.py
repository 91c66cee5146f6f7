"""Exact comparison of JSON values, and a difference that a person can read."""

from __future__ import annotations

import json
from collections.abc import Iterator

from holdall.types import JsonValue

MISSING = object()


def same(one: object, other: object) -> bool:
    """Tell whether two JSON values are the same; `True` is not `1`, and `2` is not `2.0`."""
    return next(differences(one, other), None) is None


def differences(expected: object, actual: object, path: str = "") -> Iterator[str]:
    """Yield one line per place where two JSON values differ: JSON Pointer, expected, actual."""
    if type(expected) is not type(actual):
        yield f"{path or '/'}: expected {_text(expected)}, found {_text(actual)}"
    elif isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted({*expected, *actual}):
            yield from differences(
                expected.get(key, MISSING), actual.get(key, MISSING), f"{path}/{key}"
            )
    elif isinstance(expected, list) and isinstance(actual, list):
        for index in range(max(len(expected), len(actual))):
            yield from differences(
                expected[index] if index < len(expected) else MISSING,
                actual[index] if index < len(actual) else MISSING,
                f"{path}/{index}",
            )
    elif repr(expected) != repr(actual):
        yield f"{path or '/'}: expected {_text(expected)}, found {_text(actual)}"


def require_same(expected: JsonValue, actual: JsonValue, claim: str, origin: JsonValue) -> None:
    """Fail with a readable difference unless two values are the same.

    `claim` says what was expected of the object `origin`.
    """
    found = list(differences(expected, actual))
    if found:
        lines = "\n    ".join(found[:20])
        raise AssertionError(f"{claim}\n    {lines}\n  for {_text(origin)}")


def _text(value: object) -> str:
    return "nothing" if value is MISSING else json.dumps(value, ensure_ascii=False, default=repr)

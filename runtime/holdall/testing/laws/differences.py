"""Where two JSON values differ, exactly, and as readable text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue

Tokens = tuple[str | int, ...]


class Missing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "nothing"

    def __reduce__(self) -> str:
        # It is a singleton in every process.
        return "MISSING"


MISSING: Final = Missing()
Found: TypeAlias = "JsonValue | Missing"

_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where a value is not what it should be; `path` are the tokens of its pointer."""

    path: Tokens
    expected: Found
    found: Found

    def __str__(self) -> str:
        pointer = join("", *self.path) or "/"
        return f"{pointer}: expected {shown(self.expected)}, found {shown(self.found)}"


def differences(expected: Found, found: Found, path: Tokens = ()) -> Iterator[Difference]:
    """Yield the places where two JSON values differ; `True` is not `1`, and `2` is not `2.0`."""
    if isinstance(expected, Missing) or isinstance(found, Missing):
        if expected is not found:
            yield Difference(path, expected, found)
    elif _json.same(expected, found):
        return
    elif isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted({*expected, *found}):
            one, other = expected.get(key, MISSING), found.get(key, MISSING)
            yield from differences(one, other, (*path, key))
    elif isinstance(expected, list) and isinstance(found, list):
        for index in range(max(len(expected), len(found))):
            yield from differences(
                expected[index] if index < len(expected) else MISSING,
                found[index] if index < len(found) else MISSING,
                (*path, index),
            )
    else:
        yield Difference(path, expected, found)


def lines(found: Iterable[Difference]) -> tuple[str, ...]:
    """Return differences as lines, as many as a person reads."""
    texts = [str(difference) for difference in found]
    rest = len(texts) - _SHOWN
    return (*texts[:_SHOWN], f"… and {rest} more") if rest > 0 else tuple(texts)


def shown(value: Found) -> str:
    """Return a value as it is written, `nothing` where there is none."""
    return "nothing" if isinstance(value, Missing) else _json.encode(value).decode()

"""What values are on the other side, for differences that are declared or that a hook makes.

The functions for `holdall.yaml` are the plain ones; `Pair` makes a two-way hook of any two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from typing_extensions import override

from holdall import Members, TwoWay

Function: TypeAlias = Callable[[Any], Any]
_NAMES = {"Fast": "Quick", "Slow": "Lame"}


class Gone(Exception):
    """The other side shows nothing."""


class Pair(TwoWay):
    """One property by two functions; what they raise leaves nothing, and a null stays null."""

    def __init__(self, older: str, newer: str, up: Function, down: Function) -> None:
        self.older, self.newer = (older,), (newer,)
        self._names = older, newer
        self._functions = up, down

    @override
    def to_newer(self, older: Members) -> Members:
        return self._made(older, self._names[1], self._functions[0])

    @override
    def to_older(self, newer: Members) -> Members:
        return self._made(newer, self._names[0], self._functions[1])

    def _made(self, members: Members, name: str, function: Function) -> Members:
        if not members:
            return {}
        (value,) = members.values()
        try:
            return {name: None if value is None else function(value)}
        except (Gone, ValueError):
            return {}


class Fill(TwoWay):
    """A property of one version only, with its value if none is kept."""

    def __init__(self, side: str, name: str, value: Any) -> None:
        self.older, self.newer = ((name,), ()) if side == "older" else ((), (name,))
        self._side, self._made = side, {name: value}

    @override
    def to_newer(self, older: Members) -> Members:
        return self._made if self._side == "newer" else {}

    @override
    def to_older(self, newer: Members) -> Members:
        return self._made if self._side == "older" else {}


def same(value: Any) -> Any:
    return value


def lower(text: str) -> str:
    return text.lower()


def marked(text: str) -> str:
    return f"x-{text}"


def unmarked(text: str) -> str:
    return text.removeprefix("x-")


def renamed(text: str) -> str:
    return _NAMES.get(text, text)


def renamed_back(text: str) -> str:
    return {new: old for old, new in _NAMES.items()}.get(text, text)


def spelled(number: int) -> str:
    return str(number)


def counted(text: str) -> int:
    return int(text)


def split(text: str) -> list[str]:
    return text.split(",")


def joined(texts: list[str]) -> str:
    return ",".join(texts)


def whole(number: float) -> int:
    if number != int(number):
        raise Gone
    return int(number)


def only_text(value: Any) -> str:
    if not isinstance(value, str):
        raise Gone
    return value


def shown(value: Any) -> Any:
    """Return what a version shows that hides zero values."""
    if value in ("", 0):
        raise Gone
    return value


def alone(value: Any) -> list[Any]:
    return [value]


def first(values: list[Any]) -> Any:
    if not values:
        raise Gone
    return values[0]


def an_object(name: str) -> dict[str, str]:
    return {"name": name}


def name_of(value: dict[str, str]) -> str:
    if "name" not in value:
        raise Gone
    return value["name"]

"""Constructors that record their arguments, so that all mistakes can be reported together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar


class Call:
    """A call as it was written, unchecked.

    The `__init__` of a subclass is its signature, for people, type checkers and the reader of
    declarations; it never runs. `arguments` and `keywords` are what was given, right or wrong.
    """

    __slots__ = ("arguments", "keywords")

    written: ClassVar[Callable[..., None]]
    arguments: tuple[object, ...]
    keywords: Mapping[str, object]

    def __init_subclass__(cls) -> None:
        cls.written = cls.__init__
        cls.__init__ = _record  # type: ignore[method-assign, assignment]

    def __repr__(self) -> str:
        given = [repr(argument) for argument in self.arguments]
        given += [f"{name}={value!r}" for name, value in self.keywords.items()]
        return f"{type(self).__name__}({', '.join(given)})"


def _record(self: Call, *arguments: object, **keywords: object) -> None:
    self.arguments = arguments
    self.keywords = keywords


class Marker:
    """A word of the declaration language that takes no arguments."""

    def __init__(self, word: str) -> None:
        self.word = word

    def __repr__(self) -> str:
        return self.word

"""What all objects that an older schema allowed have in common, and which new demands they meet.

A new rule may be about new members only, and a new limit about strings that an enum limits already:
such demands refuse no existing object. Only the parts of rules that show this are evaluated; the
result of all others is unknown.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from holdall.text import json
from holdall.types import JsonValue
from holdall_codegen.breaking.schema_changes import SchemaChange, is_narrower
from holdall_codegen.breaking.schema_facts import Bound

# --- values ----------------------------------------------------------------------------------


def limited(name: str, bound: Bound) -> Callable[[JsonValue], bool]:
    """Return the check of a limit such as `maxLength`; it concerns values of one kind only."""
    measure = _MEASURES[name[3:]]

    def is_allowed(value: JsonValue) -> bool:
        size = measure(value)
        return size is None or not is_narrower(name, (size, False), bound)

    return is_allowed


def matching(pattern: str) -> Callable[[JsonValue], bool]:
    """Return the check of a pattern; one that Python reads otherwise, or cannot compile, is never
    met for sure."""
    known = _compiled(pattern)

    def is_allowed(value: JsonValue) -> bool:
        if not isinstance(value, str):
            return True
        return known is not None and known.search(value) is not None

    return is_allowed


def _compiled(pattern: str) -> re.Pattern[str] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)  # as about `[[:alpha:]]`
        try:
            return re.compile(pattern)
        except (re.error, FutureWarning, OverflowError, RecursionError):
            return None


def _number(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value


_MEASURES: Final[Mapping[str, Callable[[JsonValue], float | None]]] = {
    "imum": _number,
    "Length": lambda value: len(value) if isinstance(value, str) else None,
    "Items": lambda value: len(value) if isinstance(value, list) else None,
    "Properties": lambda value: len(value) if isinstance(value, dict) else None,
}


# --- rules -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OldObjects:
    """Objects at one place: members that all of them have, members that none has, and the strings
    that a member of all of them may be."""

    present: frozenset[str]
    absent: frozenset[str]
    texts: Mapping[str, frozenset[JsonValue]]

    def obey(self, rule: str) -> bool:
        """Tell whether a rule certainly holds for all of them."""
        if "\\" in rule:
            return False  # strings with escapes are not read
        try:
            reader = _Reader(_TOKEN.findall(rule), self)
            return reader.condition() is True and reader.at_end
        except (IndexError, ValueError, RecursionError):  # it is not a rule, or a very deep one
            return False


def old_objects(change: SchemaChange) -> OldObjects:
    """Return what is known about the objects that existed before a change."""
    old, new = change.before, change.after
    fresh = {
        name
        for name, nodes in new.properties.items()
        if name not in old.properties and not any("default" in node.members for node in nodes)
    }
    return OldObjects(
        old.required,
        frozenset(fresh if old.undeclared == "removed" else ()),
        {
            name: frozenset(text for text in map(json.decode, texts) if isinstance(text, str))
            for name, texts in change.member_values.items()
            if name in old.required
        },
    )


_TOKEN: Final = re.compile(r"""'[^'\\]*'|"[^"\\]*"|\w+|\|\||&&|[!=<>]=|\S""")
_TRUE_ONES: Final = tuple(_TOKEN.findall(".filter(x,x==true).size()"))
_ENDS: Final = frozenset({"||", "&&", "?", ":", ")", "]", "}", ","})
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")

Text = str
Known = bool | Text | frozenset[JsonValue] | None
"""A boolean, a string literal, the possible strings, or None if unknown."""


class _Reader:
    """Evaluates a rule from left to right. What is an error in CEL counts as unknown."""

    def __init__(self, tokens: list[str], given: OldObjects) -> None:
        self._tokens = [*tokens, ")"]
        self._given = given
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at == len(self._tokens) - 1

    @property
    def _next(self) -> str:
        return self._tokens[self._at]

    def _takes(self, *tokens: str) -> bool:
        found = tuple(self._tokens[self._at : self._at + len(tokens)]) == tokens
        self._at += len(tokens) if found else 0
        return found

    def condition(self) -> Known:
        asked = self._any()
        if not self._takes("?"):
            return asked
        yes = self.condition()
        self._takes(":")
        no = self.condition()
        return {True: yes, False: no}.get(asked) if isinstance(asked, bool) else None

    def _any(self) -> Known:
        found = [self._all()]
        while self._takes("||"):
            found.append(self._all())
        return found[0] if len(found) == 1 else _joined(found, decisive=True)

    def _all(self) -> Known:
        found = [self._comparison()]
        while self._takes("&&"):
            found.append(self._comparison())
        return found[0] if len(found) == 1 else _joined(found, decisive=False)

    def _comparison(self) -> Known:
        left = self._operand()
        if self._next in ("==", "!="):
            sign = self._next
            self._at += 1
            right = self._operand()
            left = _equal(left, right)
            if isinstance(left, bool):
                left = left is (sign == "==")
        if self._next in _ENDS:
            return left
        self._skip()
        return None

    def _operand(self) -> Known:
        if self._takes("!"):
            value = self._operand()
            return not value if isinstance(value, bool) else None
        if self._takes("("):
            inner = self.condition()
            self._takes(")")
            return inner
        if self._takes("has", "(", "self", "."):
            name, is_direct = self._next, self._tokens[self._at + 1] == ")"
            self._skip(inside=True)
            known = {True: name in self._given.present, False: name in self._given.absent}
            return next((has for has, sure in known.items() if sure and is_direct), None)
        if self._takes("self", "."):
            name = self._next
            self._at += 1
            return self._given.texts.get(name)
        if self._takes("["):
            return self._counted()
        token = self._next
        if token in ("true", "false") or token[0] in "'\"":
            self._at += 1
            return token == "true" if token[0] in "tf" else token[1:-1]
        return None

    def _counted(self) -> bool | None:
        """Read the form in which generators write "at most one of these members"."""
        found = [self.condition()]
        while self._takes(","):
            found.append(self.condition())
        if not self._takes("]", *_TRUE_ONES):
            return None
        sure = sum(value is True for value in found)
        possible = sum(value is not False for value in found)
        for sign, holds in (("<=", int.__ge__), ("==", int.__eq__), (">=", int.__le__)):
            if self._takes(sign):
                limit = int(self._next)
                self._at += 1
                counts = {holds(limit, count) for count in range(sure, possible + 1)}
                return counts.pop() if len(counts) == 1 else None
        return None

    def _skip(self, *, inside: bool = False) -> None:
        """Skip what cannot be read; `inside` brackets, skip the closing one, too."""
        depth = 0
        while depth or self._next not in (_CLOSING if inside else _ENDS):
            depth += (self._next in _OPENING) - (self._next in _CLOSING)
            self._at += 1
        self._at += inside


def _joined(found: list[Known], *, decisive: bool) -> bool | None:
    """Return the result of `||` (decided by true) or `&&` (decided by false)."""
    if any(value is decisive for value in found):
        return decisive
    return not decisive if all(isinstance(value, bool) for value in found) else None


def _equal(left: Known, right: Known) -> bool | None:
    if isinstance(left, bool) and isinstance(right, bool):
        return left is right
    for one, other in ((left, right), (right, left)):
        if isinstance(one, frozenset) and isinstance(other, str) and other not in one:
            return False
    return None

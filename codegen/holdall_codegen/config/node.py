"""A value of `holdall.yaml` with its line, and the checks that any value may need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from holdall.errors import Problem, SourceError
from holdall.suggest import nearest
from holdall.text.documents import Document
from holdall.text.pointer import join
from holdall.types import JsonValue, json_kind
from holdall.words import with_article
from holdall_codegen.model import Location

NOT_A_CONFIGURATION: Final = "HA120"
UNKNOWN_KEY: Final = "HA121"
MISSING_KEY: Final = "HA122"
WRONG_TYPE: Final = "HA123"
MALFORMED_NAME: Final = "HA124"
CONTRADICTION: Final = "HA125"
LISTED_TWICE: Final = "HA126"
UNLISTED_VERSION: Final = "HA127"
NOT_A_TREE: Final = "HA128"
WRONG_ORDER: Final = "HA129"
NO_SHAPE: Final = "HA130"
NO_EFFECT: Final = "HA131"
NAME_CLASH: Final = "HA132"

T = TypeVar("T", bound=str)


@dataclass(slots=True)
class Findings:
    """The document being read, its name in messages, and the problems found so far."""

    document: Document
    file: str
    found: list[tuple[int, Problem]] = field(default_factory=list)

    def raise_if_any(self) -> None:
        """Raise SourceError with all problems in the order of their lines, if there are any."""
        if self.found:
            ordered = sorted(self.found, key=lambda entry: (entry[0], str(entry[1])))
            raise SourceError(dict.fromkeys(problem for _, problem in ordered))


@dataclass(frozen=True, slots=True)
class Node:
    """One value of the document. A failed check is reported, and returns an empty result.

    Where a `required` value is empty, the fix is not to remove it.
    """

    value: JsonValue
    pointer: str
    findings: Findings
    required: bool = False

    @property
    def location(self) -> Location:
        line, _ = self.findings.document.position(self.pointer)
        return Location(self.findings.file, line, self.pointer)

    def report(self, code: str, message: str, fix: str) -> None:
        location = self.location
        self.findings.found.append((location.line, Problem(code, str(location), message, fix)))

    def members(self, what: str) -> dict[str, Node]:
        """Return the members of a mapping; report an empty one, and any other value."""
        if not isinstance(self.value, dict):
            self._report_type(what, "a mapping")
            return {}
        if not self.value:
            self._report_empty(what)
        return {
            key: Node(value, join(self.pointer, key), self.findings)
            for key, value in self.value.items()
        }

    def known_members(self, what: str, known: Iterable[str]) -> dict[str, Node]:
        """Return the members whose keys are `known`; report every other key."""
        names = tuple(known)
        members = self.members(what)
        for key in [key for key in members if key not in names]:
            text = f'{what} has no key "{key}"{nearest(key, names)}'
            members.pop(key).report(UNKNOWN_KEY, text, f"known keys are {', '.join(names)}")
        return members

    def items(self, what: str) -> list[Node]:
        """Return the elements of a list; report an empty one, and any other value."""
        if not isinstance(self.value, list):
            self._report_type(what, "a list")
            return []
        if not self.value:
            self._report_empty(what)
        return [
            Node(value, join(self.pointer, index), self.findings)
            for index, value in enumerate(self.value)
        ]

    def text(self, what: str) -> str | None:
        """Return the value if it is a string; no other value is turned into one."""
        if isinstance(self.value, str):
            return self.value
        quote = isinstance(self.value, (int, float))
        self._report_type(what, "a string", "put it in quotes" if quote else "")
        return None

    def matching(self, what: str, pattern: re.Pattern[str], form: str) -> str | None:
        """Return the value if it is a string of the given form."""
        text = self.text(what)
        if text is not None and not pattern.fullmatch(text):
            self.report(MALFORMED_NAME, f'{what} "{text}" is not {form}', f"write {form}")
            return None
        return text

    def choice(self, what: str, choices: Sequence[T]) -> T | None:
        """Return the value if it is one of `choices`."""
        text = self.text(what)
        for choice in choices:
            if text == choice:
                return choice
        if text is not None:
            self.report(
                WRONG_TYPE,
                f'{what} cannot be "{text}"{nearest(text, choices)}',
                "use " + " or ".join(choice or '""' for choice in choices),
            )
        return None

    def boolean(self, what: str) -> bool:
        if not isinstance(self.value, bool):
            self._report_type(what, "true or false")
        return self.value is True

    def true(self, what: str) -> bool:
        """Tell whether the value is `true`, the only one with a meaning here."""
        if self.value is not True:
            self._report_type(what, "true", "write true or remove it")
        return self.value is True

    def check_key(self, key: str, is_well_formed: bool, form: str) -> None:
        """Report this value's key unless it has the given form."""
        if not is_well_formed:
            self.report(MALFORMED_NAME, f'"{key}" is not {form}', f"write {form}")

    def report_missing(self, what: str, key: str) -> None:
        self.report(MISSING_KEY, f"{what} has no {key}", f"add {key}")

    def _report_empty(self, what: str) -> None:
        is_needed = self.required or not self.pointer
        fix = "add an entry" if is_needed else "add an entry, or remove it"
        self.report(WRONG_TYPE, f"{what} is empty", fix)

    def _report_type(self, what: str, expected: str, fix: str = "") -> None:
        kind = json_kind(self.value)
        found = {"null": "null", "boolean": str(self.value).lower()}.get(kind, with_article(kind))
        message = f"{what} must be {expected}, not {found}"
        self.report(WRONG_TYPE, message, fix or f"write {expected}")

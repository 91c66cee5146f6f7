"""The neutral form of a case: reading it, and refusing what is not part of the form."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

Node = Mapping[str, Any]

CASE_KEYS: Final = frozenset(
    [
        "id",
        "kind",
        "source",
        "features",
        "declaration",
        "functions",
        "expect",
        "samples",
        "reviews",
        "note",
        "expect_reexports",
        "merged_crds",
    ]
)
EXPECT_KEYS: Final = frozenset(
    [
        "outcome",
        "errors",
        "all_errors_reported",
        "version_order",
        "version_modules",
        "containers",
        "conversions",
        "generated",
        "object_conversions",
        "reexports",
        "merged_crds",
        "reviews",
    ]
)


class FormError(Exception):
    """Something that the form does not have, or that cannot be said in Python."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case; `file` names it in messages."""

    file: str
    data: Node

    @property
    def id(self) -> str:
        return str(self.data.get("id", self.file))

    @property
    def declaration(self) -> Node:
        return node(self.data.get("declaration"), "declaration")

    @property
    def functions(self) -> Node:
        return node(self.data.get("functions") or {}, "functions")

    @property
    def expect(self) -> Node:
        return node(self.data.get("expect") or {}, "expect")


def read_cases(folder: Path) -> Iterator[Case]:
    """Read all cases of a folder and its folders, sorted by path; a file is a case too."""
    files = sorted(folder.rglob("*.json")) if folder.is_dir() else [folder]
    for file in files:
        data = json.loads(file.read_text(encoding="utf-8"))
        name = file.relative_to(folder).as_posix() if folder.is_dir() else file.name
        yield Case(name, node(data, name))


def node(value: object, where: str) -> Node:
    """Return a JSON object. Raises FormError for anything else."""
    if not isinstance(value, dict):
        raise FormError(f"{where} is not an object")
    return value


def items(value: object, where: str) -> list[Any]:
    """Return a JSON list, empty for null. Raises FormError for anything else."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise FormError(f"{where} is not a list")
    return value


def refuse_unknown(value: Node, known: Collection[str], where: str) -> None:
    """Raise FormError if an object has keys that the form does not have."""
    unknown = sorted(set(value) - set(known))
    if unknown:
        raise FormError(f"{where} has the unknown key {', '.join(unknown)}")


def text_of(value: Any) -> str:
    """Return documentation as one text; it may be given as lines."""
    if value is None:
        return ""
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)

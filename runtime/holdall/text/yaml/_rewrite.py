"""A YAML text changed to other values: what stays the same keeps every character.

The difference of the values becomes edits of the text. The result is read again; if its value is
wrong, the document has a form that cannot be edited, and is written from scratch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from holdall.errors import SourceError
from holdall.text import json
from holdall.text.documents import Scalars
from holdall.text.yaml._cuts import edited
from holdall.text.yaml._dump import dump
from holdall.text.yaml._load import load_all
from holdall.text.yaml._nodes import (
    Segment,
    UnplacedError,
    fill,
    segments,
    without_last_break,
)
from holdall.text.yaml._spelling import Spelling
from holdall.types import JsonValue

_MARK: Final = re.compile(r"\A---[ \t]*(?:\r\n|\n|\r)")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text, and the lines of documents whose comments and style could not be kept."""

    text: str
    lost: tuple[int, ...]


def rewrite(
    text: str,
    results: Sequence[Sequence[JsonValue]],
    *,
    scalars: Scalars = "strict",
    spelling: Spelling | None = None,
) -> Rewritten:
    """Return a YAML text with each document that is not empty changed to its result.

    A document without a result is removed; further results are appended. Comments, order, quotes,
    anchors and line ends stay: a new member is added after the one that it follows in the result, a
    removed one takes the comments above it along, a renamed one keeps its place, and an alias whose
    anchor has another value now is written out.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(mark)
    end = line_end(text)
    spelling = spelling or Spelling()
    documents = load_all(text, "", scalars=scalars)
    if json.same([[document.value] for document in documents], [*map(list, results)]):
        return Rewritten(mark + text, ())
    try:
        parts = segments(text) or [Segment(0, len(text))]
    except UnplacedError:
        parts = []
    roots = [part for part in parts if part.root is not None]
    if len(roots) != len(documents):
        plain = _written((value for values in results for value in values), end)
        return Rewritten(mark + plain, tuple(item.line for item in documents))
    done: list[str] = []
    lost: list[int] = []
    number = 0
    for segment in parts:
        if segment.root is None:
            done.append(text[segment.start : segment.end])
            continue
        before, after = documents[number], results[number]
        number += 1
        if not after:
            continue
        own = text[segment.start : segment.end]
        changed = _edited(text, segment, before.value, after[0], spelling, end)
        if changed is None or not _says(changed, after[0], scalars):
            lost.append(before.line)
            changed = f"---{end}" * own.startswith("---") + _written([after[0]], end)
        done.append(changed)
    for values in results[number:]:
        for value in values:
            done[-1:] = [ended(part, end) for part in done[-1:]]
            done.append(f"---{end}" * bool(done) + _written([value], end))
    whole = "".join(done)
    if not text.startswith("---"):
        whole = _MARK.sub("", whole, count=1)  # the documents before it are gone
    return Rewritten(mark + whole, tuple(lost))


def line_end(text: str) -> str:
    """Return how the lines of a text end, judged by its first one."""
    return "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"


def ended(text: str, end: str = "\n") -> str:
    """Return a YAML text of the same value that another document may follow.

    A block at the end is marked to end without a line break, so that the added one does not count.
    """
    if not text or text.endswith(("\n", "\r")):
        return text
    values = _values_of(text)
    for changed in (f"{text}{end}", f"{without_last_break(text)}{end}"):
        if json.same(_values_of(changed), values):
            return changed
    return _written(values, end)


def _values_of(text: str) -> list[JsonValue]:
    return [document.value for document in load_all(text, "", scalars="kubernetes")]


def _written(values: Iterable[JsonValue], end: str) -> str:
    return ("---\n".join(map(dump, values))).replace("\n", end)


def _says(text: str, value: JsonValue, scalars: Scalars) -> bool:
    try:
        documents = load_all(text, "", scalars=scalars)
    except SourceError:
        return False
    return len(documents) == 1 and json.same(documents[0].value, value)


def _edited(
    text: str, segment: Segment, before: JsonValue, after: JsonValue, spelling: Spelling, end: str
) -> str | None:
    own = text[segment.start : segment.end]
    if segment.root is None or json.same(before, after):
        return own
    try:
        fill(segment.root, before)
        return edited(text, segment, segment.root, after, spelling, end)
    except (UnplacedError, KeyError, ValueError):
        return None

"""Where the nodes of a YAML text begin and end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

import yaml as _pyyaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
)

from holdall.types import JsonValue

MERGE: Final = "<<"
MAX_DEPTH: Final = 100
"""Maximum depth of a document whose nodes are located; the walks over them are recursive."""

_PROPERTIES: Final = re.compile(r"(?:[&!]\S*+(?:\s++|#[^\r\n]*+)*+)++")
_TO_DASH: Final = re.compile(r"(?:\s++|#[^\r\n]*+)*+-")
_HEADER: Final = re.compile(r"([|>][1-9]?)[-+]?")
_TO_COLON: Final = re.compile(r"\s*:")


class UnplacedError(Exception):
    """A document has a form whose nodes cannot be located, such as `? key`."""


@dataclass(slots=True)
class Node:
    """A node of a text, from its anchor or tag to its last character.

    `column` is that of the keys or dashes of a block. `name` is the anchor that the node defines,
    or that an alias refers to.
    """

    kind: Literal["scalar", "alias", "mapping", "list"]
    start: int
    end: int
    name: str = ""
    style: str = ""
    flow: bool = False
    column: int = 0
    parts: list[Part] = field(default_factory=list)
    value: JsonValue = None


@dataclass(slots=True)
class Part:
    """A member or an element: from its key, its dash or, in brackets, its first character.

    `after` is the offset after the colon or the dash.
    """

    start: int
    after: int
    key: str
    node: Node


@dataclass(slots=True)
class Segment:
    """The lines of one document, from its `---` if it has one; without a root it is empty."""

    start: int
    end: int
    root: Node | None = None


def segments(text: str) -> list[Segment]:
    """Return the documents of a text that is known to be YAML; joined, they are the text."""
    found: list[Segment] = []
    builder: _Builder | None = None
    for event in _pyyaml.parse(text, Loader=_pyyaml.CSafeLoader):
        if isinstance(event, DocumentStartEvent):
            start = _start(event)
            if found:
                found[-1].end = start
            found.append(Segment(start if found else 0, len(text)))
            builder = _Builder(text, found[-1])
        elif builder is not None:
            builder.take(event)
    return found


def without_last_break(text: str) -> str:
    """Return a text whose last block, such as of `|`, is marked to end without a line break."""
    for event in reversed([*_pyyaml.parse(text, Loader=_pyyaml.CSafeLoader)]):
        if isinstance(event, ScalarEvent) and event.style in ("|", ">"):
            start = _start(event)
            return text[:start] + _HEADER.sub(r"\1-", text[start:], count=1)
    return text


def fill(node: Node, value: JsonValue) -> None:
    """Set the value of each node, given that of the root.

    A mapping's own members override merged ones, so these may get wrong values, which are not
    used.
    """
    node.value = value
    if node.kind == "mapping" and isinstance(value, dict):
        for part in node.parts:
            if part.key != MERGE:
                fill(part.node, value[part.key])
            elif part.node.kind == "list":
                for each in part.node.parts:
                    fill(each.node, value)
            else:
                fill_merged(part.node, value)
    elif node.kind == "list" and isinstance(value, list):
        for part, item in zip(node.parts, value, strict=True):
            fill(part.node, item)


def fill_merged(node: Node, value: dict[str, JsonValue]) -> None:
    """Set the values of a mapping that is written after `<<`."""
    if node.kind == "mapping":
        fill(node, {part.key: value.get(part.key) for part in node.parts})


def line_start(text: str, offset: int) -> int:
    """Return where the line of an offset starts."""
    start = text.rfind("\n", 0, offset) + 1
    return max(start, text.rfind("\r", start, offset) + 1)


class _Builder:
    """Makes the nodes of one document. Open containers are on a list."""

    def __init__(self, text: str, segment: Segment) -> None:
        self._text = text
        self._segment = segment
        self._open: list[Node] = []
        self._key: tuple[int, int, str] | None = None

    def take(self, event: Event) -> None:
        above = self._open[-1] if self._open else None
        if isinstance(event, ScalarEvent):
            if above is not None and above.kind == "mapping" and self._key is None:
                self._begin_member(above, event)
            else:
                end = _end(event)
                if event.style in ("|", ">") and not self._keeps_breaks(_start(event)):
                    end = _start(event) + len(self._text[_start(event) : end].rstrip())
                self._put(Node("scalar", _start(event), end, event.anchor or "", event.style or ""))
        elif isinstance(event, AliasEvent):
            if above is not None and above.kind == "mapping" and self._key is None:
                raise UnplacedError
            self._put(Node("alias", _start(event), _end(event), event.anchor or ""))
        elif isinstance(event, CollectionStartEvent):
            if above is not None and above.kind == "mapping" and self._key is None:
                raise UnplacedError
            kind: Literal["mapping", "list"] = (
                "mapping" if isinstance(event, MappingStartEvent) else "list"
            )
            node = Node(kind, _start(event), _end(event), event.anchor or "")
            node.flow = bool(event.flow_style)
            self._put(node)
            self._open.append(node)
            if len(self._open) > MAX_DEPTH:
                raise UnplacedError
        elif isinstance(event, CollectionEndEvent):
            node = self._open.pop()
            node.end = _end(event) if node.flow else node.parts[-1].node.end

    def _begin_member(self, mapping: Node, event: ScalarEvent) -> None:
        start, text = _start(event), self._text
        colon = _TO_COLON.match(text, _end(event))
        if colon is None:
            raise UnplacedError
        if not mapping.flow and not mapping.parts:
            mapping.column = start - line_start(text, start)
        self._key = start, colon.end(), event.value

    def _put(self, node: Node) -> None:
        if not self._open:
            is_empty = node.kind == "scalar" and node.start == node.end
            self._segment.root = None if is_empty else node
            return
        above = self._open[-1]
        if above.kind == "mapping":
            if self._key is None:
                raise UnplacedError
            start, after, key = self._key
            self._key = None
        elif above.flow:
            start, after, key = node.start, node.start, ""
        else:
            start = self._dash(above)
            after, key = start + 1, ""
            if not above.parts:
                above.column = start - line_start(self._text, start)
        above.parts.append(Part(start, after, key, node))

    def _dash(self, above: Node) -> int:
        if above.parts:
            begin = above.parts[-1].node.end
        else:
            properties = _PROPERTIES.match(self._text, above.start)
            begin = properties.end() if properties else above.start
        dash = _TO_DASH.match(self._text, begin)
        if dash is None:
            raise UnplacedError
        return dash.end() - 1

    def _keeps_breaks(self, start: int) -> bool:
        return "+" in self._text[start : start + 3]


def _start(event: Event) -> int:
    return event.start_mark.index if event.start_mark is not None else 0


def _end(event: Event) -> int:
    return event.end_mark.index if event.end_mark is not None else 0

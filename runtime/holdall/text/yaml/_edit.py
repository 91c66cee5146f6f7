"""Changing a value in YAML text: what did not change keeps its formatting and its comments."""

from __future__ import annotations

import re
import textwrap
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import yaml as _pyyaml
from yaml.events import AliasEvent, NodeEvent
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from holdall.errors import SourceError
from holdall.text import json
from holdall.text.yaml._dump import dump
from holdall.text.yaml._load import load_all
from holdall.types import JsonObject, JsonValue

_START: Final = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)


class _Edit(NamedTuple):
    """The characters from `start` to `end` become `text`."""

    start: int
    end: int
    text: str


_Edits: TypeAlias = list[_Edit]


def cut(text: str) -> list[str]:
    """Return the pieces of a YAML stream, each with one document or none; joined they are it.

    A piece begins with the line `---` of its document. Comments above it are in the piece before.
    """
    starts = [found.start() for found in _START.finditer(text)]
    ends = [0, *(start for start in starts if start), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]


def rewrite(text: str, old: JsonObject, new: JsonObject) -> str:
    """Return the text of a document with another value, which readers read back exactly.

    `text` reads as `old`. Members of block mappings that are the same in both keep their text.
    Others are written in their place, new ones at the end; where that is impossible, all is
    written afresh below the lines before the document's first member.
    """
    for attempt in (_edited(text, old, new), _replaced(text, new)):
        if attempt is not None and _reads_as(attempt, new):
            return attempt
    return ("---\n" if _START.match(text) else "") + dump(new)


def _reads_as(text: str, value: JsonValue) -> bool:
    try:
        documents = load_all(text, "")
    except SourceError:
        return False
    return len(documents) == 1 and json.same(documents[0].value, value)


def _edited(text: str, old: JsonObject, new: JsonObject) -> str | None:
    root = _compose(text)
    edits: _Edits = []
    if root is None or not _edit(text, root, old, new, edits):
        return None
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts += (text[done : edit.start], edit.text)
        done = edit.end
    return "".join((*parts, text[done:]))


def _replaced(text: str, new: JsonObject) -> str | None:
    root = _compose(text)
    if root is None:
        return None
    start = _line_start(text, _index(root))
    head = text[:start] + ("---\n" if _START.match(text, start) else "")
    return head + dump(new) + text[_line_end(text, _end(root)) :]


def _compose(text: str) -> Any:
    """Return the root of a document; None if parts of it are elsewhere, or shared."""
    for event in _pyyaml.parse(text, Loader=_pyyaml.CSafeLoader):
        if isinstance(event, AliasEvent) or (isinstance(event, NodeEvent) and event.anchor):
            return None
    return _pyyaml.compose(text, Loader=_pyyaml.CSafeLoader)


def _edit(text: str, node: Node, old: JsonObject, new: JsonObject, edits: _Edits) -> bool:
    """Add the edits that make a block mapping another one; tell whether that is possible."""
    if not isinstance(node, MappingNode) or node.flow_style or not new:
        return False
    keys = [key.value for key, _ in node.value]
    starts = [_line_start(text, _index(key)) for key, _ in node.value]
    if keys != list(old) or any(
        text[start : _index(key)].strip(" ")
        for start, (key, _) in zip(starts, node.value, strict=True)
    ):
        return False
    margin = " " * (_index(node.value[0][0]) - starts[0])
    end = 0
    for start, (key, value) in zip(starts, node.value, strict=True):
        name = key.value
        end = _line_end(text, _end(value))
        if name not in new:
            edits.append(_Edit(start, end, ""))
        elif not json.same(old[name], new[name]):
            edits.extend(_of_entry(text, (start, end, margin), value, name, old[name], new[name]))
    added = "".join(_block(name, new[name], margin) for name in new if name not in old)
    if added:
        edits.append(_Edit(end, end, added if text[end - 1 : end] == "\n" else "\n" + added))
    return True


def _of_entry(
    text: str,
    place: tuple[int, int, str],
    node: Node,
    name: str,
    old: JsonValue,
    new: JsonValue,
) -> _Edits:
    """Return the edits of a member with another value."""
    start, end, margin = place
    inner: _Edits = []
    if isinstance(old, dict) and isinstance(new, dict) and _edit(text, node, old, new, inner):
        return inner
    is_short = isinstance(node, ScalarNode) and node.style not in ("|", ">")
    if is_short and "\n" not in (found := text[_index(node) : _end(node)]) and found:
        line = dump({"": new}).removesuffix("\n")
        if not isinstance(new, dict | list) and "\n" not in line:
            return [_Edit(_index(node), _end(node), line.partition(": ")[2])]
    return [_Edit(start, end, _block(name, new, margin))]


def _block(name: str, value: JsonValue, margin: str) -> str:
    return textwrap.indent(dump({name: value}), margin)


def _index(node: Node) -> int:
    index: int = node.start_mark.index
    return index


def _end(node: Node) -> int:
    """Return where the text of a node ends; PyYAML has the next token for block collections."""
    while isinstance(node, CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last if isinstance(node, SequenceNode) else last[1]
    index: int = node.end_mark.index
    return index


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _line_end(text: str, index: int) -> int:
    """Return where the next line begins."""
    if text[index - 1 : index] == "\n":
        return index
    found = text.find("\n", index)
    return len(text) if found < 0 else found + 1

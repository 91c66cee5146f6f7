"""Reading YAML: events of the C parser to JSON values, checked by every rule."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, NoReturn

import yaml as _pyyaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
)

from holdall.text import json
from holdall.text.documents import MAX_DEPTH, Document, Findings, Lines, Place, Scalars, decode_text
from holdall.text.yaml._scalars import ScalarError, exact, read_plain
from holdall.types import JsonValue, json_kind
from holdall.words import with_article

MAX_ALIAS_NODES: Final = 100_000
"""Nodes that the aliases of one file may add; 364 bytes can stand for 20 million."""
_LETTERS: Final = 100
"""Characters of a text that count as one more node: aliases may repeat a long one many times."""

_TAG: Final = "tag:yaml.org,2002:"
_STR, _SEQ, _MAP, _MERGE = _TAG + "str", _TAG + "seq", _TAG + "map", _TAG + "merge"
_KINDS: Final = {
    _TAG + "int": "integer",
    _TAG + "float": "number",
    _TAG + "bool": "boolean",
    _TAG + "null": "null",
}
_QUOTE: Final = "quote the key"
_UNTAG: Final = "remove the tag"
_TOO_DEEP: Final = f"nodes are nested deeper than {MAX_DEPTH} levels"
_START: Final = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)


def cut(text: str) -> list[str]:
    """Return the pieces of a YAML stream, each with at most one document; joined, they are it.

    A piece begins with the line `---` of its document. Comments above it are in the piece before.
    """
    starts = [found.start() for found in _START.finditer(text)]
    ends = [0, *(start for start in starts if start), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]


def load_all(text: bytes | str, file: str, *, scalars: Scalars = "strict") -> list[Document]:
    """Read all documents of a YAML text; empty ones are skipped.

    `scalars` is `strict` (refuse plain scalars whose meaning depends on the reader) or
    `kubernetes` (read them as kubectl does). Keys are strings in both; aliases become independent
    copies; `<<` is resolved, and the mapping's own keys win. Raises SourceError with all problems
    up to the first that stops the parser: unreadable (HA101) or malformed text (HA102), duplicate
    keys (HA103), ambiguous scalars (HA104), what JSON does not have (HA105), limits (HA106),
    numbers that a float cannot hold (HA107).
    """
    decoded = decode_text(text, file).removeprefix("\ufeff")
    lines = Lines(decoded)
    findings = Findings(file, lines)
    reader = _Reader(decoded, file, lines, findings, scalars)
    try:
        reader.read()
    except _StopError:
        pass  # the finding that stopped the reader is recorded like the others
    except _pyyaml.YAMLError as error:
        _record_malformed(error, decoded, findings)
    findings.raise_any()
    return reader.documents


class _StopError(Exception):
    """Reading cannot continue; the finding is recorded."""


class _Frame:
    """An open mapping or sequence.

    In a mapping, `key_due` says whether the next node is a key; `key` is that of the next value,
    None if that is dropped because its key is refused.
    """

    __slots__ = (
        "anchor",
        "key",
        "key_due",
        "keys",
        "merged",
        "merging",
        "offset",
        "places",
        "value",
    )

    def __init__(self, *, is_mapping: bool, offset: int, anchor: str | None) -> None:
        self.value: list[JsonValue] | dict[str, JsonValue] = {} if is_mapping else []
        self.places: list[Place] | dict[str, Place] = {} if is_mapping else []
        self.offset = offset
        self.anchor = anchor
        self.key_due = is_mapping
        self.key: str | None = None
        self.keys: dict[str, int] = {}
        self.merging = False
        self.merged: list[tuple[dict[str, JsonValue], dict[str, Place]]] = []


class _Reader:
    """Reads one text. Open containers are on a list, because the call stack is limited."""

    def __init__(
        self, text: str, file: str, lines: Lines, findings: Findings, scalars: Scalars
    ) -> None:
        self.documents: list[Document] = []
        self._text = text
        self._file = file
        self._lines = lines
        self._findings = findings
        self._scalars: Scalars = scalars
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[JsonValue, Place] | None] = {}
        self._alias_nodes = 0
        self._root: tuple[JsonValue, Place] | None = None

    def read(self) -> None:
        """Read all documents into `documents`."""
        for event in _pyyaml.parse(self._text, Loader=_pyyaml.CSafeLoader):
            if isinstance(event, ScalarEvent):
                self._scalar(event)
            elif isinstance(event, CollectionEndEvent):
                self._close()
            elif isinstance(event, CollectionStartEvent):
                self._open(event)
            elif isinstance(event, AliasEvent):
                self._alias(event)
            elif isinstance(event, DocumentStartEvent):
                self._anchors.clear()
                self._root = None
            elif isinstance(event, DocumentEndEvent) and self._root is not None:
                value, place = self._root
                line = self._lines.position(_start(place))[0]
                self.documents.append(Document(value, self._file, line, place, self._lines))

    def _scalar(self, event: ScalarEvent) -> None:
        offset = _offset(event)
        frame = self._stack[-1] if self._stack else None
        if frame is None and not event.value and event.tag is None and event.implicit[0]:
            return  # an empty document
        is_key = frame is not None and frame.key_due
        if is_key and _is_merge(event):
            self._set_key("<<", offset, merging=True)
            return
        refused = False
        value: JsonValue = None
        try:
            value = self._read(event)
        except ScalarError as error:
            refused = True
            message = f"the key {error.message}" if is_key else error.message
            fix = _QUOTE if is_key else error.fix
            self._findings.add(error.code, offset, message, fix)
        if event.anchor is not None:
            self._anchors[event.anchor] = value, offset
        if is_key and refused:
            self._set_key(None, offset)
        else:
            self._put(value, offset)

    def _read(self, event: ScalarEvent) -> JsonValue:
        tag, text = event.tag, event.value
        if tag is None and event.implicit[0]:
            return read_plain(text, self._scalars)
        if tag is None or tag in ("!", _STR):
            return text
        kind = _KINDS.get(tag)
        if kind is None:
            raise ScalarError("HA105", f"JSON has no type for the tag {_show_tag(tag)}", _UNTAG)
        value = read_plain(text, self._scalars)
        if kind == "number" and type(value) is int:
            return exact(text, float(value))
        if json_kind(value) != kind:
            message = f"the tag {_show_tag(tag)} does not fit {json.encode(text).decode()}"
            raise ScalarError("HA105", message, _UNTAG)
        return value

    def _open(self, event: CollectionStartEvent) -> None:
        offset = _offset(event)
        if len(self._stack) >= MAX_DEPTH:
            self._stop(offset, _TOO_DEEP, "flatten them")
        is_mapping = isinstance(event, MappingStartEvent)
        if event.tag not in (None, "!", _MAP if is_mapping else _SEQ):
            shown, kind = _show_tag(event.tag or ""), "mapping" if is_mapping else "sequence"
            message = f"JSON has no type for the tag {shown} of a {kind}"
            self._findings.add("HA105", offset, message, _UNTAG)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._stack.append(_Frame(is_mapping=is_mapping, offset=offset, anchor=event.anchor))

    def _close(self) -> None:
        frame = self._stack.pop()
        value, places = frame.value, frame.places
        if frame.merged and isinstance(value, dict) and isinstance(places, dict):
            own, own_places = value, places
            value, places = {}, {}
            for other, other_places in reversed(frame.merged):
                value.update(other)
                places.update(other_places)
            value.update(own)
            places.update(own_places)
        place: Place = (frame.offset, places)
        if frame.anchor is not None:
            self._anchors[frame.anchor] = value, place
        self._put(value, place)

    def _alias(self, event: AliasEvent) -> None:
        offset = _offset(event)
        name = event.anchor or ""
        if name not in self._anchors:
            message = f"the alias *{name} has no anchor before it"
            self._findings.add("HA102", offset, message, f"define &{name} first")
            self._put(None, offset)
            return
        target = self._anchors[name]
        if target is None:
            message = f"the alias *{name} is inside its own anchor, so the data is cyclic"
            self._findings.add("HA106", offset, message, "write the data without the cycle")
            self._put(None, offset)
            return
        value, place = target
        self._alias_nodes += 1 + _weight(value)
        if isinstance(value, dict | list):
            room = MAX_ALIAS_NODES - self._alias_nodes
            nodes, height = _measure(value, room)
            self._alias_nodes += nodes
            if height + len(self._stack) > MAX_DEPTH:
                message = f"the alias *{name} makes nodes nested deeper than {MAX_DEPTH} levels"
                self._stop(offset, message, "flatten them")
        if self._alias_nodes > MAX_ALIAS_NODES:
            message = f"the aliases of the file expand to more than {MAX_ALIAS_NODES} nodes"
            self._stop(offset, message, "use fewer aliases of aliases")
        copied = json.copy_checked(value) if isinstance(value, dict | list) else value
        self._put(copied, offset if isinstance(place, int) else (offset, place[1]))

    def _put(self, value: JsonValue, place: Place) -> None:
        """Add a finished node to its container."""
        if not self._stack:
            self._root = value, place
            return
        frame = self._stack[-1]
        if isinstance(frame.value, list) and isinstance(frame.places, list):
            frame.value.append(value)
            frame.places.append(place)
        elif frame.key_due:
            if isinstance(value, str):
                self._set_key(value, _start(place))
            else:
                if isinstance(value, dict | list):
                    message, fix = f"a key is {_article(value)}, not a string", "write a string"
                else:
                    shown = json.encode(value).decode()
                    message, fix = f"the key {shown} is {_article(value)}, not a string", _QUOTE
                self._findings.add("HA105", _start(place), message, fix)
                self._set_key(None, _start(place))
        else:
            frame.key_due = True
            if frame.merging:
                frame.merging = False
                self._merge(frame, value, place)
            elif frame.key is not None and isinstance(frame.value, dict):
                frame.value[frame.key] = value
                frame.places[frame.key] = place  # type: ignore[call-overload]

    def _set_key(self, key: str | None, offset: int, *, merging: bool = False) -> None:
        frame = self._stack[-1]
        frame.key_due = False
        frame.key = key
        frame.merging = merging
        if key is None:
            return
        # A quoted "<<" is an ordinary member and does not clash with the merge key.
        first = frame.keys.setdefault("<< merge" if merging else key, offset)
        if first != offset:
            shown = json.encode(key).decode()
            message = f"the key {shown} appears twice; first on line {self._findings.line(first)}"
            self._findings.add("HA103", offset, message, "remove one of them")

    def _merge(self, frame: _Frame, value: JsonValue, place: Place) -> None:
        members = place[1] if isinstance(place, tuple) else None
        values = value if isinstance(value, list) else [value]
        places = members if isinstance(members, list) else [place]
        for one, where in zip(values, places, strict=False):
            inner = where[1] if isinstance(where, tuple) else None
            if isinstance(one, dict) and isinstance(inner, dict):
                frame.merged.append((one, inner))
            else:
                message = f"the merge key << has {_article(one)}, not a mapping"
                fix = "merge a mapping or a list of mappings"
                self._findings.add("HA105", _start(where), message, fix)

    def _stop(self, offset: int, message: str, fix: str) -> NoReturn:
        self._findings.add("HA106", offset, message, fix)
        raise _StopError


def _record_malformed(error: _pyyaml.YAMLError, text: str, findings: Findings) -> None:
    if isinstance(error, _pyyaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        offset = mark.index if mark is not None else 0
        if error.problem == "exceeded maximum nesting depth":  # the limit of newer parsers
            findings.add("HA106", offset, _TOO_DEEP, "flatten them")
            return
        reason = " ".join(part for part in (error.context, error.problem) if part)
        line = text[text.rfind("\n", 0, offset) + 1 :].partition("\n")[0]
        fix = "correct the text here, or the quotes, brackets and indentation before it"
        if text[offset : offset + 1] == "\t":
            fix = "indent with spaces, not with tabs"
        elif "{{" in line:
            fix = "if this is a template, render it first, such as with `helm template`"
        findings.add("HA102", offset, f"malformed YAML: {reason}", fix)
    elif isinstance(error, _pyyaml.reader.ReaderError):
        # The C reader counts bytes.
        offset = len(text.encode()[: error.position].decode(errors="ignore"))
        code = ord(text[offset]) if offset < len(text) else 0
        message = f"the character U+{code:04X} is not allowed in YAML text"
        findings.add("HA102", offset, message, "write it as an escape in double quotes")
    else:
        findings.add("HA102", 0, f"malformed YAML: {error}", "correct the text")


def _weight(value: JsonValue) -> int:
    """Return how many more nodes a text, or the names of an object, count as."""
    if isinstance(value, dict):
        return sum(map(len, value)) // _LETTERS
    return len(value) // _LETTERS if isinstance(value, str) else 0


def _measure(value: JsonValue, limit: int) -> tuple[int, int]:
    """Count the nodes below `value`, and its depth; stop soon after `limit` nodes."""
    nodes = height = 0
    level: list[JsonValue] = [value]
    while level and nodes <= limit:
        below: list[JsonValue] = []
        for one in level:
            if isinstance(one, dict):
                below.extend(one.values())
            elif isinstance(one, list):
                below.extend(one)
        height += any(isinstance(one, dict | list) for one in level)
        nodes += len(below) + sum(map(_weight, below))
        level = below
    return nodes, height


def _is_merge(event: ScalarEvent) -> bool:
    plain = event.tag is None and event.implicit[0]
    return event.value == "<<" and (plain or event.tag == _MERGE)


def _offset(event: Event) -> int:
    mark = event.start_mark
    return mark.index if mark is not None else 0


def _start(place: Place) -> int:
    return place if isinstance(place, int) else place[0]


def _show_tag(tag: str) -> str:
    return f"!!{tag.removeprefix(_TAG)}" if tag.startswith(_TAG) else tag


def _article(value: JsonValue) -> str:
    kind = json_kind(value)
    if kind == "null":
        return kind
    return with_article(kind)

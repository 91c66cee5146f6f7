"""Writing YAML that every reader reads the same: JSON values to events for the C emitter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from yaml import CSafeDumper, emit
from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from holdall.text.json import copy_checked
from holdall.text.yaml._scalars import is_text_everywhere, write_float
from holdall.types import JsonValue

_WIDTH: Final = 2**31 - 1

# Quoted although today's readers take them as text: what looks like a number, a date or a boolean
# to people and to less careful readers.
_LOOKS_TYPED: Final = re.compile(
    r"[-+]?\.?[0-9][0-9_.,:eE+-]*|[-+]?0[xXoObB].*|[0-9]{4}-.*"
    r"|(?i:y|n|yes|no|on|off|true|false|null|nil|none|[-+]?\.?(?:inf|nan))|[=~]|<<",
    re.DOTALL,
)
_BREAK: Final = re.compile("[\n\r\x85\u2028\u2029]")
# The emitter puts no tab into a block, and readers differ on other breaks and blanks at the ends.
_BLOCK: Final = re.compile(
    "[^\\s\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff]"
    "[^\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*"
)
_SPACE_AT_LINE_END: Final = re.compile(r"[ \xa0]\n|[ \xa0]\Z")
# Characters that the emitter does not escape, although readers disagree on them.
_ESCAPED: Final = re.compile("[\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]")

_Containers: TypeAlias = "list[tuple[Iterator[JsonValue | tuple[str, JsonValue]], bool]]"


def dump(value: object) -> str:
    """Write one JSON value as a YAML document in block style, with members in their order.

    Strings that any reader could take for something else are quoted; text with line breaks becomes
    a block if possible. Raises DecodeError with the path of what is not JSON.
    """
    return dump_all([value])


def dump_all(values: Iterable[object]) -> str:
    """Write JSON values as YAML documents separated by `---`; no values give an empty text."""
    text: str = emit(_stream(values), Dumper=CSafeDumper, width=_WIDTH, allow_unicode=True)
    return text


def _stream(values: Iterable[object]) -> Iterator[Event]:
    yield StreamStartEvent()
    for index, value in enumerate(values):
        checked = copy_checked(value)
        yield DocumentStartEvent(explicit=index > 0)
        yield from _events(checked)
        yield DocumentEndEvent(explicit=False)
    yield StreamEndEvent()


def _events(root: JsonValue) -> Iterator[Event]:
    if not isinstance(root, dict | list):
        # A block at the outermost level has no indentation to separate it from the next document.
        yield _scalar(root, may_be_block=False)
        return
    yield _start(root)
    # Open containers are on a list, not on the call stack, whose depth is limited.
    open_containers: _Containers = [_members(root)]
    while open_containers:
        members, is_mapping = open_containers[-1]
        for member in members:
            value: JsonValue = None
            if is_mapping and isinstance(member, tuple):
                key, value = member
                yield _scalar(key, may_be_block=False)
            elif not isinstance(member, tuple):
                value = member
            if isinstance(value, dict | list):
                yield _start(value)
                open_containers.append(_members(value))
                break
            yield _scalar(value, may_be_block=True)
        else:
            open_containers.pop()
            yield MappingEndEvent() if is_mapping else SequenceEndEvent()


def _members(
    value: dict[str, JsonValue] | list[JsonValue],
) -> tuple[Iterator[JsonValue | tuple[str, JsonValue]], bool]:
    return (iter(value.items()), True) if isinstance(value, dict) else (iter(value), False)


def _start(value: dict[str, JsonValue] | list[JsonValue]) -> Event:
    if isinstance(value, dict):
        return MappingStartEvent(anchor=None, tag=None, implicit=True, flow_style=False)
    return SequenceStartEvent(anchor=None, tag=None, implicit=True, flow_style=False)


def _scalar(value: JsonValue, *, may_be_block: bool) -> ScalarEvent:
    style: str | None = None
    if isinstance(value, str):
        text = value
        style = _style(text, may_be_block=may_be_block)
    elif value is None:
        text = "null"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, float):
        text = write_float(value)
    else:
        text = str(value)
    return ScalarEvent(
        anchor=None, tag=None, implicit=(style is None, True), value=text, style=style
    )


def _style(text: str, *, may_be_block: bool) -> str | None:
    """Choose `|`, double quotes, or None: plain if the syntax allows it, else single quotes."""
    if _BREAK.search(text):
        fits = _BLOCK.fullmatch(text) and not _SPACE_AT_LINE_END.search(text)
        return "|" if may_be_block and fits else '"'
    if _LOOKS_TYPED.fullmatch(text) or not is_text_everywhere(text) or _ESCAPED.search(text):
        return '"'
    return None

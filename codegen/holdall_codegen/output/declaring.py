"""Writing declarations into `holdall.yaml`: lines are added, all that stands there stays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.text import pointer
from holdall.text.documents import Document
from holdall.text.files import replace_file
from holdall.text.yaml import load_all
from holdall.types import JsonValue, is_json_object
from holdall_codegen.config.names import PAIR
from holdall_codegen.config.spelling import flow, yaml_scalar
from holdall_codegen.propose import Proposal

CANNOT_DECLARE: Final = "HA136"
_BLOCKS: Final = 6
"""The levels that are written as blocks: groups, group, between, versions, type, property."""

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")


def declare(path: Path, before: bytes, proposals: Mapping[str, Iterable[Proposal]]) -> bool:
    """Add proposals, by group, to the configuration that was read as `before`.

    Return whether there was anything to write. Raises SourceError, and writes nothing, if the file
    has changed since, or has a form that lines cannot be added to; OSError if it cannot be written.
    """
    if path.read_bytes() != before:
        raise _refused(path.name, "it has changed since it was read", "run the command again")
    text = before.decode()
    changed = add_declarations(text, path.name, proposals)
    if changed == text:
        return False
    replace_file(path, changed.encode())
    return True


def add_declarations(text: str, shown: str, proposals: Mapping[str, Iterable[Proposal]]) -> str:
    """Return the text of a configuration with proposals added, by group."""
    additions: dict[str, JsonValue] = {}
    document = load_all(text, shown)[0]
    for group, items in proposals.items():
        for item in items:
            keys = ("groups", group, "between", _pair(document.value, group, item.edge))
            _put(additions, (*keys, item.type, item.property_path), item.value())
    if not additions:
        return text
    changed = _Text(text, document).add(additions)
    wanted = _merged(document.value, additions)
    try:
        found = load_all(changed, shown)[0].value
    except SourceError:
        found = None
    if found != wanted:
        lines = "\n".join(_block(additions, 0, ""))
        raise _refused(shown, "no lines can be added to its form", f"add this by hand:\n{lines}")
    return changed


def _pair(config: JsonValue, group: str, edge: tuple[str, str]) -> str:
    """Return the key of a pair of versions as the configuration spells it, if it does."""
    between = _at(config, "groups", group, "between")
    for key in between if is_json_object(between) else ():
        match = PAIR.fullmatch(key)
        if match is not None and match.groups() == edge:
            return key
    return " -> ".join(edge)


def _at(value: JsonValue, *keys: str) -> JsonValue:
    for key in keys:
        value = value.get(key) if is_json_object(value) else None
    return value


def _put(tree: dict[str, JsonValue], keys: tuple[str, ...], value: JsonValue) -> None:
    for key in keys[:-1]:
        below = tree.setdefault(key, {})
        if not is_json_object(below):
            raise TypeError(f"{key} is no object")
        tree = below
    tree[keys[-1]] = value


def _merged(value: JsonValue, more: JsonValue) -> JsonValue:
    if not is_json_object(more) or not is_json_object(value):
        return more
    return value | {key: _merged(value.get(key), item) for key, item in more.items()}


class _Text:
    """A YAML text that members are added to; where it cannot be done the result shows it."""

    def __init__(self, text: str, document: Document) -> None:
        self._document = document
        self._lines = [line for line in _LINE.findall(text) if line]
        self._end = "\r\n" if "\r\n" in text else "\n"
        self._inserted: dict[int, list[str]] = {}

    def add(self, additions: dict[str, JsonValue]) -> str:
        self._add(self._document.value, "", additions, 0)
        lines = []
        for number, line in enumerate(self._lines):
            more = self._inserted.get(number, ())
            lines.append(line if not more or line.endswith(("\n", "\r")) else line + self._end)
            lines += [text + self._end for text in more]
        return "".join(lines)

    def _add(
        self, value: JsonValue, place: str, additions: dict[str, JsonValue], depth: int
    ) -> None:
        """Add to the object at a pointer what it lacks, and go on where it has something."""
        known = value if is_json_object(value) else {}
        fresh: dict[str, JsonValue] = {}
        for key, item in additions.items():
            below = known.get(key)
            if key not in known:
                fresh[key] = item
            elif is_json_object(item) and (below is None or is_json_object(below)):
                self._add(below, pointer.join(place, key), item, depth + 1)
        if fresh:
            line, column = self._document.position(place)
            self._insert(value, line - 1, column - 1, fresh, depth)

    def _insert(
        self, value: JsonValue, line: int, column: int, fresh: dict[str, JsonValue], depth: int
    ) -> None:
        text = self._lines[line] if line < len(self._lines) else ""
        if text[column : column + 1] == "{":
            members = ", ".join(f"{yaml_scalar(k)}: {flow(v)}" for k, v in fresh.items())
            rest = ", " if value else ""
            self._lines[line] = f"{text[: column + 1]}{members}{rest}{text[column + 1 :]}"
        elif value is None:
            indent = _indent(text) + 2
            self._inserted.setdefault(line, []).extend(_block(fresh, depth, " " * indent))
        else:
            block = _block(fresh, depth, " " * column)
            self._inserted.setdefault(self._last(line, column), []).extend(block)

    def _last(self, line: int, column: int) -> int:
        """Return the last line of the block that begins at a line, its comments included."""
        last = line
        for number in range(line + 1, len(self._lines)):
            text = self._lines[number].strip()
            if not text:
                continue
            if _indent(self._lines[number]) >= column:
                last = number
            elif not text.startswith("#"):
                break
        return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _block(members: Mapping[str, JsonValue], depth: int, indent: str) -> list[str]:
    """Return the lines of new members, those down to a type's properties as blocks."""
    lines = []
    for key, value in members.items():
        name = key if PAIR.fullmatch(key) and depth == _BLOCKS - 3 else yaml_scalar(key)
        if is_json_object(value) and depth < _BLOCKS - 1:
            lines += [f"{indent}{name}:", *_block(value, depth + 1, f"{indent}  ")]
        else:
            lines.append(f"{indent}{name}: {flow(value)}")
    return lines


def _refused(shown: str, why: str, fix: str) -> SourceError:
    return SourceError([Problem(CANNOT_DECLARE, shown, why, fix)])

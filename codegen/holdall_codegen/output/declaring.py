"""Writing declarations into `holdall.yaml`: lines are added, everything else stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.text import pointer
from holdall.text.files import replace_file
from holdall.types import JsonValue, is_json_object, members
from holdall_codegen.config.names import PAIR
from holdall_codegen.output.yaml_edits import YamlText
from holdall_codegen.propose import Proposal

CHANGED: Final = "HA136"
_BLOCKS: Final = 6
"""The levels that are written as blocks: groups, group, between, versions, type, property."""


def declare(
    path: Path,
    before: bytes,
    proposals: Mapping[str, Iterable[Proposal]],
    *,
    explained: bool = False,
) -> bool:
    """Add proposals, by group, to the configuration that was read as `before`.

    With `explained` a comment above each line says what it is for. Return whether there was
    anything to write. Raises SourceError, and writes nothing, if the file has changed since, or
    cannot be edited in its form; OSError if it cannot be written.
    """
    if path.read_bytes() != before:
        message = "it has changed since it was read"
        raise SourceError([Problem(CHANGED, path.name, message, "run the command again")])
    text = before.decode()
    changed = add_declarations(text, path.name, proposals)
    if changed == text:
        return False
    if explained:
        changed = _with_reasons(changed, path.name, proposals)
    replace_file(path, changed.encode())
    return True


def add_declarations(text: str, shown: str, proposals: Mapping[str, Iterable[Proposal]]) -> str:
    """Return the text of a configuration with proposals added, by group."""
    edited = YamlText(text, shown)
    additions: dict[str, JsonValue] = {}
    for keys, item in _placed(edited, proposals):
        _put(additions, keys, item.value())
    edited.add(additions, blocks=_BLOCKS)
    return edited.text


def _with_reasons(text: str, shown: str, proposals: Mapping[str, Iterable[Proposal]]) -> str:
    edited = YamlText(text, shown)
    reasons: dict[int, str] = {}
    for keys, item in _placed(edited, proposals):
        line = edited.documents[0].where(pointer.join("", *keys)).split(":")[-2]
        reasons[int(line)] = item.reason
    lines = text.splitlines(keepends=True)
    for number in sorted(reasons, reverse=True):
        line = lines[number - 1]
        indent = line[: len(line) - len(line.lstrip())]
        lines.insert(number - 1, f"{indent}# {reasons[number]}\n")
    return "".join(lines)


def _placed(
    config: YamlText, proposals: Mapping[str, Iterable[Proposal]]
) -> Iterator[tuple[tuple[str, ...], Proposal]]:
    """Yield each proposal with the keys that lead to it."""
    for group, items in proposals.items():
        for item in items:
            pair = _pair(config, group, item.edge)
            yield ("groups", group, "between", pair, item.type, item.property_path), item


def _pair(config: YamlText, group: str, edge: tuple[str, str]) -> str:
    """Return the key of a pair of versions as the configuration spells it, if it has one."""
    for key in members(config.value(pointer.join("", "groups", group, "between"))):
        match = PAIR.fullmatch(key)
        if match is not None and match.groups() == edge:
            return key
    return " -> ".join(edge)


def _put(tree: dict[str, JsonValue], keys: tuple[str, ...], value: JsonValue) -> None:
    for key in keys[:-1]:
        below = tree.setdefault(key, {})
        if not is_json_object(below):
            raise TypeError(f"{key} is not an object")
        tree = below
    tree[keys[-1]] = value

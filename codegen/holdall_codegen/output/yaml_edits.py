"""Edits of YAML texts that keep everything else: comments, order, quotes, line endings.

An edit gives the new value, and `holdall.text.yaml` changes the text to match it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.text import pointer, yaml
from holdall.text.documents import Document, Scalars
from holdall.types import JsonValue, is_json_object, items, members
from holdall_codegen.config.names import flow, yaml_scalar

CANNOT_EDIT: Final = "HA137"

_ALL: Final = 500


class YamlText:
    """A YAML text that is edited. Nodes are named by JSON Pointers into its documents."""

    def __init__(self, text: str, file: str, scalars: Scalars = "strict") -> None:
        self._file = file
        self._scalars: Scalars = scalars
        self.text = text
        self.documents: list[Document] = yaml.load_all(text, file, scalars=scalars)

    def value(self, place: str, document: int = 0) -> JsonValue:
        """Return the value at a place, None if there is none."""
        found: JsonValue = self.documents[document].value
        return reduce(pointer.step, pointer.split(place), found)

    def set(
        self, place: str, key: str, value: JsonValue, *, after: str = "", document: int = 0
    ) -> None:
        """Set a member of the mapping at `place`; a new one is put after `after`, or at the end.

        Missing mappings are added, as blocks.
        """
        self._edit(document, place, lambda it: _with_member(it, key, value, after))

    def add(self, members: dict[str, JsonValue], *, blocks: int = _ALL) -> None:
        """Merge members into the first document; what is there already stays.

        `blocks` is how many levels of the document are blocks; deeper mappings take one line.
        """
        lines = "\n".join(_block(members, blocks))
        fix = f"add this by hand:\n{lines}"
        self._edit(0, "", lambda it: _merged(it, members), fix, _Spelling(blocks))

    def replace(self, place: str, value: JsonValue, *, document: int = 0) -> None:
        """Replace a value."""
        self._edit(document, place, lambda _: value)

    def append(self, place: str, value: JsonValue, *, document: int = 0) -> None:
        """Append a value to the list at `place`."""
        self._edit(document, place, lambda it: [*items(it), value])

    def repeat(self, place: str, index: int, *, document: int = 0) -> None:
        """Append a copy of an element to the list at `place`, with its comments."""
        self._edit(document, place, lambda it: [*items(it), items(it)[index]])

    def remove(self, place: str, *, document: int = 0) -> None:
        """Remove a member or an element, and what becomes empty by this."""
        above, _, name = place.rpartition("/")
        left = self.value(above, document)
        if above and isinstance(left, dict | list) and len(left) == 1:
            self.remove(above, document=document)
            return
        self._edit(document, above, lambda it: _without(it, name))

    def _edit(
        self,
        document: int,
        place: str,
        edit: Callable[[JsonValue], JsonValue],
        fix: str = "edit it by hand",
        spelling: yaml.Spelling | None = None,
    ) -> None:
        wanted = [item.value for item in self.documents]
        wanted[document] = _edited(wanted[document], place, edit)
        done = yaml.rewrite(
            self.text,
            [[value] for value in wanted],
            scalars=self._scalars,
            spelling=spelling or _Spelling(),
        )
        if done.lost:
            where = self.documents[document].where(place)
            message = f"{place or 'the document'} has a form that holdall cannot edit"
            raise SourceError(
                [Problem(CANNOT_EDIT, where, message, f"write it as a block, or {fix}")]
            )
        self.text = done.text
        self.documents = yaml.load_all(self.text, self._file, scalars=self._scalars)


class _Spelling(yaml.Spelling):
    """Blocks down to a level, and lists on one line, as people write `holdall.yaml`."""

    def __init__(self, blocks: int = _ALL) -> None:
        self._blocks = blocks

    def lines(self, value: JsonValue, level: int) -> list[str]:
        if is_json_object(value):
            return _block(value, self._blocks - level)
        return [f"- {flow(item)}" for item in items(value)]

    def flow(self, value: JsonValue) -> str:
        return flow(value)


def _edited(value: JsonValue, place: str, edit: Callable[[JsonValue], JsonValue]) -> JsonValue:
    """Return a value with `edit` applied at a place."""
    tokens = pointer.split(place)
    if not tokens:
        return edit(value)
    name, rest = tokens[0], pointer.join("", *tokens[1:])
    if isinstance(value, list):
        index = int(name)
        return [*value[:index], _edited(value[index], rest, edit), *value[index + 1 :]]
    known = members(value)
    return {**known, name: _edited(known.get(name), rest, edit)}


def _merged(value: JsonValue, more: JsonValue) -> JsonValue:
    known = {} if value is None else value
    if not is_json_object(more) or not is_json_object(known):
        return more
    return known | {key: _merged(known.get(key), item) for key, item in more.items()}


def _with_member(value: JsonValue, key: str, item: JsonValue, after: str) -> JsonValue:
    known = members(value)
    if key in known or after not in known:
        return {**known, key: item}
    placed: dict[str, JsonValue] = {}
    for name, old in known.items():
        placed[name] = old
        if name == after:
            placed[key] = item
    return placed


def _without(value: JsonValue, name: str) -> JsonValue:
    if isinstance(value, list):
        return [item for index, item in enumerate(value) if index != int(name)]
    return {key: item for key, item in members(value).items() if key != pointer.unescape(name)}


def _block(members: Mapping[str, JsonValue], blocks: int) -> list[str]:
    lines: list[str] = []
    for key, value in members.items():
        if is_json_object(value) and value and blocks > 1:
            lines += [f"{yaml_scalar(key)}:", *(f"  {line}" for line in _block(value, blocks - 1))]
        else:
            lines.append(f"{yaml_scalar(key)}: {flow(value)}")
    return lines

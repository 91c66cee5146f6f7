"""Edits of YAML texts that keep all else: comments, order, quotes, ends of lines.

A text is changed where a node stands, and read again after each edit. If it does not say then what
it should, it has a form that cannot be edited, and the caller hears so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.text import pointer, yaml
from holdall.text.documents import Document, Scalars
from holdall.types import JsonValue, is_json_object
from holdall_codegen.config.spelling import flow, yaml_scalar

CANNOT_EDIT: Final = "HA137"

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_QUOTED: Final = re.compile(r""""(?:\\.|[^"\\])*"|'(?:''|[^'])*'""")
_PLAIN_END: Final = {False: re.compile(r"\s*(?:\s#|[\r\n]|\Z)"), True: re.compile(r"\s*[,\]}\r\n]")}
_ALL: Final = 500
_INDENT: Final = re.compile(r"[ -]*")


class YamlText:
    """A YAML text that is edited. Nodes are named by JSON Pointers into its documents."""

    def __init__(self, text: str, file: str, scalars: Scalars = "strict") -> None:
        self._file = file
        self._scalars: Scalars = scalars
        self._lines: list[str] = []
        self.documents: list[Document] = []
        self._load(text)

    @property
    def text(self) -> str:
        return "".join(self._lines)

    def value(self, place: str, document: int = 0) -> JsonValue:
        """Return what is at a place, None if nothing does."""
        return _at(self.documents[document].value, place)

    def set(
        self, place: str, key: str, value: JsonValue, *, after: str = "", document: int = 0
    ) -> None:
        """Set a member of the mapping at `place`; a new one stands behind `after`, or at the end.

        Mappings that are not there are made, as blocks.
        """
        members = self.value(place, document)
        if is_json_object(members) and key in members:
            if members[key] != value:
                self.replace(f"{place}/{pointer.escape(key)}", value, document=document)
            return
        added: dict[str, JsonValue] = {key: value}
        while self.value(place, document) is None and not self._is_null(document, place):
            place, _, above = place.rpartition("/")
            added = {pointer.unescape(above): added}
        self.add(added, place, after=after, document=document)

    def add(
        self,
        members: dict[str, JsonValue],
        place: str = "",
        *,
        after: str = "",
        document: int = 0,
        blocks: int = _ALL,
    ) -> None:
        """Merge members into the mapping at `place`; what stands there already stays.

        `blocks` is how many levels of the document are blocks; deeper mappings take one line.
        """
        wanted = _edited(self.documents[document].value, place, lambda it: _merged(it, members))

        def edit() -> None:
            # From the last to the first, as places before an edit stay where they are.
            found = sorted(
                self._missing(document, place, members),
                key=lambda item: self.documents[document].position(item[0]),
            )
            for where, fresh in reversed(found):
                self._insert_members(document, where, fresh, after, blocks)

        lines = "".join(_block(members, "", "\n", blocks)).rstrip()
        self._edit(document, wanted, edit, place, f"add this by hand:\n{lines}")

    def replace(self, place: str, value: JsonValue, *, document: int = 0) -> None:
        """Put a value instead of another."""
        wanted = _edited(self.documents[document].value, place, lambda _: value)
        self._edit(document, wanted, lambda: self._replace(document, place, value), place)

    def append(self, place: str, value: JsonValue, *, document: int = 0) -> None:
        """Append a value to the list at `place`."""
        wanted = _edited(self.documents[document].value, place, lambda it: [*_list(it), value])
        self._edit(document, wanted, lambda: self._append(document, place, flow(value)), place)

    def repeat(self, place: str, index: int, *, document: int = 0) -> None:
        """Append a copy of an element to the list at `place`, with its comments."""
        wanted = _edited(
            self.documents[document].value, place, lambda it: [*_list(it), _list(it)[index]]
        )

        def edit() -> None:
            item = f"{place}/{index}"
            if self._is_flow(document, place):
                start = self._offset(document, item)
                self._append(document, place, self.text[start : self._flow_end(start)])
            else:
                first, end = self._item_lines(document, place, index)
                last = self._item_lines(document, place, len(self._items(document, place)) - 1)[1]
                self._complete(last - 1)
                copied = [*self._lines[first:end]]
                self._lines[last:last] = copied
                self._complete(last + len(copied) - 1)

        self._edit(document, wanted, edit, place)

    def remove(self, place: str, *, document: int = 0) -> None:
        """Remove a member or an element; what it leaves empty is removed, too."""
        above, _, name = place.rpartition("/")
        left = self.value(above, document)
        if above and isinstance(left, dict | list) and len(left) == 1:
            self.remove(above, document=document)
            return
        wanted = _edited(self.documents[document].value, above, lambda it: _without(it, name))
        self._edit(document, wanted, lambda: self._cut(document, above, name), place)

    # --- one edit --------------------------------------------------------------------------------

    def _edit(
        self,
        document: int,
        wanted: JsonValue,
        edit: Callable[[], None],
        place: str,
        fix: str = "edit it by hand",
    ) -> None:
        where = self.documents[document].where(place)
        before = self.text
        others = [item.value for item in self.documents]
        others[document] = wanted
        try:
            edit()
            self._load(self.text)
        except (SourceError, IndexError, StopIteration):
            self.documents = []
        if [item.value for item in self.documents] != others:
            self._load(before)
            message = f"{place or 'the document'} has a form that lines cannot be changed in"
            raise SourceError(
                [Problem(CANNOT_EDIT, where, message, f"write it as a block, or {fix}")]
            )

    def _load(self, text: str) -> None:
        self._split(text)
        self.documents = yaml.load_all(text, self._file, scalars=self._scalars)

    def _split(self, text: str) -> None:
        self._lines = [line for line in _LINE.findall(text) if line]

    def _replace(self, document: int, place: str, value: JsonValue) -> None:
        start = self._offset(document, place)
        above = place.rpartition("/")[0]
        known = self.value(place, document)
        if isinstance(known, dict | list):
            above, _, name = place.rpartition("/")
            self._cut(document, above, name)
            self._load(self.text)
            self._insert_members(document, above, {pointer.unescape(name): value}, "", _ALL)
            return
        end = self._scalar_end(start, is_flow=self._is_flow(document, above))
        self._splice(start, end, flow(value))

    def _missing(
        self, document: int, place: str, members: JsonValue
    ) -> Iterator[tuple[str, dict[str, JsonValue]]]:
        """Yield the mappings at and below a place that lack members, with what each lacks."""
        known = self.value(place, document)
        there = known if is_json_object(known) else {}
        wanted = members if is_json_object(members) else {}
        if fresh := {key: value for key, value in wanted.items() if key not in there}:
            yield place, fresh
        for key in wanted.keys() & there.keys():
            yield from self._missing(document, f"{place}/{pointer.escape(key)}", wanted[key])

    def _insert_members(
        self,
        document: int,
        place: str,
        fresh: Mapping[str, JsonValue],
        after: str,
        blocks: int,
    ) -> None:
        members = self.value(place, document)
        first = self._line(document, place)
        if self._is_flow(document, place):
            end = self._flow_end(self._offset(document, place)) - 1
            at = len(self.text[:end].rstrip())
            self._splice(at, at, f"{', ' if members else ''}{flow({**fresh})[1:-1]}")
            return
        column = self._column(document, place)
        if members is None:
            line = first + 1
            indent = _INDENT.match(self._lines[first]) if first < len(self._lines) else None
            column = indent.end() + 2 if indent else 0
        elif is_json_object(members) and after in members:
            line = self._member_lines(document, place, after)[1]
        else:
            line = self._block_end(first, column, is_member=True, whole=True)
        self._complete(line - 1)
        self._lines[line:line] = _block(
            fresh, " " * column, self._line_end, blocks - place.count("/")
        )

    def _append(self, document: int, place: str, text: str) -> None:
        if self._is_flow(document, place):
            start = self._offset(document, place)
            end = self._flow_end(start) - 1
            at = start + len(self.text[start:end].rstrip())
            self._splice(at, at, f"{', ' if self.value(place, document) else ''}{text}")
            return
        count = len(self._items(document, place))
        line = self._item_lines(document, place, count - 1)[1]
        self._complete(line - 1)
        dash = " " * self._column(document, place)
        self._lines.insert(line, f"{dash}- {text}{self._line_end}")

    def _cut(self, document: int, above: str, name: str) -> None:
        is_list = isinstance(self.value(above, document), list)
        if self._is_flow(document, above):
            start = self._offset(document, f"{above}/{name}")
            end = self._flow_end(start)
            text = self.text
            if not is_list:
                key = re.compile(rf"""["']?{re.escape(pointer.unescape(name))}["']?\s*:\s*\Z""")
                found = key.search(text[:start])
                start = found.start() if found else start
            if behind := re.match(r"\s*,[ \t]*", text[end:]):
                end += behind.end()
            elif before := re.search(r",\s*\Z", text[:start]):
                start = before.start()
            self._splice(start, end, "")
        else:
            first, end = (
                self._item_lines(document, above, int(name))
                if is_list
                else self._member_lines(document, above, pointer.unescape(name))
            )
            column = self._column(document, above)
            kept = self._lines[first][:column] if self._lines[first][:column].strip() else ""
            del self._lines[first:end]
            if kept:  # the mapping is an element, and began in the line of its dash
                self._lines[first] = kept + self._lines[first][column:]

    @property
    def _line_end(self) -> str:
        return "\r\n" if "\r\n" in "".join(self._lines[:1]) else "\n"

    def _line(self, document: int, place: str) -> int:
        return self.documents[document].position(place)[0] - 1

    def _column(self, document: int, place: str) -> int:
        return self.documents[document].position(place)[1] - 1

    def _offset(self, document: int, place: str) -> int:
        line = self._line(document, place)
        return sum(map(len, self._lines[:line])) + self._column(document, place)

    def _is_flow(self, document: int, place: str) -> bool:
        return self.text[self._offset(document, place) :][:1] in ("[", "{")

    def _is_null(self, document: int, place: str) -> bool:
        """Tell whether someone wrote nothing, or null, as the value of a key."""
        above, _, key = place.rpartition("/")
        members = self.value(above, document)
        return not place or (is_json_object(members) and pointer.unescape(key) in members)

    def _items(self, document: int, place: str) -> list[JsonValue]:
        return _list(self.value(place, document))

    def _item_lines(self, document: int, place: str, index: int) -> tuple[int, int]:
        """Return the lines of an element of a block, from its dash, and the one behind them."""
        column = self._column(document, place)
        line = self._line(document, f"{place}/{index}")
        while self._lines[line][column : column + 1] != "-":
            line -= 1
        return line, self._block_end(line, column, is_member=False)

    def _member_lines(self, document: int, place: str, key: str) -> tuple[int, int]:
        """Return the lines of a member of a block, from its key, and the one behind them."""
        column = self._column(document, place)
        line = self._line(document, f"{place}/{pointer.escape(key)}")
        pattern = re.compile(rf"""(["']?){re.escape(key)}\1\s*:""")
        while not pattern.match(self._lines[line], column):
            line -= 1
        return line, self._block_end(line, column, is_member=True)

    def _block_end(self, line: int, column: int, *, is_member: bool, whole: bool = False) -> int:
        """Return the line behind a block; comments that stand less deep are not its own."""
        last = line
        for number in range(line + 1, len(self._lines)):
            text = self._lines[number]
            if not text.strip():
                continue
            indent = len(text) - len(text.lstrip(" "))
            is_item = text[indent:].startswith("- ") or text[indent:].strip() == "-"
            is_inner = indent > column or (indent == column and ((is_member and is_item) or whole))
            is_comment = text[indent : indent + 1] == "#" and not whole and indent <= column
            if not is_inner or is_comment or text.startswith(("---", "...")):
                break
            last = number
        return last + 1

    def _scalar_end(self, start: int, *, is_flow: bool) -> int:
        text = self.text
        if quoted := _QUOTED.match(text, start):
            return quoted.end()
        end = _PLAIN_END[is_flow].search(text, start)
        return end.start() if end else len(text)

    def _flow_end(self, start: int) -> int:
        """Return the offset behind what begins at an offset inside brackets, or is brackets."""
        text = self.text
        if text[start] not in "[{":
            return self._scalar_end(start, is_flow=True)
        depth, at = 0, start
        while True:
            if quoted := _QUOTED.match(text, at):
                at = quoted.end()
                continue
            depth += (text[at] in "[{") - (text[at] in "]}")
            at += 1
            if depth == 0:
                return at

    def _splice(self, start: int, end: int, text: str) -> None:
        whole = self.text
        self._split(whole[:start] + text + whole[end:])

    def _complete(self, line: int) -> None:
        if not self._lines[line].endswith(("\n", "\r")):
            self._lines[line] += self._line_end


def _at(value: JsonValue, place: str) -> JsonValue:
    for token in pointer.split(place):
        if is_json_object(value):
            value = value.get(token)
        elif isinstance(value, list) and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
        else:
            return None
    return value


def _edited(value: JsonValue, place: str, edit: Callable[[JsonValue], JsonValue]) -> JsonValue:
    """Return a value with what is at a place put through `edit`."""
    tokens = pointer.split(place)
    if not tokens:
        return edit(value)
    name, rest = tokens[0], pointer.join("", *tokens[1:])
    if isinstance(value, list):
        index = int(name)
        return [*value[:index], _edited(value[index], rest, edit), *value[index + 1 :]]
    members = value if is_json_object(value) else {}
    return {**members, name: _edited(members.get(name), rest, edit)}


def _merged(value: JsonValue, more: JsonValue) -> JsonValue:
    known = {} if value is None else value
    if not is_json_object(more) or not is_json_object(known):
        return more
    return known | {key: _merged(known.get(key), item) for key, item in more.items()}


def _without(value: JsonValue, name: str) -> JsonValue:
    if isinstance(value, list):
        return [item for index, item in enumerate(value) if index != int(name)]
    members = value if is_json_object(value) else {}
    return {key: item for key, item in members.items() if key != pointer.unescape(name)}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _block(members: Mapping[str, JsonValue], indent: str, end: str, blocks: int) -> list[str]:
    lines = []
    for key, value in members.items():
        if is_json_object(value) and value and blocks > 1:
            below = _block(value, f"{indent}  ", end, blocks - 1)
            lines += [f"{indent}{yaml_scalar(key)}:{end}", *below]
        else:
            lines.append(f"{indent}{yaml_scalar(key)}: {flow(value)}{end}")
    return lines

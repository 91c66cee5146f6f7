"""Edits of a YAML text: how the difference of two values changes the lines that spell them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from holdall.text import json
from holdall.text.yaml._alignment import align, renamed
from holdall.text.yaml._nodes import MERGE, Node, Part, Segment, UnplacedError, line_start
from holdall.text.yaml._spelling import Spelling, requoted
from holdall.types import JsonValue

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_BLANK: Final = re.compile(r"\s*")


def edited(
    text: str, segment: Segment, root: Node, after: JsonValue, spelling: Spelling, end: str
) -> str:
    """Return a document's text edited to another value of its root.

    Raises UnplacedError, KeyError or ValueError if its form cannot be edited. For rare forms the
    result may have another value: read it again.
    """
    spelling.indent = _dash_indent(root) or 0
    if is_open := not text.endswith(("\r", "\n")) and segment.end == len(text):
        text += end
        segment = replace(segment, end=len(text))
    cuts = _Cuts(text, segment, spelling, end)
    cuts.change(root, after, None, 0)
    done = cuts.applied()
    return done.removesuffix(end) if is_open and not cuts.reach_end() else done


def _dash_indent(node: Node) -> int | None:
    """Return the indentation of dashes below the first key with a list."""
    for part in node.parts:
        inner = part.node
        if node.kind == "mapping" and inner.kind == "list" and not (inner.flow or node.flow):
            return inner.column - node.column
        if (found := _dash_indent(inner)) is not None:
            return found
    return None


class _Cuts:
    """The edits that give one document another value."""

    def __init__(self, text: str, segment: Segment, spelling: Spelling, end: str) -> None:
        self._text = text
        self._segment = segment
        self._spelling = spelling
        self._line_end = end
        self._cuts: list[tuple[int, int, str]] = []
        self._anchors: dict[str, JsonValue] = {}

    def applied(self) -> str:
        """Return the document's text with all edits."""
        done: list[str] = []
        at = self._segment.start
        for start, end, instead in sorted(self._cuts, key=lambda cut: cut[:2]):
            if start < at:
                raise UnplacedError
            done += self._text[at:start], instead
            at = end
        return "".join(done) + self._text[at : self._segment.end]

    def reach_end(self) -> bool:
        """Return whether lines were added after the last one."""
        return any(start == self._segment.end for start, _, _ in self._cuts)

    def change(
        self, node: Node, new: JsonValue, part: Part | None, level: int, above: Node | None = None
    ) -> None:
        """Give a node another value; `part` is where it is in the container `above`."""
        if node.kind == "alias":
            if node.name not in self._anchors or not json.same(self._anchors[node.name], new):
                self._replace(node, new, part, above, level)
            return
        before = len(self._cuts)
        if node.kind == "mapping" and isinstance(new, dict) and new:
            fits = self._members(node, new, level)
        elif node.kind == "list" and isinstance(new, list) and new:
            fits = self._elements(node, new, level)
        else:
            fits = json.same(node.value, new)
        if not fits:
            del self._cuts[before:]
            self._replace(node, new, part, above, level)
        if node.name:
            self._anchors[node.name] = new

    # --- mappings --------------------------------------------------------------------------------

    def _members(self, node: Node, new: dict[str, JsonValue], level: int) -> bool:
        inherited = self._inherited(node)
        if not inherited.keys() <= new.keys():
            inherited = {}
        old = {part.key: part.node.value for part in node.parts if part.key != MERGE}
        other = renamed(old, {k: value for k, value in new.items() if k not in inherited})
        names = {part.key: other.get(part.key, part.key) for part in node.parts}
        kept = [
            part
            for part in node.parts
            if (names[part.key] in new if part.key != MERGE else bool(inherited))
        ]
        if not kept:
            return False
        here = {names[part.key]: part for part in kept}
        for part in kept:
            if part.key == MERGE:
                continue
            if part.key in other:
                self._rename(part, other[part.key])
            self.change(part.node, new[names[part.key]], part, level + 1, node)
        added: dict[int, dict[str, JsonValue]] = {}
        behind = kept[-1]
        is_first = True
        for key, value in new.items():
            if key in here:
                behind, is_first = here[key], False
            elif key not in inherited or not json.same(inherited[key], value):
                place = kept[-1] if is_first else behind
                added.setdefault(id(place), {})[key] = value
        self._remove(node, kept)
        for part in kept:
            if fresh := added.get(id(part)):
                if node.flow:
                    self._cut(part.node.end, part.node.end, f", {self._spelling.flow(fresh)[1:-1]}")
                else:
                    whole = part is node.parts[-1]
                    self._insert(
                        self._part_end(part.node.end, node.column, whole=whole),
                        self._spelling.lines(fresh, level),
                        node.column,
                    )
        return True

    def _inherited(self, node: Node) -> Mapping[str, JsonValue]:
        """Return the members that a mapping now gets by `<<`, without its own."""
        merge = next((part.node for part in node.parts if part.key == MERGE), None)
        if merge is None:
            return {}
        own = {part.key for part in node.parts}
        sources = [part.node for part in merge.parts] if merge.kind == "list" else [merge]
        found: dict[str, JsonValue] = {}
        for source in reversed(sources):
            value = self._anchors.get(source.name) if source.kind == "alias" else source.value
            if isinstance(value, dict):
                found |= value
        return {key: value for key, value in found.items() if key not in own}

    def _rename(self, part: Part, name: str) -> None:
        end = self._text.rindex(":", part.start, part.after)
        key = self._text[part.start : end].rstrip()
        quoted = requoted(name, key[0]) if key[0] in "'\"" else None
        self._cut(part.start, part.start + len(key), quoted or self._spelling.flow(name))

    # --- lists -----------------------------------------------------------------------------------

    def _elements(self, node: Node, new: list[JsonValue], level: int) -> bool:
        before = [part.node.value for part in node.parts]
        pairs = align(before, new)
        if not pairs:
            return False
        kept = [node.parts[at] for at in pairs.values()]
        for at, old in pairs.items():
            part = node.parts[old]
            self.change(part.node, new[at], part, level + 1, node)
        self._remove(node, kept)
        behind: Part | None = None
        for at, value in enumerate(new):
            if at in pairs:
                behind = node.parts[pairs[at]]
            elif node.flow:
                copied = self._copy(node, value)
                where = behind.node.end if behind else node.parts[0].start
                self._cut(where, where, f", {copied}" if behind else f"{copied}, ")
            else:
                lines = self._copied_lines(node, value, level)
                first = node.parts[0]
                if behind is not None:
                    where = self._part_end(behind.node.end, node.column)
                    self._insert(where, lines, node.column)
                elif self._starts_line(first):
                    self._insert(self._comments_above(first, node.column), lines, node.column)
                else:
                    pad = self._line_end + " " * node.column
                    self._cut(first.start, first.start, pad.join([*lines, ""]))
        return True

    def _copy(self, node: Node, value: JsonValue) -> str:
        for part in node.parts:
            if json.same(part.node.value, value):
                return self._text[part.node.start : part.node.end]
        return self._spelling.flow(value)

    def _copied_lines(self, node: Node, value: JsonValue, level: int) -> list[str]:
        """Return the lines of an element; an equal one lends its own, with their comments."""
        for part in node.parts:
            if json.same(part.node.value, value):
                text = self._text[part.start : self._part_end(part.node.end, node.column)]
                first, *rest = text.splitlines()
                return [first, *(line[node.column :] for line in rest)]
        return self._spelling.lines([value], level)

    # --- cuts ------------------------------------------------------------------------------------

    def _replace(
        self, node: Node, new: JsonValue, part: Part | None, above: Node | None, level: int
    ) -> None:
        if part is None or above is None:
            raise UnplacedError
        anchor = f"&{node.name} " if node.name and node.kind != "alias" else ""
        blank = "" if node.end > part.after else " "
        if above.flow or (node.flow and isinstance(new, dict | list)):
            self._cut(node.start, node.end, blank + anchor + self._spelling.flow(new))
            return
        if isinstance(new, str) and node.style in ("'", '"'):
            quoted = requoted(new, node.style)
            if quoted is not None:
                self._cut(node.start, node.end, anchor + quoted)
                return
        value: JsonValue = {"k": new} if above.kind == "mapping" else [new]
        first, *rest = self._spelling.lines(value, level - 1)
        first = first.removeprefix("k:" if above.kind == "mapping" else "-")
        start = node.start if first and node.kind in ("scalar", "alias") else part.after
        if start > part.after:
            first = first.removeprefix(" ")
            self._cut(start, node.end, anchor + first)
        else:
            self._cut(start, node.end, (f" {anchor.rstrip()}" if anchor else "") + first)
        if rest:
            self._insert(self._line_after(node.end), rest, above.column)

    def _remove(self, node: Node, kept: Sequence[Part]) -> None:
        """Cut the parts of a container that are not kept, with the comments above them."""
        stay = {*map(id, kept)}
        gone = [id(part) not in stay for part in node.parts]
        last = max(at for at, is_gone in enumerate(gone) if not is_gone)
        for at, part in enumerate(node.parts):
            if not gone[at]:
                continue
            if node.flow:
                if at < last:
                    self._cut(part.start, node.parts[at + 1].start, "")
                elif at == last + 1:
                    self._cut(node.parts[last].node.end, node.parts[-1].node.end, "")
            elif self._starts_line(part):
                is_top = at == 0 and node is self._segment.root
                start = part.start if is_top else self._comments_above(part, node.column)
                end = self._part_end(part.node.end, node.column)
                self._cut(line_start(self._text, start), end, "")
            elif at == 0:
                # The first part of a block that begins after a dash: the next part takes its place.
                run = next(number for number, is_gone in enumerate(gone) if not is_gone)
                end = self._part_end(node.parts[run - 1].node.end, node.column)
                blank = _BLANK.match(self._text, end)
                self._cut(part.start, blank.end() if blank else end, "")
                for number in range(1, run):
                    gone[number] = False

    def _cut(self, start: int, end: int, instead: str) -> None:
        self._cuts.append((start, end, instead))

    def _insert(self, where: int, lines: Iterable[str], column: int) -> None:
        text = "".join(
            f"{' ' * column}{line}{self._line_end}" if line else self._line_end for line in lines
        )
        self._cut(where, where, text)

    # --- lines -----------------------------------------------------------------------------------

    def _starts_line(self, part: Part) -> bool:
        return not self._text[line_start(self._text, part.start) : part.start].strip()

    def _line_after(self, offset: int) -> int:
        line = _LINE.match(self._text, offset)
        return line.end() if line else offset

    def _part_end(self, end: int, column: int, *, whole: bool = False) -> int:
        """Return where the lines of a part end; deeper comments below it are its own.

        With `whole`, so are those in its column, because they end the block.
        """
        at_start = self._text[end - 1 : end] in ("\r", "\n")  # after a text that keeps its breaks
        last = at = end if at_start else self._line_after(end)
        while at < self._segment.end:
            line = self._text[at : self._line_after(at)]
            rest = line.lstrip(" ")
            at += len(line)
            if rest.startswith("#"):
                indent = len(line) - len(rest)
                if indent < column or (indent == column and not whole):
                    break
                last = at
            elif line.strip():
                break
        return min(last, self._segment.end)

    def _comments_above(self, part: Part, column: int) -> int:
        """Return where the comments right above a part start; without any, where its line does."""
        start = line_start(self._text, part.start)
        while start > self._segment.start:
            above = line_start(
                self._text,
                max(start - 1, 0) if self._text[start - 2 : start] != "\r\n" else start - 2,
            )
            line = self._text[above:start]
            if not line.startswith(f"{' ' * column}#") or above < self._segment.start:
                break
            start = above
        return start

"""Writing Python text: lines, blocks, literals, and expressions in the layout of ruff."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import cleandoc

from holdall.types import JsonValue
from holdall_codegen.model import ListOf, MapOf, Opaque, Ref, Scalar, Type, Union
from holdall_codegen.plan.model import PlannedType

WIDTH = 100
INDENT = "    "
_PROSE_WIDTH = 72
_ASSIGNED = " = "
_OR_NONE = " | None"

_TEXTS = re.compile(
    r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*', re.DOTALL
)
"""Strings and comments in Python code."""


@dataclass(frozen=True, slots=True)
class Call:
    """A bracketed expression: `head` and its opening bracket, the items, the closing bracket."""

    head: str
    items: Sequence[Expression]
    tail: str = ")"


@dataclass(frozen=True, slots=True)
class Keyword:
    """`name=value`, or `key: value` in a dict display, inside a bracketed expression."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Parts:
    """Text inside a bracketed expression that may be broken between these parts."""

    whole: str
    parts: Sequence[str]


Expression = str | Call | Keyword | Parts


def keywords(**given: Expression | bool | None) -> list[Expression]:
    """Return keyword arguments; empty values, False and None are left out."""
    return [Keyword(name, "True" if it is True else it) for name, it in given.items() if it]


class CodeLines:
    """Collects lines of code; emit functions read like the code they emit."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0

    def line(self, text: str = "") -> None:
        """Add one line at the current indentation; an empty line has none."""
        self._lines.append(INDENT * self._depth + text if text else "")

    def apart(self) -> None:
        """Add two empty lines, as between definitions."""
        self._lines += ["", ""]

    def uses(self, name: str) -> bool:
        """Tell whether the code uses a name outside strings and comments, and so must import it."""
        text = self.text()
        return name in text and bool(re.search(rf"(?<![\w.]){name}\b", _TEXTS.sub("", text)))

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Add a line and indent what follows."""
        self.line(head)
        with self.indented():
            yield

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Indent what follows, below a head of several lines."""
        self._depth += 1
        yield
        self._depth -= 1

    @contextmanager
    def function(self, call: Call, after: str) -> Iterator[None]:
        """Add the head of a function, broken if it is too long, and indent what follows."""
        self.expression("", call, after)
        with self.indented():
            yield

    def expression(self, before: str, value: Expression, after: str = "") -> None:
        """Add `before`, an expression and `after`, broken over lines if they are too long."""
        room = WIDTH - len(INDENT) * self._depth
        layout = _assigned if before.endswith(_ASSIGNED) and not after else _layout
        for text in layout(before, value, after, room):
            self.line(text)

    def typing_names(self, **used: bool) -> bool:
        """Import from `typing` what is used; return whether anything is."""
        if names := [name for name, is_used in used.items() if is_used]:
            self.line(f"from typing import {', '.join(names)}")
        return bool(names)

    def imported(self, path: str, names: Sequence[str]) -> None:
        """Add the import of names, broken over lines if it is too long."""
        text = f"from {path} import {', '.join(names)}"
        if len(text) <= WIDTH:
            self.line(text)
        else:
            self.expression(f"from {path} import ", Call("(", names))

    def noted(self, before: str, value: Expression, note: str) -> None:
        """Add an expression with a comment: after it if there is room, else above it."""
        room = WIDTH - len(INDENT) * self._depth
        note = _visible(" ".join(note.split()))
        while width_of(note) + 2 > room:
            note = f"{note[:-4]}..."
        lines = list(_layout(before, value, "", room))
        if len(lines) == 1 and width_of(lines[0]) + width_of(note) + 4 <= room:
            self.line(f"{lines[0]}  # {note}")
            return
        self.line(f"# {note}")
        for text in lines:
            self.line(text)

    def docstring(self, text: str) -> None:
        """Add a docstring; long lines are wrapped, paragraphs, short lines and indents kept."""
        room = WIDTH - len(INDENT) * self._depth
        escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        given = _visible(escaped.expandtabs(len(INDENT))).strip().splitlines()
        kept = cleandoc("\n".join(line.rstrip() for line in given)).splitlines()
        first, *rest = kept or ["Undocumented."]
        closing = _closed(first)
        if not rest and width_of(closing) + 6 <= room:
            self.line(f'"""{closing}"""')
            return
        lines = [*_wrapped(first, room - 3, room)]
        for line in rest:
            lines.extend(_wrapped(line, room, room) or [""])
        if len(lines) == 1:
            lines = _wrapped(first, room - 6, room - 6)
        self.line(f'"""{lines[0]}')
        for line in lines[1:]:
            self.line(line)
        self.line('"""')

    def text(self) -> str:
        """Return all lines as one text that ends with a line break."""
        return "\n".join(self._lines).rstrip("\n") + "\n"


def width_of(text: str) -> int:
    """Return the width of a line in columns: wide letters count two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(_columns(letter) for letter in text)


def _columns(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _visible(text: str) -> str:
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or letter == "\n"
        else letter.encode("unicode_escape").decode()
        for letter in text
    )


def _closed(line: str) -> str:
    return line + " " if line.endswith('"') else line


def _wrapped(line: str, first: int, room: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    if width_of(line) <= first:
        return [line]
    if not line.isascii():
        return _wrapped_by_width(line.split(), indent, min(first, room))
    return textwrap.wrap(
        line.strip(),
        width=min(first, room),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _wrapped_by_width(words: list[str], indent: str, room: int) -> list[str]:
    lines: list[str] = []
    for word in words:
        longer = f"{lines[-1]} {word}" if lines else ""
        if longer and width_of(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(indent + word)
    return lines


def flat(value: Expression) -> str:
    """Return an expression on one line."""
    match value:
        case str():
            return value
        case Parts(whole=whole):
            return whole
        case Keyword(name=name, value=inner):
            return _named(name) + flat(inner)
        case Call(head=head, items=items, tail=tail):
            text = ", ".join(flat(item) for item in items)
            if tail == ")" and head == "(" and len(items) == 1:
                text += ","
            return head + text + tail


def _named(name: str) -> str:
    return f"{name}: " if name.endswith(("'", '"')) else f"{name}="


def _layout(before: str, value: Expression, after: str, room: int) -> list[str]:
    single = before + flat(value) + after
    if width_of(single) <= room or isinstance(value, str):
        return [single]
    if isinstance(value, Parts):
        first, *others = value.parts
        *lines, last = before + first, *others
        return [*lines, last + after]
    if isinstance(value, Keyword):
        return _layout(before + _named(value.name), value.value, after, room)
    inside = ", ".join(flat(item) for item in value.items)
    head = before + value.head
    tail = value.tail + after
    is_tuple = value.head == "(" and len(value.items) == 1
    if (
        width_of(inside) + len(INDENT) <= room
        and not is_tuple
        and value.head[-1] in "(["
        and value.head not in "(["
    ):
        return [head, INDENT + inside, tail]
    # ruff puts a single bracketed argument on lines of its own
    is_sole = (
        len(value.items) == 1
        and value.head[-1] == "("
        and isinstance(value.items[0], Call)
        and value.head != "("
    )
    lines = [head]
    for item in value.items:
        inner = _layout("", item, "" if is_sole else ",", room - len(INDENT))
        lines.extend(INDENT + line for line in inner)
    lines.append(tail)
    return lines


def _assigned(before: str, value: Expression, after: str, room: int) -> list[str]:
    """Lay out an assignment, even if its target leaves too little room for the value.

    The value is then put in parentheses; if these have no room, the target is broken.
    """
    opening = before + (value.head if isinstance(value, Call) else flat(value))
    if min(width_of(opening), width_of(before + flat(value))) <= room:
        return _layout(before, value, after, room)
    if width_of(before) + 1 <= room:
        inner = _layout("", value, "", room - len(INDENT))
        if isinstance(value, Call) or width_of(inner[0]) + len(INDENT) <= room:
            return [before + "(", *(INDENT + line for line in inner), ")"]
    *lines, last = _broken_target(before.removesuffix(_ASSIGNED), room)
    return lines + _layout(last + _ASSIGNED, value, after, room)


def _broken_target(target: str, room: int) -> list[str]:
    """Break the names of a target, or the annotation of one: a union or what is in its brackets."""
    name, colon, hint = target.partition(": ")
    if not colon:
        names = target.split(", ")
        return ["(", *(f"{INDENT}{one}," for one in names), ")"] if len(names) > 1 else [target]
    if hint.endswith(_OR_NONE):
        inner = [hint]
        if width_of(hint) + len(INDENT) > room:
            inner = [hint.removesuffix(_OR_NONE), _OR_NONE.strip()]
        return [f"{name}: (", *(INDENT + part for part in inner), ")"]
    outer, bracket, items = hint.removesuffix("]").partition("[")
    return [f"{name}: {outer}[", INDENT + items, "]"] if bracket else [target]


# --- literals -------------------------------------------------------------------------------------


def quoted(text: str) -> str:
    """Return a string literal: in double quotes, or in single ones if that escapes less."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    body = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    letters = (
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in body
    )
    return f"{quote}{''.join(letters)}{quote}"


def texts(values: Iterable[str]) -> Call:
    """Return a tuple of strings."""
    return Call("(", [quoted(value) for value in values])


def prose(text: str) -> Parts:
    """Return a string literal that may be broken between words."""
    words = textwrap.TextWrapper(_PROSE_WIDTH, expand_tabs=False, replace_whitespace=False)
    words.drop_whitespace = words.break_long_words = words.break_on_hyphens = False
    return Parts(quoted(text), [quoted(part) for part in words.wrap(text)] or ['""'])


def union(name: str, types: Sequence[str]) -> Parts:
    """Return a parameter whose annotation is a union of types."""
    first, *others = types
    return Parts(f"{name}: {' | '.join(types)}", [f"{name}: {first}", *(f"| {o}" for o in others)])


def literal(value: JsonValue) -> Expression:
    """Return a JSON value as a Python literal."""
    match value:
        case str():
            return quoted(value)
        case list():
            return Call("[", list(map(literal, value)), "]")
        case dict():
            members: list[Expression] = [
                Keyword(quoted(key), literal(item)) for key, item in value.items()
            ]
            return Call("{", members, "}")
        case _:
            return repr(value)


# --- annotations ----------------------------------------------------------------------------------


_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def annotation(type_: Type, later: Set[str], *, nullable: bool = False) -> str:
    """Return the annotation of a value; types in `later` are not defined yet and quoted."""
    match type_:
        case Scalar():
            text = _SCALARS[type_.kind]
        case Union():
            text = " | ".join(_SCALARS[kind] for kind in type_.members)
        case Opaque():
            text = "Any"
        case Ref():
            text = type_.type_name
            if text in later:
                return f'"{text} | None"' if nullable else f'"{text}"'
        case ListOf():
            text = f"list[{annotation(type_.item, later, nullable=type_.item_nullable)}]"
        case MapOf():
            text = f"dict[str, {annotation(type_.value, later, nullable=type_.value_nullable)}]"
    return f"{text} | None" if nullable else text


def definition_order(types: Mapping[str, PlannedType]) -> list[PlannedType]:
    """Return the types, each after those it holds, and those in cycles by name."""
    done: list[PlannedType] = []
    seen: set[str] = set()
    work = [(name, False) for name in sorted(types, reverse=True)]
    while work:
        name, is_left = work.pop()
        if is_left:
            done.append(types[name])
        elif name not in seen:
            seen.add(name)
            work.append((name, True))
            held = sorted(types[name].type.held(), reverse=True)
            work += [(inner, False) for inner in held]
    return done

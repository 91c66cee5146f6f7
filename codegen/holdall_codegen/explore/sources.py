"""What is written in a project's files: the lines of a property, a declaration, a hook."""

from __future__ import annotations

import ast
from functools import cache
from itertools import islice
from pathlib import Path
from textwrap import dedent
from typing import Final

_LINES: Final = 8
_WIDTH: Final = 160
_CLASS_LINES: Final = 120


class Sources:
    """Reads the files of a project, each once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lines = cache(self._read)

    def excerpt(self, file: str, line: int, name: str) -> str:
        """Return the lines of a name at a line, or of the name whose value is there.

        Indented lines below belong to it. "" if the file cannot be read.
        """
        lines = self._lines(file)
        if not 0 < line <= len(lines):
            return ""
        if line > 1 and not _names(lines[line - 1], name) and _names(lines[line - 2], name):
            line -= 1
        first = lines[line - 1]
        depth = _indent(first)
        found = [first]
        for text in islice(lines, line, line + _LINES - 1):
            if text.strip() and _indent(text) <= depth:
                break
            found.append(text)
        else:
            found.append(f"{' ' * (depth + 2)}…")
        while not found[-1].strip():
            found.pop()
        return "\n".join(_short(text) for text in dedent("\n".join(found)).split("\n"))

    def class_of(self, cls: type) -> tuple[str, str]:
        """Return the location and source of a class of the project; "" for other classes."""
        path = cls.__module__.replace(".", "/")
        for file in (f"{path}.py", f"{path}/__init__.py"):
            lines = self._lines(file)
            for node in ast.walk(_parsed(lines)):
                if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
                    first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
                    text = lines[first - 1 : node.end_lineno]
                    cut = [*text[:_CLASS_LINES], "    # …"] if len(text) > _CLASS_LINES else text
                    return f"{file}:{node.lineno}", dedent("\n".join(cut))
        return "", ""

    def _read(self, file: str) -> tuple[str, ...]:
        try:
            text = (self._root / file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ()
        return tuple(text.split("\n"))


def _parsed(lines: tuple[str, ...]) -> ast.Module:
    try:
        return ast.parse("\n".join(lines))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _names(line: str, name: str) -> bool:
    """Tell whether a line begins with a name as a key, quoted or not."""
    return line.lstrip(" \"'").startswith(name)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"

"""The files of a hooks package: those that Python imports, and those that it never would."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

_ENDINGS: Final = (".py", ".pyw")
_OF_HOOKS: Final = re.compile(
    rb"\bAssignable[A-Z]|\bassign_properties_(?:to|from)\b"
    rb"|\b(?:Composed|EachValue|SharedHook|TwoWay)\b"
)


class PythonFile(NamedTuple):
    """A file, and why it is never imported: empty if nothing about its place keeps it from that."""

    path: Path
    ignored: str


def looks_like_a_hook(path: Path) -> bool:
    """Tell whether a text names what hooks are made of. Raises OSError."""
    return _OF_HOOKS.search(path.read_bytes()) is not None


def python_files(folder: Path, fail: Callable[[OSError], object]) -> Iterator[PythonFile]:
    """Yield the Python files of a package, which is a folder or a module of that name, in order.

    Links to folders are followed, as an import does. `fail` gets the errors of unreadable folders.
    """
    single = folder.with_name(f"{folder.name}.py")
    if single.is_file():
        yield PythonFile(single, f"{folder.name}/ is there, too" if folder.is_dir() else "")
    if not folder.is_dir():
        return
    seen: set[str] = set()
    for current, folders, files in os.walk(folder, onerror=fail, followlinks=True):
        real = os.path.realpath(current)
        if real in seen:
            folders.clear()  # a link led back here
            continue
        seen.add(real)
        folders.sort()
        below = Path(current).relative_to(folder).parts
        passed = [part for part in below if part.startswith(".") or part == "__pycache__"]
        for name in sorted(files):
            stem, ending = os.path.splitext(name)  # noqa: PTH122 - a Path is made when needed
            if ending.lower() not in _ENDINGS:
                continue
            reason = f"modules are not looked for in {passed[0]!r}" if passed else ""
            if not reason and ending != ".py":
                reason = f"its name ends in {ending!r}, not in '.py'"
            if not reason and Path(current, stem, "__init__.py").is_file():
                reason = f"the package {stem}/ is imported in its place"
            yield PythonFile(Path(current, name), reason)

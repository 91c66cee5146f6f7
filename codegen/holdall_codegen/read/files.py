"""The files of a project: found by pattern, loaded once, named relative to the project's root."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from holdall.errors import SourceError
from holdall.suggest import nearest
from holdall.text.documents import Document
from holdall.text.loading import load_file
from holdall_codegen.config.keys import DeclaredSource, Source
from holdall_codegen.model import Location
from holdall_codegen.read.problems import NO_SUCH_FILE, Findings

Yaml: TypeAlias = Literal["strict", "kubernetes"]
Loaded: TypeAlias = "dict[tuple[str, Yaml], tuple[SourceFile, ...]]"
"""The documents of files by the names of files, and by how their scalars are read."""


@dataclass(frozen=True, slots=True, eq=False)
class SourceFile:
    """One document of one file. `file` is relative to the project's root, in posix form."""

    file: str
    number: int
    document: Document
    yaml: Yaml

    def location(self, pointer: str) -> Location:
        """Return where the node at a JSON Pointer stands."""
        return Location(self.file, self.document.position(pointer)[0], pointer)

    def where(self, pointer: str) -> str:
        """Return `file:line:column` of the node at a JSON Pointer."""
        return self.document.where(pointer)


class Files:
    """Finds and loads the source files of one project; findings never show machine paths.

    What was loaded before is taken from `loaded`, and what is loaded is added to it.
    """

    def __init__(self, root: Path, findings: Findings, loaded: Loaded | None = None) -> None:
        self._root = root
        self._findings = findings
        self._loaded: Loaded = {} if loaded is None else loaded
        self._broken: set[str] = set()

    def find(self, source: Source) -> list[str]:
        """Return the files that match a source's pattern, sorted; none is a finding (HA140)."""
        pattern = source.pattern
        if self.exists(pattern):
            return [self._name(self._root / pattern)]
        # Path.glob refuses absolute patterns, and reads `**` differently between interpreters.
        matches = glob.glob(pattern, root_dir=self._root, recursive=True)  # noqa: PTH207
        found = sorted({self._name(self._root / match) for match in matches if self.exists(match)})
        if not found:
            text = f'no file matches "{pattern}"{self.similar(pattern)}'
            fix = "correct the pattern, which is relative to the project's root"
            if _is_dir(self._root / pattern):
                text = f'"{pattern}" is a folder, not a file or a pattern of files'
                fix = f'write what its files match, such as "{pattern.rstrip("/")}/*.yaml"'
            self._findings.add(NO_SUCH_FILE, source.location, text, fix)
        return found

    def check_declaration(self, source: DeclaredSource) -> None:
        """Report a declaration whose file is not there (HA140)."""
        name = source.pattern
        if not self.exists(name):
            text = f'there is no file "{name}"{self.similar(name)}'
            fix = "correct the path, which is relative to the project's root"
            self._findings.add(NO_SUCH_FILE, source.location, text, fix)

    def similar(self, name: str) -> str:
        """Say `; did you mean "x"?` for the file most like `name` in the same folder, if any."""
        folder = (self._root / name).parent
        if not _is_dir(folder):
            return ""
        return nearest(name, [self._name(path) for path in folder.iterdir() if path.is_file()])

    def exists(self, name: str) -> bool:
        """Tell whether there is a file of this name."""
        return os.path.isfile(self._root / name)  # noqa: PTH113 - as for folders

    def is_readable(self, name: str) -> bool:
        """Tell whether loading a file brought no finding."""
        return name not in self._broken

    def load(self, name: str, yaml: Yaml) -> tuple[SourceFile, ...]:
        """Return the documents of a file, none if it cannot be read, which is a finding."""
        known = self._loaded.get((name, yaml))
        if known is None:
            known = self._loaded[name, yaml] = self._load(name, yaml)
        return known

    def _load(self, name: str, yaml: Yaml) -> tuple[SourceFile, ...]:
        try:
            documents = load_file(self._root / name, yaml=yaml, shown=name)
        except SourceError as error:
            self._broken.add(name)
            self._findings.extend(tuple(error.problems))
            return ()
        return tuple(
            SourceFile(name, number, document, yaml) for number, document in enumerate(documents)
        )

    def _name(self, path: Path) -> str:
        return Path(os.path.relpath(path, self._root)).as_posix()


def _is_dir(path: Path) -> bool:
    # Path.is_dir raises where a name is too long for a file.
    return os.path.isdir(path)  # noqa: PTH112

"""The files of a project: found by pattern, loaded once, named relative to the project's root.

And `$ref`: from a reference to the node it names, within a file or in a file beside it.
"""

from __future__ import annotations

import glob
import os
import posixpath
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import unquote

from holdall.errors import SourceError
from holdall.suggest import nearest
from holdall.text.documents import Scalars
from holdall.text.files import path_from
from holdall.text.loading import load_file
from holdall.text.pointer import join, split, step
from holdall.types import JsonValue, members
from holdall_codegen.config.keys import DeclaredSource, Source
from holdall_codegen.read.nodes import Node, SourceFile
from holdall_codegen.read.problems import (
    MALFORMED_SCHEMA,
    NO_SUCH_FILE,
    UNKNOWN_REF,
    UNSUPPORTED,
    Findings,
)

Loaded: TypeAlias = dict[tuple[str, Scalars], tuple[SourceFile, ...]]
"""The documents of files by the names of files, and by how their scalars are read."""
_NOTHING: Final = object()


class Files:
    """Finds and loads the source files of one project; findings never show machine paths.

    What was loaded before is taken from `loaded`, and what is loaded is added to it. `findings` are
    what is wrong with the sources, in the files and in what is read from them.
    """

    def __init__(self, root: Path, loaded: Loaded | None = None) -> None:
        self.findings = Findings()
        self._root = root
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
            self.findings.add(NO_SUCH_FILE, source.location, text, fix)
        return found

    def check_declaration(self, source: DeclaredSource) -> None:
        """Report a declaration whose file is not there (HA140)."""
        name = source.pattern
        if not self.exists(name):
            text = f'there is no file "{name}"{self.similar(name)}'
            fix = "correct the path, which is relative to the project's root"
            self.findings.add(NO_SUCH_FILE, source.location, text, fix)

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

    def load(self, name: str, yaml: Scalars) -> tuple[SourceFile, ...]:
        """Return the documents of a file, none if it cannot be read, which is a finding."""
        known = self._loaded.get((name, yaml))
        if known is None:
            known = self._loaded[name, yaml] = self._load(name, yaml)
        return known

    def _load(self, name: str, yaml: Scalars) -> tuple[SourceFile, ...]:
        try:
            documents = load_file(self._root / name, yaml=yaml, shown=name)
        except SourceError as error:
            self._broken.add(name)
            self.findings.extend(tuple(error.problems))
            return ()
        return tuple(
            SourceFile(name, number, document, yaml) for number, document in enumerate(documents)
        )

    def _name(self, path: Path) -> str:
        return path_from(path, self._root)

    # --- references ---

    def resolve(self, node: Node) -> Node | None:
        """Return the node that the `$ref` of `node` names, None after a finding."""
        text = node.get("$ref")
        if not isinstance(text, str):
            fix = 'write a reference such as "#/definitions/Name"'
            self.findings.add(
                MALFORMED_SCHEMA, node.child("$ref").where, "`$ref` must be a string", fix
            )
            return None
        address, _, fragment = text.partition("#")
        source = self._beside(node, address, text) if address else node.source
        if source is None:
            return None
        pointer = unquote(fragment)
        if pointer and not pointer.startswith("/"):
            message = f'`$ref` names the anchor "{text}"; only JSON Pointers are followed'
            self._report(UNSUPPORTED, node, message, 'write a pointer such as "#/definitions/Name"')
            return None
        target, why = self.walk(source, pointer)
        if target is None:
            fix = "correct the reference or add the definition"
            self._report(UNKNOWN_REF, node, f'`$ref` "{text}" leads nowhere: {why}', fix)
        return target

    def walk(self, source: SourceFile, pointer: str) -> tuple[Node | None, str]:
        """Return the node at a JSON Pointer of a file, or None and the reason."""
        value: JsonValue = source.document.value
        walked = ""
        for segment in split(pointer):
            found = step(value, segment, _NOTHING)
            if found is _NOTHING:
                above = f"{walked} of {source.file}" if walked else source.file
                return None, f'{above} has no member "{segment}"{nearest(segment, members(value))}'
            value, walked = found, join(walked, segment)
        return Node(source, pointer, value), ""

    def _beside(self, node: Node, address: str, text: str) -> SourceFile | None:
        if "://" in address or address.startswith("/"):
            self._report(
                UNSUPPORTED,
                node,
                f'`$ref` "{text}" is not relative to its file; nothing is fetched or searched',
                "copy the file into the project and refer to it by a relative path",
            )
            return None
        folder = posixpath.dirname(node.source.file)
        name = posixpath.normpath(posixpath.join(folder, unquote(address)))
        if not self.exists(name):
            message = f'`$ref` "{text}" leads nowhere: there is no file {name}{self.similar(name)}'
            self._report(UNKNOWN_REF, node, message, "correct the reference or add the file")
            return None
        documents = self.load(name, node.source.yaml)
        return documents[0] if documents else None

    def _report(self, code: str, node: Node, message: str, fix: str) -> None:
        self.findings.add(code, node.child("$ref").where, message, fix)


def _is_dir(path: Path) -> bool:
    # Path.is_dir raises where a name is too long for a file.
    return os.path.isdir(path)  # noqa: PTH112

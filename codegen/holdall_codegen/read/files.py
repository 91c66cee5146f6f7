"""The files of a project: found by pattern, loaded once, named relative to the project's root.

And `$ref`: from a reference to the node it names, in the same file or another local one.
"""

from __future__ import annotations

import os
import posixpath
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import unquote, urldefrag, urljoin

from holdall.errors import SourceError
from holdall.suggest import nearest
from holdall.text.documents import Scalars
from holdall.text.files import path_from
from holdall.text.folders import matches, unreadable
from holdall.text.loading import load_file
from holdall.text.pointer import join, split, step
from holdall.types import JsonValue, members
from holdall_codegen.config.keys import DeclaredSource, Source
from holdall_codegen.read.identifiers import Identifiers, identify
from holdall_codegen.read.nodes import Node, SourceFile
from holdall_codegen.read.problems import (
    MALFORMED_SCHEMA,
    NO_SUCH_FILE,
    UNKNOWN_REF,
    UNSUPPORTED,
    Findings,
)

Loaded: TypeAlias = dict[tuple[str, Scalars], tuple[SourceFile, ...]]
"""The documents of files, by file name and by how scalars are read."""
_NOTHING: Final = object()


class Files:
    """Finds and loads the source files of one project; findings never show machine paths.

    Files in `loaded` are not loaded again, and new ones are added to it. `findings` collects the
    problems of the files and of what is read from them.
    """

    def __init__(self, root: Path, loaded: Loaded | None = None) -> None:
        self.findings = Findings()
        self._root = root
        self._loaded: Loaded = {} if loaded is None else loaded
        self._broken: set[str] = set()
        self._identifiers: dict[SourceFile, Identifiers] = {}
        self._addresses: dict[tuple[str, Scalars], dict[str, str]] = {}

    def find(self, source: Source) -> list[str]:
        """Return the files that match a source's pattern, sorted. No match is a finding (HA140),
        and so is an unreadable folder (HA101).
        """
        pattern = source.pattern
        if self.exists(pattern):
            return [self._name(self._root / pattern)]
        try:
            matched = matches(pattern, self._root)
        except OSError as error:
            place = self._name(Path(error.filename))
            self.findings.extend((unreadable(error, place),))
            return []
        found = sorted({self._name(self._root / match) for match in matched if self.exists(match)})
        if not found:
            text = f'no file matches "{pattern}"{self.similar(pattern)}'
            fix = "correct the pattern, which is relative to the project's root"
            if _is_dir(self._root / pattern):
                text = f'"{pattern}" is a folder, not a file or a pattern of files'
                fix = f'write a pattern for its files, such as "{pattern.rstrip("/")}/*.yaml"'
            self.findings.add(NO_SUCH_FILE, source.location, text, fix)
        return found

    def check_declaration(self, source: DeclaredSource) -> None:
        """Report a declaration whose file does not exist (HA140)."""
        name = source.pattern
        if not self.exists(name):
            text = f'there is no file "{name}"{self.similar(name)}'
            fix = "correct the path, which is relative to the project's root"
            self.findings.add(NO_SUCH_FILE, source.location, text, fix)

    def similar(self, name: str) -> str:
        """Return `; did you mean "x"?` for the most similar file in the same folder, if any."""
        folder = (self._root / name).parent
        if not _is_dir(folder):
            return ""
        return nearest(name, [self._name(path) for path in folder.iterdir() if path.is_file()])

    def exists(self, name: str) -> bool:
        """Tell whether there is a file of this name."""
        return os.path.isfile(self._root / name)  # noqa: PTH113 - as for folders

    def is_readable(self, name: str) -> bool:
        """Tell whether a file was loaded without a finding."""
        return name not in self._broken

    def load(self, name: str, yaml: Scalars) -> tuple[SourceFile, ...]:
        """Return the documents of a file; if it cannot be read, add a finding and return none."""
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

    def resolve(self, node: Node, keyword: str = "$ref") -> Node | None:
        """Return the node that a reference of `node` names; None after adding a finding."""
        text = node.get(keyword)
        if not isinstance(text, str):
            message, fix = (
                f"`{keyword}` must be a string",
                'write a reference such as "#/$defs/Name"',
            )
            self.findings.add(MALFORMED_SCHEMA, node.child(keyword).where, message, fix)
            return None
        address, _, fragment = text.partition("#")
        source, names = node.source, self._names(node.source)
        resource = names.resource_of(node.pointer)
        if address:
            inside = names.find(resource, address)
            if inside is None:
                beside = self._beside(node, address, keyword)
                if beside is None:
                    return None
                source, inside = beside, ""
            resource = inside
        pointer = unquote(fragment)
        if keyword != "$ref" and pointer in self._names(source).repeated:
            message = f'`{keyword}` "{text}" is ambiguous: several parts have this anchor'
            self._report(UNSUPPORTED, node, message, "refer to one of them by `$ref`", keyword)
            return None
        if pointer and not pointer.startswith("/"):
            place = self._names(source).anchors.get((resource, pointer))
            if place is None:
                message = (
                    f'`{keyword}` "{text}" leads nowhere: nothing has the `$anchor` "{pointer}"'
                )
                fix = 'correct it, or write a pointer such as "#/$defs/Name"'
                self._report(UNKNOWN_REF, node, message, fix, keyword)
                return None
            return self.walk(source, place)[0]
        target, why = self.walk(source, resource + pointer)
        if target is None and resource:
            # Many schemas have pointers from the root of the file, even inside a part with `$id`.
            target, _ = self.walk(source, pointer)
        if target is None:
            fix = "correct the reference, or add the definition"
            self._report(
                UNKNOWN_REF, node, f'`{keyword}` "{text}" leads nowhere: {why}', fix, keyword
            )
        return target

    def _names(self, source: SourceFile) -> Identifiers:
        known = self._identifiers.get(source)
        if known is None:
            known = self._identifiers[source] = identify(source.document.value)
        return known

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

    def _beside(self, node: Node, address: str, keyword: str) -> SourceFile | None:
        said = f'`{keyword}` "{node.get(keyword)}"'
        folder = posixpath.dirname(node.source.file)
        name = posixpath.normpath(posixpath.join(folder, unquote(address)))
        is_relative = "://" not in address and not address.startswith(("/", "urn:"))
        if is_relative and self.exists(name):
            return next(iter(self.load(name, node.source.yaml)), None)
        names = self._names(node.source)
        whole = urljoin(names.uris[names.resource_of(node.pointer)], address)
        found = self._called(folder, whole, node.source.yaml)
        if found is not None:
            return found
        if is_relative:
            text = f"{said} leads nowhere: there is no file {name}{self.similar(name)}"
            self._report(UNKNOWN_REF, node, text, "correct the reference, or add the file", keyword)
            return None
        text = f"{said} is not a relative path, and no file in the same folder has this `$id`"
        fix = f'copy the file with the `$id` "{address}" into {folder or "the same folder"}'
        self._report(UNSUPPORTED, node, f"{text}; holdall fetches nothing", fix, keyword)
        return None

    def _called(self, folder: str, address: str, yaml: Scalars) -> SourceFile | None:
        """Return the file of a folder whose root has this address as `$id`."""
        known = self._addresses.get((folder, yaml))
        if known is None:
            known = self._addresses[folder, yaml] = {}
            for path in sorted((self._root / folder).glob("*.json")):
                with suppress(SourceError):  # an unreadable source is reported elsewhere
                    [document] = load_file(path, shown=self._name(path))
                    names = identify(document.value)
                    known.setdefault(names.uris[""], self._name(path))
        name = known.get(urldefrag(address).url)
        return self.load(name, yaml)[0] if name else None

    def _report(self, code: str, node: Node, message: str, fix: str, keyword: str = "$ref") -> None:
        self.findings.add(code, node.child(keyword).where, message, fix)


def _is_dir(path: Path) -> bool:
    # Path.is_dir raises if a name is too long for a file.
    return os.path.isdir(path)  # noqa: PTH112

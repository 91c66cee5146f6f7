"""`$ref`: from a reference to the node it names, within a file or in a file beside it."""

from __future__ import annotations

import posixpath
from typing import Final
from urllib.parse import unquote

from holdall.suggest import nearest
from holdall.text.pointer import join, split, step
from holdall.types import JsonValue, members
from holdall_codegen.read.files import Files, SourceFile
from holdall_codegen.read.nodes import Node
from holdall_codegen.read.problems import MALFORMED_SCHEMA, UNKNOWN_REF, UNSUPPORTED, Findings

_NOTHING: Final = object()


class References:
    """Resolves the `$ref`s of one project; a reference that leads nowhere is a finding."""

    def __init__(self, files: Files, findings: Findings) -> None:
        self._files = files
        self._findings = findings

    def resolve(self, node: Node) -> Node | None:
        """Return the node that the `$ref` of `node` names, None after a finding."""
        text = node.get("$ref")
        if not isinstance(text, str):
            fix = 'write a reference such as "#/definitions/Name"'
            self._findings.add(
                MALFORMED_SCHEMA, node.child("$ref").where, "`$ref` must be a string", fix
            )
            return None
        address, _, fragment = text.partition("#")
        source = self._file(node, address, text) if address else node.source
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

    def _file(self, node: Node, address: str, text: str) -> SourceFile | None:
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
        if not self._files.exists(name):
            message = (
                f'`$ref` "{text}" leads nowhere: there is no file {name}{self._files.similar(name)}'
            )
            self._report(UNKNOWN_REF, node, message, "correct the reference or add the file")
            return None
        documents = self._files.load(name, node.source.yaml)
        return documents[0] if documents else None

    def _report(self, code: str, node: Node, message: str, fix: str) -> None:
        self._findings.add(code, node.child("$ref").where, message, fix)

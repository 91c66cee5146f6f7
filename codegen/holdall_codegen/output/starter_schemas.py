"""The group of a first `holdall.yaml` from JSON Schemas: one file or folder for each version."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from holdall.errors import Problem, SourceError
from holdall.text import json as _json
from holdall.text.documents import Document, Scalars
from holdall.text.files import path_from
from holdall.text.pointer import split
from holdall.types import JsonObject, JsonValue, get, is_json_object, items, members, text
from holdall_codegen.config.names import KIND, flow, yaml_scalar
from holdall_codegen.output.starter_groups import StartGroup, order_versions, package_of

NO_VERSION: Final = "HA147"

_NUMBERS: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}|v?[0-9]+(?:\.[0-9]+)*(?:(?:alpha|beta|rc)[0-9]*)?"
_VERSION: Final = re.compile(rf"(?:^|[._ -])({_NUMBERS})(?=$|[._ -])", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class _Root:
    """A schema of objects: where it is, and of what."""

    file: Path
    schema: JsonObject
    version: str
    kind: str

    def constant(self, name: str) -> JsonValue:
        """Return the only value that a member may have; None if there are more.

        The version among the examples counts as such, too.
        """
        declared = members(self.schema, "properties", name)
        enum = items(declared, "enum") or [
            it for it in items(declared, "examples") if it == self.version
        ]
        return declared.get("const", enum[0] if len(enum) == 1 else None)

    def members(self) -> Iterable[str]:
        """Return the members that the schema declares."""
        return members(self.schema, "properties")


def schema_groups(
    path: Path, root: Path, documents: list[Document], reading: Scalars
) -> list[StartGroup]:
    """Return the group of the JSON Schemas of objects; nothing if there are none.

    Raises SourceError if the names of files and folders do not distinguish their versions.
    """
    schemas = [document for document in documents if _is_root(document.value)]
    roots = _roots(path, schemas, _named_in(documents))
    if not roots:
        return []
    versions = order_versions({item.version for item in roots})
    kinds = sorted({item.kind for item in roots})
    more = ", yaml: kubernetes" if reading == "kubernetes" else ""
    places = {item: path_from(item.file, root) for item in roots}
    sources = [
        f"      - {{schemas: {yaml_scalar(places[item])}, version: {yaml_scalar(item.version)}, "
        f"kinds: {flow({item.kind: ''})}{more}}}"
        for item in sorted(roots, key=lambda it: (versions.index(it.version), places[it]))
    ]
    name = package_of((kinds[0] if len(kinds) == 1 else _folder(path)).lower())
    head = _head(roots, versions)
    carrier = "field   # or none"
    return [StartGroup(name, head, sources, versions, "", carrier, kinds[0])]


def _is_root(value: JsonValue) -> bool:
    """Tell whether a document is the schema of an object, and not only of parts for others."""
    return is_json_object(value) and (
        is_json_object(value.get("properties"))
        or value.get("type") == "object"
        or isinstance(value.get("$ref"), str)
        or ("title" in value and "allOf" in value)
    )


def _root_of(value: JsonObject) -> JsonObject:
    """Return the root of a file, or the schema in the file to which it only refers."""
    pointer = text(value, "$ref").partition("#")[2]
    target = get(value, *split(pointer)) if pointer.startswith("/") else None
    return target if is_json_object(target) and not members(value, "properties") else value


def _named_in(schemas: Iterable[Document]) -> set[str]:
    """Return the names of all files that schemas refer to, without their folders."""
    found: set[str] = set()
    queue = [document.value for document in schemas]
    while queue:
        value = queue.pop()
        queue += (
            value.values() if is_json_object(value) else value if isinstance(value, list) else ()
        )
        found.add(posixpath.basename(urlsplit(text(value, "$ref")).path))
    return found


def _roots(path: Path, schemas: Iterable[Document], parts: set[str]) -> list[_Root]:
    found: dict[tuple[str, str], _Root] = {}
    read: list[_Root] = []
    problems: list[Problem] = []
    for document in schemas:
        if not is_json_object(document.value):
            continue
        file = Path(document.file)
        version, rest = _version_of(path, file)
        if not version and file.name in parts:
            continue  # a part of schemas of any version
        if not version:
            message = "neither the name of the file nor that of a folder says which version this is"
            fix = "name it by its version, such as order.v1.json or v1/order.json"
            problems.append(Problem(NO_VERSION, file.as_posix(), message, fix))
            continue
        title = document.value.get("title")
        kind = title if isinstance(title, str) and KIND.fullmatch(title) else ""
        kind = kind or _pascal(rest) or _pascal(_folder(path)) or "Document"
        read.append(_Root(file, _root_of(document.value), version, kind))
    wholes = {root.version for root in read if root.file.name not in parts}
    if wholes:  # only parts have the version, such as parts of another standard
        read = [root for root in read if root.version in wholes]
    for root in _without_versions(read):
        first = found.setdefault((root.version, root.kind), root)
        if first.file != root.file:
            message = f"this is {root.kind} {root.version}, but so is {first.file.as_posix()}"
            fix = "give them different titles, or name their files by different versions"
            problems.append(Problem(NO_VERSION, root.file.as_posix(), message, fix))
    if problems:
        raise SourceError(problems)
    return [*found.values()]


def _without_versions(roots: Sequence[_Root]) -> Iterator[_Root]:
    """Yield roots, with titles that end in their versions (`OrderV1`, `OrderV2`) as one kind."""
    bare = {root: _bare(root) for root in roots}
    versions: dict[str, set[str]] = {}
    for root, kind in bare.items():
        versions.setdefault(kind, set()).add(root.version)
        if kind != root.kind:
            versions.setdefault(root.kind, set()).add(root.version)
    for root, kind in bare.items():
        is_lone = len(versions[root.kind]) == 1 and len(versions[kind]) > 1
        yield replace(root, kind=kind) if is_lone else root


def _bare(root: _Root) -> str:
    number = re.escape(re.sub(r"^v", "", root.version, flags=re.IGNORECASE).replace(".", "_"))
    bare = re.sub(rf"_?v?{number}$", "", root.kind, flags=re.IGNORECASE)
    return bare if KIND.fullmatch(bare) else root.kind


def _version_of(path: Path, file: Path) -> tuple[str, str]:
    """Return the version in the name of a file or else of a folder, and the rest of the file's
    name."""
    stem = re.sub(r"[._-]?schema$", "", file.stem, flags=re.IGNORECASE)
    match = _VERSION.search(stem)
    if match:
        return match[1], f"{stem[: match.start()]} {stem[match.end() :]}"
    base = path if path.is_dir() else path.parent
    for folder in reversed(file.relative_to(base).parent.parts):
        match = _VERSION.fullmatch(folder)
        if match:
            return match[1], stem
    return "", stem


def _folder(path: Path) -> str:
    return path.resolve().name if path.is_dir() else path.resolve().parent.name


def _pascal(text: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", text)
    return "".join(word[0].upper() + word[1:] for word in words)


def _head(roots: list[_Root], versions: list[str]) -> list[str]:
    """Return what says the version: a member with another constant in each version."""
    for name in dict.fromkeys(name for item in roots for name in item.members()):
        said = {
            version: {
                _json.encode(item.constant(name)) for item in roots if item.version == version
            }
            for version in versions
        }
        silent = [version for version in versions if said[version] == {b"null"}]
        values = [next(iter(each)) for version, each in said.items() if version not in silent]
        is_clear = all(len(each) == 1 for each in said.values()) and len({*values}) == len(values)
        # a single constant may mean anything, unless it is the number of its version
        is_known = len(values) > 1 or (
            values and _digits(values[0].decode()) == _digits(versions[-1])
        )
        if not is_clear or not is_known or silent not in ([], versions[:1]):
            continue
        default = f", default: {yaml_scalar(silent[0])}" if silent else ""
        kind_at = _kind_at(roots, name)
        kind = f", kind_at: {yaml_scalar(kind_at)}" if kind_at else ""
        if not default and not kind:
            return [f"    version_at: {yaml_scalar(name)}   # the schemas say its values"]
        return [f"    version_at: {{member: {yaml_scalar(name)}{default}{kind}}}"]
    return [
        "    # Where documents say their version; without it they say `apiVersion: v1` and `kind`.",
        "    # version_at: schemaVersion",
    ]


def _digits(text: str) -> str:
    return re.sub(r"[^0-9]", "", text)


def _kind_at(roots: list[_Root], version_at: str) -> str:
    """Return the member that names the kind in all schemas; "" if there is none."""
    for name in roots[0].members():
        if name != version_at and all(item.constant(name) == item.kind for item in roots):
            return name
    return ""

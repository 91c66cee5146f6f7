"""The files of a project that name versions, as they are edited together.

Nothing is written before all edits are made and the edited project has been planned.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from holdall.errors import Problem, SourceError
from holdall.text.documents import Scalars
from holdall.text.files import replace_files
from holdall.text.pointer import join
from holdall.types import JsonValue, text
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.output.yaml_edits import CANNOT_EDIT, YamlText
from holdall_codegen.project import CONFIG_FILE, Project, load_project
from holdall_codegen.read.crd import find_crds
from holdall_codegen.read.files import Files


@dataclass(frozen=True, slots=True)
class CrdVersion:
    """One version in the file of a CRD: its list in the file, and its place there."""

    kind: str
    text: YamlText
    document: int
    versions: str
    index: int

    @property
    def place(self) -> str:
        return f"{self.versions}/{self.index}"

    def says(self, key: str) -> JsonValue:
        return self.text.value(f"{self.place}/{key}", self.document)

    def set(self, key: str, value: JsonValue, *, after: str = "") -> None:
        self.text.set(self.place, key, value, after=after, document=self.document)

    def remove(self, key: str = "") -> None:
        """Remove a member, or without a name the whole version."""
        if not key or self.says(key) is not None:
            place = f"{self.place}/{key}" if key else self.place
            self.text.remove(place, document=self.document)

    def copy(self) -> CrdVersion:
        """Append a copy of it to its list."""
        self.text.repeat(self.versions, self.index, document=self.document)
        known = self.text.value(self.versions, self.document)
        return replace(self, index=len(known) - 1 if isinstance(known, list) else 0)


@dataclass(frozen=True)
class VersionFiles:
    """A project's configuration and CRDs as edited texts, and new files."""

    project: Project
    group: GroupConfig
    texts: dict[str, YamlText] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> YamlText:
        return self._text(CONFIG_FILE, "strict")

    @property
    def place(self) -> str:
        """The pointer of the group in the configuration."""
        return join("", "groups", self.group.name)

    def listed(self, *names: str) -> Iterator[tuple[str, JsonValue]]:
        """Yield the elements of a list in the group, last first, each with its place."""
        place = join(self.place, *names)
        items = self.config.value(place)
        for index in reversed(range(len(items) if isinstance(items, list) else 0)):
            yield f"{place}/{index}", self.config.value(f"{place}/{index}")

    def crds(self, version: str) -> Iterator[CrdVersion]:
        """Yield each place of a version in the CRDs of the group's sources."""
        files = Files(self.project.root, self.project.loaded)
        for node in find_crds(self.group.crd_sources, files):
            versions = join(node.pointer, "spec", "versions")
            source = node.source
            edited = self._text(source.file, source.yaml)
            items = edited.value(versions, source.number)
            for index, item in enumerate(items if isinstance(items, list) else ()):
                if text(item, "name") == version:
                    kind = text(node.value, "spec", "names", "kind")
                    yield CrdVersion(kind, edited, source.number, versions, index)

    def changes(self) -> Mapping[str, tuple[bytes | None, bytes]]:
        """Return the files that differ, by name, with their texts before and after.

        Raises SourceError or PlanError, as `load_project` does, for what the edits make of the
        project.
        """
        changed: dict[str, tuple[bytes | None, bytes]] = {}
        for name, edited in self.texts.items():
            before = (self.project.root / name).read_bytes()
            if (after := edited.text.encode()) != before:
                changed[name] = before, after
        for name, content in self.copies.items():
            if (self.project.root / name).exists():
                message = "a file of this name exists already"
                raise SourceError([Problem(CANNOT_EDIT, name, message, "move it away")])
            changed[name] = None, content.encode()
        self._try(changed)
        return changed

    def write(self, changed: Mapping[str, tuple[bytes | None, bytes]]) -> None:
        """Write all files, or none."""
        for name in changed:
            (self.project.root / name).parent.mkdir(parents=True, exist_ok=True)
        replace_files((self.project.root / name, after) for name, (_, after) in changed.items())

    def _try(self, changed: Mapping[str, tuple[bytes | None, bytes]]) -> None:
        with TemporaryDirectory() as folder:
            # at the project's own path, as its sources may be next to it
            root = Path(folder, *self.project.root.resolve().parts[1:])
            for name in {CONFIG_FILE, *self.project.sources, *changed}:
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if name in changed:
                    path.write_bytes(changed[name][1])
                else:
                    shutil.copy(self.project.root / name, path)
            load_project(root)

    def _text(self, name: str, scalars: Scalars) -> YamlText:
        if name not in self.texts:
            if name.endswith(".json"):
                fix = "edit it by hand, or write it as YAML"
                raise SourceError(
                    [Problem(CANNOT_EDIT, name, "holdall does not edit JSON files", fix)]
                )
            # as bytes, to keep a BOM and line ends
            content = (self.project.root / name).read_bytes().decode()
            self.texts[name] = YamlText(content, name, scalars)
        return self.texts[name]

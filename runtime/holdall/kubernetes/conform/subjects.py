"""What a webhook is asked to convert: kinds with their versions and schemas, and sample objects.

Source: CustomResourceDefinitions as they are installed, and objects from files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from holdall.errors import Problem, SourceError
from holdall.text.streams import find_inputs, objects_of, read_inputs
from holdall.types import JsonObject, is_json_object

_CRD: Final = "CustomResourceDefinition"
_FEWEST: Final = 2


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a kind. `schema` is its openAPIV3Schema, empty if it is not known."""

    name: str
    schema: JsonObject = field(default_factory=dict, repr=False)
    stored: bool = False
    has_status: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind that the webhook converts, and objects of it that were given."""

    group: str
    name: str
    namespaced: bool
    versions: tuple[Version, ...]
    samples: tuple[JsonObject, ...] = ()

    @property
    def hub(self) -> Version:
        """The storage version; the last one where nobody says."""
        return next((version for version in self.versions if version.stored), self.versions[-1])

    @property
    def spokes(self) -> tuple[Version, ...]:
        """All versions but the storage version."""
        return tuple(version for version in self.versions if version is not self.hub)

    def api_version(self, version: Version) -> str:
        """Return the apiVersion of a version."""
        return f"{self.group}/{version.name}"


def read_kinds(crds: Iterable[Path], objects: Iterable[Path]) -> tuple[Kind, ...]:
    """Return the kinds of CRDs with the objects of files; without CRDs those of the objects.

    Raises SourceError: files that cannot be read, no kind with two versions (HA802), objects of
    no kind or version of the CRDs (HA803).
    """
    definitions = _read(crds)
    samples = _read(objects)
    if definitions:
        kinds = [kind for _, value in definitions if (kind := _kind_of(value)) is not None]
    else:
        kinds = _kinds_in(value for _, value in samples)
    kinds = [kind for kind in kinds if len(kind.versions) >= _FEWEST]
    if not kinds:
        text = "there is no kind with two versions"
        fix = "name the CustomResourceDefinitions with --crd, or objects of both versions"
        raise SourceError([Problem("HA802", "", text, fix)])
    return tuple(_with_samples(kinds, samples))


def _read(paths: Iterable[Path]) -> list[tuple[str, JsonObject]]:
    streams = read_inputs(find_inputs(paths), scalars="kubernetes")
    return [
        (document.where(pointer), value)
        for stream in streams
        for document in stream.documents
        for pointer, value in objects_of(document.value)
    ]


def _kind_of(value: JsonObject) -> Kind | None:
    if value.get("kind") != _CRD or not is_json_object(spec := value.get("spec")):
        return None
    names, versions = spec.get("names"), spec.get("versions")
    if not is_json_object(names) or not isinstance(versions, list):
        return None
    found = tuple(_version_of(item) for item in versions if is_json_object(item))
    return Kind(
        str(spec.get("group")), str(names.get("kind")), spec.get("scope") != "Cluster", found
    )


def _version_of(item: JsonObject) -> Version:
    schema: Any = item.get("schema")
    structure = schema.get("openAPIV3Schema") if is_json_object(schema) else None
    subresources = item.get("subresources")
    return Version(
        str(item.get("name")),
        structure if is_json_object(structure) else {},
        item.get("storage") is True,
        is_json_object(subresources) and "status" in subresources,
    )


def _kinds_in(values: Iterable[JsonObject]) -> list[Kind]:
    """Return the kinds and versions that objects are of."""
    found: dict[tuple[str, str], dict[str, bool]] = {}
    for value in values:
        group, _, version = str(value.get("apiVersion", "")).rpartition("/")
        metadata = value.get("metadata")
        namespaced = is_json_object(metadata) and "namespace" in metadata
        found.setdefault((group, str(value.get("kind"))), {})[version] = namespaced
    return [
        Kind(group, name, any(versions.values()), tuple(map(Version, sorted(versions))))
        for (group, name), versions in sorted(found.items())
    ]


def _with_samples(kinds: Iterable[Kind], samples: Iterable[tuple[str, JsonObject]]) -> list[Kind]:
    by_name = {(kind.api_version(v), kind.name): kind for kind in kinds for v in kind.versions}
    found: dict[str, list[JsonObject]] = {}
    problems = []
    for where, value in samples:
        names = str(value.get("apiVersion")), str(value.get("kind"))
        kind = by_name.get(names)
        if kind is None:
            text = f"{names[1]} of {names[0]} is no kind and version that is tested"
            problems.append(Problem("HA803", where, text, "add its CRD, or leave the object out"))
        else:
            found.setdefault(f"{kind.group}/{kind.name}", []).append(value)
    if problems:
        raise SourceError(problems)
    return [
        Kind(
            kind.group,
            kind.name,
            kind.namespaced,
            kind.versions,
            tuple(found.get(f"{kind.group}/{kind.name}", ())),
        )
        for kind in kinds
    ]

"""What a webhook has to convert: kinds with their versions and schemas, and sample objects.

They come from CustomResourceDefinitions and files of objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.kubernetes.conform.apiserver import Refused, restore_metadata
from holdall.kubernetes.conform.validity import defaulted, flaws, prune
from holdall.kubernetes.crds.access import CRD_KIND, schema_of
from holdall.text.streams import find_inputs, read_inputs, require_documents, require_objects
from holdall.types import JsonObject, JsonValue, is_json_object, items, members

NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
"""Names of objects: DNS subdomains."""

_TEXTS: Final = ("labels", "annotations")
_FEWEST: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class Version:
    """One version of a kind. `schema` is its openAPIV3Schema, empty if it is unknown."""

    name: str
    schema: JsonObject = field(default_factory=dict, repr=False)
    stored: bool = False
    has_status: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind that the webhook converts, and objects of it that were given.

    `reviews` are the review versions that its CRD lists; empty if it lists none.
    """

    group: str
    name: str
    namespaced: bool
    versions: tuple[Version, ...]
    samples: tuple[JsonObject, ...] = ()
    reviews: tuple[str, ...] = ()

    @property
    def hub(self) -> Version:
        """The storage version; the last one if none is known."""
        return next((version for version in self.versions if version.stored), self.versions[-1])

    def api_version(self, version: Version) -> str:
        """Return the apiVersion of a version."""
        return f"{self.group}/{version.name}"

    def samples_at(self, version: Version) -> list[JsonObject]:
        """Return the given objects of a version."""
        return [obj for obj in self.samples if obj.get("apiVersion") == self.api_version(version)]


@dataclass(frozen=True, slots=True)
class Subjects:
    """The kinds to test, and why some given objects are left out."""

    kinds: tuple[Kind, ...]
    refused: tuple[Problem, ...] = ()


def read_kinds(crds: Iterable[Path], objects: Iterable[Path]) -> tuple[Kind, ...]:
    """Return the kinds of `read_subjects` alone."""
    return read_subjects(crds, objects).kinds


def read_subjects(crds: Iterable[Path], objects: Iterable[Path]) -> Subjects:
    """Return the kinds of CRDs with the objects of files; without CRDs, the kinds of the objects.

    Objects that an API server would refuse are left out. Raises SourceError for files that cannot
    be read or contain something else, if no kind has two versions (HA802), and for objects of a
    kind or version that the CRDs lack (HA803).
    """
    definitions, samples = _read(crds), _read(objects)
    if definitions:
        kinds = [kind for _, value in definitions if (kind := kind_of(value)) is not None]
    else:
        kinds = _kinds_in(value for _, value in samples)
    kinds = [kind for kind in kinds if len(kind.versions) >= _FEWEST]
    if not kinds:
        text = "there is no kind with two versions"
        fix = "name the CustomResourceDefinitions with --crd, or objects of both versions"
        raise SourceError([Problem("HA802", "", text, fix)])
    return _with_samples(kinds, samples)


def _read(paths: Iterable[Path]) -> list[tuple[str, JsonObject]]:
    """Return the objects of files, including items of lists, each with its place."""
    streams = read_inputs(find_inputs(paths), scalars="kubernetes")
    require_documents(streams)
    objects = require_objects(document for stream in streams for document in stream.documents)
    return [(document.where(pointer), value) for document, pointer, value in objects]


def kind_of(value: JsonObject) -> Kind | None:
    """Return the kind that a CRD defines; None if this is not a CRD."""
    if value.get("kind") != CRD_KIND or not is_json_object(spec := value.get("spec")):
        return None
    names, versions = spec.get("names"), spec.get("versions")
    if not is_json_object(names) or not isinstance(versions, list):
        return None
    found = tuple(
        Version(
            str(item.get("name")),
            schema_of(item),
            item.get("storage") is True,
            "status" in members(item, "subresources"),
        )
        for item in versions
        if is_json_object(item)
    )
    namespaced = spec.get("scope") != "Cluster"
    group, name = str(spec.get("group")), str(names.get("kind"))
    reviews = items(spec, "conversion", "webhook", "conversionReviewVersions")
    return Kind(group, name, namespaced, found, reviews=tuple(map(str, reviews)))


def _kinds_in(values: Iterable[JsonObject]) -> list[Kind]:
    """Return the kinds and versions of objects."""
    found: dict[tuple[str, str], dict[str, bool]] = {}
    for value in values:
        group, _, version = str(value.get("apiVersion", "")).rpartition("/")
        namespaced = "namespace" in members(value, "metadata")
        found.setdefault((group, str(value.get("kind"))), {})[version] = namespaced
    return [
        Kind(group, name, any(versions.values()), tuple(map(Version, sorted(versions))))
        for (group, name), versions in sorted(found.items())
    ]


def _with_samples(kinds: Iterable[Kind], samples: Iterable[tuple[str, JsonObject]]) -> Subjects:
    by_name = {
        (kind.api_version(version), kind.name): (kind, version)
        for kind in kinds
        for version in kind.versions
    }
    found: dict[Kind, list[JsonObject]] = {}
    problems, refused = [], []
    for where, value in samples:
        names = str(value.get("apiVersion")), str(value.get("kind"))
        if names not in by_name:
            text = f"{names[1]} of {names[0]} is not among the tested kinds and versions"
            problems.append(Problem("HA803", where, text, "add its CRD, or remove the object"))
            continue
        kind, version = by_name[names]
        obj, flaw = _as_stored(value, kind, version)
        if flaw:
            text = f"an API server would refuse this {kind.name}, so it is left out: {flaw}"
            refused.append(Problem("HA804", where, text, "correct it"))
        else:
            found.setdefault(kind, []).append(obj)
    if problems:
        raise SourceError(problems)
    with_samples = (replace(kind, samples=tuple(found.get(kind, ()))) for kind in kinds)
    return Subjects(tuple(with_samples), tuple(refused))


def _as_stored(value: JsonObject, kind: Kind, version: Version) -> tuple[JsonObject, str]:
    """Return an object as an API server would store it, or why it would refuse it.

    An object of a file gets a namespace, as from kubectl.
    """
    own = {**members(value, "metadata")}
    own.setdefault("namespace", "default")
    for field_name in ("name", "namespace"):
        text = own.get(field_name)
        if not isinstance(text, str) or not NAME.fullmatch(text):
            return {}, f"/metadata/{field_name}: is not a lower-case name"
    try:
        restore_metadata({}, {"metadata": {key: own[key] for key in _TEXTS if key in own}})
    except Refused as error:
        return {}, f"/metadata: {error}"
    if not kind.namespaced:
        del own["namespace"]
    obj = {**value, "metadata": own}
    if not version.schema:
        return obj, ""
    kept: JsonValue = defaulted(prune(obj, version.schema, is_root=True), version.schema)
    # What cannot be judged here does not exclude a real object.
    wrong = (str(flaw) for flaw in flaws(kept, version.schema) if flaw.is_judged)
    return (kept if is_json_object(kept) else {}), next(wrong, "")

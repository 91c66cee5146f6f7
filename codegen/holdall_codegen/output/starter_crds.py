"""The groups of a first `holdall.yaml` from CRDs: one for each API group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from holdall.text.documents import Document
from holdall.types import JsonValue, get, is_json_object
from holdall_codegen.config.names import VERSION
from holdall_codegen.config.spelling import yaml_scalar
from holdall_codegen.output.starter_files import Reading, patterns
from holdall_codegen.output.starter_groups import StartGroup, order_versions, package_of


@dataclass(slots=True)
class _Start:
    """What the CRDs of one API group and one set of files say."""

    versions: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)


def crd_groups(
    crds: Path, root: Path, documents: list[Document], reading: Reading
) -> list[StartGroup]:
    """Return a group for each API group of the CRDs, with its versions oldest first."""
    starts: dict[str, _Start] = {}
    for document in documents:
        _collect(document.value, document.file, starts)
    names = _group_names(starts)
    found = []
    for api_group in sorted(starts):
        start = starts[api_group]
        others = (other.files for name, other in starts.items() if name != api_group)
        is_mixed = any(start.files & files for files in others)
        more = [f"        group: {yaml_scalar(api_group)}"] if is_mixed else []
        if reading == "kubernetes":
            more.append("        yaml: kubernetes   # some values mean different things to readers")
        sources: list[str] = []
        for pattern in patterns(crds, root, documents, start.files):
            sources += [f"      - crds: {yaml_scalar(pattern)}", *more]
        found.append(
            StartGroup(
                names[api_group],
                [f"    api_group: {yaml_scalar(api_group)}"],
                sources,
                order_versions(start.versions),
                next(iter(start.stored)) if len(start.stored) == 1 else "",
                "annotation   # or field, or none",
                f"{min(start.kinds, default='Widget')}Spec",
            )
        )
    return found


def _collect(value: JsonValue, file: str, starts: dict[str, _Start]) -> None:
    """Add what a document says if it is a CRD, or a List that holds some."""
    if not is_json_object(value):
        return
    items = value.get("items")
    if value.get("kind") in ("List", "CustomResourceDefinitionList") and isinstance(items, list):
        for item in items:
            _collect(item, file, starts)
        return
    spec = value.get("spec")
    if value.get("kind") != "CustomResourceDefinition" or not is_json_object(spec):
        return
    api_group, names, versions = spec.get("group"), spec.get("names"), spec.get("versions")
    if not isinstance(api_group, str) or not isinstance(versions, list):
        return
    entries = [entry for entry in versions if is_json_object(entry)]
    found = {str(entry["name"]): entry for entry in entries if "name" in entry}
    if not found or not all(VERSION.fullmatch(version) for version in found):
        return
    start = starts.setdefault(api_group, _Start())
    start.files.add(file)
    start.versions.update(found)
    start.stored.update(name for name, entry in found.items() if entry.get("storage") is True)
    kind = get(names, "kind")
    if isinstance(kind, str):
        start.kinds.add(kind)


def _group_names(starts: Mapping[str, _Start]) -> dict[str, str]:
    """A Python name for each API group: its first label, or all of it where two begin alike."""
    firsts = [package_of(api_group.split(".")[0]) for api_group in sorted(starts)]
    return {
        api_group: first if firsts.count(first) == 1 else package_of(api_group)
        for api_group, first in zip(sorted(starts), firsts, strict=True)
    }

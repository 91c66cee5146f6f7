"""The CRDs of a project: built from plans and sources, checked, and merged into manifests."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from holdall.errors import Problem
from holdall.kubernetes.crds.access import is_crd
from holdall.kubernetes.crds.certificates import read_pem
from holdall.kubernetes.crds.findings import BAD_CA_BUNDLE, CrdError
from holdall.suggest import nearest
from holdall.text import json
from holdall.text.documents import Document
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, get, is_json_object, items, members, text
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.emit.crd import CrdDocument, Manifest, build_manifest, is_resource
from holdall_codegen.emit.crd_schema import STATED
from holdall_codegen.plan.model import GroupPlan, PlannedKind
from holdall_codegen.project import Project
from holdall_codegen.read.crd import find_crds
from holdall_codegen.read.files import Files
from holdall_codegen.read.nodes import Node
from holdall_codegen.views.lookup import find_groups, unknown

NO_RESOURCE = "HA865"
TWO_MANIFESTS = "HA866"


@dataclass(frozen=True, slots=True)
class CrdSet:
    """The CRDs of a project, sorted by name, and warnings about them."""

    manifests: tuple[Manifest, ...]
    warnings: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Updated:
    """The documents of a file with CRDs brought up to date.

    `dropped` names versions of the file that the project does not have, as `crd: version`.
    """

    documents: tuple[JsonValue, ...]
    dropped: tuple[str, ...]


def make_crds(project: Project, *, group: str | None = None, kinds: Iterable[str] = ()) -> CrdSet:
    """Return the CRDs of all kinds of a project that can be Kubernetes resources.

    A group of the configuration and kinds narrow the result. Raises UnknownNameError for one that
    the project does not have, and CrdError with all problems of all CRDs.
    """
    packages = dict(find_groups(project.plans, group))
    groups = [item for item in project.config.groups if item.package in packages]
    problems: list[Problem] = []
    manifests: list[Manifest] = []
    wanted = set(kinds)
    known = {kind.name for item in groups for kind in project.plans[item.package].kinds}
    for name in sorted(wanted - known):
        raise unknown("kind", name, sorted(known))
    for config in groups:
        plan = project.plans[config.package]
        sources = read_crd_documents(config, project)
        bundle = _read_bundle(config, project.root, problems)
        _check_kinds(config, plan, problems)
        for kind in plan.kinds:
            if wanted and kind.name not in wanted:
                continue
            if is_resource(plan, kind):
                found = sources.get(kind.name, [])
                manifests.append(build_manifest(plan, kind, found, problems, bundle=bundle))
            elif kind.name in wanted:
                problems.append(_no_resource(config, kind))
    warnings: list[Problem] = []
    for manifest in manifests:
        problems += manifest.problems()
        warnings += [
            finding.locate(manifest.places.where)
            for finding in manifest.findings()
            if finding.level != "error"
        ]
    if problems:
        raise CrdError(dict.fromkeys(problems))
    ordered = sorted(manifests, key=lambda item: item.name)
    return CrdSet(tuple(ordered), tuple(dict.fromkeys(warnings)))


def update_documents(documents: Iterable[Document], manifests: Iterable[Manifest]) -> Updated:
    """Return documents with the CRDs among them, items of lists included, brought up to date.

    CRDs that are in no document are appended. Raises CrdError if one is in two.
    """
    waiting = {manifest.name: manifest for manifest in manifests}
    places: dict[str, str] = {}
    dropped: list[str] = []
    problems: list[Problem] = []

    def update(value: JsonValue, document: Document, pointer: str) -> JsonValue:
        if not is_json_object(value):
            return value
        items = value.get("items")
        if text(value, "kind").endswith("List") and isinstance(items, list):
            changed: JsonObject = {
                **value,
                "items": [
                    update(item, document, join(pointer, "items", index))
                    for index, item in enumerate(items)
                ],
            }
            return changed
        name = text(value, "metadata", "name")
        if not is_crd(value) or name not in waiting:
            return value
        where = document.where(pointer)
        if name in places:
            message = f"{name} is defined here and at {places[name]}"
            problems.append(Problem(TWO_MANIFESTS, where, message, "remove one of them"))
        places[name] = where
        manifest = waiting[name]
        dropped.extend(f"{name}: {gone}" for gone in dropped_versions(value, manifest))
        return merge_manifest(value, manifest)

    done = [update(document.value, document, "") for document in documents]
    if problems:
        raise CrdError(problems)
    done += [manifest.value for name, manifest in waiting.items() if name not in places]
    return Updated(tuple(done), tuple(dropped))


def read_crd_documents(config: GroupConfig, project: Project) -> Mapping[str, list[CrdDocument]]:
    """Return the CRDs from which a group was read, by kind; they have no problems."""
    files = Files(project.root, project.loaded)
    found: dict[str, list[CrdDocument]] = {}
    for node in find_crds(config.crd_sources, files):
        if is_json_object(node.value):
            document = CrdDocument(node.value, partial(_where, node))
            found.setdefault(text(node.value, "spec", "names", "kind"), []).append(document)
    files.findings.raise_any()
    return found


def _where(node: Node, pointer: str) -> str:
    return node.source.where(node.pointer + pointer)


def _read_bundle(config: GroupConfig, root: Path, problems: list[Problem]) -> str | None:
    conversion = config.crd.conversion
    if conversion is None or not conversion.ca_bundle:
        return None
    where = str(conversion.location)
    try:
        pem = (root / conversion.ca_bundle).read_bytes()
    except OSError as error:
        message = f"{conversion.ca_bundle} cannot be read: {error.strerror}"
        problems.append(Problem(BAD_CA_BUNDLE, where, message, "check the path of ca_bundle"))
        return None
    faults, _ = read_pem(pem)
    for message in faults:
        fix = "name a PEM file with CA certificates"
        problems.append(Problem(BAD_CA_BUNDLE, conversion.ca_bundle, message, fix))
    return None if faults else base64.b64encode(pem).decode()


def _check_kinds(config: GroupConfig, plan: GroupPlan, problems: list[Problem]) -> None:
    known = [kind.name for kind in plan.kinds]
    for name, declared in (config.crd.kinds or {}).items():
        if name not in known:
            message = (
                f"crd names the kind {name}, which the group does not have{nearest(name, known)}"
            )
            fix = f"use one of: {', '.join(known)}"
            problems.append(Problem("HA164", str(declared.location), message, fix))


def _no_resource(config: GroupConfig, kind: PlannedKind) -> Problem:
    message = (
        f"{kind.name} cannot be a Kubernetes resource: it needs an API group that is a domain, "
        "metadata and the same name in every version, and version names that are DNS labels"
    )
    return Problem(NO_RESOURCE, str(config.location), message, "correct the group, or leave it out")


# --- merging into manifests that exist ------------------------------------------------------------


_CLIENT: Final = ("url", "service")


def merge_manifest(existing: JsonObject, manifest: Manifest) -> JsonObject:
    """Return an existing CRD brought up to a manifest; neither is changed.

    Versions that the manifest lacks are dropped. Merging twice gives what merging once gives.
    """
    merged = _merge(json.copy(existing), manifest.value)
    spec = members(merged, "spec")
    before = {text(entry, "name"): entry for entry in items(existing, "spec", "versions")}
    spec["versions"] = [
        _merge_version(members(before.get(text(entry, "name"))), members(entry), manifest)
        for entry in items(manifest.value, "spec", "versions")
    ]
    conversion = members(manifest.value, "spec", "conversion")
    if conversion:
        spec["conversion"] = _merge_conversion(members(existing, "spec", "conversion"), conversion)
    merged["spec"] = spec
    return merged


def dropped_versions(existing: JsonObject, manifest: Manifest) -> list[str]:
    """Return the versions of an existing CRD that the merged one does not have."""
    kept = {text(entry, "name") for entry in items(manifest.value, "spec", "versions")}
    names = [text(entry, "name") for entry in items(existing, "spec", "versions")]
    return [name for name in names if name not in kept]


def _merge(existing: JsonObject, ours: JsonObject) -> JsonObject:
    """Return the members of both; of a member of both, objects are merged, else ours wins."""
    merged = {**existing}
    for name, part in ours.items():
        before = existing.get(name)
        if is_json_object(before) and is_json_object(part):
            merged[name] = _merge(before, part)
        else:
            merged[name] = json.copy(part)
    return merged


def _merge_version(existing: JsonObject, ours: JsonObject, manifest: Manifest) -> JsonObject:
    merged = _merge(existing, ours)
    schema = members(ours, "schema", "openAPIV3Schema")
    if text(ours, "name") in manifest.built:
        before = members(existing, "schema", "openAPIV3Schema")
        schema = _merge_schema(before, schema)
    merged["schema"] = {**members(existing, "schema"), "openAPIV3Schema": json.copy(schema)}
    if manifest.drops_status:
        kept = {k: part for k, part in members(merged, "subresources").items() if k != "status"}
        merged["subresources"] = kept
        if not kept:
            del merged["subresources"]
    return merged


def _merge_schema(existing: JsonObject, ours: JsonObject) -> JsonObject:
    """Return our schema with the rules that its owner added to nodes that kept their type."""
    merged: JsonObject = json.copy(ours)
    if get(existing, "type") == ours.get("type"):
        for keyword, rule in existing.items():
            if keyword not in STATED and keyword not in ours:
                merged[keyword] = json.copy(rule)
    for name, part in members(ours, "properties").items():
        before = members(existing, "properties", name)
        members(merged, "properties")[name] = _merge_schema(before, members(part))
    for keyword in ("items", "additionalProperties"):
        if is_json_object(inner := ours.get(keyword)):
            merged[keyword] = _merge_schema(members(existing, keyword), inner)
    return merged


def _merge_conversion(existing: JsonObject, ours: JsonObject) -> JsonObject:
    merged = _merge(existing, ours)
    if text(ours, "strategy") != "Webhook":
        merged.pop("webhook", None)
        return merged
    client = members(merged, "webhook", "clientConfig")
    for member in _CLIENT:
        if member not in members(ours, "webhook", "clientConfig"):
            client.pop(member, None)
    return merged

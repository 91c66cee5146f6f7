"""Merging an emitted CRD into a manifest that exists: what is not ours stays as it is.

Ours are the group, the names and the scope, the list of versions with their schemas and what is
declared of them, and the conversion stanza where one is declared. All else in the manifest is its
owner's: labels, annotations, fields that this tool does not know, an injected caBundle, and the
rules for validation beside what schemas from other sources than CRDs state.
"""

from __future__ import annotations

from typing import Final

from holdall.text import json
from holdall.types import JsonObject, get, is_json_object, items, members, text
from holdall_codegen.emit.crd import Manifest
from holdall_codegen.emit.crd_schema import STATED

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
    """Return the members of both; where both have one, objects are merged, else ours counts."""
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
    """Return our schema with the rules that its owner added to nodes which kept their type."""
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

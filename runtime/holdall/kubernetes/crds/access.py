"""Access to CustomResourceDefinitions: their versions, schemas, and keywords."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdall.text import json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, is_json_object, items, members, text

CRD_KIND = "CustomResourceDefinition"

PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
EMBEDDED: Final = "x-kubernetes-embedded-resource"
INT_OR_STRING: Final = "x-kubernetes-int-or-string"
LIST_TYPE: Final = "x-kubernetes-list-type"
MAP_KEYS: Final = "x-kubernetes-list-map-keys"
MAP_TYPE: Final = "x-kubernetes-map-type"
RULES: Final = "x-kubernetes-validations"


def versions_of(crd: JsonValue) -> Iterator[tuple[str, JsonObject]]:
    """Yield the versions of a CRD, each with its JSON Pointer; skips entries of other types."""
    for index, version in enumerate(items(crd, "spec", "versions")):
        if is_json_object(version):
            yield join("/spec/versions", index), version


def version_names(crd: JsonValue) -> list[str]:
    """Return the names of a CRD's versions, in its order."""
    return [name for _, version in versions_of(crd) if (name := text(version, "name"))]


def schema_of(version: JsonObject) -> JsonObject:
    """Return the schema of a version of a CRD, an empty object if it has none."""
    return members(version, "schema", "openAPIV3Schema")


def versions_are_alike(crd: JsonValue) -> bool:
    """Return whether all versions of a CRD have the same schema."""
    schemas: list[JsonObject] = [schema_of(version) for _, version in versions_of(crd)]
    return all(json.same(schema, schemas[0]) for schema in schemas)


def is_crd(value: JsonValue) -> bool:
    """Return whether a document is a CustomResourceDefinition, of any version."""
    return text(value, "kind") == CRD_KIND and text(value, "apiVersion").startswith(
        "apiextensions.k8s.io/"
    )

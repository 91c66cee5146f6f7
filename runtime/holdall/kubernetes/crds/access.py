"""Looking into JSON values that may be anything: what is not there, or not so, is empty."""

from __future__ import annotations

from collections.abc import Iterator

from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, is_json_object

CRD_KIND = "CustomResourceDefinition"


def get(value: JsonValue, *path: str) -> JsonValue:
    """Return the member that a path of names leads to, None if there is none."""
    for name in path:
        if not is_json_object(value):
            return None
        value = value.get(name)
    return value


def members(value: JsonValue, *path: str) -> JsonObject:
    """Return the object at a path, an empty one if there is none."""
    found = get(value, *path)
    return found if is_json_object(found) else {}


def items(value: JsonValue, *path: str) -> list[JsonValue]:
    """Return the list at a path, an empty one if there is none."""
    found = get(value, *path)
    return found if isinstance(found, list) else []


def text(value: JsonValue, *path: str) -> str:
    """Return the string at a path, an empty one if there is none."""
    found = get(value, *path)
    return found if isinstance(found, str) else ""


def versions_of(crd: JsonValue) -> Iterator[tuple[str, JsonObject]]:
    """Yield the versions of a CRD, each with its JSON Pointer; entries of other types are left."""
    for index, version in enumerate(items(crd, "spec", "versions")):
        if is_json_object(version):
            yield join("/spec/versions", index), version


def version_names(crd: JsonValue) -> list[str]:
    """Return the names of a CRD's versions, in its order."""
    return [name for _, version in versions_of(crd) if (name := text(version, "name"))]


def schema_of(version: JsonObject) -> JsonObject:
    """Return the schema of a version of a CRD, an empty object if it has none."""
    return members(version, "schema", "openAPIV3Schema")


def is_crd(value: JsonValue) -> bool:
    """Tell whether a document says that it is a CustomResourceDefinition, of whatever version."""
    return text(value, "kind") == CRD_KIND and text(value, "apiVersion").startswith(
        "apiextensions.k8s.io/"
    )

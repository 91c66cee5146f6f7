"""The resource of the integration scenarios: three versions, the newest with other names.

Source: the fixture of apiextensions-apiserver's own integration tests of conversion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

VERSIONS: Final = ("v1alpha1", "v1beta1", "v1beta2")
STORAGE: Final = "v1beta1"

_NEW_NAMES: Final = {"content": "contentv2", "num": "numv2"}
_OLD_NAMES: Final = {new: old for old, new in _NEW_NAMES.items()}


def multiversion_crd(group: str, conversion: dict[str, Any]) -> dict[str, Any]:
    """Return the CRD; v1beta1 is the storage version, all are served."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"multiversion.{group}"},
        "spec": {
            "group": group,
            "names": {"plural": "multiversion", "kind": "MultiVersion", "shortNames": ["mv"]},
            "scope": "Namespaced",
            "versions": [_version(name) for name in VERSIONS],
            "conversion": conversion,
        },
    }


def content(version: str) -> dict[str, Any]:
    """Return the members of an object of a version, beside its head."""
    members: dict[str, Any] = {"content": {"key": "value"}, "num": {"num1": 1, "num2": 1000000}}
    if version == "v1beta2":
        return {_NEW_NAMES[name]: value for name, value in members.items()}
    return members


def rename(item: dict[str, Any], desired: str) -> dict[str, Any]:
    """Convert by apiVersion and names of members."""
    names = _NEW_NAMES if desired.endswith("/v1beta2") else _OLD_NAMES
    return {**{names.get(name, name): item[name] for name in item}, "apiVersion": desired}


def members(item: dict[str, Any], names: Sequence[str] = ("content", "num")) -> dict[str, Any]:
    """Return those members of an object that its version calls so or otherwise."""
    wanted = {*names, *(_NEW_NAMES.get(name, name) for name in names)}
    return {name: value for name, value in item.items() if name in wanted}


def _version(name: str) -> dict[str, Any]:
    integers = {"num1": {"type": "integer"}, "num2": {"type": "integer"}}
    num = {"type": "object", "properties": integers}
    wrapped = {"type": "object", "properties": {"num": num}}
    text = {"type": "object", "properties": {"key": {"type": "string"}}}
    defaults: dict[str, Any] = {version: {"type": "boolean"} for version in VERSIONS}
    defaults[name]["default"] = True
    named = {"content": text, "num": num}
    if name == "v1beta2":
        named = {_NEW_NAMES[key]: value for key, value in named.items()}
    properties = {
        **named,
        "defaults": {"type": "object", "properties": defaults},
        "spec": wrapped,
        "status": wrapped,
    }
    scale = {"specReplicasPath": ".spec.num.num1", "statusReplicasPath": ".status.num.num2"}
    return {
        "name": name,
        "served": True,
        "storage": name == STORAGE,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
        "subresources": {"status": {}, "scale": scale},
    }

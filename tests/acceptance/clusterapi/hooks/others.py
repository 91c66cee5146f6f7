"""What one kind has alone."""

import re
from functools import partial
from typing import Any, Final

from generated.addons.v1beta1 import storage as addons
from generated.core.v1beta1 import storage as core
from generated.ipam.v1alpha1 import storage as ipam_alpha
from holdall import Completing, Composed, EachValue, Members
from hooks.kubeadm import within

_INNER: Final = ("additionalProperties", "allOf", "anyOf", "items", "not", "oneOf", "properties")
_is_flag: Final = re.compile(
    "exclusive(Max|Min)imum|uniqueItems|x-kubernetes-(int-or-string|preserve-unknown-fields)"
).fullmatch


def said(schema: Any) -> Any:
    """Return a schema, or a list of them, with nothing but what both versions show."""
    if isinstance(schema, list):
        return [said(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    shown = [(key, value) for key, value in schema.items() if not is_silent(key, value)]
    return {key: said_in(key, value) for key, value in shown}


def said_in(key: str, value: Any) -> Any:
    """Return a member of a schema, in which there may be further schemas."""
    if key == "properties" and isinstance(value, dict):
        return {name: said(one) for name, one in value.items()}
    return said(value) if key in _INNER else value


def is_silent(key: str, value: Any) -> bool:
    """Tell whether a member of a schema says nothing: a flag that is false, metadata of nulls."""
    if key == "x-metadata":
        return isinstance(value, dict) and all(one is None for one in value.values())
    return value is False and _is_flag(key) is not None


class Schemas(Composed, core.AssignableOpenAPIV3Schema):
    """In schemas within a schema, `false` and empty metadata say nothing, either (R-BOOLPTR)."""

    _ways = ((name, partial(said_in, name)) for name in _INNER)
    parts = tuple(EachValue(name, way, way) for name, way in _ways)


def is_said(binding: Members | None) -> bool:
    """Tell whether a binding holds anything; a list does, whatever is in it."""
    return any(value not in (None, "") for value in (binding or {}).values())


class Bindings(Completing):
    """Bindings, which are null where they hold nothing (R-RSB)."""

    older = newer = ("bindings",)

    def complete_newer(self, older: Members, newer: Members) -> Members:
        return {name: [one or {} for one in found or ()] for name, found in newer.items()}

    def complete_older(self, newer: Members, older: Members) -> Members:
        return {
            name: [one if is_said(one) else None for one in found or ()]
            for name, found in older.items()
        }


class BindingSpecs(Composed, addons.AssignableClusterResourceSetBindingSpec):
    parts = (Bindings(),)


class ClusterLabel(Completing):
    """The name of a cluster is a label in v1alpha1, and an annotation tells that it was none.

    Where annotations have no room for that, the label stays (R-CLAIMLABEL).
    """

    older = newer = ("metadata", "spec")
    _label: Final = "cluster.x-k8s.io/cluster-name"
    _note: Final = "conversion.cluster.x-k8s.io/cluster-name-label-set"

    def complete_newer(self, older: Members, newer: Members) -> Members:
        metadata = newer.get("metadata") or {}
        if labels := metadata.get("labels"):
            is_set = (metadata.get("annotations") or {}).pop(self._note, None) != "false"
            name = labels.get(self._label) if is_set else labels.pop(self._label, None)
            if name:
                within(newer, "spec")["clusterName"] = name
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        if name := (newer.get("spec") or {}).get("clusterName"):
            metadata = within(older, "metadata")
            labels, notes = within(metadata, "labels"), metadata.get("annotations") or {}
            room = 262144 - sum(len(f"{key}{text}".encode()) for key, text in notes.items())
            if self._label not in labels and room >= len(f"{self._note}false"):
                metadata["annotations"] = {self._note: "false", **notes}
            labels[self._label] = name
        return older


class Claims(Composed, ipam_alpha.AssignableIPAddressClaim):
    parts = (ClusterLabel(),)

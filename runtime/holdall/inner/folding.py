"""Folded documents: the members of `spec` beside `kind`, and the name without `metadata`.

Emissary reads such documents; where a document has both forms of a member, the folded one wins.
"""

from __future__ import annotations

from typing import Final

from holdall.types import JsonObject, members

_PARTS: Final = ("apiVersion", "kind", "metadata", "spec", "status")
_NAMES: Final = {
    "name": "name",
    "namespace": "namespace",
    "generation": "generation",
    "metadata_labels": "labels",
}
"""Members that are folded out of the metadata, and what these call them."""


def unfold(document: JsonObject) -> JsonObject:
    """Return a folded document as the object that it is; values are shared."""
    parts = {name: value for name, value in document.items() if name in _PARTS}
    metadata, spec = {**members(parts, "metadata")}, {**members(parts, "spec")}
    for name, value in document.items():
        if name in _NAMES:
            metadata[_NAMES[name]] = value
        elif name not in _PARTS:
            spec[name] = value
    return {**parts, "metadata": metadata, "spec": spec}


def fold(document: JsonObject, like: JsonObject) -> JsonObject:
    """Return an object as a folded document, so that unfolding it gives the object.

    What was not folded in `like` stays where it is.
    """
    metadata, spec = {**members(document, "metadata")}, members(document, "spec")
    was_apart = members(like, "spec")
    folded: JsonObject = {name: document[name] for name in ("apiVersion", "kind")}
    for name, inside in _NAMES.items():
        if name in like and inside in metadata:
            folded[name] = metadata.pop(inside)
    if metadata or "metadata" in like:
        folded["metadata"] = metadata
    apart: JsonObject = {}
    for name, value in spec.items():
        is_apart = name in _PARTS or name in _NAMES or (name in was_apart and name not in like)
        (apart if is_apart else folded)[name] = value
    if apart or "spec" in like:
        folded["spec"] = apart
    return {**folded, **({"status": document["status"]} if "status" in document else {})}

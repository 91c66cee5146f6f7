"""Entries of managedFields that name versions which are no longer served.

A server cannot read such entries once the version is removed, and refuses to apply
(kubernetes/kubernetes#111937).
"""

from __future__ import annotations

from holdall.kubernetes.migrate.resources import Resource
from holdall.types import JsonObject, JsonValue, get, items, text


def cleared(obj: JsonObject, resource: Resource) -> list[JsonValue] | None:
    """Return the managedFields of an object without unserved versions, None if it has none such.

    Without any entry left, one about the name replaces them: for an object without entries
    the server would make up an owner of all fields at the next apply, and never give it up. It
    has the first owner's name, whose next apply removes it.
    """
    served = {f"{resource.group}/{version}" for version in resource.served}
    entries = items(obj, "metadata", "managedFields")
    kept = [entry for entry in entries if text(entry, "apiVersion") in served]
    if len(kept) == len(entries):
        return None
    if kept:
        return kept
    first = entries[0]
    seed: JsonObject = {
        name: value
        for name in ("manager", "operation", "time")
        if (value := get(first, name)) is not None
    }
    seed["apiVersion"] = resource.api_version
    seed["fieldsType"] = "FieldsV1"
    seed["fieldsV1"] = {"f:metadata": {"f:name": {}}}
    return [seed]

"""A simulated store of one kind: pruning, the status strategy, and conversion of reads and writes.

Source: what an API server stores of a custom resource. There is no defaulting, validation or
admission.
"""

from __future__ import annotations

from holdall.kubernetes.conform import validity
from holdall.kubernetes.conform.apiserver import Call, convert
from holdall.kubernetes.conform.subjects import Kind, Version
from holdall.kubernetes.conform.values import with_metadata
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, is_json_object, members, text


def prune(obj: JsonObject, version: Version) -> JsonObject:
    """Return an object without what its schema does not declare; unchanged without a schema."""
    if not version.schema:
        return _json.copy(obj)
    return members(validity.prune(obj, version.schema, is_root=True))


class Store:
    """The stored objects of one kind, by name; `create` sets metadata.uid."""

    def __init__(self, kind: Kind, call: Call) -> None:
        self.kind = kind
        self.stored: dict[str, JsonObject] = {}
        self._call = call
        self._versions = {kind.api_version(version): version for version in kind.versions}
        self._made = 0

    def create(self, obj: JsonObject) -> str:
        """Store a new object under a new uid and return its name."""
        self._made += 1
        new = self._decoded(obj)
        if self._version(new).has_status:
            new.pop("status", None)
        own = members(new, "metadata")
        name = str(own.get("name"))
        new["metadata"] = {**own, "uid": f"uid-{self._made}", "generation": 1}
        self._put(name, new)
        return name

    def get(self, name: str, version: Version) -> JsonObject:
        """Return an object at a version."""
        stored = self.stored[name]
        seen = prune(stored, self._version(stored))
        desired = self.kind.api_version(version)
        return prune(convert(seen, desired, self._call), version)

    def update(self, obj: JsonObject) -> None:
        """Replace an object, as PUT does: status and identity do not change."""
        new = self._decoded(obj)
        version = self._version(new)
        name = text(new, "metadata", "name")
        old = self.get(name, version)
        if version.has_status:
            new.pop("status", None)
            if "status" in old:
                new["status"] = old["status"]
        own = members(old, "metadata")
        kept: JsonObject = {key: own[key] for key in ("uid", "generation") if key in own}
        self._put(name, with_metadata(new, kept))

    def update_status(self, obj: JsonObject) -> None:
        """Replace the status of an object and nothing else, as PUT to `/status` does."""
        new = self._decoded(obj)
        name = text(new, "metadata", "name")
        old = self.get(name, self._version(new))
        old.pop("status", None)
        if "status" in new:
            old["status"] = new["status"]
        self._put(name, old)

    def patch(self, name: str, version: Version, change: JsonObject) -> None:
        """Apply a JSON merge patch at a version."""
        self.update(members(merged(self.get(name, version), change)))

    def _decoded(self, obj: JsonObject) -> JsonObject:
        return prune(obj, self._version(obj))

    def _put(self, name: str, obj: JsonObject) -> None:
        hub = self.kind.hub
        self.stored[name] = prune(convert(obj, self.kind.api_version(hub), self._call), hub)

    def _version(self, obj: JsonObject) -> Version:
        return self._versions[str(obj["apiVersion"])]


def merged(value: JsonValue, change: JsonValue) -> JsonValue:
    """Return a value after a JSON merge patch (RFC 7386)."""
    if not is_json_object(change):
        return change
    made = {**members(value)}
    for key, item in change.items():
        if item is None:
            made.pop(key, None)
        else:
            made[key] = merged(made.get(key), item)
    return made

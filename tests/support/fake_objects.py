"""Custom objects of the API server in memory: stored in one version, read and patched in all.

Each object is kept in the version in which it was written last, as bytes, and read through the
webhook. A write that leaves the bytes as they are changes nothing, not even the resource version.
Lists come in pages that show one moment; a token of a moment that was compacted is refused, with
an inconsistent one for whoever goes on regardless. Schemas neither prune nor refuse anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from holdall.kubernetes.conform.apiserver import convert
from holdall.kubernetes.conform.storage import merged
from holdall.kubernetes.install.cluster import MERGE, Answer

_INCONSISTENT = -1


@dataclass(frozen=True)
class _Place:
    """What a path names: a resource at a version, perhaps one object, perhaps a part of it."""

    crd: Any
    version: str
    namespace: str
    name: str
    part: str

    @property
    def api_version(self) -> str:
        return f"{self.crd['spec']['group']}/{self.version}"

    def key(self, namespace: str, name: str) -> str:
        return f"{self.crd['metadata']['name']}/{namespace}/{name}"


class FakeObjects:
    """The objects of all CRDs in `crds`; `webhook` answers the body of a review."""

    def __init__(self, crds: Mapping[str, Any], webhook: Callable[[bytes], bytes]) -> None:
        self.offers_tokens = True
        self._crds = crds
        self._webhook = webhook
        self._stored: dict[str, bytes] = {}
        self._moments: dict[int, dict[str, bytes]] = {}
        self._revision = 1000

    # --- what tests do ---

    def create(self, crd: str, item: Any, *, manager: str = "kubectl") -> None:
        """Create an object at its version; it is stored in the storage version."""
        version = item["apiVersion"].rpartition("/")[2]
        metadata = {"namespace": "default", "uid": f"uid-{self._revision}", **item["metadata"]}
        entry = {"manager": manager, "operation": "Update", "apiVersion": item["apiVersion"]}
        metadata.setdefault("managedFields", [{**entry, "fieldsType": "FieldsV1", "fieldsV1": {}}])
        place = _Place(self._crds[crd], version, metadata["namespace"], metadata["name"], "")
        self._write(place, {**item, "metadata": metadata})

    def stored(self, crd: str) -> dict[str, Any]:
        """Return what is stored of a CRD's objects, by their names."""
        found = [json.loads(data) for key, data in self._stored.items() if key.startswith(crd)]
        return {item["metadata"]["name"]: item for item in found}

    def delete(self, crd: str, name: str, namespace: str = "default") -> None:
        """Delete an object."""
        del self._stored[f"{crd}/{namespace}/{name}"]

    def compact(self) -> None:
        """Forget all moments but the present one."""
        self._moments.clear()

    # --- what a cluster does ---

    def answer(
        self, method: str, path: str, body: bytes | None, content: str, query: dict[str, str]
    ) -> Answer | None:
        """Answer a request for objects, None if the path is none of theirs."""
        place = self._place(path)
        if place is None:
            return None
        if not _is_served(place):
            return Answer(404, b"404 page not found\n")
        if not place.name:
            return self._list(place, query)
        stored = self._stored.get(place.key(place.namespace, place.name))
        if stored is None:
            return refused(404, f'"{place.name}" not found', "NotFound", place.name)
        live = self._convert(place, json.loads(stored), place.version)
        if method == "GET":
            return answered(200, live)
        return self._patch(place, live, json.loads(body or b""), content, query)

    def _place(self, path: str) -> _Place | None:
        parts = path.strip("/").split("/")
        if len(parts) < 4 or parts[0] != "apis":
            return None
        _, group, version, *rest = parts
        namespace = ""
        if rest[0] == "namespaces" and len(rest) > 2:
            namespace, rest = rest[1], rest[2:]
        crd = self._crds.get(f"{rest[0]}.{group}")
        if crd is None:
            return None
        name, part = (*rest[1:], "", "")[:2]
        return _Place(crd, version, namespace, name, part)

    def _list(self, place: _Place, query: dict[str, str]) -> Answer:
        if token := query.get("continue"):
            revision, start = json.loads(token)
            if revision != _INCONSISTENT and revision not in self._moments:
                offered = {"continue": json.dumps([_INCONSISTENT, start])}
                more: dict[str, Any] = {"metadata": offered} if self.offers_tokens else {}
                text = "the provided continue parameter is too old"
                return refused(410, text, "Expired", **more)
        else:
            revision, start = self._revision, ""
        if revision == _INCONSISTENT:
            revision = self._revision
        moment = self._moments.setdefault(revision, dict(self._stored))
        within = place.crd["metadata"]["name"] + "/" + (place.namespace or "")
        keys = sorted(key for key in moment if key.startswith(within) and key >= start)
        page = keys[: int(query.get("limit", len(keys)))]
        metadata: dict[str, Any] = {"resourceVersion": str(revision)}
        if len(page) < len(keys):
            metadata["continue"] = json.dumps([revision, keys[len(page)]])
            metadata["remainingItemCount"] = len(keys) - len(page)
        items = [self._convert(place, json.loads(moment[key]), place.version) for key in page]
        return answered(200, {"metadata": metadata, "items": items})

    def _patch(
        self, place: _Place, live: Any, patch: Any, content: str, query: dict[str, str]
    ) -> Answer:
        if place.part and not _has_part(place):
            return Answer(404, b"404 page not found\n")
        changed: Any = merged(live, patch) if content == MERGE else _operated(live, patch)
        if changed["metadata"]["resourceVersion"] != live["metadata"]["resourceVersion"]:
            text = "the object has been modified; please apply your changes to the latest version"
            return refused(409, text, "Conflict", place.name)
        if changed["apiVersion"] != place.api_version:
            return refused(400, "the API version in the data does not match", "BadRequest")
        if not place.part and _has_part(replace(place, part="status")):
            changed = {**_without(changed, "status"), **_only(live, "status")}
        if place.part == "status":
            kept = {**live["metadata"], "managedFields": changed["metadata"]["managedFields"]}
            changed = {**live, **_only(changed, "status"), "metadata": kept}
        if _content(changed) != _content(live):
            entry = {"manager": query["fieldManager"], "operation": "Update"}
            changed["metadata"]["managedFields"].append({**entry, "apiVersion": place.api_version})
        self._write(place, changed)
        stored = json.loads(self._stored[place.key(place.namespace, place.name)])
        return answered(200, self._convert(place, stored, place.version))

    def _write(self, place: _Place, item: Any) -> None:
        key = place.key(place.namespace, place.name)
        stored = json.dumps(self._convert(place, item, storage_of(place.crd)), sort_keys=True)
        if self._stored.get(key) != stored.encode():
            self._revision += 1
            item = json.loads(stored)
            item["metadata"]["resourceVersion"] = str(self._revision)
            self._stored[key] = json.dumps(item, sort_keys=True).encode()

    def _convert(self, place: _Place, item: Any, version: str) -> Any:
        desired = f"{place.crd['spec']['group']}/{version}"
        if item["apiVersion"] == desired:
            return item
        if place.crd["spec"]["conversion"]["strategy"] == "None":
            return {**item, "apiVersion": desired}
        return convert(item, desired, lambda body: (200, self._webhook(body)))


def storage_of(crd: Any) -> str:
    """Return the storage version of a CRD."""
    return next(str(version["name"]) for version in crd["spec"]["versions"] if version["storage"])


def _operated(value: Any, patch: Any) -> Any:
    """Return a value after a JSON patch (RFC 6902) of members of objects."""
    result = deepcopy(value)
    for operation in patch:
        *way, last = operation["path"].split("/")[1:]
        at = result
        for name in way:
            at = at[name]
        assert last in at or operation["op"] == "add", operation
        if operation["op"] == "remove":
            del at[last]
        else:
            at[last] = operation["value"]
    return result


def _content(item: Any) -> Any:
    metadata = item["metadata"].items()
    kept = {name: part for name, part in metadata if name != "managedFields"}
    return {**item, "metadata": kept}


def _only(item: Any, name: str) -> Any:
    return {name: item[name]} if name in item else {}


def _without(item: Any, name: str) -> Any:
    return {key: part for key, part in item.items() if key != name}


def _version(place: _Place) -> Any:
    versions = place.crd["spec"]["versions"]
    return next((one for one in versions if one["name"] == place.version), None)


def _is_served(place: _Place) -> bool:
    return bool((found := _version(place)) and found["served"])


def _has_part(place: _Place) -> bool:
    return place.part in _version(place).get("subresources", {})


def answered(status: int, value: Any) -> Answer:
    """Return an answer of JSON."""
    return Answer(status, json.dumps(value).encode())


def refused(code: int, message: str, reason: str = "", name: str = "", **more: Any) -> Answer:
    """Return the Status of a request that failed."""
    about = {"reason": reason, "details": {"name": name}}
    return answered(code, {"kind": "Status", "code": code, "message": message, **about, **more})

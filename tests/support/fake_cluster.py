"""An API server in memory, as far as installing needs one; a real one confirms it end to end.

It knows CRDs with server-side apply and merge patches of `spec.conversion`, its validation, and
the one request that makes it ask a webhook: creating an object of another version. What it knows
of objects is in `fake_objects`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any
from urllib.parse import parse_qs, urlsplit

from holdall.kubernetes.conform.apiserver import Refused, convert
from holdall.kubernetes.conform.storage import merged
from holdall.kubernetes.crds.rules import check_crd
from holdall.kubernetes.install.cluster import APPLY, CRDS, JSON, MERGE, Answer
from tests.support.crds import crd_of, struct
from tests.support.fake_objects import FakeObjects, answered, refused, storage_of

Fields = dict[tuple[str, ...], Any]


class FakeCluster:
    """Answers requests from `crds` and `objects`, which tests may change; `requests`
    and the bodies of `patches` are logged.

    `webhook` answers the body of a review. `reach` says why the server cannot reach the webhook
    of a stanza, or nothing. `instead` is asked first what to answer to a request.
    """

    def __init__(self, crds: list[Any], webhook: Callable[[bytes], bytes]) -> None:
        self.webhook = webhook
        self.reach: Callable[[Any], str] = lambda stanza: ""
        self.proxy_status = 200
        self.requests: list[tuple[str, str]] = []
        self.patches: list[tuple[str, Any]] = []
        self.objects: dict[str, Any] = {}
        self.before: Callable[[str, str], None] = lambda method, path: None
        self.instead: Callable[[str, str], Answer | None] = lambda method, path: None
        self.crds: dict[str, Any] = {}
        self.custom = FakeObjects(self.crds, lambda body: self.webhook(body))
        self._owners: dict[str, dict[tuple[str, str], set[tuple[str, ...]]]] = {}
        self._version = 0
        for crd in crds:
            self.create(crd, "kubectl")

    # --- what tests do ---

    def create(self, crd: Any, manager: str) -> None:
        """Create a CRD as a manager."""
        name = crd["metadata"]["name"]
        made = deepcopy(crd)
        made["spec"].setdefault("conversion", {"strategy": "None"})
        made["metadata"].update(uid=f"uid-of-{name}", generation=1)
        made["status"] = {"storedVersions": [storage_of(made)]}
        self.crds[name] = made
        self._owners[name] = {(manager, "Update"): set(leaves(made["spec"]["conversion"]))}
        self._changed(name)

    def update(self, name: str, manager: str, change: Callable[[Any], None]) -> None:
        """Change the stanza of a CRD as a manager, who then owns what is changed."""
        before = leaves(self.crds[name]["spec"]["conversion"])
        change(self.crds[name]["spec"]["conversion"])
        self._update_owners(name, manager, before)
        self._changed(name)

    def change(self, name: str, change: Callable[[Any], None]) -> None:
        """Change the spec of a CRD; a version that becomes the stored one is remembered."""
        crd = self.crds[name]
        change(crd["spec"])
        crd["metadata"]["generation"] += 1
        stored = crd["status"]["storedVersions"]
        if storage_of(crd) not in stored:
            stored.append(storage_of(crd))
        self._changed(name)

    def stanza(self, name: str) -> Any:
        """Return the conversion stanza of a CRD."""
        return self.crds[name]["spec"]["conversion"]

    def owners(self, name: str) -> dict[str, set[str]]:
        """Return the fields below spec.conversion by their managers."""
        return {
            manager: {".".join(path) for path in paths}
            for (manager, _), paths in self._owners[name].items()
            if paths
        }

    def writes(self) -> list[str]:
        """Return the CRDs that were patched, in order."""
        return [
            path.removeprefix(CRDS + "/")
            for method, path in self.requests
            if method == "PATCH" and path.startswith(CRDS)
        ]

    # --- what a cluster does ---

    def send(
        self, method: str, path: str, body: bytes | None = None, *, content: str = JSON
    ) -> Answer:
        """Answer a request."""
        parts = urlsplit(path)
        self.before(method, parts.path)
        self.requests.append((method, parts.path))
        if method == "PATCH":
            self.patches.append((parts.path, json.loads(body or b"")))
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        if found := self.instead(method, parts.path):
            return found
        if parts.path.startswith(CRDS):
            return self._crd(method, parts.path, body, content, query)
        if parts.path.endswith("/probes"):
            return self._convert(json.loads(body or b""))
        if found := self.custom.answer(method, parts.path, body, content, query):
            return found
        if "/proxy" in parts.path:
            return Answer(self.proxy_status, self.webhook(body or b""))
        if method == "PATCH":
            self.objects[parts.path] = json.loads(body or b"")
        if parts.path in self.objects:
            return answered(200, self.objects[parts.path])
        return refused(404, "the server could not find the requested resource")

    def _crd(
        self, method: str, path: str, body: bytes | None, content: str, query: dict[str, str]
    ) -> Answer:
        name = path.removeprefix(CRDS).removeprefix("/")
        value = json.loads(body) if body else None
        if method == "POST":
            if faults := _faults(value):
                return refused(422, faults)
            self.create(value, "python")
            return answered(201, value)
        if not name:
            return answered(200, {"items": [self._shown(known) for known in self.crds]})
        name, _, part = name.partition("/")
        if name not in self.crds:
            return refused(404, f'customresourcedefinitions "{name}" not found')
        if part == "status":
            return self._patch_status(name, value)
        if method == "DELETE":
            del self.crds[name]
            return refused(200, "")
        if method == "PATCH":
            return self._patch(name, value, content, query)
        return answered(200, self._shown(name))

    def _patch(self, name: str, value: Any, content: str, query: dict[str, str]) -> Answer:
        version = value.get("metadata", {}).get("resourceVersion")
        live = self.crds[name]
        if version and version != live["metadata"]["resourceVersion"]:
            return refused(409, "the object has been modified; please apply your changes to it")
        manager = query["fieldManager"]
        before = leaves(live["spec"]["conversion"])
        changed = deepcopy(live)
        owners = deepcopy(self._owners[name])
        wanted = leaves(value["spec"]["conversion"])
        if content == APPLY:
            conflicts = {
                (other, path)
                for (other, kind), paths in owners.items()
                for path in paths
                if (other, kind) != (manager, "Apply")
                and path in wanted
                and before.get(path) != wanted[path]
            }
            if conflicts and query["force"] != "true":
                return refused(409, f"Apply failed with {len(conflicts)} conflicts")
            mine = owners.pop((manager, "Apply"), set())
            for key, paths in owners.items():
                owners[key] = {path for path in paths if (key[0], path) not in conflicts}
            held = set().union(*owners.values())
            for path in mine - wanted.keys() - held:
                _remove(changed["spec"]["conversion"], path)
            for path, part in wanted.items():
                _set(changed["spec"]["conversion"], path, part)
            owners[manager, "Apply"] = set(wanted)
        elif content == MERGE:
            changed["spec"]["conversion"] = merged(
                changed["spec"]["conversion"], value["spec"]["conversion"]
            )
        if faults := _faults(changed):
            return refused(422, faults)
        if changed["spec"] != live["spec"]:
            changed["metadata"]["generation"] += 1
        self.crds[name] = changed
        self._owners[name] = owners
        if content == MERGE:
            self._update_owners(name, manager, before)
        self._changed(name)
        return answered(200, self._shown(name))

    def _patch_status(self, name: str, value: Any) -> Answer:
        live = self.crds[name]
        if value["metadata"]["resourceVersion"] != live["metadata"]["resourceVersion"]:
            return refused(409, "the object has been modified; please apply your changes to it")
        stored = value["status"]["storedVersions"]
        if storage_of(live) not in stored:
            return refused(422, "status.storedVersions: must have the storage version")
        live["status"]["storedVersions"] = stored
        self._changed(name)
        return answered(200, self._shown(name))

    def _convert(self, thing: Any) -> Answer:
        stanza = self.crds["probes.install.holdall.dev"]["spec"]["conversion"]
        start = f"conversion webhook for {thing['apiVersion']}, Kind={thing['kind']} failed: "
        if reason := self.reach(stanza):
            return refused(500, start + reason)
        try:
            convert(thing, "install.holdall.dev/v1", lambda body: (200, self.webhook(body)))
        except Refused as error:
            return refused(500, str(error))
        return answered(201, thing)

    def _update_owners(self, name: str, manager: str, before: Fields) -> None:
        after = leaves(self.crds[name]["spec"]["conversion"])
        changed = {path for path, part in after.items() if before.get(path) != part}
        owners = self._owners[name]
        for key in owners:
            owners[key] = {path for path in owners[key] if path in after} - changed
        owners[manager, "Update"] = owners.get((manager, "Update"), set()) | changed

    def _changed(self, name: str) -> None:
        self._version += 1
        self.crds[name]["metadata"]["resourceVersion"] = str(self._version)

    def _shown(self, name: str) -> Any:
        shown = deepcopy(self.crds[name])
        shown["metadata"]["managedFields"] = [
            {"manager": manager, "operation": kind, "fieldsV1": _fields(paths)}
            for (manager, kind), paths in self._owners[name].items()
            if paths
        ]
        return shown


def crd(kind: str = "Thing", versions: tuple[str, ...] = ("v2", "v1")) -> dict[str, Any]:
    """Return a CRD of the group example.com; the first version is stored."""
    return crd_of(kind, {name: struct() for name in versions}, stored=versions[0])


def leaves(value: Any, path: tuple[str, ...] = ()) -> Fields:
    """Return the values of the leaves by their paths; a list is one."""
    found: Fields = {}
    for name, part in value.items():
        if isinstance(part, dict):
            found |= leaves(part, (*path, name))
        else:
            found[(*path, name)] = part
    return found


def _fields(paths: set[tuple[str, ...]]) -> Any:
    fields: Any = {}
    for path in paths:
        at = fields.setdefault("f:spec", {}).setdefault("f:conversion", {})
        for name in path:
            at = at.setdefault(f"f:{name}", {})
    return fields


def _set(value: Any, path: tuple[str, ...], part: Any) -> None:
    for name in path[:-1]:
        value = value.setdefault(name, {})
    value[path[-1]] = part


def _remove(value: Any, path: tuple[str, ...]) -> None:
    if len(path) > 1:
        inner = value.get(path[0], {})
        _remove(inner, path[1:])
        if not inner:
            value.pop(path[0], None)
    else:
        value.pop(path[0], None)


def _faults(crd: Any) -> str:
    """Return what is wrong with a CRD; older servers take any text as caBundle."""
    errors = [found for found in check_crd(crd) if found.level == "error"]
    return "; ".join(f"{one.pointer}: {one.message}" for one in errors if one.code != "HA862")

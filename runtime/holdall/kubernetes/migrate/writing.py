"""The writes of a migration, each as small as possible.

Source: docs/operations.md, "Rewriting all objects".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, TypeVar

from holdall.errors import Problem
from holdall.kubernetes.install import cluster as api
from holdall.kubernetes.install.cluster import MERGE, Answer, Cluster
from holdall.kubernetes.migrate.resources import (
    CRD_CHANGED,
    FIELDS_REFUSED,
    OBJECT_REFUSED,
    MigrateError,
    Resource,
    cleared,
    generation_of,
)
from holdall.text import json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, get, text

Outcome = Literal["written", "unchanged", "gone", "conflict"]
_T = TypeVar("_T")
Change: TypeAlias = Callable[[JsonObject], _T | None]

JSON_PATCH: Final = "application/json-patch+json"
_TRIES: Final = 5
_GONE: Final = 404
_CONFLICT: Final = 409


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes one resource and its objects.

    Raises MigrateError if the server refuses a write, InstallError if it cannot be reached.
    """

    cluster: Cluster
    resource: Resource

    def rewrite(self, obj: JsonObject, *, via_status: bool = False) -> Outcome:
        """Make the server store an object again, by a patch that changes nothing.

        An object that was deleted or written by others meanwhile needs no rewriting.
        """
        version = text(obj, "metadata", "resourceVersion")
        change: JsonObject = {
            "apiVersion": self.resource.api_version,
            "kind": self.resource.kind,
            "metadata": {"name": text(obj, "metadata", "name"), "resourceVersion": version},
        }
        path = self.resource.path_of(obj) + ("/status" if via_status else "")
        return self._outcome(obj, api.patch(self.cluster, path, change, MERGE), version)

    def settle(self, obj: JsonObject, settled: Change[JsonObject]) -> Outcome | None:
        """Make the server store an object with its older entries settled.

        `settled` returns that object, or None if there are none; then this returns None, too. After
        a conflict the object is read again: another writer may not have settled them.
        """

        def write(found: JsonObject) -> Outcome | None:
            after = settled(found)
            return None if after is None else self._settle(found, after)

        return self._persistently(obj, write, OBJECT_REFUSED)

    def _settle(self, obj: JsonObject, settled: JsonObject) -> Outcome:
        """Try it once, status first: its entries must not go before their values are written."""
        changes = _changes(obj, settled)
        has_status = self.resource.has_status
        in_status = [item for item in changes if has_status and item["path"] == "/status"]
        outcome: Outcome = "unchanged"
        version = text(obj, "metadata", "resourceVersion")
        others = [item for item in changes if item not in in_status]
        for part, operations in (("/status", in_status), ("", others)):
            if operations:
                path = self.resource.path_of(obj) + part
                change: list[JsonValue] = [*operations, _replace("resourceVersion", version)]
                answer = api.patch(self.cluster, path, change, JSON_PATCH)
                outcome = self._outcome(obj, answer, version)
                if outcome != "written":
                    break
                version = text(answer.value, "metadata", "resourceVersion")
        return outcome

    def clear_fields(self, obj: JsonObject) -> Outcome | None:
        """Drop the entries of unserved versions from the managedFields of an object; None if it
        has none.

        After a conflict the object is read again, because another writer did not drop them.
        """

        def write(found: JsonObject) -> Outcome | None:
            fields = cleared(found, self.resource)
            if fields is None:
                return None
            version = text(found, "metadata", "resourceVersion")
            change = _replace("managedFields", fields), _replace("resourceVersion", version)
            answer = api.patch(self.cluster, self.resource.path_of(obj), [*change], JSON_PATCH)
            return self._outcome(found, answer, version, FIELDS_REFUSED)

        return self._persistently(obj, write, FIELDS_REFUSED)

    def _persistently(self, obj: JsonObject, write: Change[Outcome], code: str) -> Outcome | None:
        """Write an object; after a conflict read and write it again, unless `write` returns None.

        Raises MigrateError with the code if each attempt ends in a conflict.
        """
        found: JsonObject | None = obj
        outcome: Outcome | None = None
        for _ in range(_TRIES):
            if found is None:
                return "gone"
            written = write(found)
            if written != "conflict":
                return written or outcome
            outcome = written
            found = api.get(self.cluster, self.resource.path_of(obj))
        message = f"others changed it before each of {_TRIES} attempts to write it"
        fix = "run the migration again, when it is written less often"
        raise MigrateError([Problem(code, self.resource.label_of(obj), message, fix)])

    def _outcome(
        self, obj: JsonObject, answer: Answer, version: str, code: str = OBJECT_REFUSED
    ) -> Outcome:
        if answer.is_fine:
            now = text(answer.value, "metadata", "resourceVersion")
            return "unchanged" if now == version else "written"
        # If the answer does not name the object, the resource is not served.
        name = text(obj, "metadata", "name")
        if answer.status == _GONE and text(answer.value, "details", "name") == name:
            return "gone"
        if answer.status == _CONFLICT:
            return "conflict"
        message = f"the server answers: {answer.message}"
        fix = "see the message of the server; then run the migration again"
        raise MigrateError([Problem(code, self.resource.label_of(obj), message, fix)])

    def ensure_unchanged(self) -> JsonObject:
        """Return the current CRD of the resource.

        Raises MigrateError if it has changed since the migration began: objects may have been
        stored in a version that is no longer the storage version.
        """
        crd = api.get(self.cluster, api.crd_path(self.resource.name))
        if crd is None or text(crd, "metadata", "uid") != self.resource.uid:
            message = "the CRD was deleted meanwhile"
        elif generation_of(crd) != self.resource.generation:
            message = "the CRD was changed meanwhile"
        else:
            return crd
        fix = "run the migration again; it starts over for this CRD"
        raise MigrateError([Problem(CRD_CHANGED, self.resource.name, message, fix)])

    def shrink_stored_versions(self) -> None:
        """Reduce the CRD's storedVersions to the storage version.

        The resource version of the CRD whose generation was checked guards the write; a changed
        status is not a reason to stop.
        """
        path = f"{api.crd_path(self.resource.name)}/status"
        answer = Answer(_CONFLICT, b"")
        for _ in range(_TRIES):
            crd = self.ensure_unchanged()
            change: JsonObject = {
                "metadata": {"resourceVersion": text(crd, "metadata", "resourceVersion")},
                "status": {"storedVersions": [self.resource.storage]},
            }
            answer = api.patch(self.cluster, path, change, MERGE)
            if answer.status != _CONFLICT:
                break
        api.checked(answer, path)


def _replace(member: str, value: JsonValue) -> JsonObject:
    return {"op": "replace", "path": f"/metadata/{member}", "value": value}


def _changes(obj: JsonObject, settled: JsonObject) -> list[JsonObject]:
    """Return the patch that settles an object: whole members, and the annotations."""
    pairs = [
        (join("", name), obj.get(name), settled.get(name))
        for name in sorted({*obj, *settled} - {"apiVersion", "kind", "metadata"})
    ]
    annotations = [get(item, "metadata", "annotations") for item in (obj, settled)]
    pairs.append(("/metadata/annotations", annotations[0], annotations[1]))
    return [
        {"op": "remove", "path": path} if is_ is None else {"op": "add", "path": path, "value": is_}
        for path, was, is_ in pairs
        if not json.same(was, is_)
    ]

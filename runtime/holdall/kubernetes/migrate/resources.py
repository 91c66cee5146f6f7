"""What a migration needs to know about a CRD and its objects, and what may prevent it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import quote

from holdall.errors import Problem, ProblemsError
from holdall.kubernetes.crds.access import versions_are_alike, versions_of
from holdall.types import JsonObject, JsonValue, get, items, text

NOT_MIGRATABLE: Final = "HA891"
NO_CONVERSION: Final = "HA892"
NO_CONVERTER: Final = "HA893"
NOT_RETURNING: Final = "HA894"
OBJECT_REFUSED: Final = "HA895"
CRD_CHANGED: Final = "HA896"
BAD_STATE: Final = "HA897"
FIELDS_REFUSED: Final = "HA898"


class MigrateError(ProblemsError):
    """A migration that did not start, or that stopped; `problems` say where and why."""

    code = "HA899"


@dataclass(frozen=True, slots=True)
class Resource:
    """One CRD at the start of the migration; `storage` is empty if no version is stored."""

    name: str
    uid: str
    generation: int
    group: str
    kind: str
    plural: str
    storage: str
    versions: tuple[str, ...]
    served: frozenset[str]
    stored: tuple[str, ...]
    has_status: bool
    crd: JsonObject

    @classmethod
    def of(cls, crd: JsonObject) -> Self:
        """Read a CRD of a cluster."""
        versions = [version for _, version in versions_of(crd)]
        served = [text(version, "name") for version in versions if version.get("served") is True]
        stored = [version for version in versions if version.get("storage") is True]
        return cls(
            name=text(crd, "metadata", "name"),
            uid=text(crd, "metadata", "uid"),
            generation=generation_of(crd),
            group=text(crd, "spec", "group"),
            kind=text(crd, "spec", "names", "kind"),
            plural=text(crd, "spec", "names", "plural"),
            storage=text(stored[0], "name") if stored else "",
            versions=tuple(text(version, "name") for version in versions),
            served=frozenset(served),
            stored=tuple(str(name) for name in items(crd, "status", "storedVersions")),
            has_status=any(get(it, "subresources", "status") is not None for it in stored[:1]),
            crd=crd,
        )

    @property
    def is_rewritten(self) -> bool:
        """Whether storedVersions already has only the storage version."""
        return self.stored == (self.storage,)

    @property
    def api_version(self) -> str:
        """The apiVersion in which objects are stored."""
        return f"{self.group}/{self.storage}"

    @property
    def path(self) -> str:
        """The path of the objects of all namespaces, at the storage version."""
        return f"/apis/{self.api_version}/{self.plural}"

    def path_of(self, obj: JsonValue) -> str:
        """Return the path of an object, at the storage version."""
        namespace = text(obj, "metadata", "namespace")
        within = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        name = quote(text(obj, "metadata", "name"), safe="")
        return f"/apis/{self.api_version}{within}/{self.plural}/{name}"

    def label_of(self, obj: JsonValue) -> str:
        """Return the name of an object in messages: its kind, namespace and name."""
        names = (text(obj, "metadata", "namespace"), text(obj, "metadata", "name"))
        return f"{self.kind} {'/'.join(filter(None, names))}"


def generation_of(crd: JsonValue) -> int:
    """Return the generation of a CRD, 0 if it has none."""
    found = get(crd, "metadata", "generation")
    return found if isinstance(found, int) else 0


def find_obstacles(crd: JsonObject, *, via_status: bool, checks: bool) -> Iterator[Problem]:
    """Yield why the objects of a CRD must not be migrated now.

    Without a status subresource, writes to /status would look as if all objects were gone, and
    rewriting without a conversion would lose what the server drops.
    """
    resource = Resource.of(crd)
    if get(crd, "metadata", "deletionTimestamp") is not None:
        message = "the CRD is being deleted"
        yield Problem(NOT_MIGRATABLE, resource.name, message, "leave it out, with --crd")
    if not resource.storage:
        message = "no version is the storage version"
        yield Problem(NOT_MIGRATABLE, resource.name, message, "mark one with `storage: true`")
    elif resource.storage not in resource.served:
        message = (
            f"{resource.storage} is stored but not served, so objects cannot be rewritten in it"
        )
        fix = f"serve {resource.storage} during the migration"
        yield Problem(NOT_MIGRATABLE, resource.name, message, fix)
    elif via_status and not resource.has_status:
        message = f"{resource.storage} has no status subresource to write through"
        yield Problem(NOT_MIGRATABLE, resource.name, message, "omit --status")
    converts = text(crd, "spec", "conversion", "strategy") == "Webhook"
    if checks and not (resource.is_rewritten or converts or versions_are_alike(crd)):
        message = (
            "its versions differ but are not converted: what the server drops when it reads "
            "an object that is stored in another version would be lost for good"
        )
        fix = "serve the webhook and run `holdall install`; `--no-check` rewrites anyway"
        yield Problem(NO_CONVERSION, resource.name, message, fix)


def cleared(obj: JsonObject, resource: Resource) -> list[JsonValue] | None:
    """Return an object's managedFields without unserved versions, None if it has no such entries.

    A server cannot read entries of versions that are no longer served, and refuses to apply
    (kubernetes/kubernetes#111937).

    If no entry is left, one for metadata.name replaces them: without entries, the server would
    invent an owner of all fields at the next apply, which would stay forever. The entry has the
    first owner's name, whose next apply removes it.
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

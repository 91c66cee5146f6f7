"""What a migration needs to know of a CRD and its objects, and what can be wrong with them."""

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
    """A migration that was not begun, or that stopped; `problems` say where and why."""

    code = "HA899"


@dataclass(frozen=True, slots=True)
class Resource:
    """One CRD as it was when the migration began; `storage` is empty if no version is stored."""

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
        """Whether the server says already that every object is stored in the storage version."""
        return self.stored == (self.storage,)

    @property
    def api_version(self) -> str:
        """The apiVersion in which objects are stored."""
        return f"{self.group}/{self.storage}"

    @property
    def path(self) -> str:
        """Where the objects of all namespaces are, at the storage version."""
        return f"/apis/{self.api_version}/{self.plural}"

    def path_of(self, obj: JsonValue) -> str:
        """Return where an object is, at the storage version."""
        namespace = text(obj, "metadata", "namespace")
        within = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        name = quote(text(obj, "metadata", "name"), safe="")
        return f"/apis/{self.api_version}{within}/{self.plural}/{name}"

    def label_of(self, obj: JsonValue) -> str:
        """Return how messages call an object: its kind, namespace and name."""
        names = (text(obj, "metadata", "namespace"), text(obj, "metadata", "name"))
        return f"{self.kind} {'/'.join(filter(None, names))}"


def generation_of(crd: JsonValue) -> int:
    """Return the generation of a CRD, 0 if it has none."""
    found = get(crd, "metadata", "generation")
    return found if isinstance(found, int) else 0


def find_obstacles(crd: JsonObject, *, via_status: bool, checks: bool) -> Iterator[Problem]:
    """Yield why the objects of a CRD must not be migrated now.

    A status that is written where there is none would look as if all objects were gone, and a
    rewrite without a converter stores what it dropped; so these are refused.
    """
    resource = Resource.of(crd)
    if get(crd, "metadata", "deletionTimestamp") is not None:
        message = "the CRD is being deleted"
        yield Problem(NOT_MIGRATABLE, resource.name, message, "leave it out")
    if not resource.storage:
        message = "no version is the storage version"
        yield Problem(NOT_MIGRATABLE, resource.name, message, "mark one with `storage: true`")
    elif resource.storage not in resource.served:
        message = f"{resource.storage} is stored and not served, so nobody can rewrite in it"
        fix = f"serve {resource.storage} while objects are rewritten"
        yield Problem(NOT_MIGRATABLE, resource.name, message, fix)
    elif via_status and not resource.has_status:
        message = f"{resource.storage} has no status subresource to write through"
        yield Problem(NOT_MIGRATABLE, resource.name, message, "leave --status out")
    converts = text(crd, "spec", "conversion", "strategy") == "Webhook"
    if checks and not (resource.is_rewritten or converts or versions_are_alike(crd)):
        message = (
            "its versions differ and it has no conversion: what the server drops when it reads "
            "an object that is stored in another version would be gone for good"
        )
        fix = "serve the webhook and run `holdall install`; `--no-check` rewrites all the same"
        yield Problem(NO_CONVERSION, resource.name, message, fix)


def cleared(obj: JsonObject, resource: Resource) -> list[JsonValue] | None:
    """Return the managedFields of an object without unserved versions, None if it has none such.

    A server cannot read entries of versions that are no longer served, and refuses to apply
    (kubernetes/kubernetes#111937).

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

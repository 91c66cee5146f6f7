"""What a version is to the API's users: served, stored, deprecated."""

from __future__ import annotations

from dataclasses import dataclass

from holdall.kubernetes.crds.access import versions_of
from holdall.types import JsonObject
from holdall_codegen.plan.model import GroupPlan, PlannedKind


@dataclass(frozen=True, slots=True)
class VersionMarks:
    """The marks of one version of a kind; `deprecated` is a note, empty for a version in use."""

    name: str
    type: str
    internal: bool
    served: bool
    storage: bool
    hub: bool
    deprecated: str


def version_marks(plan: GroupPlan, kind: PlannedKind) -> tuple[VersionMarks, ...]:
    """Return the versions of a kind, oldest first.

    What holdall.yaml declares of the CRD counts before what a CRD says that was read.
    """
    config = plan.crd.kind(kind.name)
    read = _read_versions(plan, kind)
    versions = [version for version in plan.versions if version.name in kind.types]
    served = [version.name for version in versions if not version.internal]
    marked = [name for name in served if read.get(name, {}).get("storage") is True]
    newest = plan.hub if plan.hub in served else served[-1] if served else ""
    stored = config.storage or next(iter(marked), newest)
    found = []
    for version in versions:
        name = version.name
        entry = read.get(name, {})
        is_served = (
            entry.get("served", True) is not False
            if config.unserved is None
            else name not in config.unserved
        )
        is_deprecated = name in config.deprecated or entry.get("deprecated") is True
        found.append(
            VersionMarks(
                name=name,
                type=kind.types[name],
                internal=version.internal,
                served=is_served and not version.internal,
                storage=name == stored,
                hub=name == plan.hub,
                deprecated=version.deprecated or ("deprecated" if is_deprecated else ""),
            )
        )
    return tuple(found)


def _read_versions(plan: GroupPlan, kind: PlannedKind) -> dict[str, JsonObject]:
    crd = plan.crds.get(kind.name)
    return {str(entry.get("name")): entry for _, entry in versions_of(crd)}

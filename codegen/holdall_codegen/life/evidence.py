"""What says that a version is in use still: CRDs of a cluster, objects, entries of their bags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdall.errors import ConversionError
from holdall.explain.audit import audit
from holdall.kubernetes.crds.access import is_crd
from holdall.objects.heads import API_HEAD, Names, subject_of
from holdall.text.documents import Document
from holdall.types import JsonObject, items, text
from holdall_codegen.plan.model import GroupPlan


def uses_of(
    objects: Iterable[tuple[Document, str, JsonObject]], plan: GroupPlan, version: str
) -> Iterator[tuple[str, str]]:
    """Yield what of objects uses a version of a group, each with its place.

    They are as `kubectl get` prints them, or as they are stored elsewhere, each with its document
    and its JSON Pointer.
    """
    for document, pointer, value in objects:
        where = document.where(pointer)
        if is_crd(value):
            listed = version in items(value, "status", "storedVersions")
            if listed and text(value, "spec", "group") == plan.api_group:
                yield where, f"{text(value, 'metadata', 'name')} lists it as stored"
            continue
        names = _names(plan, value)
        if names is not None:
            for use in _uses(value, names.api_version.rpartition("/")[2], version):
                subject = subject_of(names.kind, value.get("metadata"))
                yield where, f"{subject} {use}"


def _names(plan: GroupPlan, value: JsonObject) -> Names | None:
    """Return version and kind of an object; None if it is not of the group."""

    def kinds_in(version: str) -> list[str]:
        return [it.names.get(version, it.name) for it in plan.kinds if version in it.types]

    try:
        names = (plan.head or API_HEAD).names(value, kinds_in)
    except ConversionError:
        return None
    if names.api_version.rpartition("/")[0] != plan.api_group:
        return None
    is_own = plan.api_group or any(names.kind in kinds_in(it.name) for it in plan.versions)
    return names if is_own else None


def _uses(value: JsonObject, own: str, version: str) -> Iterator[str]:
    if own == version:
        yield "is of this version"
    entries = [finding for finding in audit(value) if finding.origin == version]
    if entries:
        names = ", ".join(f"{entry.path.rstrip('/')}/{entry.property}" for entry in entries[:3])
        more = f" and {len(entries) - 3} more" if len(entries) > 3 else ""
        yield f"holds entries of it in its bag: {names}{more}"

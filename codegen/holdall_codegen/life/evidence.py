"""What says that a version is in use still: CRDs of a cluster, objects, entries of their bags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdall.explain.audit import audit
from holdall.kubernetes.crds.access import is_crd, items, text
from holdall.scheme.batches import subject_of
from holdall.text.documents import Document
from holdall.text.streams import objects_of
from holdall.types import JsonObject


def uses_of(
    documents: Iterable[Document], api_group: str, version: str
) -> Iterator[tuple[str, str]]:
    """Yield what uses a version in documents as `kubectl get` prints them, each with its place."""
    api_version = f"{api_group}/{version}" if api_group else version
    for document in documents:
        for pointer, value in objects_of(document.value):
            where = document.where(pointer)
            if is_crd(value):
                listed = version in items(value, "status", "storedVersions")
                if listed and text(value, "spec", "group") == api_group:
                    yield where, f"{text(value, 'metadata', 'name')} lists it as stored"
                continue
            if _group_of(value) == api_group:
                for use in _uses(value, api_version, version):
                    yield where, f"{subject_of(value)} {use}"


def _uses(value: JsonObject, api_version: str, version: str) -> Iterator[str]:
    if value.get("apiVersion") == api_version:
        yield "is of this version"
    entries = [finding for finding in audit(value) if finding.origin == version]
    if entries:
        names = ", ".join(f"{entry.path.rstrip('/')}/{entry.property}" for entry in entries[:3])
        more = f" and {len(entries) - 3} more" if len(entries) > 3 else ""
        yield f"holds entries of it in its bag: {names}{more}"


def _group_of(value: JsonObject) -> str:
    return text(value, "apiVersion").rpartition("/")[0]

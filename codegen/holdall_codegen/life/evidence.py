"""What shows that a version is in use: CRDs of a cluster, objects, their bags and managers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from holdall.errors import ConversionError
from holdall.explain.audit import audit
from holdall.inner.reading import documents_in
from holdall.kubernetes.crds.access import is_crd
from holdall.objects.bag import ABOUT_ENTRIES, CREATED_KEY
from holdall.objects.heads import API_HEAD, Names, subject_of
from holdall.text.documents import Document
from holdall.types import JsonObject, get, items, text
from holdall_codegen.plan.model import GroupPlan

_NO_VALUES: Final = frozenset({CREATED_KEY, *ABOUT_ENTRIES})
"""Marks that only conversions to their version read: without it, they are meaningless."""


def uses_of(
    objects: Iterable[tuple[Document, str, JsonObject]], plan: GroupPlan, version: str
) -> Iterator[tuple[str, str]]:
    """Yield the place and the use for each use of a version of a group in objects.

    Objects are as `kubectl get` prints them, or as they are stored elsewhere, each with its
    document and its JSON Pointer.
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
            for use in _uses(value, names.api_version, version):
                yield where, f"{_subject(value, names.kind)} {use}"
        for inner in _held(plan, value, names):
            held = _names(plan, inner)
            if held is not None:
                holder = _subject(value, text(value, "kind"))
                for use in _uses(inner, held.api_version, version):
                    yield where, f"{holder} has as text: {_subject(inner, held.kind)} {use}"


def hidden_managers(objects: Iterable[tuple[Document, str, JsonObject]], plan: GroupPlan) -> int:
    """Return how many objects of the group, from a cluster, do not show their managedFields."""
    return sum(
        1
        for _, _, value in objects
        if text(value, "metadata", "uid")
        and get(value, "metadata", "managedFields") is None
        and _names(plan, value) is not None
    )


def _names(plan: GroupPlan, value: JsonObject) -> Names | None:
    """Return the version and kind of an object; None if it does not belong to the group."""

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


def _held(plan: GroupPlan, value: JsonObject, names: Names | None) -> Iterator[JsonObject]:
    """Yield the inner documents of an object that the group declares."""
    holders = {f"{text(value, 'apiVersion')}/{text(value, 'kind')}"}
    if names is not None:
        holders = {it.name for it in plan.kinds if names.kind in (it.name, *it.names.values())}
    for declared in plan.inner:
        if not holders.isdisjoint(declared.holders):
            yield from documents_in(value, declared, plan.api_group)


def _subject(value: JsonObject, kind: str) -> str:
    return subject_of(kind, value.get("metadata"))


def _uses(value: JsonObject, own: str, version: str) -> Iterator[str]:
    group, slash, name = own.rpartition("/")
    if name == version:
        yield "is of this version"
    entries = items(value, "metadata", "managedFields")
    wanted = f"{group}{slash}{version}"
    if managers := {text(it, "manager") for it in entries if text(it, "apiVersion") == wanted}:
        yield f"names it in its managedFields: {', '.join(sorted(managers))}"
    kept = [it for it in audit(value) if it.origin == version and it.property not in _NO_VALUES]
    if kept:
        names = ", ".join(f"{entry.path.rstrip('/')}/{entry.property}" for entry in kept[:3])
        more = f" and {len(kept) - 3} more" if len(kept) > 3 else ""
        yield f"holds entries of it in its bag: {names}{more}"

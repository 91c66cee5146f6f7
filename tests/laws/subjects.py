"""What the laws look at: a group with its plan, its scheme, and conversions of every form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from holdall.graph import neighbours, shortest_path
from holdall.objects import StorageObject
from holdall.scheme import Scheme
from holdall_codegen.plan.model import GroupPlan, PlannedKind, TypeRef

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Subject:
    """One group under test."""

    plan: GroupPlan
    scheme: Scheme

    def kind(self, name: str) -> PlannedKind:
        return next(kind for kind in self.plan.kinds if kind.name == name)

    def served(self, kind: str) -> list[str]:
        """Return the versions that have a kind and can be asked for, oldest first."""
        types = self.kind(kind).types
        return [v.name for v in self.plan.versions if v.name in types and not v.internal]

    def versions(self, kind: str) -> list[str]:
        """Return all versions that have a kind, internal ones too, oldest first."""
        types = self.kind(kind).types
        return [v.name for v in self.plan.versions if v.name in types]

    def path(self, kind: str, start: str, end: str) -> list[str]:
        """Return the versions on the way from one version of a kind to another."""
        found = shortest_path(neighbours(self.kind(kind).edges), start, end)
        if not found:
            raise LookupError(f"{kind}: no way from {start} to {end}")
        return found

    def root(self, kind: str, version: str) -> TypeRef:
        return TypeRef(version, self.kind(kind).types[version])

    def twin(self, ref: TypeRef) -> type[StorageObject]:
        """Return the generated storage twin of a type."""
        import importlib

        module = self.plan.version(ref.version).module
        found: type[StorageObject] = getattr(
            importlib.import_module(f"{self.scheme.package}.{module}.storage"), ref.name
        )
        return found

    def cross(self, start: TypeRef, end: TypeRef, twin: StorageObject) -> StorageObject:
        """Return a new twin on the other side of one edge, made by generated code."""
        target: Any = self.twin(end)()
        source: Any = twin
        if any((edge.older, edge.newer) == (start, end) for edge in self.plan.edges):
            source.assign_properties_to(target)
        else:
            target.assign_properties_from(source)
        result: StorageObject = target
        return result

    def stored(self, ref: TypeRef, twin: StorageObject) -> Json:
        """Return a twin as a stored object, without apiVersion and kind."""
        members = twin.to_dict()
        if self.plan.type(ref).kind:
            members = {k: v for k, v in members.items() if k not in ("apiVersion", "kind")}
        return members

    def cross_stored(self, start: TypeRef, end: TypeRef, document: Json) -> Json:
        """Return a stored object on the other side of one edge."""
        return self.stored(end, self.cross(start, end, self.twin(start).from_dict(document)))

    def convert_stored(self, kind: str, path: list[str], document: Json) -> Json:
        """Return a stored document at the end of a walk, the twins handed on from hop to hop."""
        twin = self.twin(self.root(kind, path[0])).from_dict(document)
        for start, end in pairwise(path):
            twin = self.cross(self.root(kind, start), self.root(kind, end), twin)
        return twin.to_dict()


@contextmanager
def without_hooks(scheme: Scheme) -> Iterator[None]:
    """Switch all hooks of a scheme off, and on again at the end."""
    scheme.load()
    crossings = [c for entry in scheme._edges for c in (entry.edge.to, entry.edge.back)]
    hooks = [crossing.hook for crossing in crossings]
    for crossing in crossings:
        crossing.hook = None
    try:
        yield
    finally:
        for crossing, hook in zip(crossings, hooks, strict=True):
            crossing.hook = hook

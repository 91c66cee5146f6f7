"""What the tests of the laws look at: a group with its plan, and the subject of the laws."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from holdall.objects.views import StorageObject
from holdall.plan.plans import TypeRef
from holdall.scheme.scheme import Scheme
from holdall.testing.laws import subjects
from holdall_codegen.plan.model import GroupPlan, PlannedKind

Json = dict[str, Any]


@dataclass(frozen=True)
class Subject:
    """One group under test. `own` is what the laws make of it, from plan.json and the scheme."""

    plan: GroupPlan
    scheme: Scheme
    own: subjects.Subject = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "own", subjects.Subject(self.scheme))

    def kind(self, name: str) -> PlannedKind:
        return next(kind for kind in self.plan.kinds if kind.name == name)

    def served(self, kind: str) -> list[str]:
        """Return the versions that have a kind and can be asked for, oldest first."""
        return self.own.served(kind)

    def path(self, kind: str, start: str, end: str) -> list[str]:
        """Return the versions on the way from one version of a kind to another."""
        return self.own.path(kind, start, end)

    def root(self, kind: str, version: str) -> TypeRef:
        return TypeRef(version, self.kind(kind).types[version])

    def twin(self, ref: TypeRef) -> type[StorageObject]:
        """Return the generated storage twin of a type."""
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

    def cross_stored(self, start: TypeRef, end: TypeRef, document: Json) -> Json:
        """Return a stored object on the other side of one edge, without apiVersion and kind."""
        members = self.cross(start, end, self.twin(start).from_dict(document)).to_dict()
        if self.plan.type(end).kind:
            members = {k: v for k, v in members.items() if k not in ("apiVersion", "kind")}
        return members

    def convert_stored(self, kind: str, path: list[str], document: Json) -> Json:
        """Return a stored document at the end of a walk, the twins handed on from hop to hop."""
        twin = self.twin(self.root(kind, path[0])).from_dict(document)
        for start, end in pairwise(path):
            twin = self.cross(self.root(kind, start), self.root(kind, end), twin)
        return twin.to_dict()


@contextmanager
def without_hooks(subject: Subject) -> Iterator[None]:
    """Switch all hooks of a group off, and on again at the end."""
    with subjects.without([crossing for _, _, crossing in subject.own.crossings()]):
        yield

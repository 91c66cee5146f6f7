"""What the laws look at: one group with its plan, its scheme, and its objects in any version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

from holdall.engine.edges import Crossing, EdgeEntry
from holdall.engine.remembered import nothing_remembered
from holdall.objects.heads import head_members
from holdall.objects.views import StorageObject, StorageRoot
from holdall.plan import plans
from holdall.plan.graph import neighbours, shortest_path
from holdall.plan.plans import GroupPlan, PlannedKind, TypeRef
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.documents import Documents
from holdall.testing.laws.once import asked_once
from holdall.testing.laws.server import Server
from holdall.types import JsonObject

T = TypeVar("T", bound=StorageObject)

Node: TypeAlias = tuple[TypeRef, str]
"""A member of a type, by its wire name."""

Claimed: TypeAlias = Mapping[frozenset[TypeRef], frozenset[Node]]
"""The members that the hook of an edge claims, by the two types of the edge."""


def _without_heads(plan: GroupPlan, scheme: Scheme) -> GroupPlan:
    """Return a plan in which no kind has the members that say the version or kind as properties.

    Documents of the version that nothing has to say may have one, with one value.
    """
    head = head_members(scheme.head)
    types = {**plan.types}
    for kind in plan.kinds:
        for version in kind.types:
            ref = kind.root(version)
            types[ref] = {name: it for name, it in types[ref].items() if name not in head}
    return replace(plan, types=types)


class Subject:
    """One group under test; its hooks are loaded and verified when it is made.

    Raises SchemeError or HookError if the group cannot convert at all.
    """

    def __init__(self, scheme: Scheme, plan: GroupPlan | None = None) -> None:
        scheme.load()
        self.scheme = scheme
        self.plan = _without_heads(plan or plans.load(scheme.package), scheme)
        self.claimed = claimed_members(self.crossings())
        nodes = frozenset(node for found in self.claimed.values() for node in found)
        self.documents = Documents(self.plan, scheme, nodes)
        self._rank = {version.name: rank for rank, version in enumerate(scheme.versions)}
        self._internal = {version.name for version in scheme.versions if version.internal}
        self._graphs = {kind.name: neighbours(kind.edges) for kind in self.plan.kinds}

    # --- kinds and versions ---

    def kinds(self) -> list[str]:
        """Return the kinds that can be converted: those with at least two versions."""
        return [kind.name for kind in self.plan.kinds if len(kind.types) > 1]

    def kind(self, name: str) -> PlannedKind:
        """Return a kind of the plan."""
        return self.plan.kind(name)

    @asked_once
    def versions(self, kind: str) -> list[str]:
        """Return the versions of a kind, internal ones too, oldest first."""
        return sorted(self.kind(kind).types, key=self._rank.__getitem__)

    def served(self, kind: str) -> list[str]:
        """Return the versions of a kind that can be asked for, oldest first."""
        return [version for version in self.versions(kind) if version not in self._internal]

    def is_older(self, one: str, other: str) -> bool:
        """Return whether a version stands before another one."""
        return self._rank[one] < self._rank[other]

    @asked_once
    def path(self, kind: str, start: str, end: str) -> list[str]:
        """Return the versions on the way from one version of a kind to another."""
        return shortest_path(self._graphs[kind], start, end)

    def neighbours(self, kind: str, version: str) -> list[str]:
        """Return the versions of a kind that share an edge with a version."""
        return self._graphs[kind].get(version, [])

    @asked_once
    def root(self, kind: str, version: str) -> TypeRef:
        """Return the type of a kind in a version."""
        return self.kind(kind).root(version)

    @asked_once
    def route(self, kind: str, version: str) -> Any:
        """Return a route that leaves a version of a kind."""
        planned = next(item for item in self.scheme.kinds if item.name == kind)
        api_version = self.scheme.api_version(version, planned)
        end = next(item for item in self.versions(kind) if item != version)
        return self.scheme.route(api_version, planned.name_in(version), end)

    @asked_once
    def server(self, kind: str, version: str) -> Server:
        """Return an API server that stores objects of a kind in a version."""
        open_types = (ref.name for ref in self.plan.open_types if ref.version == version)
        tracks = self.kind(kind).carrier == "changed-values"
        head = head_members(self.scheme.head)
        return Server(self.twin(kind, version), frozenset(open_types), head=head, tracks=tracks)

    # --- stored objects ---

    @asked_once
    def twin(self, kind: str, version: str) -> type[StorageRoot]:
        """Return the class of the storage twins of a kind in a version."""
        return self.scheme.twin(kind, version)

    def read(self, kind: str, version: str, document: JsonObject) -> StorageRoot:
        """Return the storage twin of a stored object; values are shared with it."""
        return self.twin(kind, version).from_dict(document)

    def cross(self, kind: str, start: str, end: str, twin: StorageRoot) -> StorageRoot:
        """Return a new twin on the other side of one edge."""
        return across(twin, self.twin(kind, end), upward=self.is_older(start, end))

    def walk(self, kind: str, start: str, end: str, twin: StorageRoot) -> StorageRoot:
        """Return a twin at another version, handed on from hop to hop."""
        for here, there in pairwise(self.path(kind, start, end)):
            twin = self.cross(kind, here, there, twin)
        return twin

    # --- hooks ---

    def crossings(self) -> Iterator[tuple[TypeRef, TypeRef, Crossing]]:
        """Yield every direction of every edge of two types: source, destination, crossing."""
        for entry in self.scheme._edges:
            older, newer = ends_of(entry)
            yield older, newer, entry.edge.to
            yield newer, older, entry.edge.back


def across(source: Any, destination_type: type[T], *, upward: bool) -> T:
    """Return a new object on the other side of an edge, as the runtime makes it."""
    # The converter sets every attribute.
    destination: Any = destination_type.__new__(destination_type)
    if upward:
        source.assign_properties_to(destination)
    else:
        destination.assign_properties_from(source)
    return destination  # type: ignore[no-any-return]


def ends_of(entry: EdgeEntry) -> tuple[TypeRef, TypeRef]:
    """Return the types of an edge: the older one, and the newer one."""
    older, newer = entry.older, entry.newer
    return TypeRef(older.VERSION, older.__name__), TypeRef(newer.VERSION, newer.__name__)


@contextmanager
def without(crossings: Sequence[Crossing]) -> Iterator[None]:
    """Switch the hooks of some directions off, and on again at the end."""
    hooks = [crossing.bound for crossing in crossings]
    for crossing in crossings:
        crossing.bound = None
    try:
        with nothing_remembered():
            yield
    finally:
        for crossing, hook in zip(crossings, hooks, strict=True):
            crossing.bound = hook


def made_members(crossings: Iterable[tuple[TypeRef, TypeRef, Crossing]]) -> Claimed:
    """Return the members that declared functions and constants make whole, as claimed ones."""
    found: dict[frozenset[TypeRef], frozenset[Node]] = {}
    for source, destination, crossing in crossings:
        names = {path[0] for path, (hop, _) in crossing.hops.items() if hop.here.is_declared}
        if names:
            ends = frozenset((source, destination))
            found[ends] = found.get(ends, frozenset()) | {(source, name) for name in names}
    return found


def claimed_members(
    crossings: Iterable[tuple[TypeRef, TypeRef, Crossing]],
) -> Claimed:
    """Return the members that hooks claim, by the two types of their edge."""
    found: dict[frozenset[TypeRef], frozenset[Node]] = {}
    for source, destination, crossing in crossings:
        names = crossing.hook_names
        if names is None:
            continue
        ends = frozenset((source, destination))
        found[ends] = (
            found.get(ends, frozenset())
            | {(source, name) for name in names.reads}
            | {(destination, name) for name in names.writes}
        )
    return found

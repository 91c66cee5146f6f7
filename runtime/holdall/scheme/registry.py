"""The registry of one group: what its generated modules declare, and routes between versions."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from holdall.engine.conversions import Conversion
from holdall.engine.edges import Crossing, EdgeEntry, EdgeFacts, TypeEdge, crossings_of
from holdall.engine.lossy_pairs import End, Link, Linked
from holdall.errors import Problem, SchemeError, UnknownKindError
from holdall.inner.declared import InnerDocuments
from holdall.objects.base import Object
from holdall.objects.heads import API_HEAD, Head, Names
from holdall.objects.views import StorageObject, StorageRoot
from holdall.plan.graph import neighbours, shortest_path, unreachable
from holdall.scheme.entries import Kind, Version
from holdall.scheme.later import import_later
from holdall.suggest import nearest
from holdall.types import JsonValue
from holdall.version import generated_by

# Importing a generated group must be cheap: the code that converts and verifies hooks is imported
# when the first object needs it.
if TYPE_CHECKING:
    from holdall.carriers.evolution import Evolution
    from holdall.scheme.routes import Route
    from holdall.verification import HookClass


class Registry:
    """All versions, kinds and edges of one group. `inner` are its inner documents, `head` is how
    documents give their version, `plan` is the digest of its plan, and `otel` is where
    OpenTelemetry is imported from.

    Nothing is imported before the first conversion; then the storage modules and the hooks are
    loaded and verified, once. `load` does the same at a time of your choice.
    """

    def __init__(
        self,
        *,
        release: str = "",
        package: str,
        hooks: str,
        group: str,
        versions: tuple[Version, ...],
        hub: str,
        kinds: tuple[Kind, ...],
        head: Head = API_HEAD,
        inner: tuple[InnerDocuments, ...] = (),
        plan: str = "",
        otel: str = "opentelemetry",
        settings: Mapping[str, str] | None = None,
        takes_over: str = "",
    ) -> None:
        self.release = generated_by(release, package)
        self.package = package
        self.hooks = hooks
        self.group = group
        self.versions = versions
        self.hub = hub
        self.kinds = kinds
        self.head = head
        self.inner = inner
        self.plan = plan
        self.otel = otel
        self._settings = settings or {}
        self._takes_over = takes_over
        self._versions = {version.name: version for version in versions}
        self._kinds = {kind.name: kind for kind in kinds}
        self._edges: list[EdgeEntry] = []
        self._links: list[Link] = []
        self._routes: dict[tuple[str, str, str], Route] = {}
        # Routes by apiVersion and kind, for documents that have them.
        self._said_routes = self._routes if head is API_HEAD else {}
        self._lock = threading.RLock()
        self._loaded = False
        self._evolution: Evolution | None = None
        self._bound: Sequence[HookClass] = ()
        self._remarks: list[Problem] = []

    # --- what generated modules declare ---

    def edge(
        self,
        protocol: type,
        older: type[StorageObject],
        newer: type[StorageObject],
        *,
        must_claim_older: tuple[str, ...] = (),
        must_claim_newer: tuple[str, ...] = (),
        **facts: Unpack[EdgeFacts],
    ) -> tuple[Crossing, Crossing]:
        """Register the edge of two twins and the point where a hook completes it.

        `convert` are the converters of members. An edge is `alike` if it only converts nested
        objects; `apart` are the properties that are handled one by one.
        Returns its two directions: to the newer twin, and back.
        """
        edge = TypeEdge(older, newer, **facts)
        entry = EdgeEntry(protocol, older, newer, edge, must_claim_older, must_claim_newer)
        for crossing in (edge.to, edge.back):
            crossing.load_hooks = self.load
            crossing.source_type.crossings_[crossing.destination_type] = crossing
        self._edges.append(entry)
        return edge.to, edge.back

    def link(self, older: End, newer: End, conversion: Conversion) -> None:
        """Register a skip link of a property."""
        self._links.append(Link(older, newer, conversion))

    def linked(self, version: str, cls: type[StorageObject], name: str) -> Linked:
        """Return a property with its skip links, which are looked up when first needed."""

        def find() -> Any:
            self.load()
            return [way for link in self._links for way in link.ways]

        return Linked((version, cls, name), find)

    # --- loading ---

    def load(self, *, strict_hooks: bool = False) -> None:
        """Import the storage modules, verify and bind all hooks, check the graph.

        With `strict_hooks`, for tests, a hook that changes its source or writes what it does not
        claim fails. Raises SchemeError or HookError with all problems.
        """
        if not self._loaded or strict_hooks:
            with self._lock:
                self._load_once(strict_hooks)

    def bound_hooks(self) -> Sequence[HookClass]:
        """Return the hooks that run; loads them if they are not loaded."""
        self.load()
        return self._bound

    def look_further(self) -> list[Problem]:
        """Return the mistakes in hooks and functions that loading does not see."""
        from holdall.scheme.binding import look_further

        self.load()
        return [*self._remarks, *look_further(self.hooks, self.package, self._storages)]

    @property
    def _storages(self) -> list[str]:
        return [f"{self.package}.{version.module}.storage" for version in self.versions]

    def _load_once(self, strict_hooks: bool) -> None:
        from holdall.carriers.evolution import Evolution
        from holdall.engine.distant import Map
        from holdall.scheme.binding import bind_hooks, code_of
        from holdall.scheme.sameness import prepare

        if self._loaded and not strict_hooks:
            return
        self._check_graph()
        for version in self.versions:
            import_later(f"{self.package}.{version.module}")
        for module in self._storages:
            importlib.import_module(module)
        self._bound, self._remarks = bind_hooks(
            self.hooks, self.package, self._edges, self._links, strict=strict_hooks
        )
        self._code = code_of(self._bound, self.package, self._storages, self._edges, self._links)
        self._inform()
        Map(self._edges, self._links).judge()
        crossings = crossings_of(self._edges)
        prepare(crossings)
        self._evolution = Evolution(crossings, [*self._versions], self._links)
        self._loaded = True
        self._routes.clear()  # hooks that were bound again may need other preparations

    def _inform(self) -> None:
        """Pass hooks the settings that they need. Raises SchemeError if the project lacks one."""
        from holdall.engine.two_way_steps import InformedStep

        problems = []
        for crossing in crossings_of(self._edges).values():
            for step in crossing.two_way:
                if isinstance(step, InformedStep):
                    for name in step.inform(self.settings):
                        text = f"{crossing.hook_class} needs the setting {name!r}"
                        fix = "name its file below `settings` in holdall.yaml, and generate"
                        problems.append(Problem("HA408", self.package, text, fix))
        if problems:
            raise SchemeError(list(dict.fromkeys(problems)))

    def _check_graph(self) -> None:
        problems = []
        if self.hub not in self._versions:
            text = f"the hub {self.hub!r} is not a version{nearest(self.hub, self._versions)}"
            problems.append(Problem("HA402", self.package, text, "generate again"))
        for kind in self.kinds:
            for version in unreachable(list(kind.types), kind.edges):
                text = f"{kind.name} {version} is not reachable from {next(iter(kind.types))}"
                problems.append(Problem("HA403", self.package, text, "add an edge"))
        if problems:
            raise SchemeError(problems)

    @cached_property
    def settings(self) -> Mapping[str, JsonValue]:
        """The contents of the project's setting files, by the names of the settings.

        Raises SourceError if a file cannot be read, or does not have exactly one document.
        """
        from holdall.text.loading import load_only

        module = importlib.import_module(self.package)
        depth = self.package.count(".") + 1
        root = Path(module.__file__ or "").resolve().parents[depth]
        return {name: load_only(root / file) for name, file in self._settings.items()}

    # --- looking up ---

    def twin(self, kind: str, version: str) -> type[StorageRoot]:
        """Return the storage twin of a kind in a version."""
        return self._type(kind, version, ".storage")

    def api_type(self, kind: str, version: str) -> type[Object]:
        """Return the API type of a kind in a version."""
        return self._type(kind, version, "")

    def _type(self, kind: str, version: str, submodule: str) -> type[Any]:
        name = self._kinds[kind].types[version]
        module = f"{self.package}.{self._versions[version].module}{submodule}"
        return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]

    def group_of(self, kind: Kind | None) -> str:
        """Return the API group of a kind, usually that of the scheme."""
        return self.group if kind is None or kind.group is None else kind.group

    def api_version(self, version: str, kind: Kind | None = None) -> str:
        """Return the apiVersion of a version: `group/version`, or the version alone."""
        return "/".join(filter(None, (self.group_of(kind), version)))

    def served(self, kind: Kind) -> list[str]:
        """Return the versions of a kind that are served."""
        return [name for name in kind.types if not self._versions[name].internal]

    def names_of(self, document: Mapping[str, Any], *, kind: str = "", version: str = "") -> Names:
        """Return the version and kind in a document, or as given beside it.

        They may be unknown ones. Raises ConversionError if the document has none.
        """
        if version and "/" not in version:
            version = self.api_version(version, self._kinds.get(kind))
        return self.head.names(document, self._kinds_in, kind, version)

    @cached_property
    def all_names(self) -> frozenset[Names]:
        """The names that documents of all kinds and versions have."""
        return frozenset(self._names_in(kind, it) for kind in self.kinds for it in kind.types)

    def _names_in(self, kind: Kind, version: str) -> Names:
        return Names(self.api_version(version, kind), kind.name_in(version))

    def _kinds_in(self, version: str) -> list[str]:
        return [kind.name_in(version) for kind in self.kinds if version in kind.types]

    def route(self, api_version: str, kind: str, to: str) -> Route:
        """Return the route of a kind's objects from an apiVersion to a version.

        `to` is a version or an apiVersion. Raises UnknownKindError.
        """
        key = (api_version, kind, to)
        found = self._routes.get(key)
        if found is None:
            found = self.plan_route(api_version, kind, to)
            if found.versions or found.inner:  # otherwise clients choose the version, without bound
                self._routes[key] = found
        return found

    def is_foreign_holder(self, api_version: str, kind: str) -> bool:
        """Return whether objects of a kind outside the group hold documents of the group."""
        name = f"{api_version}/{kind}"
        return any(name in declared.holders for declared in self.inner)

    def plan_route(self, api_version: str, kind: str, to: str, *, inner: bool = True) -> Route:
        """Make what `route` returns. Without `inner`, it leaves inner documents unchanged."""
        from holdall.carriers.envelope import Envelope
        from holdall.scheme.earlier import Earlier
        from holdall.scheme.routes import Route

        self.load()
        if inner and self.is_foreign_holder(api_version, kind):
            return self._foreign_route(api_version, kind, to)
        entry = self._find_kind(api_version, kind)
        source = self._known_version(api_version, entry, "convert from")
        is_whole = not isinstance(to, str) or "/" in to  # untyped callers may pass anything
        goal = to if is_whole else self.api_version(to, entry)
        target = self._known_version(goal, entry, "convert to")
        path = shortest_path(neighbours(entry.edges), source, target)
        rank = {version.name: index for index, version in enumerate(self.versions)}
        twins = tuple(self.twin(entry.name, version) for version in path)
        names = [self._names_in(entry, version) for version in (source, target)]
        envelope = Envelope(
            "none" if entry.carrier == "changed-values" else entry.carrier,
            self.group_of(entry),
            entry.name,
            entry.limits,
            self.plan,
            self._code,
        )
        route: dict[str, Any] = {
            "kind": entry.name,
            "names": names,
            "heads": [self.head.of(*ends) for ends in names],
            "versions": tuple(path),
            "upward": tuple(rank[a] < rank[b] for a, b in pairwise(path)),
            "twins": twins,
            "varies_at": self.head.varies_in(source),
            "envelope": envelope,
            "evolution": self._evolution,
        }
        if self.head is not API_HEAD:
            route.update(check_head=partial(self.head.check, target))
        if inner and self.inner:
            route.update(inner=self._places(entry, source, target))
        is_older = source not in (self.hub, target) and self.hub in entry.types
        if self._takes_over and self.group and is_older:
            there = partial(self.plan_route, *names[0], self.hub)
            back = partial(self.plan_route, *self._names_in(entry, self.hub), source)
            route.update(earlier=Earlier(self._takes_over, there, back))
        tracked = entry.carrier == "changed-values"
        if tracked or (entry.carrier == "annotation" and entry.tracking.carrier == "bag"):
            from holdall.scheme.tracked_route import BaggedRoute, TrackedRoute

            twin_of = {name: self.twin(entry.name, name) for name in rank if name in entry.types}
            route.update(tracking=entry.tracking, twin_of=twin_of, package=self.package)
            return (TrackedRoute if tracked else BaggedRoute)(edges=self._edges, **route)
        return Route(**route)

    def _foreign_route(self, api_version: str, kind: str, to: str) -> Route:
        """Return the route of a holder's texts to a version; an empty one for an unknown kind."""
        from holdall.scheme.inner import ForeignRoute, Place

        group, _, version = to.rpartition("/")
        is_known = version in self._versions and not self._versions[version].internal
        is_own = not group or group in map(self.group_of, self.kinds)
        name = f"{api_version}/{kind}"
        places = [Place(it, self, None, version) for it in self.inner if name in it.holders]
        return ForeignRoute(api_version, kind, tuple(places) if is_known and is_own else ())

    def _places(self, kind: Kind, source: str, target: str) -> tuple[Any, ...]:
        """Return the places of inner documents that change when their holders are converted."""
        from holdall.scheme.inner import Place

        return tuple(
            Place(declared, self, declared.version_in(source), declared.version_in(target))
            for declared in self.inner
            if kind.name in declared.holders
            and declared.version_in(source) != declared.version_in(target)
        )

    def _find_kind(self, api_version: str, name: str) -> Kind:
        """Return the kind that documents of an apiVersion call `name`."""
        group, _, rest = api_version.rpartition("/")
        version = rest if group in map(self.group_of, self.kinds) else api_version
        is_any = version not in self._versions
        known = {
            kind.name_in(version): kind for kind in self.kinds if is_any or version in kind.types
        }
        if name in known:
            return known[name]
        text = f"unknown kind {name!r} in apiVersion {api_version!r}"
        raise unknown(text, name, known)

    def _known_version(self, api_version: object, kind: Kind, verb: str) -> str:
        by_api_version = {self.api_version(name, kind): name for name in self.served(kind)}
        if isinstance(api_version, str) and api_version in by_api_version:
            return by_api_version[api_version]
        raise self._unknown_version(api_version, kind, verb)

    def unknown_target(self, api_version: str, kind: str, to: str) -> UnknownKindError:
        """Return the error of an apiVersion to which objects of a kind cannot be converted."""
        return self._unknown_version(to, self._find_kind(api_version, kind), "convert to")

    def _unknown_version(self, api_version: object, kind: Kind, verb: str) -> UnknownKindError:
        is_ours = str(api_version).rpartition("/")[0] == self.group_of(kind)
        wrong = f"{kind.name} does not have" if is_ours else "is of another group"
        text = f"cannot {verb} {api_version!r}, which {wrong}"
        known = [self.api_version(name, kind) for name in self.served(kind)]
        return unknown(text, str(api_version), known)


def unknown(text: str, name: str, known: Iterable[str]) -> UnknownKindError:
    """Return the error of an unknown name, with the nearest one and all known ones."""
    fix = f"use one of: {', '.join(sorted(known))}"
    return UnknownKindError([Problem("HA401", "", f"{text}{nearest(name, known)}", fix)])

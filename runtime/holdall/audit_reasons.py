"""Why an entry is in a bag: the plan's decision about the property in the version it came from."""

from __future__ import annotations

import sys
from collections import deque
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from holdall import plans
from holdall.bag import RESIDUE_PREFIX, is_taken
from holdall.carriers import is_hidden_extra
from holdall.objects import Object
from holdall.scheme import Scheme
from holdall.shapes import type_at
from holdall.types import is_json_object

UNKNOWN_ORIGIN: Final = "unknown origin"
UNKNOWN_PROPERTY: Final = "unknown property"
_MISFIT: Final = "but this value does not fit the other version"
# Fates that need no bag as long as the value fits.
_IN_BOTH: Final = frozenset({"copied", "converted", "renamed", "recursed"})


@dataclass(frozen=True, slots=True)
class Decision:
    """What a plan says about a property of a type on one edge; `peer` is the edge's other type."""

    peer: str
    fate: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlanIndex:
    """The decisions of a plan: by type (`version.Type`) and property; the types' neighbours."""

    versions: frozenset[str]
    peers: dict[str, list[str]]
    decisions: dict[tuple[str, str], list[Decision]]

    def why(self, start: str, origin: str, key: str) -> str:
        """Return the reason for an entry of a bag that an object of the type `start` holds."""
        if origin not in self.versions:
            return UNKNOWN_ORIGIN
        if key.startswith(RESIDUE_PREFIX):
            return "kept by a hook: what does not come back by itself"
        if is_taken(key):
            return "kept by holdall: user data under a reserved name, or a mark of its own"
        before: dict[str, str] = {start: ""}
        queue = deque([start])
        while queue:
            ref = queue.popleft()
            if ref.rpartition(".")[0] == origin:
                found = self._decision(ref, before[ref], key)
                if found is not None:
                    # Pulled in one direction is stashed in the other, which put the entry here.
                    fate = "stashed" if found.fate == "pulled" else found.fate
                    text = f"{fate}: {found.reason}"
                    return f"{text}; {_MISFIT}" if found.fate in _IN_BOTH else text
            for peer in self.peers.get(ref, ()):
                if peer not in before:
                    before[peer] = ref
                    queue.append(peer)
        return UNKNOWN_PROPERTY

    def _decision(self, ref: str, towards: str, key: str) -> Decision | None:
        """Return what is decided about the bag, preferably on the edge towards the holder."""
        found = self.decisions.get((ref, key), [])
        ranked = sorted(found, key=lambda item: (item.fate in _IN_BOTH, item.peer != towards))
        return ranked[0] if ranked else None


@dataclass(frozen=True, slots=True)
class Reasons:
    """Explains the entries of one object; without a plan every reason is ""."""

    plan: PlanIndex | None = None
    version: str = ""
    root: type[Object] | None = field(default=None)

    @classmethod
    def of_document(cls, document: object, scheme: Scheme | None) -> Reasons:
        """Return the reasons for a document. Raises SchemeError if the plan cannot be read."""
        if scheme is None:
            return cls()
        plan = _index(scheme.package)
        if is_json_object(document):
            head = document.get("apiVersion"), document.get("kind")
            for kind in scheme.kinds:
                for version in kind.types:
                    if head == (scheme.api_version(version), kind.name_in(version)):
                        return cls(plan, version, scheme.twin(kind.name, version))
        return cls(plan)

    @classmethod
    def of_type(cls, of: type[Object], scheme: Scheme | None) -> Reasons:
        """Return the reasons for a typed object; its scheme is found where it was generated."""
        scheme = scheme or _scheme_of(of.__module__)
        if scheme is None:
            return cls()
        for version in scheme.versions:
            module = f"{scheme.package}.{version.module}"
            if of.__module__ in (module, f"{module}.storage"):
                return cls(_index(scheme.package), version.name, of)
        return cls(_index(scheme.package))

    def why(self, path: str, origin: str, key: str) -> str:
        """Return why the object at `path` (a pointer or a carrier's address) holds an entry."""
        if self.plan is None:
            return ""
        holder = type_at(self.root, path) if self.root is not None else None
        if holder is not None and is_hidden_extra(holder, self.version, origin, key):
            return f"extra: an API server would prune it at {origin}"
        start = f"{self.version}.{holder.__name__}" if holder is not None else ""
        return self.plan.why(start, origin, key)


def _scheme_of(module: str) -> Scheme | None:
    while module:
        found = getattr(sys.modules.get(module), "SCHEME", None)
        if isinstance(found, Scheme):
            return found
        module = module.rpartition(".")[0]
    return None


@cache
def _index(package: str) -> PlanIndex:
    plan = plans.load(package)
    peers: dict[str, list[str]] = {}
    decisions: dict[tuple[str, str], list[Decision]] = {}
    for edge in plan.edges:
        older, newer = str(edge.older), str(edge.newer)
        peers.setdefault(older, []).append(newer)
        peers.setdefault(newer, []).append(older)
        for item in edge.decisions:
            own, peer = (older, newer) if item.side == "older" else (newer, older)
            decision = Decision(peer, item.fate, item.reason)
            decisions.setdefault((own, item.name), []).append(decision)
    return PlanIndex(frozenset(plan.versions), peers, decisions)

"""Binding hooks to the edges of a scheme: once, after their source was verified."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from holdall.edges import TypeEdge
from holdall.errors import HookError, Problem
from holdall.hook_points import HookPoint, bind, declared_claims
from holdall.hook_sources import HookClass, find_sources, verify_composed, verify_hooks
from holdall.hooks import Composed
from holdall.objects import StorageObject
from holdall.shapes import members_of


@dataclass(frozen=True, slots=True)
class EdgeEntry:
    """An edge as its generated module registered it."""

    protocol: type
    older: tuple[str, type[StorageObject]]
    newer: tuple[str, type[StorageObject]]
    edge: TypeEdge
    must_claim_older: tuple[str, ...]
    must_claim_newer: tuple[str, ...]

    def point(self) -> HookPoint:
        """Return the point that hooks are verified against."""
        return HookPoint(
            protocol=self.protocol.__name__,
            module=self.protocol.__module__,
            older_version=self.older[0],
            older_type=self.older[1].__name__,
            newer_version=self.newer[0],
            newer_module=self.newer[1].__module__,
            newer_type=self.newer[1].__name__,
            older_members=members_of(self.older[1]),
            newer_members=members_of(self.newer[1]),
            must_claim_older=frozenset(self.must_claim_older),
            must_claim_newer=frozenset(self.must_claim_newer),
        )


def bind_hooks(
    package: str, group_package: str, entries: Sequence[EdgeEntry], *, strict: bool
) -> None:
    """Verify every hook of `package` that belongs to a group, and bind it.

    Edges without a hook run none from then on. `strict` makes a hook fail that changes what it
    does not claim. Raises HookError with all problems.
    """
    edges = {entry.point(): entry.edge for entry in entries}
    found, problems = verify_hooks(
        find_sources(package, root=None), list(edges), [group_package], _others(group_package)
    )
    if problems:
        raise HookError(problems)
    instances = [(hook, _instance(hook, problems)) for hook in found]
    if problems:
        raise HookError(problems)
    for edge in edges.values():
        edge.to.hook = edge.back.hook = None
    for hook, instance in instances:
        bind(edges[hook.point].to, instance, "to", strict=strict)
        bind(edges[hook.point].back, instance, "from", strict=strict)


def _others(group_package: str) -> Callable[[str], bool]:
    """Return what tells names of other generated groups, which verify hooks by themselves."""
    root, depth = group_package.split(".")[0], group_package.count(".") + 1

    @cache
    def exists(package: str) -> bool:
        return importlib.util.find_spec(package) is not None

    def is_foreign(name: str) -> bool:
        package = ".".join(name.split(".")[:depth])
        return name.startswith(f"{root}.") and package != group_package and exists(package)

    return is_foreign


def _instance(hook: HookClass, problems: list[Problem]) -> object:
    where = f"{hook.file}:{hook.line}"
    try:
        instance: object = getattr(importlib.import_module(hook.module), hook.name)()
    except Exception as error:  # noqa: BLE001 - whatever an import raises is reported with the rest
        text = f"{hook.name} cannot be made: {type(error).__name__}: {error}"
        problems.append(Problem("HA340", where, text, "correct the module or the constructor"))
        return None
    if isinstance(instance, Composed):
        to = [allowed for _, allowed in declared_claims(instance, "to")]
        back = [allowed for _, allowed in declared_claims(instance, "from")]
        problems.extend(verify_composed(hook, to, back))
    return instance

"""Types that a later plan renames: hooks import them, and declarations name them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Final

from holdall.text.pointer import escape
from holdall.types import JsonValue
from holdall_codegen.views.plan_view import PlanView

RENAMED: Final = (
    "Renamed types; use the new names in hooks and `between`, or keep the old ones by `type_names`"
)


@dataclass(frozen=True, slots=True)
class RenamedType:
    """The type of the objects at `path`, by its names before and after, in these versions."""

    path: str
    before: str
    after: str
    versions: tuple[str, ...]

    def __str__(self) -> str:
        return f"{', '.join(self.versions)}: {self.path}: {self.before} -> {self.after}"

    def value(self) -> dict[str, JsonValue]:
        """Return the renamed type as JSON."""
        return {**asdict(self), "versions": list(self.versions)}


def renamed_types(
    old: Mapping[str, PlanView], new: Mapping[str, PlanView]
) -> tuple[RenamedType, ...]:
    """Return the types that have another name at the same place, each once, at its first path."""
    return tuple(
        item
        for package, before in old.items()
        if package in new
        for item in _renamed_in(before, new[package])
    )


def _renamed_in(before: PlanView, after: PlanView) -> Iterator[RenamedType]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    for version in before.types:
        for path, one, other in _pairs(before, after, version):
            if one != other:
                found.setdefault((one, other), {}).setdefault(version, path)
    for (one, other), paths in found.items():
        yield RenamedType(next(iter(paths.values())), one, other, tuple(paths))


def _pairs(before: PlanView, after: PlanView, version: str) -> Iterator[tuple[str, str, str]]:
    """Yield the paths that both plans have in a version, with the types there, each pair once."""
    old, new = before.types.get(version, {}), after.types.get(version, {})
    kinds = {kind.name: kind.types[version] for kind in after.group.kinds if version in kind.types}
    queue = deque(
        (escape(kind.name), kind.types[version], kinds[kind.name])
        for kind in before.group.kinds
        if version in kind.types and kind.name in kinds
    )
    seen: set[tuple[str, str]] = set()
    while queue:
        path, one, other = queue.popleft()
        if (one, other) in seen:
            continue
        seen.add((one, other))
        yield path, one, other
        for name in sorted(old[one].keys() & new[other].keys()):
            *outer, held = old[one][name].split(" of ")
            *around, holds = new[other][name].split(" of ")
            if outer == around and held in old and holds in new:
                queue.append(("/".join((path, escape(name), *"*" * len(outer))), held, holds))

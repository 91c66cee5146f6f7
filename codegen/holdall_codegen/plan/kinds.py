"""Which kinds of the versions are one kind: by name, or by a declared rename of its root type."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdall.errors import Problem
from holdall.suggest import nearest
from holdall_codegen.config.model import GroupConfig, TypeFacts
from holdall_codegen.model import Group, Kind


@dataclass(slots=True)
class Family:
    """One kind over its versions; `kinds` is by version, oldest first."""

    kinds: dict[str, Kind] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The newest name: that of the kind in the newest version that has it."""
        return list(self.kinds.values())[-1].name


def kind_families(group: Group, config: GroupConfig, problems: list[Problem]) -> list[Family]:
    """Return the kinds of a group, sorted by name; problems of declared renames are added."""
    names = {
        (version.name, kind.name): kind.name for version in group.versions for kind in version.kinds
    }
    for edge in config.facts:
        for entry in edge.types:
            if entry.type is not None:
                _rename(group, edge.older, edge.newer, entry, names, problems)
    families: dict[str, Family] = {}
    for version in group.versions:
        for kind in version.kinds:
            family = families.setdefault(names[version.name, kind.name], Family())
            if version.name in family.kinds:
                other = family.kinds[version.name].name
                text = f"{version.name} has both {other} and {kind.name}, declared to be one kind"
                problems.append(Problem("HA214", str(config.location), text, "correct the $type"))
            family.kinds[version.name] = kind
    return sorted(families.values(), key=lambda family: family.name)


def _rename(
    group: Group,
    older: str,
    newer: str,
    entry: TypeFacts,
    names: dict[tuple[str, str], str],
    problems: list[Problem],
) -> None:
    before = {kind.type_name: kind for kind in group.version(older).kinds}
    after = {kind.type_name: kind for kind in group.version(newer).kinds}
    wanted = entry.type or ""
    if entry.pattern not in before:
        text = (
            f"$type renames kinds, and {entry.pattern} is not a kind's root type in {older}"
            f"{nearest(entry.pattern, before)}; nested types are paired by their properties"
        )
        problems.append(Problem("HA214", str(entry.location), text, "remove the $type"))
    elif wanted not in after:
        text = f"{newer} has no kind with the root type {wanted!r}{nearest(wanted, after)}"
        problems.append(Problem("HA214", str(entry.location), text, "name a root type"))
    else:
        old, new = names[older, before[entry.pattern].name], names[newer, after[wanted].name]
        for key, name in names.items():
            if name == new:
                names[key] = old

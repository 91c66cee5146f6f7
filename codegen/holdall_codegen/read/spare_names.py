"""Definitions whose names were taken: two versions may then name one definition differently.

`v1beta1.PipelineSpec` and `v1.PipelineSpec` are both `PipelineSpec`, unless another type has this
name. Then each gets its version as a prefix, and hooks and diffs do not show that they are one
type.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from holdall_codegen.model import Version
from holdall_codegen.read.class_names import free_name
from holdall_codegen.read.drafts import Draft


@dataclass(frozen=True, slots=True)
class SpareName:
    """The name of a definition whose own name, `wanted`, another type has."""

    version: str
    wanted: str
    name: str
    paths: tuple[str, ...]


def spare_names(drafts: Mapping[str, Draft], version: Version) -> Iterator[SpareName]:
    """Yield the spare names of a version, in the order of the wanted names."""
    spare = {
        free_name(draft.spare): free_name(draft.candidate)
        for draft in drafts.values()
        if draft.role == "definition" and draft.spare != draft.candidate
    }
    for name, found in version.types.items():
        if name in spare and spare[name] in version.types:
            yield SpareName(version.name, spare[name], name, tuple(found.paths))


def unlike_names(found: Sequence[SpareName]) -> Iterator[str]:
    """Yield a warning for each definition that has different spare names in the versions."""
    by_wanted: dict[str, list[SpareName]] = defaultdict(list)
    for item in found:
        by_wanted[item.wanted].append(item)
    for wanted, items in by_wanted.items():
        if len({item.name for item in items}) < 2:
            continue
        shared = set.intersection(*(set(item.paths) for item in items))
        paths = [min(shared)] if shared else [item.paths[0] for item in items]
        lines = ", ".join(f"{path}: {free_name(f'{wanted}Type')}" for path in dict.fromkeys(paths))
        names = " and ".join(f"{item.name} in {item.version}" for item in items)
        yield (
            f"{wanted} is {names}, because another type has its name; for one name, add to "
            f"`type_names`: {lines}"
        )

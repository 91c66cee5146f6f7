"""Kinds that two groups of a project have, though their documents do not tell the groups apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdall.errors import Problem
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.model import NOWHERE, Group, Kind
from holdall_codegen.read.problems import DEFINED_TWICE


def shared_kinds(groups: Iterable[tuple[GroupConfig, Group]]) -> Iterator[Problem]:
    """Yield the kinds that a group shares with an earlier one, each at the later group.

    A document says its API group and its kind. Two groups that share both would be one converter
    that never runs, and one CRD that overwrites the other. Groups whose documents say their version
    elsewhere may share kinds: conversions ask there which group is meant.
    """
    first: dict[tuple[str, str], tuple[GroupConfig, Kind]] = {}
    for config, group in groups:
        if group.head is not None:
            continue
        own = {kind.name: kind for version in group.versions for kind in version.kinds}
        for name, kind in own.items():
            declared = config.declared.group_of(name) if config.declared else ""
            api_group = declared or group.api_group
            other, earlier = first.setdefault((api_group, name), (config, kind))
            if other is not config:
                of = f"of the API group {api_group}" if api_group else "without an API group"
                yield Problem(
                    DEFINED_TWICE,
                    str(config.location),
                    f'the group "{config.name}" has the kind {name} {of}{_defined(kind)}, and so '
                    f'has the group "{other.name}" ({other.location}){_defined(earlier)}',
                    "list all versions of the kind in one group, or narrow the sources of one with "
                    "`kinds` or `group`",
                )


def _defined(kind: Kind) -> str:
    return "" if kind.location == NOWHERE else f", defined at {kind.location}"

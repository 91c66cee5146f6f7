"""Reads `holdall.yaml` into the configuration, and reports all problems of the file at once.

Whether types, properties and declarations match the schemas is checked by the plan.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Final, Literal

from holdall.errors import Problem, SourceError
from holdall.scheme.projects import START, missing_configuration
from holdall.text.loading import load_file
from holdall_codegen.breaking.ignoring import BreakingConfig
from holdall_codegen.config.crd import CrdConfig, VersionName
from holdall_codegen.config.facts import read_between
from holdall_codegen.config.graph import VersionOrder, read_edges
from holdall_codegen.config.keys import GROUP_PACKAGE, GroupKeys, ProjectKeys, VersionConfig
from holdall_codegen.config.model import GroupConfig, ProjectConfig, SchemeConfig
from holdall_codegen.config.names import PACKAGE
from holdall_codegen.config.node import (
    CONTRADICTION,
    LISTED_TWICE,
    MALFORMED_NAME,
    NAME_CLASH,
    NO_SHAPE,
    NOT_A_CONFIGURATION,
    Findings,
    Node,
)
from holdall_codegen.config.sources import has_declaration, read_carrier, read_head, read_sources
from holdall_codegen.config.tables import read, read_value

_NEEDED_PACKAGES: Final = sys.stdlib_module_names | {
    "holdall",
    "holdall_codegen",
    "click",
    "dataclasses_json",
    "msgspec",
    "typing_extensions",
    "yaml",
}
"""The tool, and what it imports: the folders of a project are found before these."""


def read_config(path: Path) -> ProjectConfig:
    """Read and check a project's configuration.

    The root is the folder of the file; locations carry the file's bare name. Raises SourceError
    with every problem of the file, in the order of its lines.
    """
    node = _load(path)
    said, at = read(ProjectKeys, node, "the configuration")
    for what, folder in (("output", said.output), ("hooks", said.hooks)):
        if (first := folder.split(".")[0]) in _NEEDED_PACKAGES:
            text = f"{what} {folder} would hide {first}, which holdall imports"
            at[what].report(NAME_CLASH, text, "choose another name")
    if _overlap(said.output, said.hooks):
        at.get("hooks", at.get("output", node)).report(
            NAME_CLASH,
            f"output {said.output} and hooks {said.hooks} share a folder, but in output only"
            " holdall writes",
            "choose two folders, neither inside the other",
        )
    groups: list[GroupConfig] = []
    if "groups" in at:
        groups = [_read_group(name, item) for name, item in at["groups"].members("groups").items()]
        _report_package_clashes(at["groups"], groups)
    node.findings.raise_if_any()
    return ProjectConfig(
        path.parent,
        path.name,
        tuple(groups),
        said.output,
        said.hooks,
        said.breaking or BreakingConfig(),
        SchemeConfig(said.settings or {}, said.takes_over),
        at["hooks"].location if "hooks" in at else None,
    )


def _load(path: Path) -> Node:
    if (missing := missing_configuration(path, path.name)) is not None:
        raise SourceError([missing])
    # Messages name it from the root, whatever the current folder is.
    documents = load_file(path, shown=path.name)
    if len(documents) != 1:
        line = documents[1].line if documents else 1
        message = f"a configuration is one document, but the file has {len(documents)}"
        fix = "merge the documents into one" if documents else f"remove the file, and {START}"
        raise SourceError([Problem(NOT_A_CONFIGURATION, f"{path.name}:{line}", message, fix)])
    return Node(documents[0].value, "", Findings(documents[0], path.name))


def _read_group(name: str, node: Node) -> GroupConfig:
    what = f"the group {name}"
    order = VersionOrder((), is_complete=False)
    if isinstance(node.value, dict) and "versions" in node.value:
        members = node.members(what)
        needed = not _is_declared(members)
        order = _read_versions(replace(members["versions"], required=needed))
    said, at = read(GroupKeys, node, what, order)
    if at and "versions" not in at and not _is_declared(at):
        node.report_missing(what, "versions")
    carrier = read_carrier(at.get("carrier"))
    edges: Literal["chain", "star"] | tuple[tuple[str, str], ...]
    edges = "chain" if isinstance(said.edges, list) else said.edges
    if "edges" in at and isinstance(at["edges"].value, list):
        edges = read_edges(at["edges"], order)
    return GroupConfig(
        name,
        said.package or _package_of(name, node, at),
        node.location,
        read_sources(at["sources"], order) if "sources" in at else (),
        order.versions,
        api_group=said.api_group,
        head=read_head(at, said.api_group, order) if "version_at" in at else None,
        hub=said.hub,
        edges=edges,
        facts=read_between(at["between"], order) if "between" in at else (),
        overlays=tuple(said.overlays or ()),
        inner=tuple(said.inner_documents or ()),
        type_names=said.type_names or {},
        carrier=carrier.carrier,
        carriers=carrier.carriers,
        limits=carrier.limits,
        carrier_places=carrier.places,
        crd=said.crd or CrdConfig(),
        accepted=tuple(said.accept_refusals or ()),
    )


def _is_declared(members: Mapping[str, Node]) -> bool:
    """Tell whether the versions need not be listed: a declaration lists them.

    Pairs of versions in the file are read by the order of the list, and need it.
    """
    return (
        has_declaration(members)
        and "between" not in members
        and not isinstance(members["edges"].value if "edges" in members else None, list)
    )


def _package_of(group: str, node: Node, at: Mapping[str, Node]) -> str:
    if "package" in at:
        return ""  # malformed, and reported
    if not PACKAGE.fullmatch(group):
        text = f'the group "{group}" is not {GROUP_PACKAGE}'
        node.report(MALFORMED_NAME, text, "add package with such a name")
        return ""
    return group


def _read_versions(node: Node) -> VersionOrder:
    versions: dict[str, VersionConfig] = {}
    items = node.items("versions")
    entries = [(item, _read_version(item)) for item in items]
    for item, version in entries:
        if version is None:
            continue
        if version.name in versions:
            item.report(
                LISTED_TWICE,
                f"the version {version.name} is listed twice, "
                f"first on line {versions[version.name].location.line}",
                "remove one",
            )
        else:
            versions[version.name] = version
    is_complete = bool(items) and all(version is not None for _, version in entries)
    order = VersionOrder(tuple(versions.values()), is_complete)
    for item, version in entries:
        if version is not None and version.like is not None:
            _check_like(item, version, order)
    if is_complete and all(version.internal for version in order.versions):
        text = "every version is internal, and an internal one is never served or stored"
        node.report(NO_SHAPE, text, "list a version that is not internal")
    return order


def _read_version(node: Node) -> VersionConfig | None:
    if not isinstance(node.value, dict):
        name = read_value(node, VersionName, "a version")
        return None if name is None else VersionConfig(name, node.location)
    said, at = read(VersionConfig, node, "a version")
    if "like" in at and not said.internal:
        text = "like gives an internal version its shape, but this one is not internal"
        at["like"].report(CONTRADICTION, text, "add internal: true, or remove like")
    if "deprecated" in at and said.internal:
        text = "an internal version is never served, so it cannot be deprecated"
        at["deprecated"].report(CONTRADICTION, text, "remove deprecated or internal")
    return said if said.name else None


def _check_like(node: Node, version: VersionConfig, order: VersionOrder) -> None:
    like = version.like or ""
    if not order.listed(node, like, "like"):
        return
    if any(other.internal for other in order.versions if other.name == like):
        text = f"{version.name} takes the shape of {like}, which is internal itself"
        node.report(NO_SHAPE, text, "name a version that is not internal")


def _report_package_clashes(node: Node, groups: Iterable[GroupConfig]) -> None:
    for other, group in combinations(groups, 2):
        if group.package and other.package and _overlap(group.package, other.package):
            member = node.members("groups")[group.name]
            package = member.members("a group").get("package", member)
            package.report(
                NAME_CLASH,
                f"the packages of the groups {other.name} and {group.name} overlap: both are in "
                f"{min(other.package, group.package, key=len)}",
                "give each group a package of its own, neither inside the other",
            )


def _overlap(first: str, second: str) -> bool:
    """Tell whether one package is the other or inside it, also on disks that ignore case."""
    parts = [name.casefold().split(".") for name in (first, second)]
    shorter = min(map(len, parts))
    return parts[0][:shorter] == parts[1][:shorter]

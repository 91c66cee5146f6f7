"""Reads `holdall.yaml` into the configuration, and reports all that is wrong with it at once.

Only what the file itself can tell is checked here: whether types, properties and declarations
match the schemas is the planner's part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from holdall.errors import Problem, SourceError
from holdall.text.loading import load_file
from holdall_codegen.breaking.ignoring import BreakingConfig, read_breaking
from holdall_codegen.config.carriers import read_carrier
from holdall_codegen.config.crd import CrdConfig
from holdall_codegen.config.crd_reader import read_crd
from holdall_codegen.config.facts import read_between
from holdall_codegen.config.graph import VersionOrder, read_edges
from holdall_codegen.config.model import GroupConfig, ProjectConfig, Source, VersionConfig
from holdall_codegen.config.names import API_GROUP, IDENTIFIER, PACKAGE, TEXT, TYPE_PATH, VERSION
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
from holdall_codegen.config.overlays import read_overlays
from holdall_codegen.config.sources import read_sources

PROJECT_KEYS: Final = ("output", "hooks", "groups", "breaking")
GROUP_KEYS: Final = (
    "package",
    "api_group",
    "sources",
    "overlays",
    "versions",
    "hub",
    "edges",
    "type_names",
    "carrier",
    "crd",
    "between",
)
VERSION_KEYS: Final = ("name", "deprecated", "internal", "like")
SHAPES: Final[tuple[Literal["chain", "star"], ...]] = ("chain", "star")
_TOOL_PACKAGES: Final = ("holdall", "holdall_codegen")
_PACKAGE_FORM: Final = "a Python package name, as batch or acme.batch"


def read_config(path: Path) -> ProjectConfig:
    """Read and check a project's configuration.

    The root is the folder of the file; locations carry the file's bare name. Raises SourceError
    with every problem of the file, in the order of its lines.
    """
    node = _load(path)
    members = node.known_members("the configuration", PROJECT_KEYS)
    output = _read_folder(members.get("output"), "output", "generated")
    hooks = _read_folder(members.get("hooks"), "hooks", "hooks")
    if _overlap(output, hooks):
        members.get("hooks", members.get("output", node)).report(
            NAME_CLASH,
            f"output {output} and hooks {hooks} share a folder, and output is the tool's alone",
            "choose two folders, neither inside the other",
        )
    groups: list[GroupConfig] = []
    if (child := members.get("groups")) is not None:
        groups = [_read_group(name, item) for name, item in child.members("groups").items()]
        _report_package_clashes(child, groups)
    elif members:
        node.report_missing("the configuration", "groups")
    child = members.get("breaking")
    breaking = BreakingConfig() if child is None else read_breaking(child)
    node.findings.raise_if_any()
    return ProjectConfig(path.parent, path.name, tuple(groups), output, hooks, breaking)


def _load(path: Path) -> Node:
    if not path.is_file():
        fix = "run holdall init to write one"
        raise SourceError([Problem(NOT_A_CONFIGURATION, path.name, "there is no such file", fix)])
    try:
        documents = load_file(path)
    except SourceError as error:
        raise SourceError(_rename(error.problems, path)) from error
    if len(documents) != 1:
        line = documents[1].line if documents else 1
        message = f"a configuration is one document, and the file holds {len(documents)}"
        fix = "join the documents" if documents else "run holdall init in an empty folder"
        raise SourceError([Problem(NOT_A_CONFIGURATION, f"{path.name}:{line}", message, fix)])
    return Node(documents[0].value, "", Findings(documents[0], path.name))


def _rename(problems: Iterable[Problem], path: Path) -> list[Problem]:
    """The problems with the file named from the root, whatever folder the tool was called in."""
    prefix = path.as_posix()
    return [
        replace(problem, where=path.name + problem.where.removeprefix(prefix))
        if problem.where.startswith(prefix)
        else problem
        for problem in problems
    ]


def _read_folder(node: Node | None, what: str, default: str) -> str:
    if node is None:
        return default
    name = node.matching(
        what, PACKAGE, "a Python package name with dots between folders, as src.generated"
    )
    if name is not None and name.split(".")[0] in _TOOL_PACKAGES:
        node.report(NAME_CLASH, f"{what} {name} would hide the tool itself", "choose another name")
    return default if name is None else name


def _read_group(name: str, node: Node) -> GroupConfig:
    what = f"the group {name}"
    members = node.known_members(what, GROUP_KEYS)
    order = VersionOrder((), is_complete=False)
    if (child := members.get("versions")) is not None:
        order = _read_versions(child)
    elif members and not _is_declared(members):
        node.report_missing(what, "versions")
    sources: tuple[Source, ...] = ()
    if (child := members.get("sources")) is not None:
        sources = read_sources(child, order)
    elif members:
        node.report_missing(what, "sources")
    api_group = hub = None
    if (child := members.get("api_group")) is not None:
        api_group = child.matching("api_group", API_GROUP, "what stands before / in apiVersion")
    if (child := members.get("hub")) is not None:
        hub = child.matching("hub", VERSION, "a version name")
        if hub is not None:
            order.listed(child, hub, "hub")
    edges: Literal["chain", "star"] | tuple[tuple[str, str], ...] = "chain"
    if (child := members.get("edges")) is not None:
        if isinstance(child.value, list):
            edges = read_edges(child, order)
        else:
            edges = child.choice("edges", SHAPES) or "chain"
    carrier = read_carrier(members.get("carrier"))
    return GroupConfig(
        name,
        _read_package(name, node, members.get("package")),
        node.location,
        sources,
        order.versions,
        api_group=api_group,
        hub=hub,
        edges=edges,
        facts=() if (child := members.get("between")) is None else read_between(child, order),
        overlays=() if (child := members.get("overlays")) is None else read_overlays(child, order),
        type_names={} if (child := members.get("type_names")) is None else _read_type_names(child),
        carrier=carrier.carrier,
        carriers=carrier.carriers,
        limits=carrier.limits,
        crd=CrdConfig() if (child := members.get("crd")) is None else read_crd(child, order),
    )


def _is_declared(members: Mapping[str, Node]) -> bool:
    """Tell whether the versions need not be listed: a declaration lists them.

    What names versions here is read by their order, so with it they have to be listed.
    """
    sources = members["sources"].value if "sources" in members else None
    return (
        isinstance(sources, list)
        and any(isinstance(source, dict) and "declared" in source for source in sources)
        and "between" not in members
        and not isinstance(members["edges"].value if "edges" in members else None, list)
    )


def _read_package(group: str, node: Node, package: Node | None) -> str:
    if package is not None:
        return package.matching("package", PACKAGE, _PACKAGE_FORM) or ""
    if PACKAGE.fullmatch(group):
        return group
    node.report(
        MALFORMED_NAME, f'the group "{group}" is not {_PACKAGE_FORM}', "add package: with a name"
    )
    return ""


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
                f"first in line {versions[version.name].location.line}",
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
        node.report(
            NO_SHAPE,
            "every version is internal, and an internal one is never served or stored",
            "list a version that is not internal",
        )
    return order


def _read_version(node: Node) -> VersionConfig | None:
    if not isinstance(node.value, dict):
        name = node.matching("a version", VERSION, "a version name")
        return None if name is None else VersionConfig(name, node.location)
    members = node.known_members("a version", VERSION_KEYS)
    internal = (child := members.get("internal")) is not None and child.boolean("internal")
    like = deprecated = None
    if (child := members.get("like")) is not None:
        like = child.matching("like", VERSION, "a version name")
        if not internal:
            child.report(
                CONTRADICTION,
                "like gives a shape to an internal version, and this one is not internal",
                "add internal: true or remove like",
            )
    if (child := members.get("deprecated")) is not None:
        deprecated = child.matching("deprecated", TEXT, "a text for the users of the version")
        if internal:
            child.report(
                CONTRADICTION,
                "an internal version is served to nobody, so it cannot be deprecated",
                "remove deprecated or internal",
            )
    if (child := members.get("name")) is None:
        if members:
            node.report_missing("a version", "name")
        return None
    name = child.matching("a version", VERSION, "a version name")
    if name is None:
        return None
    return VersionConfig(name, node.location, internal, like, deprecated or "")


def _check_like(node: Node, version: VersionConfig, order: VersionOrder) -> None:
    like = version.like or ""
    if not order.listed(node, like, "like"):
        return
    if any(other.internal for other in order.versions if other.name == like):
        node.report(
            NO_SHAPE,
            f"{version.name} takes the shape of {like}, which is internal itself",
            "name a version that is not internal",
        )


def _read_type_names(node: Node) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for path, child in node.members("type_names").items():
        is_path = TYPE_PATH.fullmatch(path) is not None
        child.check_key(path, is_path, "the path of an object, as Kind/spec/pools/*")
        names[path] = child.matching("a type name", IDENTIFIER, "a Python class name") or ""
    return names


def _report_package_clashes(node: Node, groups: Iterable[GroupConfig]) -> None:
    seen: list[GroupConfig] = []
    for group in groups:
        for other in seen:
            if group.package and other.package and _overlap(group.package, other.package):
                member = node.members("groups")[group.name]
                package = member.members("a group").get("package", member)
                package.report(
                    NAME_CLASH,
                    f"the groups {other.name} and {group.name} share the folder of "
                    f"{min(other.package, group.package, key=len)}",
                    "give each group a package of its own, neither inside the other",
                )
        seen.append(group)


def _overlap(first: str, second: str) -> bool:
    """Tell whether one package is the other or inside it, on disks that ignore case too."""
    parts = [name.casefold().split(".") for name in (first, second)]
    shorter = min(map(len, parts))
    return parts[0][:shorter] == parts[1][:shorter]

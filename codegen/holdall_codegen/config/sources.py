"""Where the versions of a group come from, and whether each version gets a shape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from holdall.suggest import nearest
from holdall_codegen.config.graph import VersionOrder
from holdall_codegen.config.model import CrdSource, DeclaredSource, SchemaSource, Source
from holdall_codegen.config.names import KIND, POINTER, SOURCE_PATTERN, VERSION
from holdall_codegen.config.node import CONTRADICTION, LISTED_TWICE, MISSING_KEY, NO_SHAPE, Node

CRD_SOURCE_KEYS: Final = ("crds", "yaml")
SCHEMA_SOURCE_KEYS: Final = ("schemas", "version", "kinds", "yaml")
DECLARED_SOURCE_KEYS: Final = ("declared",)
_SOURCES: Final = ("crds", "schemas", "declared")
READINGS: Final[tuple[Literal["strict", "kubernetes"], ...]] = ("strict", "kubernetes")


def read_sources(node: Node, order: VersionOrder) -> tuple[Source, ...]:
    """The sources in the order of the file; whether their files exist is not asked here."""
    items = node.items("sources")
    sources = tuple(source for item in items if (source := _read_source(item, order)))
    _report_repeated_sources(items)
    if any(isinstance(source, DeclaredSource) for source in sources):
        if len(items) > 1:
            node.report(
                CONTRADICTION,
                "a declaration describes every version of its group, and there are other sources",
                "give the other sources a group of their own",
            )
        return sources
    if len(sources) == len(items):
        _report_shapeless(node, sources, order)
    return sources


def _read_source(node: Node, order: VersionOrder) -> Source | None:
    members = node.members("a source")
    given = [name for name in _SOURCES if name in members]
    if len(given) > 1:
        text = f"a source has both {given[0]} and {given[1]}"
        node.report(CONTRADICTION, text, "make two sources of it")
        return None
    if members and not given:
        hint = next((hint for key in members if (hint := nearest(key, _SOURCES))), "")
        text = f"a source has neither crds, schemas nor declared{hint}"
        node.report(MISSING_KEY, text, "say where the files are")
        return None
    if "crds" in members:
        return _read_crd_source(node)
    if "declared" in members:
        members = node.known_members("a declared source", DECLARED_SOURCE_KEYS)
        pattern = _read_pattern(members["declared"], "declared")
        return None if pattern is None else DeclaredSource(pattern, node.location)
    return _read_schema_source(node, order) if members else None


def _read_crd_source(node: Node) -> CrdSource | None:
    members = node.known_members("a source of CRDs", CRD_SOURCE_KEYS)
    pattern = _read_pattern(members["crds"], "crds")
    yaml = _read_reading(members.get("yaml"))
    return None if pattern is None else CrdSource(pattern, node.location, yaml)


def _read_schema_source(node: Node, order: VersionOrder) -> SchemaSource | None:
    members = node.known_members("a source of schemas", SCHEMA_SOURCE_KEYS)
    pattern = _read_pattern(members["schemas"], "schemas")
    yaml = _read_reading(members.get("yaml"))
    kinds: dict[str, str] = {}
    if (child := members.get("kinds")) is not None:
        for kind, item in child.members("kinds").items():
            item.check_key(kind, KIND.fullmatch(kind) is not None, "the name of a kind")
            kinds[kind] = (
                item.matching("a kind", POINTER, "a JSON Pointer, as /definitions/X") or ""
            )
    version: str | None = None
    if (child := members.get("version")) is not None:
        version = child.matching("version", VERSION, "a version name")
        if version is not None:
            order.listed(child, version, "version")
    else:
        node.report_missing("a source of schemas", "version")
    if pattern is None or version is None:
        return None
    return SchemaSource(pattern, version, node.location, kinds, yaml)


def _read_pattern(node: Node, what: str) -> str | None:
    return node.matching(
        what, SOURCE_PATTERN, "a path below the project's root with / between folders"
    )


def _read_reading(node: Node | None) -> Literal["strict", "kubernetes"]:
    return "strict" if node is None else node.choice("yaml", READINGS) or "strict"


def _report_repeated_sources(items: Iterable[Node]) -> None:
    """With a source, or one kind of one version, named twice it is open which counts."""
    seen: set[tuple[str, ...]] = set()
    for item in items:
        value = item.value if isinstance(item.value, dict) else {}
        kinds = value.get("kinds")
        names: list[tuple[str, ...]] = [("crds", str(value["crds"]))] if "crds" in value else []
        if "schemas" in value:
            version = str(value.get("version"))
            named = kinds if isinstance(kinds, dict) else {}
            names = [("kind", kind, version) for kind in named]
            names.append(("schemas", str(value["schemas"]), version, *map(str, named)))
        for name in names:
            if name in seen:
                shown = f"the kind {name[1]} of {name[2]}" if name[0] == "kind" else name[1]
                item.report(LISTED_TWICE, f"{shown} has two sources", "remove one")
        seen.update(names)


def _report_shapeless(node: Node, sources: Iterable[Source], order: VersionOrder) -> None:
    """Each version needs a source or `like`, and an internal one not both; CRDs may hold any."""
    with_schemas = {source.version for source in sources if isinstance(source, SchemaSource)}
    has_crds = any(isinstance(source, CrdSource) for source in sources)
    for version in order.versions:
        if version.like is not None and version.name in with_schemas:
            node.report(
                NO_SHAPE,
                f"the version {version.name} has its own schemas and is like {version.like} too",
                "remove like or the source",
            )
        elif version.like is None and version.name not in with_schemas and not has_crds:
            node.report(
                NO_SHAPE,
                f"the version {version.name} has no source",
                f"add a source with version: {version.name}"
                + (", or like: with the version whose shape it has" if version.internal else ""),
            )

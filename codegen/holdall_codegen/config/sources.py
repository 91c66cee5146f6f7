"""The sources of a group, how its documents say their version, and its carriers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from holdall.plan.bag_limits import BagLimits
from holdall.suggest import nearest
from holdall.types import JsonValue, members
from holdall_codegen.config.graph import VersionOrder
from holdall_codegen.config.keys import (
    CarrierKeys,
    CarrierWord,
    CrdSource,
    DeclaredSource,
    SchemaSource,
    Source,
    VersionAtKeys,
)
from holdall_codegen.config.model import CarrierName, HeadConfig
from holdall_codegen.config.names import KIND, KIND_FORM, MEMBER, MEMBER_FORM
from holdall_codegen.config.node import (
    CONTRADICTION,
    LISTED_TWICE,
    MISSING_KEY,
    NAME_CLASH,
    NO_EFFECT,
    NO_SHAPE,
    WRONG_TYPE,
    Node,
)
from holdall_codegen.config.tables import read, read_value
from holdall_codegen.model import Location

_SOURCES: Final[Mapping[str, tuple[type[Source], str]]] = {
    "crds": (CrdSource, "a source of CRDs"),
    "schemas": (SchemaSource, "a source of schemas"),
    "declared": (DeclaredSource, "a declared source"),
}


def read_sources(node: Node, order: VersionOrder) -> tuple[Source, ...]:
    """Return the sources in the order of the file; whether their files exist is checked later."""
    items = node.items("sources")
    sources = tuple(source for item in items if (source := _read_source(item, order)))
    _report_repeated_sources(items)
    if any(isinstance(source, DeclaredSource) for source in sources):
        if len(items) > 1:
            text = "a declaration must be the only source of its group"
            node.report(CONTRADICTION, text, "move the other sources to a group of their own")
        return sources
    if len(sources) == len(items):
        _report_shapeless(node, sources, order)
    return sources


def _read_source(node: Node, order: VersionOrder) -> Source | None:
    members = node.members("a source")
    given = [name for name in _SOURCES if name in members]
    if len(given) > 1:
        text = f"a source has both {given[0]} and {given[1]}"
        node.report(CONTRADICTION, text, "split it into two sources")
        return None
    if members and not given:
        hint = next((hint for key in members if (hint := nearest(key, _SOURCES))), "")
        text = f"a source has neither crds, schemas nor declared{hint}"
        node.report(MISSING_KEY, text, "add one of them, with the path of the files")
        return None
    if not given:
        return None
    keys, what = _SOURCES[given[0]]
    said, at = read(keys, node, what, order)
    if isinstance(said, SchemaSource) and said.kinds:
        kinds = at["kinds"].members("kinds").items()
        said = said.but(kinds_at={kind: pointer.location for kind, pointer in kinds})
    is_whole = said.pattern and (not isinstance(said, SchemaSource) or said.version)
    return said if is_whole else None


def has_declaration(group: Mapping[str, Node]) -> bool:
    """Tell whether a source of a group is a declaration."""
    sources = group["sources"].value if "sources" in group else None
    return isinstance(sources, list) and any(
        isinstance(source, dict) and "declared" in source for source in sources
    )


def _report_repeated_sources(items: Iterable[Node]) -> None:
    """Report a source, or a kind of a version, that is named twice: which counts is undefined."""
    seen: set[tuple[str, ...]] = set()
    for item in items:
        value = members(item.value)
        kinds = value.get("kinds")
        only = str(value.get("group", "")), str(kinds or "")
        names: list[tuple[str, ...]] = (
            [("crds", str(value["crds"]), *only)] if "crds" in value else []
        )
        if "schemas" in value:
            version = str(value.get("version"))
            named = members(kinds)
            names = [("kind", kind, version) for kind in named]
            names.append(("schemas", str(value["schemas"]), version, *map(str, named)))
        for name in names:
            if name in seen:
                shown = f"the kind {name[1]} of {name[2]}" if name[0] == "kind" else name[1]
                item.report(LISTED_TWICE, f"{shown} has two sources", "remove one")
        seen.update(names)


def _report_shapeless(node: Node, sources: Iterable[Source], order: VersionOrder) -> None:
    """Report versions with neither a source nor `like`, or with both; CRDs may have any version."""
    with_schemas = {source.version for source in sources if isinstance(source, SchemaSource)}
    has_crds = any(isinstance(source, CrdSource) for source in sources)
    for version in order.versions:
        if version.like is not None and version.name in with_schemas:
            text = (
                f"the version {version.name} has schemas of its own, but also like: {version.like}"
            )
            node.report(NO_SHAPE, text, "remove like or the source")
        elif version.like is None and version.name not in with_schemas and not has_crds:
            node.report(
                NO_SHAPE,
                f"the version {version.name} has no source",
                f"add a source with version: {version.name}"
                + (", or like: with the version whose shape it has" if version.internal else ""),
            )


# --- how documents say their version --------------------------------------------------------------


def read_head(at: Mapping[str, Node], api_group: str | None, order: VersionOrder) -> HeadConfig:
    """Return what `version_at` of a group says; whether it fits the schemas is checked later."""
    what, node = "version_at", at["version_at"]
    if api_group:
        text = f"documents of the API group {api_group} say their version in apiVersion"
        node.report(CONTRADICTION, text, "remove version_at, or api_group")
    if "inner_documents" in at:
        text = "inner documents say their version in apiVersion"
        node.report(CONTRADICTION, text, "remove version_at, or inner_documents")
    if has_declaration(at):
        text = "a declaration says what its documents look like"
        node.report(CONTRADICTION, text, "remove version_at")
    if not isinstance(node.value, dict):
        member = node.matching(what, MEMBER, MEMBER_FORM)
        return HeadConfig(member or "", node.location)
    said, at = read(VersionAtKeys, node, what, order)
    values: dict[str, JsonValue] = {}
    others: dict[str, tuple[JsonValue, ...]] = {}
    if "values" in at:
        for name, child in at["values"].members("values").items():
            order.listed(child, name, "values")
            is_list = isinstance(child.value, list)
            these = [item.value for item in child.items(name)] if is_list else [child.value]
            if these and all(type(value) in (str, int, float) for value in these):
                values[name], *more = these
                others |= {name: tuple(more)} if more else {}
            else:
                text = f"the value of {name} must be a string or a number, or a list of them"
                child.report(WRONG_TYPE, text, "write what documents have there")
    internal = {version.name for version in order.versions if version.internal}
    if said.default in internal:
        text = f"{said.default} is internal, so no document has this version"
        at["default"].report(NO_EFFECT, text, "name another version")
    if said.kind_at and said.kind_at == said.member:
        text = f"one member cannot say both version and kind: {said.member}"
        at["kind_at"].report(NAME_CLASH, text, "name another member")
    return HeadConfig(
        said.member or "", node.location, values, said.default or "", said.kind_at or "", others
    )


# --- carriers -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CarrierConfig:
    """The carriers of a group: one for all kinds, or by kind; limits by kind."""

    carrier: CarrierName | None = None
    carriers: Mapping[str, CarrierName] = field(default_factory=dict)
    limits: Mapping[str, BagLimits] = field(default_factory=dict)
    places: Mapping[str, Location] = field(default_factory=dict)


def read_carrier(node: Node | None) -> CarrierConfig:
    """Read `carrier`: a name for all kinds, or for each kind a name or a mapping."""
    if node is None:
        return CarrierConfig()
    if not isinstance(node.value, dict):
        return CarrierConfig(read_value(node, CarrierWord, "carrier"))
    carriers: dict[str, CarrierName] = {}
    limits: dict[str, BagLimits] = {}
    places: dict[str, Location] = {}
    for kind, child in node.members("carrier").items():
        places[kind] = child.location
        child.check_key(kind, KIND.fullmatch(kind) is not None, KIND_FORM)
        if isinstance(child.value, dict):
            said, _ = read(CarrierKeys, child, f"the carrier of {kind}")
            carrier = said.in_
            limits[kind] = BagLimits(
                said.budget,
                tuple(path.strip("/") for path in said.drop_first or ()),
                strict=tuple("/" + path.strip("/") for path in said.strict or ()),
            )
        else:
            carrier = read_value(child, CarrierWord, "carrier")
        if carrier is not None:
            carriers[kind] = carrier
    return CarrierConfig(None, carriers, limits, places)

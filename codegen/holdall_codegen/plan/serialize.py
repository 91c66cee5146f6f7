"""The plan as JSON: what audits, laws and `--json` read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from holdall.inner.declared import InnerDocuments
from holdall.objects.wire_forms import UNIT
from holdall.text import json
from holdall.types import JsonValue
from holdall_codegen.config.names import join_path
from holdall_codegen.model import (
    ListOf,
    MapOf,
    Property,
    Scalar,
    Type,
    enum_values,
    innermost,
    list_keys,
)
from holdall_codegen.plan.declared_facts import declared_about, declared_in
from holdall_codegen.plan.model import (
    Conversion,
    Each,
    Flipped,
    GroupPlan,
    HidesZero,
    Keyed,
    Measure,
    PlannedEdge,
    PlannedType,
    RenamedValues,
    Variants,
    Wrap,
    conversions_in,
    ways,
)
from holdall_codegen.plan.values import describe

_LINE = re.compile(r"(?<=\.yaml):\d+|(?<=\.py):\d+:\d+")


def plan_json(group: GroupPlan) -> str:
    """Return the text of plan.json; it has no line numbers, which change with every edit."""
    return json.encode_pretty(plan_value(group, locations=False))


def plan_digest(group: GroupPlan) -> str:
    """Return the digest of this plan: 8 hex digits of the SHA-256 of plan.json.

    Without declarations it is that of plans before they had facts.
    """
    value = plan_value(group, locations=False)
    if not value["facts"]:
        del value["facts"]
    return hashlib.sha256(json.encode_pretty(value).encode()).hexdigest()[:8]


def plan_value(group: GroupPlan, *, locations: bool = True) -> dict[str, JsonValue]:
    """Return the plan as a JSON value; keys and lists are in a fixed order.

    Shape: versions (oldest first), those that are internal, hub, kinds, inner documents, types (by
    version, each property with its type), enums, list_keys and defaults (by version and type, for
    properties that have them), open types (by version: those that preserve unknown members), pruned
    ones (those whose bags keep what an API server removes), edges with a decision for every
    property of both sides, skip links, facts (what is declared, by edge or link, side and
    property), warnings.
    With `locations`, decisions have the location of the property in `at`, and reasons name lines.
    """
    internal: list[JsonValue] = [version.name for version in group.versions if version.internal]
    return {
        "group": group.api_group or group.name,
        "versions": [version.name for version in group.versions],
        **({"internal": internal} if internal else {}),
        "hub": group.hub,
        "kinds": [
            {
                "kind": kind.name,
                "types": dict(kind.types),
                "edges": [list(edge) for edge in kind.edges],
                "carrier": kind.carrier,
                **({"names": dict(kind.names)} if kind.names else {}),
            }
            for kind in group.kinds
        ],
        **({"inner": [_inner(item) for item in group.inner]} if group.inner else {}),
        "types": {
            version.name: {
                name: {member.name: describe(member.property.type) for member in type_.members}
                for name, type_ in version.types.items()
            }
            for version in group.versions
        },
        "enums": _facts(group, lambda item: list(enum_values(item.type))),
        "list_keys": _facts(group, lambda item: [*list_keys(item.type)]),
        "defaults": _facts(group, lambda item: list(item.defaults)),
        **_types_that("open", group, lambda it: it.type.preserve_unknown),
        **_types_that("pruned", group, lambda it: it.ref in group.pruned),
        **({} if group.declared is None else {"declared": _declared(group)}),
        "edges": [_edge(edge, locations=locations) for edge in group.edges],
        "links": [
            {
                "older": f"{link.older.type}/{link.older.name}",
                "newer": f"{link.newer.type}/{link.newer.name}",
                **_values(link.conversion),
                "reason": _reason(link.reason, locations=locations),
            }
            for link in group.links
        ],
        "facts": _declarations(group),
        "warnings": [_reason(warning, locations=locations) for warning in group.warnings],
    }


def _declarations(group: GroupPlan) -> dict[str, JsonValue]:
    """Return what is declared about properties, if anything is."""
    found: dict[str, JsonValue] = {}
    for edge in group.edges:
        sides: dict[str, dict[str, JsonValue]] = {}
        for (side, name), text in sorted(declared_in(edge).items()):
            sides.setdefault(side, {})[name] = text
        if sides:
            found[f"{edge.older} -> {edge.newer}"] = {**sides}
    for link in group.links:
        if text := declared_about(link.conversion):
            ends = (f"{end.type}/{end.name}" for end in (link.older, link.newer))
            found[" -> ".join(ends)] = {"older": {link.older.name: text}}
    return found


def _inner(item: InnerDocuments) -> JsonValue:
    return {
        "holders": [*item.holders],
        "path": join_path(item.path),
        "format": item.format,
        **({"versions": {**item.versions}} if item.versions else {}),
        **({"folded": True} if item.folded else {}),
        **({"aliases": [*item.aliases]} if item.aliases else {}),
    }


def _types_that(
    word: str, group: GroupPlan, are: Callable[[PlannedType], bool]
) -> dict[str, JsonValue]:
    """Return the names of some types, by version, under a key; {} if there are none."""
    found: dict[str, JsonValue] = {
        version.name: [*sorted(names)]
        for version in group.versions
        if (names := [name for name, type_ in version.types.items() if are(type_)])
    }
    return {word: found} if found else {}


def _facts(group: GroupPlan, fact: Callable[[Property], list[JsonValue]]) -> dict[str, JsonValue]:
    """Return the non-empty results of `fact` for properties."""
    found: dict[str, JsonValue] = {}
    for version in group.versions:
        types: dict[str, JsonValue] = {}
        for name, type_ in version.types.items():
            said = {member.name: fact(member.property) for member in type_.members}
            if any(said.values()):
                types[name] = {member: value for member, value in said.items() if value}
        if types:
            found[version.name] = types
    return found


def _declared(group: GroupPlan) -> dict[str, JsonValue]:
    """Return what reviews of declared kinds check, types in declaration order."""
    return {
        version.name: {
            name: {
                **({} if type_.type.form == "object" else {"form": type_.type.form}),
                "members": [_declared_member(item) for item in type_.type.properties],
            }
            for name, type_ in version.types.items()
        }
        for version in group.versions
    }


def _declared_member(item: Property) -> JsonValue:
    found = _format(item.type)
    null_depths = _null_depths(item.type)
    return {
        "name": item.name,
        **({"required": True} if item.required else {}),
        **({"nullable": True} if item.nullable else {}),
        **({"format": found} if found else {}),
        **({"null_depths": null_depths} if null_depths else {}),
    }


def _format(value: Type) -> str:
    """Return the format of the integer inside a type, however many lists and maps are around."""
    inner, _ = innermost(value)
    return inner.format if isinstance(inner, Scalar) and inner.kind == "integer" else ""


def _null_depths(value: Type, depth: int = 1) -> list[JsonValue]:
    """Return the depths, counted from 1, at which the elements of lists and maps may be null."""
    match value:
        case (
            ListOf(item=inner, item_nullable=nullable) | MapOf(value=inner, value_nullable=nullable)
        ):
            return [*([depth] if nullable else []), *_null_depths(inner, depth + 1)]
        case _:
            return []


def _values(conversion: Conversion | None) -> dict[str, JsonValue]:
    """Return the values that a conversion renames, older to newer, and its lens, if any."""
    names, lens = _renamed(conversion), _lens(conversion)
    return {**({"values": dict(names)} if names else {}), **({"lens": lens} if lens else {})}


def _lens(conversion: Conversion | None) -> str:
    hidden = ""
    for one in conversions_in(conversion) if conversion is not None else ():
        match one:
            case Measure(lens=lens, unit=unit):
                return f"{lens}: {unit}"
            case Keyed(key=key, value=value, lenient=lenient):
                text = join_path((key, value) if value else (key,))
                return f"keyed: {text}" + (", lenient" if lenient else "")
            case HidesZero(side=side):
                hidden = hidden or f"hides_zero: {side}"
            case _:
                pass
    return hidden


def _renamed(conversion: Conversion | None) -> tuple[tuple[str, str], ...]:
    match conversion:
        case RenamedValues(names=names):
            return names
        case Variants(facts=facts):
            return tuple(facts.names.items())
        case Each(inner=inner) | Wrap(inner=inner) | HidesZero(inner=inner) | Keyed(inner=inner):
            return _renamed(inner)
        case Flipped(inner=inner):
            return tuple((newer, older) for older, newer in _renamed(inner))
        case _:
            return ()


def _reason(text: str, *, locations: bool) -> str:
    return text if locations else _LINE.sub("", text)


def _edge(edge: PlannedEdge, *, locations: bool) -> dict[str, JsonValue]:
    found = ways(edge.pairs, edge.moves)
    conversions: dict[str, Conversion] = {"/".join(older): way for older, _, way in found}
    if edge.union is not None:
        conversions[UNIT] = Variants(edge.union)
    following = {(item.side, item.name) for item in edge.defaults if item.of_parent}
    return {
        "older": str(edge.older),
        "newer": str(edge.newer),
        "protocol": edge.protocol,
        "link": edge.is_link,
        "decisions": [
            {
                "side": decision.side,
                "property": decision.name,
                "fate": decision.fate,
                **({"partner": decision.partner} if decision.partner else {}),
                **(_values(conversions.get(decision.name)) if decision.side == "older" else {}),
                **(
                    {"default": "of the parent"}
                    if (decision.side, decision.name) in following
                    else {}
                ),
                "reason": _reason(decision.reason, locations=locations),
                **({"at": str(decision.location)} if locations and decision.location.file else {}),
            }
            for decision in edge.decisions
        ],
    }

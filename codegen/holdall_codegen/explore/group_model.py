"""The part of the model that follows from the plan: versions, properties, decisions, lanes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Final

from holdall import Composed
from holdall.plan.plans import LinkEnd
from holdall.types import JsonObject, JsonValue
from holdall.verification import HookClass
from holdall_codegen.config.model import EdgeFacts, GroupConfig, PropertyFacts
from holdall_codegen.explore.lanes import MOST, Lane, Passage, Path, lanes_of, spots_of
from holdall_codegen.explore.sources import Sources
from holdall_codegen.model import Location, Scalar
from holdall_codegen.plan.model import Decision, GroupPlan, PlannedEdge, PlannedKind, PlannedVersion
from holdall_codegen.plan.values import describe
from holdall_codegen.views.graphs import version_marks
from holdall_codegen.views.hook_report import BoundPoint

_DOC: Final = 400


class GroupModel:
    """One group of the model; docs/explore.md describes its members."""

    def __init__(
        self,
        package: str,
        plan: GroupPlan,
        config: GroupConfig,
        points: tuple[BoundPoint, ...],
        sources: Sources,
    ) -> None:
        self._package = package
        self._plan = plan
        self._facts = {(facts.older, facts.newer): facts for facts in config.facts}
        self._sources = sources
        self._properties: dict[LinkEnd, int] = {}
        self._decisions: dict[tuple[int, str, str, str, bool], int] = {}
        self._property_values: list[JsonValue] = []
        self._decision_values: list[JsonValue] = []
        self._hooks: list[JsonValue] = []
        self._hook_of: dict[PlannedEdge, int] = {}
        self._points: dict[PlannedEdge, BoundPoint] = {}
        for point in points:
            if point.package == package and point.hook is not None:
                self._add_hook(point, point.hook)

    def value(self) -> JsonObject:
        kinds: list[JsonValue] = [self._kind(kind) for kind in self._plan.kinds]
        return {
            "name": self._plan.api_group or self._plan.name,
            "package": self._package,
            "hub": self._plan.hub,
            "kinds": kinds,
            "properties": self._property_values,
            "decisions": self._decision_values,
            "hooks": self._hooks,
            "warnings": [*self._plan.warnings],
        }

    def _add_hook(self, point: BoundPoint, hook: HookClass) -> None:
        edge = point.edge
        self._hook_of[edge] = len(self._hooks)
        self._hooks.append(
            {
                "name": hook.name,
                "at": f"{hook.file}:{hook.line}",
                "sources": self._hook_sources(hook.instance),
                "older": str(edge.older),
                "newer": str(edge.newer),
                "unclaimed": [*point.unclaimed],
            }
        )
        self._points[edge] = point

    def _hook_sources(self, hook: object) -> list[JsonValue]:
        """Return the locations and sources of a hook's class and the classes of its parts."""
        parts = hook.parts if isinstance(hook, Composed) else ()
        classes = dict.fromkeys(type(item) for item in (hook, *parts))
        found = [self._sources.class_of(cls) for cls in classes]
        return [{"at": at, "text": text} for at, text in found if at]

    def _kind(self, kind: PlannedKind) -> JsonObject:
        spots = spots_of(self._plan, kind)
        lanes = lanes_of(self._plan, kind, self._points, spots)
        versions: list[JsonValue] = [
            {
                **asdict(marks),
                "doc": self._plan.version(marks.name).types[marks.type].type.doc[:_DOC],
            }
            for marks in version_marks(self._plan, kind)
        ]
        return {
            "name": kind.name,
            "group": self._plan.group_of(kind.name),
            "names": dict(kind.names),
            "carrier": kind.carrier,
            "versions": versions,
            "edges": [list(edge) for edge in kind.edges],
            "cut": "" if spots.depth is None else _cut(kind.name, spots.depth),
            "lanes": [self._lane(lane, spots.versions) for lane in lanes],
        }

    def _lane(self, lane: Lane, spots: Mapping[str, Mapping[Path, LinkEnd]]) -> JsonObject:
        cells: JsonObject = {
            version: [
                ["/".join(path), self._property(spots[version][path])]
                for path in lane.spots[version]
            ]
            if version in lane.spots
            else lane.absent.get(version, "")
            for version in spots
        }
        passages: list[JsonValue] = [
            [self._decision(passage) for passage in pair] for pair in lane.passages.values()
        ]
        return {
            "path": "/".join(lane.path),
            "parent": lane.parent,
            "cells": cells,
            "passages": passages,
            "fates": [*lane.fates],
        }

    def _property(self, held: LinkEnd) -> int:
        known = self._properties.get(held)
        if known is not None:
            return known
        version: PlannedVersion = self._plan.version(held.type.version)
        item = version.types[held.type.name].member(held.name).property
        value: JsonObject = {
            "version": version.name,
            "type": held.type.name,
            "name": held.name,
            "shows": describe(item.type),
            **self._place(item.location, held.name),
        }
        more: JsonObject = {
            "required": item.required,
            "nullable": item.nullable,
            "enum": [*item.type.enum] if isinstance(item.type, Scalar) else [],
            "doc": item.doc[:_DOC],
            "deprecated": item.deprecated,
        }
        value |= {name: said for name, said in more.items() if said}
        if item.has_default:
            value["default"] = item.default
        self._properties[held] = len(self._property_values)
        self._property_values.append(value)
        return self._properties[held]

    def _decision(self, passage: Passage | None) -> JsonValue:
        if passage is None:
            return None
        edge, decision = passage.edge, passage.decision
        key = (id(edge), decision.side, decision.name, passage.fate, passage.is_whole)
        known = self._decisions.get(key)
        if known is not None:
            return known
        value: JsonObject = {
            "older": str(edge.older),
            "newer": str(edge.newer),
            "side": decision.side,
            "property": decision.name,
            "fate": passage.fate,
            "plan": decision.fate,
            "reason": decision.reason,
        }
        more: JsonObject = {
            "partner": decision.partner,
            "whole": passage.is_whole,
            "doubtful": decision.doubtful,
        }
        value |= {name: said for name, said in more.items() if said}
        declared = self._declaration(edge, decision)
        if declared is not None:
            value["declared"] = self._place(declared.location, "/".join(declared.path))
        if edge in self._hook_of:
            value["hook"] = self._hook_of[edge]
        self._decisions[key] = len(self._decision_values)
        self._decision_values.append(value)
        return self._decisions[key]

    def _place(self, location: Location, name: str) -> JsonObject:
        if not location.file:
            return {}
        excerpt = self._sources.excerpt(location.file, location.line, name)
        return {"at": str(location), "lines": excerpt}

    def _declaration(self, edge: PlannedEdge, decision: Decision) -> PropertyFacts | None:
        """Return the lines of holdall.yaml about a property on an edge, its own first."""
        facts = self._facts.get((edge.older.version, edge.newer.version))
        if facts is None:
            return None
        is_older = decision.side == "older"
        older = decision.name if is_older else decision.partner
        found = None
        for item in _of_type(facts, edge.older.name):
            path = "/".join(item.path)
            target = item.rename or "/".join(item.move or ())
            if path == older or (not is_older and target == decision.name):
                return item
            if path == "*" and decision.fate == "converted":
                found = item
        return found


def _cut(kind: str, depth: int) -> str:
    drawn = f"{kind}: properties are drawn down to level {depth}, and no deeper"
    return f"{drawn}: a version has more than {MOST:,}, as types hold others more than once"


def _of_type(facts: EdgeFacts, name: str) -> Iterator[PropertyFacts]:
    for entry in facts.types:
        if entry.matches(name):
            yield from entry.properties

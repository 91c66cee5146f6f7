"""One version of an emitted CRD: its flags, its schema, its subresources and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from holdall.kubernetes.crds.slots import add_slot
from holdall.kubernetes.crds.versions import deprecation_warning, replacement_for
from holdall.text import json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, items, members, text
from holdall_codegen.config.crd import ColumnConfig
from holdall_codegen.emit.crd_schema import Places, add_changed_values, root_schema
from holdall_codegen.plan.model import GroupPlan, PlannedKind, PlannedVersion

MAX_WARNING: Final = 256


class VersionWriter:
    """Writes the entries of one kind's versions."""

    def __init__(self, group: GroupPlan, kind: PlannedKind, storage: str, places: Places) -> None:
        self._group = group
        self._kind = kind
        self._config = group.crd.kind(kind.name)
        self._storage = storage
        self._places = places

    def built(self, version: PlannedVersion, pointer: str) -> JsonObject:
        """Return the entry of a version that was not read from a CRD."""
        at = join(pointer, "schema", "openAPIV3Schema")
        root = self._kind.types[version.name]
        is_declared = self._group.declared is not None
        schema = root_schema(version, root, self._places, at, is_closed=is_declared)
        if self._kind.tracked_status:
            add_changed_values(schema)
        entry: JsonObject = {"name": version.name, "served": True, "storage": False}
        entry["schema"] = {"openAPIV3Schema": schema}
        if "status" in members(schema, "properties"):
            entry["subresources"] = {"status": {}}
        if version.deprecated:
            entry["deprecated"] = True
            warning = self._warning(version.name, version.deprecated)
            if warning:
                entry["deprecationWarning"] = warning
                self._places.put(join(pointer, "deprecationWarning"), version.location)
        return entry

    def complete(self, entry: JsonObject, names: Sequence[str], pointer: str) -> JsonObject:
        """Return an entry with its declarations; what is not declared stays.

        `names` are the versions of the kind.
        """
        config = self._config
        name = text(entry, "name")
        done: JsonObject = {**entry, "storage": name == self._storage}
        if config.unserved is not None:
            done["served"] = name not in config.unserved
        if name in (config.deprecated or ()) and done.get("deprecated") is not True:
            done["deprecated"] = True
            done.setdefault("deprecationWarning", self._warning(name, ""))
        schema = self._with_slots(members(entry, "schema", "openAPIV3Schema"), len(names) > 1)
        if self._group.crd.strip_descriptions and name != self._storage:
            schema = without_descriptions(schema)
        done["schema"] = {**members(entry, "schema"), "openAPIV3Schema": schema}
        self._add_subresources(done, pointer)
        self._add_selectable(done, pointer)
        if config.columns is not None:
            columns = [c for c in config.columns if not c.versions or name in c.versions]
            done["additionalPrinterColumns"] = [_column(column) for column in columns]
            for index, column in enumerate(columns):
                at = join(pointer, "additionalPrinterColumns", index)
                self._places.put(at, column.location)
            if not columns:
                del done["additionalPrinterColumns"]
        return _ordered(done)

    def _with_slots(self, schema: JsonObject, has_others: bool) -> JsonObject:
        if not has_others:
            return schema
        if self._kind.carrier == "field":
            schema = add_slot(schema)
        if self._config.status_slot:
            schema = add_slot(schema, "status")
        return schema

    def _add_subresources(self, entry: JsonObject, pointer: str) -> None:
        config = self._config
        subresources = {**members(entry, "subresources")}
        if config.status is True or config.status_slot:
            subresources.setdefault("status", {})
        elif config.status is False:
            subresources.pop("status", None)
        scale = config.scale
        if config.scales is not None:
            scale = config.scales.get(text(entry, "name"))
        if scale is not None:
            shown: JsonObject = {
                "specReplicasPath": scale.spec,
                "statusReplicasPath": scale.status,
            }
            if scale.selector is not None:
                shown["labelSelectorPath"] = scale.selector
            subresources["scale"] = shown
            self._places.put(join(pointer, "subresources", "scale"), scale.location)
        if subresources:
            entry["subresources"] = subresources
        else:
            entry.pop("subresources", None)

    def _add_selectable(self, entry: JsonObject, pointer: str) -> None:
        name = text(entry, "name")
        fields = [c for c in self._config.selectable if not c.versions or name in c.versions]
        if fields:
            entry["selectableFields"] = [{"jsonPath": selected.path} for selected in fields]
        for index, selected in enumerate(fields):
            self._places.put(join(pointer, "selectableFields", index), selected.location)

    def _warning(self, name: str, advice: str) -> str:
        if self._config.warnings is not None:
            return self._config.warnings.get(name, "")
        others = [
            version.name
            for version in self._group.versions
            if version.name in self._kind.types
            and not version.internal
            and not version.deprecated
            and version.name not in (self._config.deprecated or ())
            and version.name not in (self._config.unserved or ())
        ]
        replacement = replacement_for(name, others)
        kind = self._kind.name
        group = self._group.group_of(kind)
        whole = deprecation_warning(group, name, kind, replacement, advice)
        return whole if len(whole) <= MAX_WARNING else advice


def without_descriptions(schema: JsonObject) -> JsonObject:
    """Return a schema without the descriptions of its nodes; properties of that name stay."""
    copied = json.copy(schema)
    waiting: list[JsonValue] = [copied]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        if isinstance(node.get("description"), str):
            del node["description"]
        waiting += members(node, "properties").values()
        waiting += [node.get("items"), node.get("additionalProperties"), node.get("not")]
        for keyword in ("allOf", "anyOf", "oneOf"):
            waiting += items(node, keyword)
    return copied


def _column(column: ColumnConfig) -> JsonObject:
    more: JsonObject = {
        "format": column.format,
        "description": column.description,
        "priority": column.priority,
    }
    value: JsonObject = {"name": column.name, "type": column.type, "jsonPath": column.path}
    return value | {name: said for name, said in more.items() if said}


_ORDER: Final[tuple[str, ...]] = (
    "name",
    "served",
    "storage",
    "deprecated",
    "deprecationWarning",
    "schema",
)


def _ordered(entry: JsonObject) -> JsonObject:
    """Return the members with the most important first; the others keep their order."""
    first: JsonObject = {name: entry[name] for name in _ORDER if name in entry}
    return {**first, **{name: part for name, part in entry.items() if name not in first}}

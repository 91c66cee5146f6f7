"""Emitting one CRD per kind: all its versions, in discovery order, with its declarations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from holdall.errors import Problem
from holdall.kubernetes.crds.access import PRESERVE, schema_of, versions_of
from holdall.kubernetes.crds.dns_names import is_label_1035
from holdall.kubernetes.crds.findings import (
    BAD_COLUMN,
    BAD_LIST_TYPE,
    BAD_SUBRESOURCE,
    BAD_VERSIONS,
    CrdError,
    Finding,
)
from holdall.kubernetes.crds.rules import API_VERSION, check_crd
from holdall.kubernetes.crds.versions import by_priority
from holdall.text import json, yaml
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, get, is_json_object, items, members, text
from holdall_codegen.config.crd import ConversionConfig
from holdall_codegen.declared.names import plural_of
from holdall_codegen.emit.crd_schema import Places
from holdall_codegen.emit.crd_version import VersionWriter
from holdall_codegen.plan.model import GroupPlan, PlannedKind

INPUTS_DISAGREE = "HA864"
_STEP: Final = re.compile(r"\.([A-Za-z0-9_$-]+)|(\[.*?\]|\.|\*)")


@dataclass(frozen=True, slots=True)
class CrdDocument:
    """A CRD that was read, and a function from its pointers to `file:line:column`."""

    value: JsonObject
    where: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The CRD of one kind, and where its parts come from.

    `built` are the versions whose schemas come from other sources than a CRD; `drops_status` says
    that the status subresource is turned off. `accept` are codes of errors that CRDs may have.
    """

    value: JsonObject
    places: Places
    built: frozenset[str]
    drops_status: bool = False
    accept: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return text(self.value, "metadata", "name")

    def findings(self) -> list[Finding]:
        """Return what a server would refuse, and columns and scale paths that lead nowhere."""
        found = [*check_crd(self.value), *_lost_paths(self.value)]
        return [self._judged(item) if item.code == BAD_LIST_TYPE else item for item in found]

    def _judged(self, finding: Finding) -> Finding:
        """Return a finding, as a warning if the configuration accepts it."""
        if finding.code in self.accept:
            return replace(finding, level="warning")
        fix = f"{finding.fix}; or, if the schema is not yours, `crd: {{accept: [{finding.code}]}}`"
        return replace(finding, fix=fix)

    def problems(self) -> list[Problem]:
        """Return the errors among the findings, with their lines."""
        return [
            finding.locate(self.places.where)
            for finding in self.findings()
            if finding.level == "error"
        ]


def emit_crds(group: GroupPlan) -> Mapping[str, str]:
    """Return the manifests of a group by file name, for kinds that come from other sources.

    Kinds whose declaration disables their CRD are left out. Raises CrdError with all that a server
    would refuse.
    """
    declared = group.declared.kinds if group.declared is not None else ()
    done = {*group.crds, *(facts.kind for facts in declared if not facts.merged_crd)}
    manifests = [
        build_manifest(group, kind, (), [])
        for kind in group.kinds
        if kind.name not in done and is_resource(group, kind)
    ]
    problems = [problem for manifest in manifests for problem in manifest.problems()]
    if problems:
        raise CrdError(dict.fromkeys(problems))
    return {
        f"{text(manifest.value, 'spec', 'names', 'plural')}.yaml": yaml.dump(manifest.value)
        for manifest in manifests
    }


def is_resource(group: GroupPlan, kind: PlannedKind) -> bool:
    """Tell whether a kind can be a Kubernetes resource.

    It needs an API group that is a domain, metadata, one name in all versions, and versions that
    are labels.
    """
    return (
        "." in group.group_of(kind.name)
        and not kind.names
        and all(
            is_label_1035(version) and group.version(version).types[name].has("metadata")
            for version, name in kind.types.items()
            if not group.version(version).internal
        )
    )


def build_manifest(
    group: GroupPlan,
    kind: PlannedKind,
    sources: Sequence[CrdDocument],
    problems: list[Problem],
    *,
    bundle: str | None = None,
) -> Manifest:
    """Return the CRD of a kind.

    `sources` are the CRDs from which the kind was read: what nothing else declares stays as in
    them. Their contradictions are added to `problems`. `bundle` is the caBundle of the conversion
    webhook, as base64.
    """
    config = group.crd.kind(kind.name)
    default = sources[0].where("") if sources else str(group.location)
    places = Places(str(config.location) if config.location.file else default)
    base: JsonObject = json.copy(sources[0].value) if sources else {}
    if sources:
        places.graft("/spec", lambda rest: sources[0].where(f"/spec{rest}"))
        places.graft("/metadata", lambda rest: sources[0].where(f"/metadata{rest}"))
    read = _read_versions(sources, problems)
    planned = [
        version for version in group.versions if version.name in kind.types and not version.internal
    ]
    names = by_priority(version.name for version in planned)
    storage = _storage(group, kind, names, read, problems, places)
    writer = VersionWriter(group, kind, storage, places)
    entries: list[JsonValue] = []
    for index, name in enumerate(names):
        pointer = join("/spec/versions", index)
        if name in read:
            pointer_there, entry, document = read[name]
            _graft(places, pointer, document, pointer_there)
        else:
            entry = writer.built(group.version(name), pointer)
        entries.append(writer.complete(entry, names, pointer))
    spec = {**members(base, "spec")}
    spec["group"] = group.group_of(kind.name)
    spec["names"] = _names(kind, group, members(base, "spec", "names"))
    spec["scope"] = config.scope or spec.get("scope") or "Namespaced"
    conversion = conversion_stanza(group.crd.conversion, len(names), bundle)
    if conversion:
        spec["conversion"] = conversion
        if group.crd.conversion is not None:
            places.put("/spec/conversion", group.crd.conversion.location)
    spec["versions"] = entries
    metadata: JsonObject = {
        **members(base, "metadata"),
        "name": f"{text(spec, 'names', 'plural')}.{spec['group']}",
    }
    for member, words in (("labels", config.labels), ("annotations", config.annotations)):
        if words:
            metadata[member] = {**members(metadata, member), **words}
    value: JsonObject = {
        "apiVersion": API_VERSION,
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    }
    value.update({member: part for member, part in base.items() if member not in value})
    built = frozenset(set(names) - read.keys())
    return Manifest(
        value, places, built, config.status is False, accept=tuple(group.crd.accept or ())
    )


def conversion_stanza(
    config: ConversionConfig | None, count: int, bundle: str | None
) -> JsonObject:
    """Return the conversion stanza of a CRD with `count` versions; empty if none is declared."""
    if config is None:
        return {}
    if count < 2:
        return {"strategy": "None"}
    client: JsonObject = {}
    if (service := config.service) is not None:
        client["service"] = {
            "namespace": service.namespace,
            "name": service.name,
            "path": service.path,
            "port": service.port,
        }
    else:
        client["url"] = config.url
    if bundle is not None:
        client["caBundle"] = bundle
    return {
        "strategy": "Webhook",
        "webhook": {
            "conversionReviewVersions": [*(config.review_versions or ("v1",))],
            "clientConfig": client,
        },
    }


_Read = dict[str, tuple[str, JsonObject, CrdDocument]]


def _read_versions(sources: Sequence[CrdDocument], problems: list[Problem]) -> _Read:
    found: _Read = {}
    for document in sources:
        for path in (("group",), ("scope",), ("names", "plural"), ("names", "singular")):
            first = get(sources[0].value, "spec", *path)
            other = get(document.value, "spec", *path)
            if first != other:
                pointer = join("/spec", *path)
                message = (
                    f"{'.'.join(path)} is {other!r} here and {first!r} at "
                    f"{sources[0].where(pointer)}: versions of one kind must agree"
                )
                where = document.where(pointer)
                problems.append(
                    Problem(INPUTS_DISAGREE, where, message, "make all versions say the same")
                )
        for pointer, entry in versions_of(document.value):
            found.setdefault(text(entry, "name"), (pointer, entry, document))
    return found


def _graft(places: Places, pointer: str, document: CrdDocument, there: str) -> None:
    places.graft(pointer, lambda rest: document.where(f"{there}{rest}"))


def _storage(
    group: GroupPlan,
    kind: PlannedKind,
    names: Sequence[str],
    read: _Read,
    problems: list[Problem],
    places: Places,
) -> str:
    """Return the storage version: as declared, else that of the CRDs, the hub or the newest."""
    config = group.crd.kind(kind.name)
    if config.storage:
        if config.storage in names:
            return config.storage
        message = f"{kind.name} has no version {config.storage} that could be stored"
        fix = f"name one of {', '.join(names)}"
        problems.append(Problem(BAD_VERSIONS, str(config.location), message, fix))
    if len(names) == 1:
        return names[0]
    marked = [name for name in names if name in read and read[name][1].get("storage") is True]
    if len(marked) > 1:
        shown = " and ".join(
            f"{name} ({read[name][2].where(join(read[name][0], 'storage'))})" for name in marked
        )
        message = f"{kind.name} has two storage versions: {shown}"
        fix = f"declare `storage` of {kind.name} under `crd`, or correct the CRDs"
        problems.append(Problem(BAD_VERSIONS, places.where(""), message, fix))
    if marked:
        return marked[0]
    if group.hub in names:
        return group.hub
    return [version.name for version in group.versions if version.name in names][-1]


def _names(kind: PlannedKind, group: GroupPlan, read: JsonObject) -> JsonObject:
    config = group.crd.kind(kind.name)
    names: JsonObject = {
        "kind": kind.name,
        "listKind": f"{kind.name}List",
        "plural": kind.plural or plural_of(kind.name.lower()),
        "singular": kind.name.lower(),
        **read,
    }
    for member, word in (
        ("plural", config.plural),
        ("singular", config.singular),
        ("listKind", config.list_kind),
    ):
        if word:
            names[member] = word
    for member, words in (("shortNames", config.short_names), ("categories", config.categories)):
        if words is not None:
            names[member] = list(words)
    return names


def _lost_paths(crd: JsonValue) -> list[Finding]:
    found = []
    for pointer, version in versions_of(crd):
        schema, name = schema_of(version), text(version, "name")
        for index, column in enumerate(items(version, "additionalPrinterColumns")):
            path = text(column, "jsonPath")
            if path.startswith(".") and _leads_nowhere(schema, path):
                at = join(pointer, "additionalPrinterColumns", index)
                message = f"the column {text(column, 'name')} shows {path}, which {name} lacks"
                fix = "correct the path, or list the `versions` that have it"
                found.append(Finding(BAD_COLUMN, at, message, fix))
        for index, selected in enumerate(items(version, "selectableFields")):
            path = text(selected, "jsonPath")
            if _leads_nowhere(schema, path):
                at = join(pointer, "selectableFields", index)
                message = f"{name} has no selectable field {path}"
                found.append(Finding(BAD_COLUMN, at, message, "correct the path"))
        for member, path_value in members(version, "subresources", "scale").items():
            if isinstance(path_value, str) and _leads_nowhere(schema, path_value):
                at = join(pointer, "subresources", "scale", member)
                message = f"{member} is {path_value}, which {name} lacks"
                found.append(Finding(BAD_SUBRESOURCE, at, message, "correct the path"))
    return found


def _leads_nowhere(schema: JsonObject, path: str) -> bool:
    """Tell whether the schema of a version certainly has no property at a path.

    Only plain steps are followed; filters, wildcards and open objects may lead anywhere, and all
    objects have metadata.
    """
    at: JsonValue = schema
    for step in _STEP.finditer(path):
        name = step[1]
        if name is None or (at is schema and name in ("metadata", "apiVersion", "kind")):
            return False
        node = members(at)
        found = get(node, "properties", name)
        if found is None:
            others = node.get("additionalProperties")
            if node.get(PRESERVE) is True or others is True or node.get("type") != "object":
                return False
            if not is_json_object(others):
                return True
            found = others
        at = found
    return False

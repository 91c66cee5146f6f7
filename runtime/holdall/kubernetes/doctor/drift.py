"""Comparing a CRD with the project that converts its objects: versions, and each property.

Places where the CRD accepts anything, or where the project passes on any JSON, are not compared.
Formats, ranges, enums, defaults and `required` do not matter for conversions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from holdall.kubernetes.crds import findings as codes
from holdall.kubernetes.crds.access import (
    EMBEDDED,
    INT_OR_STRING,
    PRESERVE,
    schema_of,
    version_names,
    versions_of,
)
from holdall.kubernetes.crds.findings import Findings
from holdall.kubernetes.crds.versions import by_priority
from holdall.objects.bag import BAG_MEMBER, ORIGINAL_VERSION_MEMBER
from holdall.plan.plans import GroupPlan, ListOf, MapOf, Opaque, Ref, Scalar, Type, TypeRef
from holdall.plan.tracking import CHANGED_VALUES
from holdall.scheme.entries import Kind
from holdall.scheme.scheme import Scheme
from holdall.suggest import nearest
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, get, members, text


def find_kind(
    crd: JsonValue, schemes: list[Scheme], findings: Findings
) -> tuple[Scheme, Kind] | None:
    """Return the project's kind of a CRD; records a note if there is none."""
    group, name = text(crd, "spec", "group"), text(crd, "spec", "names", "kind")
    in_group = [
        (scheme, kind)
        for scheme in schemes
        for kind in scheme.kinds
        if scheme.group_of(kind) == group
    ]
    for scheme, kind in in_group:
        if kind.name == name:
            return scheme, kind
    known = {kind.name for _, kind in in_group}
    message = f"the project has no kind {name} in {group}{nearest(name, known)}"
    fix = "ignore it if another webhook converts this kind, or add the kind to holdall.yaml"
    findings.add(codes.UNKNOWN_KIND, "/spec/names/kind", message, fix, "note")
    return None


def compare(crd: JsonValue, scheme: Scheme, kind: Kind, findings: Findings) -> None:
    """Record versions that only one of the two has, and different storage versions."""
    known = scheme.served(kind)
    there = {*version_names(crd)}
    for pointer, version in versions_of(crd):
        name = text(version, "name")
        if name not in known:
            unserved = "" if version.get("served") is True else ", although it is not served"
            message = f"{name} is in the CRD but has no converter, and servers ask for it{unserved}"
            fix = f"add {name} to holdall.yaml and generate, or remove it from the CRD"
            findings.add(codes.NOT_IN_PROJECT, join(pointer, "name"), message, fix)
        if version.get("storage") is True and name != scheme.hub and scheme.hub in there:
            message = f"{name} is stored, but the hub of the project is {scheme.hub}"
            fix = "set `hub` to the stored version, or store the hub and migrate"
            place = join(pointer, "storage")
            findings.add(codes.STORAGE_NOT_NEWEST, place, message, fix, "note")
    for name in by_priority(set(known) - there):
        message = f"the project converts {kind.name} {name}, which the CRD does not have"
        findings.add(codes.NOT_IN_CRD, "/spec/versions", message, "run `holdall crd`")


_HEAD: Final = frozenset({"apiVersion", "kind", "metadata"})
_OWN: Final = frozenset({BAG_MEMBER, ORIGINAL_VERSION_MEMBER, CHANGED_VALUES})
"""What `holdall crd` adds to schemas."""
_EITHER_WORDS: Final = "integer or string"
_FIX: Final = (
    "apply the CRD of `holdall crd`, or copy the schemas of this CRD to the project and run "
    "`holdall generate`"
)


def check_drift(crd: JsonValue, plan: GroupPlan, kind: str, findings: Findings) -> None:
    """Record the properties that only one of the two has, and those of different types.

    Skips versions that only one of the two has.
    """
    planned = plan.kind(kind)
    prunes = get(crd, "spec", "preserveUnknownFields") is not True
    for pointer, version in versions_of(crd):
        name, schema = text(version, "name"), schema_of(version)
        if name in planned.types and schema:
            at = join(pointer, "schema", "openAPIV3Schema")
            _Drift(plan, name, findings, prunes).object(schema, planned.root(name), at, "")


@dataclass(frozen=True, slots=True)
class _Drift:
    """Compares the schema of one version. `at` leads into the CRD, `path` into its objects."""

    _plan: GroupPlan
    _version: str
    _findings: Findings
    _prunes: bool

    def object(self, node: JsonObject, ref: TypeRef, at: str, path: str) -> None:
        """Compare the properties of an object."""
        declared, planned = members(node, "properties"), self._plan.types[ref]
        implied = _HEAD if not path or node.get(EMBEDDED) is True else frozenset[str]()
        for name, type_ in planned.items():
            there = join(at, "properties", name)
            if name in declared:
                self._value(members(declared, name), type_, there, join(path, name))
            elif self._prunes and name not in implied and node.get(PRESERVE) is not True:
                message = (
                    f"{self._version} has no {join(path, name)}, which the project converts: the "
                    "server prunes it from what the webhook returns"
                )
                self._findings.add(codes.PROPERTY_NOT_IN_CRD, at, message, _FIX)
        for name in declared:
            if name not in planned and name not in implied and not _is_own(declared, name):
                message = (
                    f"{self._version} has {join(path, name)}, which the project does not know: it "
                    "keeps its name, and versions without it prune it"
                )
                there = join(at, "properties", name)
                self._findings.add(codes.PROPERTY_UNKNOWN, there, message, _FIX, "warning")

    def _value(self, node: JsonObject, type_: Type, at: str, path: str) -> None:
        found, expected = _form(node), self._expected(type_)
        if found is None or expected is None:
            return
        if found != expected:
            message = f"{self._version} {path} is {found}, but the project converts {expected}"
            self._findings.add(codes.OTHER_TYPE, at, message, _FIX)
            return
        match type_:
            case ListOf(item=inner):
                self._value(members(node, "items"), inner, join(at, "items"), f"{path}/*")
            case MapOf(value=inner):
                there = join(at, "additionalProperties")
                self._value(members(node, "additionalProperties"), inner, there, f"{path}/*")
            case Ref(type=ref):
                self.object(node, ref, at, path)
            case _:
                pass

    def _expected(self, type_: Type) -> str | None:
        """Return the schema's name of a type; None if it has none, or is unknown."""
        match type_:
            case Scalar(kinds=(kind,)):
                return kind
            case Scalar(kinds=kinds):
                return _EITHER_WORDS if {*kinds} == {"integer", "string"} else None
            case ListOf():
                return "list"
            case MapOf():
                return "map"
            case Ref(type=ref):
                is_known = self._plan.form(ref) == "object" and self._plan.types[ref]
                return "object" if is_known else None
            case Opaque():
                return None


def _is_own(declared: JsonObject, name: str) -> bool:
    """Return whether a property is holdall's: one of its names, or a status with only these."""
    inside = members(declared, name, "properties").keys()
    return name in _OWN or (name == "status" and bool(inside) and inside <= _OWN)


def _form(node: JsonObject) -> str | None:
    """Return the type of a schema, in the terms of plans; None if it may be anything."""
    if node.get(INT_OR_STRING) is True:
        return _EITHER_WORDS
    kind = text(node, "type")
    if kind == "array":
        return "list"
    if kind != "object":
        return kind or None
    if "properties" in node:
        return "object"
    if node.get("additionalProperties") not in (None, False):
        return "map"
    return None if node.get(PRESERVE) is True else "object"

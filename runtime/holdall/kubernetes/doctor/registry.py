"""A CRD beside the generated code that converts its objects: each must know the other's versions.

Source: webhook contract, section 8.
"""

from __future__ import annotations

from holdall.kubernetes.crds.access import version_names, versions_of
from holdall.kubernetes.crds.findings import Findings
from holdall.kubernetes.crds.versions import by_priority
from holdall.kubernetes.doctor import codes
from holdall.scheme.entries import Kind
from holdall.scheme.scheme import Scheme
from holdall.suggest import nearest
from holdall.text.pointer import join
from holdall.types import JsonValue, text


def find_kind(
    crd: JsonValue, schemes: list[Scheme], findings: Findings
) -> tuple[Scheme, Kind] | None:
    """Return the kind of a project that a CRD is of; none is a note."""
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
    fix = "leave the CRD to who converts it, or add the kind to holdall.yaml"
    findings.add(codes.UNKNOWN_KIND, "/spec/names/kind", message, fix, "note")
    return None


def compare(crd: JsonValue, scheme: Scheme, kind: Kind, findings: Findings) -> None:
    """Record the versions that only one of the two knows, and another storage version."""
    known = scheme.served(kind)
    there = {*version_names(crd)}
    for pointer, version in versions_of(crd):
        name = text(version, "name")
        if name not in known:
            unserved = "" if version.get("served") is True else ", although it is not served"
            message = f"{name} is in the CRD and has no converter, and servers ask for it{unserved}"
            fix = f"add {name} to holdall.yaml and generate, or remove it from the CRD"
            findings.add(codes.NOT_IN_PROJECT, join(pointer, "name"), message, fix)
        if version.get("storage") is True and name != scheme.hub and scheme.hub in there:
            message = f"{name} is stored, and the hub of the project is {scheme.hub}"
            fix = "set `hub` to what is stored, or store the hub and migrate"
            place = join(pointer, "storage")
            findings.add(codes.STORAGE_NOT_NEWEST, place, message, fix, "note")
    for name in by_priority(set(known) - there):
        message = f"the project converts {kind.name} {name}, which the CRD does not have"
        findings.add(codes.NOT_IN_CRD, "/spec/versions", message, "run `holdall crd`")

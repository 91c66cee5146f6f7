"""What an API server requires of a CustomResourceDefinition, checked without a server.

Source: the API server's validation of CustomResourceDefinitions; messages quote the server's own in
backticks.
"""

from __future__ import annotations

from typing import Final

from holdall.carriers.annotations import ANNOTATIONS_LIMIT
from holdall.kubernetes.crds.access import is_crd, schema_of, versions_of
from holdall.kubernetes.crds.conversion import check_conversion
from holdall.kubernetes.crds.dns_names import is_label_1035, is_subdomain
from holdall.kubernetes.crds.findings import (
    BAD_COLUMN,
    BAD_DEPRECATION,
    BAD_NAME,
    BAD_SUBRESOURCE,
    BAD_VERSIONS,
    NOT_A_CRD,
    PRESERVES_UNKNOWN,
    TOO_LARGE,
    Findings,
)
from holdall.kubernetes.crds.structural import check_schema
from holdall.text import json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, get, is_json_object, items, members, text

API_VERSION: Final = "apiextensions.k8s.io/v1"
COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = (
    "byte",
    "date",
    "date-time",
    "double",
    "float",
    "int32",
    "int64",
    "password",
    "name",
)


def check_crd(crd: JsonValue) -> Findings:
    """Return everything that a server would refuse in a CRD, and its size if that is a problem."""
    findings = Findings()
    if not is_crd(crd) or text(crd, "apiVersion") != API_VERSION:
        found = text(crd, "apiVersion")
        shown = f"{found} {text(crd, 'kind')}".strip() or "something without apiVersion and kind"
        message = f"this is {shown}, not a CustomResourceDefinition of {API_VERSION}"
        findings.add(NOT_A_CRD, "", message, f"write it as {API_VERSION}")
        return findings
    if not is_json_object(get(crd, "spec")):
        findings.add(NOT_A_CRD, "/spec", "a CRD has no spec", "add it")
        return findings
    _check_names(crd, findings)
    _check_versions(crd, findings)
    check_conversion(crd, findings)
    if get(crd, "spec", "preserveUnknownFields") is True:
        message = (
            "preserveUnknownFields is true: nothing is pruned, and a conversion webhook "
            "`must be None if spec.preserveUnknownFields is true`"
        )
        fix = "remove it, and write x-kubernetes-preserve-unknown-fields where it is needed"
        findings.add(PRESERVES_UNKNOWN, "/spec/preserveUnknownFields", message, fix)
    _check_size(crd, findings)
    return findings


def _check_names(crd: JsonValue, findings: Findings) -> None:
    group = text(crd, "spec", "group")
    plural = text(crd, "spec", "names", "plural")
    kind = text(crd, "spec", "names", "kind")
    is_domain = is_subdomain(group) and "." in group
    if not is_domain:
        message = (
            f'the group "{group}" is not a domain (`should be a domain with at least one dot`)'
        )
        findings.add(
            BAD_NAME, "/spec/group", message, "write a lower-case domain, such as example.com"
        )
    if not is_label_1035(plural):
        message = f'the plural "{plural}" is not a label of lower-case letters, digits and hyphens'
        findings.add(BAD_NAME, "/spec/names/plural", message, "write a lower-case plural")
    name = text(crd, "metadata", "name")
    if is_domain and is_label_1035(plural) and name != f"{plural}.{group}":
        message = f'the name "{name}" is not <plural>.<group>'
        findings.add(BAD_NAME, "/metadata/name", message, f"write {plural}.{group}")
    for member in ("kind", "listKind"):
        word = text(crd, "spec", "names", member)
        if (word or member == "kind") and not is_label_1035(word.lower()):
            message = f'the {member} "{word}" is not a name of letters, digits and hyphens'
            fix = "write a name, such as Widget"
            findings.add(BAD_NAME, f"/spec/names/{member}", message, fix)
    if kind and kind == text(crd, "spec", "names", "listKind"):
        message = "kind and listKind are the same"
        findings.add(BAD_NAME, "/spec/names/listKind", message, f"write {kind}List")
    singular = get(crd, "spec", "names", "singular")
    if singular is not None and not (isinstance(singular, str) and is_label_1035(singular)):
        message = "the singular is not a label of lower-case letters, digits and hyphens"
        findings.add(BAD_NAME, "/spec/names/singular", message, "write a lower-case word")
    for member in ("shortNames", "categories"):
        for index, value in enumerate(items(crd, "spec", "names", member)):
            if not isinstance(value, str) or not is_label_1035(value):
                place = join("/spec/names", member, index)
                message = f"an entry of {member} is not a label of lower-case letters and digits"
                findings.add(BAD_NAME, place, message, "write a lower-case word")
    if get(crd, "spec", "scope") not in ("Namespaced", "Cluster"):
        message = "the scope must be Namespaced or Cluster"
        findings.add(BAD_NAME, "/spec/scope", message, "write one of them")


def _check_versions(crd: JsonValue, findings: Findings) -> None:
    seen: set[str] = set()
    stored: list[str] = []
    entries = list(versions_of(crd))
    for pointer, version in entries:
        name = text(version, "name")
        if not is_label_1035(name):
            message = (
                f'the version "{name}" is not a label of lower-case letters, digits and hyphens'
            )
            findings.add(BAD_VERSIONS, join(pointer, "name"), message, "write a name, such as v1")
        elif name in seen:
            message = f"the version {name} is listed twice (`must contain unique version names`)"
            findings.add(BAD_VERSIONS, join(pointer, "name"), message, "remove one")
        seen.add(name)
        for flag in ("served", "storage"):
            if not isinstance(version.get(flag), bool):
                message = f"{flag} of {name} must be true or false"
                findings.add(BAD_VERSIONS, join(pointer, flag), message, "write one of them")
        if version.get("storage") is True:
            stored.append(name)
        _check_version(version, pointer, findings)
    if len(stored) != 1:
        shown = " and ".join(stored) if stored else "no version"
        message = (
            f"{shown} {'are' if len(stored) > 1 else 'is'} stored "
            "(`must have exactly one version marked as storage version`)"
        )
        fix = "mark one version `storage: true`, preferably the newest served one"
        findings.add(BAD_VERSIONS, "/spec/versions", message, fix)
    if entries and not any(version.get("served") is True for _, version in entries):
        message = "no version is served, so nobody can use the kind"
        findings.add(BAD_VERSIONS, "/spec/versions", message, "mark one `served: true`")
    for index, kept in enumerate(items(crd, "status", "storedVersions")):
        if not isinstance(kept, str) or kept not in seen:
            message = f"{kept} is in status.storedVersions (`must appear in spec.versions`)"
            fix = "keep the version: migrate all objects first, and shrink storedVersions"
            place = join("/status/storedVersions", index)
            findings.add(BAD_VERSIONS, place, message, fix)


def _check_version(version: JsonObject, pointer: str, findings: Findings) -> None:
    name = text(version, "name")
    schema = schema_of(version)
    if schema:
        check_schema(
            schema,
            join(pointer, "schema", "openAPIV3Schema"),
            findings,
            has_status=get(version, "subresources", "status") is not None,
        )
    else:
        message = f"{name} has no schema (`schemas are required`)"
        findings.add(BAD_VERSIONS, pointer, message, "add schema.openAPIV3Schema")
    warning = version.get("deprecationWarning")
    if warning is not None:
        place = join(pointer, "deprecationWarning")
        if version.get("deprecated") is not True:
            message = "a warning `can only be set for deprecated versions`"
            findings.add(BAD_DEPRECATION, place, message, "add `deprecated: true`, or remove it")
        if (
            not isinstance(warning, str)
            or not 1 <= len(warning) <= 256
            or not warning.isprintable()
        ):
            message = "a deprecation warning must be 1 to 256 printable characters"
            findings.add(BAD_DEPRECATION, place, message, "shorten it to one line")
    _check_columns(version, pointer, findings)
    _check_scale(version, pointer, findings)


def _check_columns(version: JsonObject, pointer: str, findings: Findings) -> None:
    for index, column in enumerate(items(version, "additionalPrinterColumns")):
        place = join(pointer, "additionalPrinterColumns", index)
        if not text(column, "name"):
            findings.add(BAD_COLUMN, place, "a column has no name", "add it")
        if get(column, "type") not in COLUMN_TYPES:
            message = f"the type of a column must be one of {', '.join(COLUMN_TYPES)}"
            findings.add(BAD_COLUMN, join(place, "type"), message, "write one of them")
        format_ = get(column, "format")
        if format_ is not None and format_ not in _COLUMN_FORMATS:
            message = f"the format of a column must be one of {', '.join(_COLUMN_FORMATS)}"
            findings.add(BAD_COLUMN, join(place, "format"), message, "write one, or remove it")
        if not text(column, "jsonPath").startswith("."):
            message = "the jsonPath of a column must begin with a dot"
            findings.add(BAD_COLUMN, join(place, "jsonPath"), message, "write it like .spec.size")


def _check_scale(version: JsonObject, pointer: str, findings: Findings) -> None:
    scale = get(version, "subresources", "scale")
    if scale is None:
        return
    place = join(pointer, "subresources", "scale")
    for member, roots in (
        ("specReplicasPath", (".spec.",)),
        ("statusReplicasPath", (".status.",)),
        ("labelSelectorPath", (".spec.", ".status.")),
    ):
        value = get(scale, member)
        if value is None and member == "labelSelectorPath":
            continue
        path = value if isinstance(value, str) else ""
        if not path.startswith(roots) or "[" in path or ".." in path or path.endswith("."):
            message = f"{member} must be a path of names below {' or '.join(roots)}"
            fix = f"write it like {roots[0]}name"
            findings.add(BAD_SUBRESOURCE, join(place, member), message, fix)


def size_of(crd: JsonValue) -> int:
    """Return the size of a CRD in the annotation of `kubectl apply`, in bytes."""
    return len(json.encode({name: part for name, part in members(crd).items() if name != "status"}))


def _check_size(crd: JsonValue, findings: Findings) -> None:
    size = size_of(crd)
    if size > ANNOTATIONS_LIMIT:
        message = (
            f"the CRD has {size} bytes as JSON, and `kubectl apply` keeps it in an annotation, "
            f"but all annotations together `must have at most {ANNOTATIONS_LIMIT} bytes`"
        )
        fix = (
            "use `kubectl apply --server-side` or `kubectl create`, "
            "or strip descriptions of versions that are not stored"
        )
        findings.add(TOO_LARGE, "", message, fix, "warning")

"""Reads `crd` of a group.

Whether a kind exists and a path leads to a property, only the plan can tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from holdall.kubernetes.crds.conversion import url_faults
from holdall.kubernetes.crds.dns_names import is_label_1035, is_label_1123
from holdall.kubernetes.crds.rules import COLUMN_TYPES
from holdall_codegen.config.crd import (
    ColumnConfig,
    ConversionConfig,
    CrdConfig,
    KindCrdConfig,
    ServiceConfig,
)
from holdall_codegen.config.graph import VersionOrder
from holdall_codegen.config.names import KIND, SOURCE_PATTERN, TEXT, VERSION
from holdall_codegen.config.node import (
    CONTRADICTION,
    LISTED_TWICE,
    MALFORMED_NAME,
    MISSING_KEY,
    WRONG_TYPE,
    Node,
)

CRD_KEYS: Final = ("conversion", "strip_descriptions", "kinds")
CONVERSION_KEYS: Final = ("service", "url", "ca_bundle", "review_versions")
SERVICE_KEYS: Final = ("namespace", "name", "path", "port")
KIND_KEYS: Final = (
    "plural",
    "singular",
    "list_kind",
    "scope",
    "short_names",
    "categories",
    "storage",
    "unserved",
    "deprecated",
    "status",
    "status_slot",
    "scale",
    "columns",
)
SCALE_KEYS: Final = ("spec", "status", "selector")
COLUMN_KEYS: Final = ("name", "path", "type", "format", "description", "priority", "versions")
SCOPES: Final[tuple[Literal["Namespaced", "Cluster"], ...]] = ("Namespaced", "Cluster")
REVIEW_VERSIONS: Final = ("v1", "v1beta1")
_LABEL: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_JSON_PATH: Final = re.compile(r"\..+")
_SERVICE_PATH: Final = re.compile(r"/.*")


def read_crd(node: Node, order: VersionOrder) -> CrdConfig:
    """Read `crd` of a group."""
    members = node.known_members("crd", CRD_KEYS)
    conversion = members.get("conversion")
    strip = members.get("strip_descriptions")
    kinds: dict[str, KindCrdConfig] = {}
    if (child := members.get("kinds")) is not None:
        for name, item in child.members("kinds").items():
            item.check_key(name, KIND.fullmatch(name) is not None, "the name of a kind")
            kinds[name] = _read_kind(name, item, order)
    return CrdConfig(
        None if conversion is None else _read_conversion(conversion),
        strip is not None and strip.boolean("strip_descriptions"),
        kinds,
    )


def _read_conversion(node: Node) -> ConversionConfig:
    members = node.known_members("conversion", CONVERSION_KEYS)
    if ("service" in members) == ("url" in members) and members:
        node.report(
            CONTRADICTION if "url" in members else MISSING_KEY,
            "exactly one of url or service is required",
            "say where the webhook is, in one way",
        )
    service = members.get("service")
    url = members.get("url")
    if url is not None:
        for text in url_faults(url.value):
            url.report(MALFORMED_NAME, text, "write it as https://host[:port]/path")
    bundle = ""
    if (child := members.get("ca_bundle")) is not None:
        form = "a path below the project's root with / between folders"
        bundle = child.matching("ca_bundle", SOURCE_PATTERN, form) or ""
    reviews: tuple[str, ...] = ("v1",)
    if (child := members.get("review_versions")) is not None:
        found = [
            item.choice("a review version", REVIEW_VERSIONS)
            for item in child.items("review_versions")
        ]
        reviews = tuple(version for version in found if version)
    return ConversionConfig(
        node.location,
        None if service is None else _read_service(service),
        url.value if url is not None and isinstance(url.value, str) else "",
        bundle,
        reviews,
    )


def _read_service(node: Node) -> ServiceConfig | None:
    members = node.known_members("service", SERVICE_KEYS)
    texts: dict[str, str] = {}
    for key, is_right in (("namespace", is_label_1123), ("name", is_label_1035)):
        if (child := members.get(key)) is None:
            if members:
                node.report_missing("service", key)
            continue
        text = child.text(key) or ""
        child.check_key(text, not text or is_right(text), f"the {key} of a Service")
        texts[key] = text
    path, port = "/convert", 443
    if (child := members.get("path")) is not None:
        path = child.matching("path", _SERVICE_PATH, "a path, as /convert") or path
    if (child := members.get("port")) is not None:
        port = _number(child, "port", 1, 65535)
    if len(texts) < 2:
        return None
    return ServiceConfig(texts["namespace"], texts["name"], path, port)


def _read_kind(name: str, node: Node, order: VersionOrder) -> KindCrdConfig:
    members = node.known_members(f"the kind {name}", KIND_KEYS)

    def label(key: str) -> str:
        child = members.get(key)
        form = "a lower-case word"
        return "" if child is None else child.matching(key, _LABEL, form) or ""

    def labels(key: str) -> tuple[str, ...] | None:
        child = members.get(key)
        if child is None:
            return None
        found = [item.matching(key, _LABEL, "a lower-case word") for item in child.items(key)]
        _report_repeated(child, found)
        return tuple(text for text in found if text)

    def versions(key: str) -> tuple[str, ...] | None:
        child = members.get(key)
        return None if child is None else _read_versions(child, key, order)

    def flag(key: str) -> bool | None:
        child = members.get(key)
        return None if child is None else child.boolean(key)

    scope = members.get("scope")
    storage = members.get("storage")
    list_kind = members.get("list_kind")
    scale = members.get("scale")
    columns = members.get("columns")
    stored = storage.matching("storage", VERSION, "a version name") if storage else None
    if storage is not None and stored is not None:
        order.listed(storage, stored, "storage")
    config = KindCrdConfig(
        location=node.location,
        plural=label("plural"),
        singular=label("singular"),
        list_kind=(list_kind.matching("list_kind", KIND, "the name of a kind") if list_kind else "")
        or "",
        scope=None if scope is None else scope.choice("scope", SCOPES),
        short_names=labels("short_names"),
        categories=labels("categories"),
        storage=stored or "",
        unserved=versions("unserved"),
        deprecated=versions("deprecated") or (),
        status=flag("status"),
        status_slot=bool(flag("status_slot")),
        scale={} if scale is None else _read_scale(scale),
        scale_location=node.location if scale is None else scale.location,
        columns=None if columns is None else _read_columns(columns, order),
    )
    if config.status is False and config.status_slot:
        members["status_slot"].report(
            CONTRADICTION,
            "status_slot needs the status subresource, and status is false",
            "remove one of them",
        )
    return config


def _read_versions(node: Node, what: str, order: VersionOrder) -> tuple[str, ...]:
    found: list[str | None] = []
    for item in node.items(what):
        name = item.matching(what, VERSION, "a version name")
        if name is not None:
            order.listed(item, name, what)
        found.append(name)
    _report_repeated(node, found)
    return tuple(name for name in found if name)


def _read_scale(node: Node) -> Mapping[str, str]:
    members = node.known_members("scale", SCALE_KEYS)
    for key in ("spec", "status"):
        if key not in members and members:
            node.report_missing("scale", key)
    form = "a path that begins with a dot, as .spec.replicas"
    return {key: child.matching(key, _JSON_PATH, form) or "" for key, child in members.items()}


def _read_columns(node: Node, order: VersionOrder) -> tuple[ColumnConfig, ...]:
    found = [_read_column(item, order) for item in node.items("columns")]
    return tuple(column for column in found if column)


def _read_column(node: Node, order: VersionOrder) -> ColumnConfig | None:
    members = node.known_members("a column", COLUMN_KEYS)
    for key in ("name", "path", "type"):
        if key not in members and members:
            node.report_missing("a column", key)
    if not {"name", "path", "type"} <= members.keys():
        return None
    versions: tuple[str, ...] = ()
    if (child := members.get("versions")) is not None:
        versions = _read_versions(child, "versions", order)
    format_ = members.get("format")
    description = members.get("description")
    priority = members.get("priority")
    form = "a path that begins with a dot, as .spec.size"
    return ColumnConfig(
        members["name"].matching("name", TEXT, "a heading") or "",
        members["path"].matching("path", _JSON_PATH, form) or "",
        members["type"].choice("type", COLUMN_TYPES) or "string",
        node.location,
        (format_.text("format") or "") if format_ else "",
        (description.text("description") or "") if description else "",
        _number(priority, "priority", 0, 2**31 - 1) if priority else 0,
        versions,
    )


def _number(node: Node, what: str, low: int, high: int) -> int:
    value = node.value
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return value
    node.report(WRONG_TYPE, f"{what} must be a number from {low} to {high}", "write a number")
    return low


def _report_repeated(node: Node, names: list[str | None]) -> None:
    for name in sorted({name for name in names if name and names.count(name) > 1}):
        node.report(LISTED_TWICE, f"{name} is listed twice", "remove one")

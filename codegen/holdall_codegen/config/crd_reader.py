"""Reads `crd` of a group.

Whether a kind exists and a path leads to a property, only the plan can tell.
"""

from __future__ import annotations

from collections.abc import Mapping

from holdall.kubernetes.crds.conversion import url_faults
from holdall.kubernetes.crds.dns_names import is_label_1035, is_label_1123
from holdall_codegen.config.crd import (
    ConversionConfig,
    CrdConfig,
    KindCrdConfig,
    ServiceConfig,
)
from holdall_codegen.config.crd_keys import (
    ColumnConfig,
    ConversionKeys,
    CrdKeys,
    KindKeys,
    ScaleKeys,
    ServiceKeys,
)
from holdall_codegen.config.graph import VersionOrder
from holdall_codegen.config.names import KIND, KIND_FORM
from holdall_codegen.config.node import CONTRADICTION, MALFORMED_NAME, MISSING_KEY, Node
from holdall_codegen.config.tables import read


def read_crd(node: Node, order: VersionOrder) -> CrdConfig:
    """Read `crd` of a group."""
    said, at = read(CrdKeys, node, "crd")
    kinds: dict[str, KindCrdConfig] = {}
    for name, item in at["kinds"].members("kinds").items() if "kinds" in at else ():
        item.check_key(name, KIND.fullmatch(name) is not None, KIND_FORM)
        kinds[name] = _read_kind(name, item, order)
    conversion = _read_conversion(at["conversion"]) if "conversion" in at else None
    return CrdConfig(conversion, said.strip_descriptions, tuple(said.accept or ()), kinds)


def _read_conversion(node: Node) -> ConversionConfig:
    said, at = read(ConversionKeys, node, "conversion")
    if ("service" in at) == ("url" in at) and at:
        node.report(
            CONTRADICTION if "url" in at else MISSING_KEY,
            "exactly one of url or service is required",
            "say where the webhook is, in one way",
        )
    url = at["url"].value if "url" in at else ""
    for text in url_faults(url) if "url" in at else ():
        at["url"].report(MALFORMED_NAME, text, "write it as https://host[:port]/path")
    return ConversionConfig(
        node.location,
        _read_service(at["service"]) if "service" in at else None,
        url if isinstance(url, str) else "",
        said.ca_bundle or "",
        tuple(said.review_versions or ("v1",)),
    )


def _read_service(node: Node) -> ServiceConfig | None:
    said, at = read(ServiceKeys, node, "service")
    for key, text, is_right in (
        ("namespace", said.namespace, is_label_1123),
        ("name", said.name, is_label_1035),
    ):
        if text:
            at[key].check_key(text, is_right(text), f"the {key} of a Service")
    if said.namespace is None or said.name is None:
        return None
    return ServiceConfig(said.namespace, said.name, said.path, said.port)


def _read_kind(name: str, node: Node, order: VersionOrder) -> KindCrdConfig:
    said, at = read(KindKeys, node, f"the kind {name}", order)
    if said.status is False and said.status_slot:
        at["status_slot"].report(
            CONTRADICTION,
            "status_slot needs the status subresource, and status is false",
            "remove one of them",
        )
    return KindCrdConfig(
        location=node.location,
        plural=said.plural,
        singular=said.singular,
        list_kind=said.list_kind,
        scope=said.scope,
        short_names=_optional(said.short_names),
        categories=_optional(said.categories),
        storage=said.storage,
        unserved=_optional(said.unserved),
        deprecated=tuple(said.deprecated or ()),
        status=said.status,
        status_slot=said.status_slot,
        scale=_read_scale(at["scale"]) if "scale" in at else {},
        scale_location=at.get("scale", node).location,
        columns=_read_columns(at["columns"], order) if "columns" in at else None,
    )


def _optional(names: list[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def _read_scale(node: Node) -> Mapping[str, str]:
    said, _ = read(ScaleKeys, node, "scale")
    paths = {"spec": said.spec, "status": said.status, "selector": said.selector}
    return {key: path for key, path in paths.items() if path is not None}


def _read_columns(node: Node, order: VersionOrder) -> tuple[ColumnConfig, ...]:
    return tuple(read(ColumnConfig, item, "a column", order)[0] for item in node.items("columns"))

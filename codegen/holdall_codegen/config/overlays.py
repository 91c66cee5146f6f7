"""The overlays of a group: what schemas leave out, as the configuration states it."""

from __future__ import annotations

from holdall_codegen.config.graph import VersionOrder
from holdall_codegen.config.keys import OverlayKeys
from holdall_codegen.config.model import OverlayConfig
from holdall_codegen.config.names import split_path
from holdall_codegen.config.node import CONTRADICTION, MISSING_KEY, Node
from holdall_codegen.config.tables import read


def read_overlays(node: Node, order: VersionOrder) -> tuple[OverlayConfig, ...]:
    """The overlays in the order of the file; whether they fit the schemas is not asked here."""
    return tuple(_read_overlay(item, order) for item in node.items("overlays"))


def _read_overlay(node: Node, order: VersionOrder) -> OverlayConfig:
    said, at = read(OverlayKeys, node, "an overlay", order)
    if "properties" in at:
        at["properties"].members("properties")
        if "file" in at:
            message = "an overlay has both properties and file"
            at["file"].report(CONTRADICTION, message, "make two overlays of it")
    elif at and "file" not in at:
        message = "an overlay has neither properties nor file"
        node.report(MISSING_KEY, message, "say which properties it adds")
    return OverlayConfig(
        node.location,
        tuple(said.kinds or ()),
        tuple(said.versions or ()),
        split_path(said.path) if said.path else (),
        said.file,
    )

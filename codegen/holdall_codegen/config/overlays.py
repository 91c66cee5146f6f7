"""The overlays of a group: what schemas leave out, as the configuration states it."""

from __future__ import annotations

import re
from typing import Final

from holdall_codegen.config.graph import VersionOrder
from holdall_codegen.config.model import OverlayConfig
from holdall_codegen.config.names import KIND, SCHEMA_PATH, SOURCE_PATTERN, VERSION, split_path
from holdall_codegen.config.node import CONTRADICTION, LISTED_TWICE, MISSING_KEY, Node

OVERLAY_KEYS: Final = ("kinds", "versions", "path", "properties", "file")


def read_overlays(node: Node, order: VersionOrder) -> tuple[OverlayConfig, ...]:
    """The overlays in the order of the file; whether they fit the schemas is not asked here."""
    return tuple(_read_overlay(item, order) for item in node.items("overlays"))


def _read_overlay(node: Node, order: VersionOrder) -> OverlayConfig:
    members = node.known_members("an overlay", OVERLAY_KEYS)
    kinds = _read_names(members.get("kinds"), "kinds", KIND, "the name of a kind")
    versions = _read_names(members.get("versions"), "versions", VERSION, "a version name")
    for item, name in versions:
        order.listed(item, name, "versions")
    path = file = None
    if (child := members.get("path")) is not None:
        form = "the path of an object from its kind, as spec/pools/*"
        path = child.matching("path", SCHEMA_PATH, form)
    if (child := members.get("properties")) is not None:
        child.members("properties")
    if (child := members.get("file")) is not None:
        form = "a path below the project's root with / between folders"
        file = child.matching("file", SOURCE_PATTERN, form)
        if "properties" in members:
            message = "an overlay has both properties and file"
            child.report(CONTRADICTION, message, "make two overlays of it")
    elif members and "properties" not in members:
        message = "an overlay has neither properties nor file"
        node.report(MISSING_KEY, message, "say which properties it adds")
    return OverlayConfig(
        node.location,
        tuple(name for _, name in kinds),
        tuple(name for _, name in versions),
        split_path(path) if path else (),
        file,
    )


def _read_names(
    node: Node | None, what: str, pattern: re.Pattern[str], form: str
) -> list[tuple[Node, str]]:
    found: dict[str, Node] = {}
    for item in node.items(what) if node is not None else ():
        name = item.matching(f"a name in {what}", pattern, form)
        if name in found:
            item.report(LISTED_TWICE, f"{what} names {name} twice", "remove one")
        elif name is not None:
            found[name] = item
    return [(item, name) for name, item in found.items()]

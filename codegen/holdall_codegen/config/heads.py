"""Where the documents of a group say their version and kind, as the configuration states it."""

from __future__ import annotations

from holdall.types import JsonValue
from holdall_codegen.config.graph import VersionOrder
from holdall_codegen.config.keys import VersionAtKeys
from holdall_codegen.config.model import HeadConfig
from holdall_codegen.config.names import MEMBER
from holdall_codegen.config.node import NAME_CLASH, NO_EFFECT, WRONG_TYPE, Node
from holdall_codegen.config.tables import read


def read_head(node: Node, order: VersionOrder) -> HeadConfig:
    """Return what `version_at` says; whether it fits the schemas is not asked here."""
    what = "version_at"
    if not isinstance(node.value, dict):
        member = node.matching(what, MEMBER, "the name of a member")
        return HeadConfig(member or "", node.location)
    said, at = read(VersionAtKeys, node, what, order)
    values: dict[str, JsonValue] = {}
    if "values" in at:
        for name, child in at["values"].members("values").items():
            order.listed(child, name, "values")
            if type(child.value) in (str, int, float):
                values[name] = child.value
            else:
                text = f"the value of {name} must be a string or a number"
                child.report(WRONG_TYPE, text, "write what documents say")
    internal = {version.name for version in order.versions if version.internal}
    if said.default in internal:
        text = f"{said.default} is internal, so no document is of it"
        at["default"].report(NO_EFFECT, text, "name another version")
    if said.kind_at and said.kind_at == said.member:
        text = f"one member cannot say both version and kind: {said.member}"
        at["kind_at"].report(NAME_CLASH, text, "name another member")
    return HeadConfig(
        said.member or "", node.location, values, said.default or "", said.kind_at or ""
    )

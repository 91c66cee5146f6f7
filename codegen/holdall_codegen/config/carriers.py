"""The key `carrier`: where the bags of API documents travel, and how much they may hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from holdall.plan.bag_limits import BagLimits
from holdall_codegen.config.keys import CarrierKeys, CarrierWord
from holdall_codegen.config.model import CarrierName
from holdall_codegen.config.names import KIND, KIND_FORM
from holdall_codegen.config.node import Node
from holdall_codegen.config.tables import read, read_value


@dataclass(frozen=True, slots=True)
class CarrierConfig:
    """What a group says about carriers: one for all kinds, or by kind; limits by kind."""

    carrier: CarrierName | None = None
    carriers: Mapping[str, CarrierName] = field(default_factory=dict)
    limits: Mapping[str, BagLimits] = field(default_factory=dict)


def read_carrier(node: Node | None) -> CarrierConfig:
    """Read a word for all kinds, or a mapping with a word or a mapping for each kind."""
    if node is None:
        return CarrierConfig()
    if not isinstance(node.value, dict):
        return CarrierConfig(read_value(node, CarrierWord, "carrier"))
    carriers: dict[str, CarrierName] = {}
    limits: dict[str, BagLimits] = {}
    for kind, child in node.members("carrier").items():
        child.check_key(kind, KIND.fullmatch(kind) is not None, KIND_FORM)
        if isinstance(child.value, dict):
            said, _ = read(CarrierKeys, child, f"the carrier of {kind}")
            carrier = said.in_
            limits[kind] = BagLimits(
                said.budget,
                tuple(path.strip("/") for path in said.drop_first or ()),
                strict=tuple("/" + path.strip("/") for path in said.strict or ()),
            )
        else:
            carrier = read_value(child, CarrierWord, "carrier")
        if carrier is not None:
            carriers[kind] = carrier
    return CarrierConfig(None, carriers, limits)

"""The key `carrier`: where the bags of API documents travel, and how much they may hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from holdall.carriers import ANNOTATIONS_LIMIT
from holdall.plan.bag_limits import DEFAULT_BUDGET, BagLimits
from holdall_codegen.config.model import CarrierName
from holdall_codegen.config.names import KIND
from holdall_codegen.config.node import WRONG_TYPE, Node

CARRIERS: Final[tuple[CarrierName, ...]] = ("annotation", "field", "none")
CARRIER_KEYS: Final = ("in", "budget", "drop_first", "strict")
_PATH: Final = re.compile(r"/?[^/]+(?:/[^/]+)*")


@dataclass(frozen=True, slots=True)
class CarrierConfig:
    """What a group says of carriers: one for all kinds, or by kind; limits by kind."""

    carrier: CarrierName | None = None
    carriers: Mapping[str, CarrierName] = field(default_factory=dict)
    limits: Mapping[str, BagLimits] = field(default_factory=dict)


def read_carrier(node: Node | None) -> CarrierConfig:
    """Read a word for all kinds, or a mapping with a word or a mapping for each kind."""
    if node is None:
        return CarrierConfig()
    if not isinstance(node.value, dict):
        return CarrierConfig(node.choice("carrier", CARRIERS))
    carriers: dict[str, CarrierName] = {}
    limits: dict[str, BagLimits] = {}
    for kind, child in node.members("carrier").items():
        child.check_key(kind, KIND.fullmatch(kind) is not None, "the name of a kind")
        place: Node | None = child
        if isinstance(child.value, dict):
            members = child.known_members(f"the carrier of {kind}", CARRIER_KEYS)
            place = members.get("in")
            limits[kind] = _read_limits(members)
        if place is not None and (carrier := place.choice("carrier", CARRIERS)) is not None:
            carriers[kind] = carrier
    return CarrierConfig(None, carriers, limits)


def _read_limits(members: Mapping[str, Node]) -> BagLimits:
    budget = DEFAULT_BUDGET
    if (child := members.get("budget")) is not None:
        budget = _read_budget(child)
    drop_first = _read_paths(members, "drop_first", "status or spec/pools/*/history")
    strict = _read_paths(members, "strict", "spec/rules or spec/pools/*/disks")
    return BagLimits(budget, drop_first, strict=tuple(f"/{path}" for path in strict))


def _read_paths(members: Mapping[str, Node], key: str, examples: str) -> tuple[str, ...]:
    child = members.get(key)
    if child is None:
        return ()
    form = f"a path of an object's properties, as {examples}"
    paths = [item.matching(key, _PATH, form) for item in child.items(key)]
    return tuple(path.strip("/") for path in paths if path is not None)


def _read_budget(node: Node) -> int:
    value = node.value
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= ANNOTATIONS_LIMIT:
        return value
    text = f"budget must be a number of bytes from 1 to {ANNOTATIONS_LIMIT}"
    node.report(WRONG_TYPE, text, "write a number")
    return DEFAULT_BUDGET

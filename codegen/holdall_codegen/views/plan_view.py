"""A plan as plan.json states it, read back: what older plans are compared by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdall.errors import DecodeError, Problem, SourceError
from holdall.plan import plans
from holdall.plan.plans import GroupPlan, TypeRef
from holdall.text import json
from holdall.types import JsonValue, is_json_object

BAD_PLAN: Final = "HA165"

Ends = tuple[TypeRef, TypeRef]
PropertyKey = tuple[str, str]
"""The side, `older` or `newer`, and the wire name or path of a property."""


@dataclass(frozen=True, slots=True)
class FateView:
    """The fate of one property, with its partner and its reason."""

    fate: str
    partner: str
    reason: str


@dataclass(frozen=True, slots=True)
class EdgeView:
    """One edge with the fate of every property of both sides."""

    ends: Ends
    protocol: str
    fates: Mapping[PropertyKey, FateView]

    def alone(self) -> frozenset[PropertyKey]:
        """Return the properties without a partner, which travel in the bag."""
        return frozenset(
            key for key, item in self.fates.items() if item.fate in ("stashed", "pulled")
        )


@dataclass(frozen=True, slots=True)
class PlanView:
    """A whole plan. `types` holds, by version and type, each property with its type as text;
    `group` is what audits read of the same plan."""

    versions: tuple[str, ...]
    hub: str
    kinds: Mapping[str, Mapping[str, str]]
    types: Mapping[str, Mapping[str, Mapping[str, str]]]
    edges: Mapping[Ends, EdgeView]
    group: GroupPlan


NO_PLAN: Final = PlanView((), "", {}, {}, {}, GroupPlan("", (), "", (), {}, (), ()))


def read_plan(path: Path, shown: str) -> PlanView | None:
    """Read a plan.json; None if there is none. Raises SourceError if it is not one."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise bad_plan(shown, error.strerror or str(error)) from error
    return parse_plan(data, shown)


def parse_plan(data: bytes, shown: str) -> PlanView:
    """Parse the text of a plan.json. Raises SourceError if it is not one."""
    try:
        return view_plan(json.decode(data))
    except (DecodeError, TypeError, KeyError, ValueError) as error:
        raise bad_plan(shown, str(error)) from error


def bad_plan(shown: str, reason: str) -> SourceError:
    """Return the error of a plan that cannot be read."""
    fix = "generate it again, or restore it from version control"
    return SourceError([Problem(BAD_PLAN, shown, f"it is not a plan of holdall: {reason}", fix)])


def view_plan(value: JsonValue) -> PlanView:
    """Return the view of a plan. Raises TypeError, KeyError or ValueError for any other value."""
    plan = _object(value)
    edges = [_edge(_object(edge)) for edge in _list(plan["edges"])]
    return PlanView(
        versions=tuple(_text(version) for version in _list(plan["versions"])),
        hub=_text(plan["hub"]),
        kinds={
            _text(_object(kind)["kind"]): _texts(_object(kind)["types"])
            for kind in _list(plan["kinds"])
        },
        types={
            version: {name: _texts(members) for name, members in _object(types).items()}
            for version, types in _object(plan["types"]).items()
        },
        edges={edge.ends: edge for edge in edges},
        group=plans.view(value),
    )


def _edge(edge: dict[str, JsonValue]) -> EdgeView:
    fates = {}
    for item in _list(edge["decisions"]):
        found = _object(item)
        fates[_text(found["side"]), _text(found["property"])] = FateView(
            _text(found["fate"]), _text(found.get("partner", "")), _text(found["reason"])
        )
    return EdgeView((_ref(edge["older"]), _ref(edge["newer"])), _text(edge["protocol"]), fates)


def _ref(value: JsonValue) -> TypeRef:
    version, dot, name = _text(value).rpartition(".")
    if not dot:
        raise ValueError(f"{value!r} names no type of a version")
    return TypeRef(version, name)


def _object(value: JsonValue) -> dict[str, JsonValue]:
    if not is_json_object(value):
        raise TypeError("an object is expected")
    return value


def _list(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise TypeError("a list is expected")
    return value


def _text(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise TypeError("a string is expected")
    return value


def _texts(value: JsonValue) -> dict[str, str]:
    return {key: _text(item) for key, item in _object(value).items()}

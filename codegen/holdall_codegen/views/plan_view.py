"""A plan read back from plan.json, for comparisons with older plans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, cast

from holdall.errors import Problem, SourceError
from holdall.plan import plans
from holdall.plan.plans import Decision, GroupPlan, TypeRef
from holdall.text import json
from holdall.types import JsonValue

BAD_PLAN: Final = "HA165"

Ends = tuple[TypeRef, TypeRef]
PropertyKey = tuple[str, str]
"""The side, `older` or `newer`, and the wire name or path of a property."""


@dataclass(frozen=True, slots=True)
class EdgeView:
    """One edge with the fate of every property of both sides."""

    ends: Ends
    protocol: str
    fates: Mapping[PropertyKey, Decision]

    def alone(self) -> frozenset[PropertyKey]:
        """Return the properties without a partner, which travel in the bag."""
        return frozenset(
            key for key, item in self.fates.items() if item.fate in ("stashed", "pulled")
        )


@dataclass(frozen=True)
class PlanView:
    """A whole plan, as audits read it. `types` has, by version and type, each property's type as
    text."""

    group: GroupPlan
    types: Mapping[str, Mapping[str, Mapping[str, str]]]

    @cached_property
    def edges(self) -> Mapping[Ends, EdgeView]:
        """The edges by their ends."""
        found = {}
        for edge in self.group.edges:
            ends = edge.older, edge.newer
            fates: dict[PropertyKey, Decision] = {
                (item.side, item.name): item for item in edge.decisions
            }
            found[ends] = EdgeView(ends, edge.protocol, fates)
        return found

    def moves_whole(self, ends: Ends, key: PropertyKey) -> bool:
        """Tell whether all members of an object move by themselves."""
        side, name = key
        ref = ends[0] if side == "older" else ends[1]
        types = self.types.get(ref.version, {})
        members = types.get(types.get(ref.name, {}).get(name, ""), {})
        fates = self.edges[ends].fates
        return bool(members) and all((side, f"{name}/{member}") in fates for member in members)


NO_PLAN: Final = PlanView(GroupPlan("", (), "", (), {}, (), ()), {})


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
    except plans.MALFORMED as error:
        raise bad_plan(shown, str(error)) from error


def bad_plan(shown: str, reason: str) -> SourceError:
    """Return the error of a plan that cannot be read."""
    fix = "generate it again, or restore it from version control"
    return SourceError([Problem(BAD_PLAN, shown, f"it is not a holdall plan: {reason}", fix)])


def view_plan(value: JsonValue) -> PlanView:
    """Return the view of a plan. Raises one of MALFORMED for any other value."""
    return PlanView(plans.view(value), cast("dict[str, Any]", value)["types"])

"""What a group's package declares about its versions and kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from holdall.plan.bag_limits import BagLimits
from holdall.plan.tracking import Tracking

Carrier = Literal["annotation", "field", "none", "changed-values"]


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a group; an internal one is never served or stored."""

    name: str
    module: str
    internal: bool = False
    deprecated: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind: the name of its type in each version, its edges (older, newer), its carrier.

    `names` are the versions in which the kind has another name. `tracking` is for the carrier
    `changed-values`, `limits` are the project's settings for the carrier. `group` is the kind's API
    group if that differs from the scheme's.
    """

    name: str
    types: Mapping[str, str]
    edges: tuple[tuple[str, str], ...]
    carrier: Carrier
    names: Mapping[str, str] = field(default_factory=dict)
    tracking: Tracking = field(default_factory=Tracking)
    limits: BagLimits = field(default_factory=BagLimits)
    group: str | None = None

    def name_in(self, version: str) -> str:
        """Return what documents of a version call the kind."""
        return self.names.get(version, self.name)

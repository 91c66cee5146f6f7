"""An API as the gate sees it: kinds, their versions, and what servers and clients know of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from holdall_codegen.breaking.schema_changes import SchemaSide
from holdall_codegen.project import Project

KindKey = tuple[str, str]
"""API group and kind."""


@dataclass(frozen=True, slots=True)
class VersionView:
    """One version of a kind. Without a CRD it is served, and has no subresources."""

    name: str
    schema: SchemaSide
    where: str
    is_served: bool = True
    subresources: frozenset[str] = frozenset()
    selectable: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KindView:
    """One kind, versions oldest first.

    `names` are those that paths and commands use, by what they are. `storage` is the version that
    is written, `stored` are all at which objects may be stored; both are empty without a CRD.
    `is_converted` says that something converts between the versions.
    """

    key: KindKey
    where: str
    versions: Mapping[str, VersionView]
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    scope: str = ""
    storage: str = ""
    stored: frozenset[str] = frozenset()
    is_converted: bool = True

    @property
    def name(self) -> str:
        return self.key[1]


@dataclass(frozen=True, slots=True)
class Api:
    """All kinds of one state, and its project if it is one."""

    kinds: Mapping[KindKey, KindView]
    where: str
    project: Project | None = None

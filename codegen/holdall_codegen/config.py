"""The configuration of a project, as `holdall.yaml` states it, read and checked but not applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from holdall_codegen.model import Location

CarrierName = Literal["annotation", "field", "none"]


@dataclass(frozen=True, slots=True)
class PropertyFacts:
    """What is declared about one property of an older type and its partner in the newer type.

    `path` are wire names from the older type: one for a property, more for a member of nested
    objects (only with `move`). `move` is the path from the newer type. Options compose.
    """

    path: tuple[str, ...]
    location: Location
    rename: str | None = None
    move: tuple[str, ...] | None = None
    not_same: bool = False
    values: Mapping[str, str] = field(default_factory=dict)
    wrap: bool = False
    reference: str | None = None
    strategy: Literal["stash", "hook"] | None = None
    misfit: Literal["keep", "error"] = "keep"


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """What is declared about the older types named like `pattern`; `*` stands for any text."""

    pattern: str
    location: Location
    type: str | None = None
    skip: bool = False
    properties: tuple[PropertyFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class EdgeFacts:
    """What is declared between two versions, `older` before `newer` in the version order.

    The versions are neighbours of the graph, or the two ends of a skip link.
    """

    older: str
    newer: str
    location: Location
    types: tuple[TypeFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class CrdSource:
    """CRD documents in the files that match `pattern` (relative to the project's root)."""

    pattern: str
    location: Location
    yaml: Literal["strict", "kubernetes"] = "strict"


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """JSON Schema or OpenAPI definitions of one version.

    `kinds` maps a kind to the JSON Pointer of its schema in the file (`""` for the root);
    empty: the root schema is one kind, named by its `title`.
    """

    pattern: str
    version: str
    location: Location
    kinds: Mapping[str, str] = field(default_factory=dict)
    yaml: Literal["strict", "kubernetes"] = "strict"


Source = CrdSource | SchemaSource


@dataclass(frozen=True, slots=True)
class VersionConfig:
    """One entry of the explicit version order.

    An internal version lives in memory only; it has own sources or takes the shape of `like`.
    """

    name: str
    location: Location
    internal: bool = False
    like: str | None = None
    deprecated: str = ""


@dataclass(frozen=True, slots=True)
class GroupConfig:
    """One group: where its versions come from, their order, their graph, and the declared facts.

    `edges` is `chain`, `star` (round the hub) or the listed pairs. `type_names` pins names of
    anonymous objects by path (`Kind/spec/pools/*`). `carriers` says per kind where bags travel
    outside storage objects; a kind not listed takes `carrier`.
    """

    name: str
    package: str
    location: Location
    sources: tuple[Source, ...]
    versions: tuple[VersionConfig, ...]
    api_group: str | None = None
    hub: str | None = None
    edges: Literal["chain", "star"] | tuple[tuple[str, str], ...] = "chain"
    facts: tuple[EdgeFacts, ...] = ()
    type_names: Mapping[str, str] = field(default_factory=dict)
    carrier: CarrierName | None = None
    carriers: Mapping[str, CarrierName] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """A whole project. `output` and `hooks` are packages below `root`, as Python names them."""

    root: Path
    file: str
    groups: tuple[GroupConfig, ...]
    output: str = "generated"
    hooks: str = "hooks"

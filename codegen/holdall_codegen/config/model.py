"""The configuration of a project: `holdall.yaml` as data, read and checked, but not applied."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from holdall.plan.bag_limits import BagLimits
from holdall.plan.tracking import Tracking
from holdall.types import JsonObject, JsonValue
from holdall_codegen.breaking.ignoring import Accepted, BreakingConfig
from holdall_codegen.config.crd import CrdConfig
from holdall_codegen.config.keys import CrdSource, DeclaredSource, Source, VersionConfig
from holdall_codegen.config.names import join_path
from holdall_codegen.config.overlays import InnerConfig, OverlayConfig
from holdall_codegen.model import Import, Location

CarrierName = Literal["annotation", "field", "none", "changed-values"]


@dataclass(frozen=True, slots=True)
class Function:
    """A user's function, by its import path `package.module:name`."""

    path: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A JSON value; None means absent."""

    value: JsonValue = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Implicit:
    """The conversion of the property-conversion table."""


@dataclass(frozen=True, slots=True)
class Failing:
    """Objects with this variant do not convert."""


Step = Function | Constant | Implicit
Fallback = str | Function | Constant | Failing


@dataclass(frozen=True, slots=True)
class RetypedFacts:
    """The conversions of a property whose type changed, in each direction.

    With `always` downgrading keeps the newer value even if upgrading reproduces it. With
    `may_raise` a value for which a function raises is a misfit. With `json_nulls` the null of any
    JSON is an ordinary value.
    """

    upgrade: Step
    downgrade: Step
    always: bool = False
    may_raise: bool = False
    json_nulls: bool = False


@dataclass(frozen=True, slots=True)
class VariantFacts:
    """The variants of an enum or union: renamed ones, older to newer, and those that only one side
    has, with their replacements on the other side."""

    names: Mapping[str, str] = field(default_factory=dict, hash=False)
    only_older: Mapping[str, Fallback] = field(default_factory=dict, hash=False)
    only_newer: Mapping[str, Fallback] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class DefaultFacts:
    """The default of a property that only one side has, if no value of it is kept.

    A function gets no argument, or with `of_parent` the object of the other side. With `always`
    every value is kept, else only those that the default would not reproduce. With `json_nulls`
    None is the null of any JSON instead of absence.
    """

    side: Literal["older", "newer"]
    name: str
    default: Function | Constant
    location: Location
    of_parent: bool = False
    always: bool = False
    json_nulls: bool = False


@dataclass(frozen=True, slots=True)
class PropertyFacts:
    """What is declared about one property of an older type and its partner in the newer type.

    `path` has wire names from the older type: one for a property, more for a member of nested
    objects (only with `move`). `move` is the path from the newer type. Options compose. `keyed` has
    the members for keys and values; the latter is "" if the rest of an element is the value. A
    `lenient` list may have elements without key or value, and several of one key. `default` is for
    a property that only one of the types has.
    """

    path: tuple[str, ...]
    location: Location
    rename: str | None = None
    move: tuple[str, ...] | None = None
    not_same: bool = False
    values: Mapping[str, str] = field(default_factory=dict)
    wrap: bool = False
    reference: str | None = None
    duration: str | None = None
    unit: str | None = None
    keyed: tuple[str, str] | None = None
    lenient: bool = False
    hides_zero: Literal["older", "newer", "both", "nulls"] | None = None
    strategy: Literal["stash", "hook"] | None = None
    misfit: Literal["keep", "error"] = "keep"
    retyped: RetypedFacts | None = None
    variants: VariantFacts | None = None
    default: Function | Constant | None = None

    def options(self) -> JsonObject:
        """Return the keys of the property in holdall.yaml, except functions."""
        variants = self.variants or VariantFacts(self.values)
        lone = {"older": variants.only_older, "newer": variants.only_newer}
        given: dict[str, JsonValue] = {
            "rename": None if self.rename is None else join_path((self.rename,)),
            "move": None if self.move is None else join_path(self.move),
            "values": dict(variants.names) or None,
            "variants": {
                side: {value: str(other) for value, other in said.items()}
                for side, said in lone.items()
                if said
            }
            or None,
            "default": self.default.value if isinstance(self.default, Constant) else None,
            "unit": self.unit,
            "wrap": self.wrap or None,
            "reference": None if self.reference is None else join_path((self.reference,)),
            "duration": self.duration,
            "keyed": None if self.keyed is None else join_path((*filter(None, self.keyed),)),
            "lenient": self.lenient or None,
            "hides_zero": self.hides_zero,
            "strategy": self.strategy,
            "misfit": None if self.misfit == "keep" else self.misfit,
        }
        return {key: it for key, it in given.items() if it is not None}


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """What is declared about the older types that match `pattern`; `*` matches any text."""

    pattern: str
    location: Location
    type: str | None = None
    skip: bool = False
    properties: tuple[PropertyFacts, ...] = ()
    defaults: tuple[DefaultFacts, ...] = ()
    union: VariantFacts | None = None

    def matches(self, name: str) -> bool:
        """Tell whether they are about a type with this name."""
        if "*" not in self.pattern:
            return self.pattern == name
        pattern = ".*".join(map(re.escape, self.pattern.split("*")))
        return re.fullmatch(pattern, name) is not None


@dataclass(frozen=True, slots=True)
class EdgeFacts:
    """What is declared between two versions, `older` before `newer` in the version order.

    The versions are neighbours in the graph, or the two ends of a skip link.
    """

    older: str
    newer: str
    location: Location
    types: tuple[TypeFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class DeclaredKindFacts:
    """The functions of a declared kind, and its documentation."""

    kind: str
    doc: str = ""
    merged_crd: bool = True
    try_convert: bool = True
    object_conversions: bool = True
    group: str = ""


@dataclass(frozen=True, slots=True)
class DeclaredFacts:
    """What a declaration says about the generated packages.

    `reexports` are imported names by version. `imports` replaces import paths in generated code.
    """

    kinds: tuple[DeclaredKindFacts, ...] = ()
    reexports: Mapping[str, tuple[Import, ...]] = field(default_factory=dict)
    imports: Mapping[str, str] = field(default_factory=dict)
    tracing: bool = False
    warnings: tuple[str, ...] = ()

    def group_of(self, kind: str) -> str:
        """Return the API group that is declared for a kind, "" if there is none."""
        return next((item.group for item in self.kinds if item.kind == kind), "")


@dataclass(frozen=True, slots=True)
class HeadConfig:
    """The member in which documents say their version, and its values if schemas do not have them.

    `others` are further values in documents of a version, `default` is the version of documents
    without the member, and `kind_at` the member that says the kind.
    """

    member: str
    location: Location
    values: Mapping[str, JsonValue] = field(default_factory=dict, hash=False)
    default: str = ""
    kind_at: str = ""
    others: Mapping[str, tuple[JsonValue, ...]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class GroupConfig:
    """One group: where its versions come from, their order, their graph, and the declared facts.

    `edges` is `chain`, `star` (around the hub) or the listed pairs. `type_names` pins names of
    anonymous objects by path (`Kind/spec/pools/*`). `carriers` says by kind where bags travel
    outside storage objects; other kinds take `carrier`. `limits` says by kind how much bags may
    hold, and `carrier_places` has the locations of both. `crd` is what schemas do not say about
    CRDs. `accepted` is what schemas may refuse of each other's objects.
    """

    name: str
    package: str
    location: Location
    sources: tuple[Source, ...]
    versions: tuple[VersionConfig, ...]
    api_group: str | None = None
    head: HeadConfig | None = None
    hub: str | None = None
    edges: Literal["chain", "star"] | tuple[tuple[str, str], ...] = "chain"
    facts: tuple[EdgeFacts, ...] = ()
    overlays: tuple[OverlayConfig, ...] = ()
    inner: tuple[InnerConfig, ...] = ()
    type_names: Mapping[str, str] = field(default_factory=dict)
    carrier: CarrierName | None = None
    carriers: Mapping[str, CarrierName] = field(default_factory=dict)
    limits: Mapping[str, BagLimits] = field(default_factory=dict)
    carrier_places: Mapping[str, Location] = field(default_factory=dict)
    tracking: Tracking = field(default_factory=Tracking)
    declared: DeclaredFacts | None = None
    crd: CrdConfig = field(default_factory=CrdConfig)
    accepted: tuple[Accepted, ...] = ()

    @property
    def crd_sources(self) -> list[CrdSource]:
        return [source for source in self.sources if isinstance(source, CrdSource)]

    @property
    def declaration(self) -> DeclaredSource | None:
        """The source of a declared group, which is its only one."""
        return next((it for it in self.sources if isinstance(it, DeclaredSource)), None)


@dataclass(frozen=True, slots=True)
class SchemeConfig:
    """What schemes need to know about the project: files of settings, and the annotation of another
    converter that they take over."""

    settings: Mapping[str, str] = field(default_factory=dict)
    takes_over: str = ""


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """A whole project. `output` and `hooks` are packages below `root`, as Python names.

    `hooks_at` is the location of `hooks` in the file, if it is there.
    """

    root: Path
    file: str
    groups: tuple[GroupConfig, ...]
    output: str = "generated"
    hooks: str = "hooks"
    breaking: BreakingConfig = field(default_factory=BreakingConfig)
    scheme: SchemeConfig = field(default_factory=SchemeConfig)
    hooks_at: Location | None = None

    def group(self, package: str) -> GroupConfig:
        """Return the group of a package."""
        return next(group for group in self.groups if group.package == package)

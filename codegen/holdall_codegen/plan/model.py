"""The plan: everything the generator decided, as data, each decision with its reason.

`emit` prints it, `plan`, `diff`, `graph`, audit and laws read it. Nothing is decided later.

Length: one model; conversions name types, and edges and links hold conversions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final, Literal

from holdall.inner.declared import InnerDocuments
from holdall.objects.heads import API_HEAD, MemberHead
from holdall.plan.bag_limits import BagLimits
from holdall.plan.plans import LinkEnd, Side, TypeRef
from holdall.plan.tracking import Tracking
from holdall.types import JsonObject, JsonValue
from holdall_codegen.config.crd import CrdConfig
from holdall_codegen.config.model import (
    CarrierName,
    DeclaredFacts,
    DefaultFacts,
    Step,
    VariantFacts,
)
from holdall_codegen.model import NOWHERE, Location, ObjectType, Property, Type

SIDES: Final[tuple[Side, Side]] = ("older", "newer")

# --- fates -----------------------------------------------------------------------------------

Fate = Literal[
    "copied",
    "converted",
    "renamed",
    "moved",
    "recursed",
    "stashed",
    "pulled",
    "claimed by a hook",
]

LEFT: Final[tuple[Fate, ...]] = ("stashed", "pulled", "claimed by a hook")
"""Fates of properties without a partner, or handled by a hook."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The fate of one property of one side of an edge.

    `side` is the side of the property; `partner` is the other side's wire name or path. `doubtful`
    says that a pair shares a name, but may mean different things.
    """

    side: Side
    name: str
    fate: Fate
    reason: str
    partner: str = ""
    location: Location = NOWHERE
    doubtful: bool = False


# --- conversions of values: trees, read from the older side to the newer --------------------


@dataclass(frozen=True, slots=True)
class Same:
    """The value as it is: scalars."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A deep copy: opaque JSON, lists and maps without objects."""


@dataclass(frozen=True, slots=True)
class Recurse:
    """Objects that cross an edge, or a chain of edges: `steps` are the types passed, both ends
    included, older end first."""

    steps: tuple[TypeRef, ...]


@dataclass(frozen=True, slots=True)
class Each:
    """Element by element, in a list or a map."""

    container: Literal["list", "map"]
    inner: Conversion


@dataclass(frozen=True, slots=True)
class Kinds:
    """Scalars or unions of different JSON kinds: kept where the kind fits."""

    older: tuple[str, ...]
    newer: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RenamedValues:
    """An enum with renamed values, older to newer."""

    names: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Wrap:
    """Older single, newer list."""

    inner: Conversion


@dataclass(frozen=True, slots=True)
class HidesZero:
    """Values of which one side, or both, do not show the other's zero value."""

    side: Literal["older", "newer", "both", "nulls"]
    inner: Conversion


@dataclass(frozen=True, slots=True)
class Reference:
    """Older string, newer object of `type` with the string as `member`."""

    type: TypeRef
    member: str


@dataclass(frozen=True, slots=True)
class Measure:
    """Older string with its own unit, newer number in `unit`, with fractions or without."""

    lens: Literal["duration", "quantity"]
    unit: str
    kind: Literal["int32", "integer", "number"]


@dataclass(frozen=True, slots=True)
class Keyed:
    """Older map, newer list of objects of `type` with the key of each value as the member `key`.

    `inner` is for the value and the member `value`, or all other members if `value` is empty. A
    `lenient` list may lack keys and values, and have several elements of one key.
    """

    type: TypeRef
    key: str
    value: str
    inner: Conversion
    lenient: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """Older opaque JSON, newer the type `newer` in version `version`."""

    version: str
    newer: Type


@dataclass(frozen=True, slots=True)
class Flipped:
    """A conversion seen from the other side."""

    inner: Conversion


@dataclass(frozen=True, slots=True)
class Chain:
    """Two conversions one after the other."""

    first: Conversion
    second: Conversion


@dataclass(frozen=True, slots=True)
class Through:
    """A linked property that a hook converts, on the edge of the two objects that hold it."""

    older: LinkEnd
    older_type: Type
    newer: LinkEnd
    newer_type: Type


@dataclass(frozen=True, slots=True)
class Computed:
    """A property whose type changed: by a function, to a constant, or by `implicit`, in each
    direction. `null_…` says that the value of that side may be null. `versions` are both ends'.
    `may_raise` says that a value for which a function raises is a misfit, `json_…` that null is a
    value of that side's any JSON, which functions and constants may return."""

    versions: tuple[str, str]
    older: Type
    newer: Type
    upgrade: Step
    downgrade: Step
    implicit: Conversion | None
    null_older: bool
    null_newer: bool
    may_raise: bool = False
    json_older: bool = False
    json_newer: bool = False


@dataclass(frozen=True, slots=True)
class Variants:
    """An enum with variants that are renamed, or on one side only."""

    facts: VariantFacts


Conversion = (
    Same
    | Copy
    | Recurse
    | Each
    | Kinds
    | RenamedValues
    | Wrap
    | HidesZero
    | Reference
    | Measure
    | Keyed
    | Opened
    | Flipped
    | Chain
    | Through
    | Computed
    | Variants
)


@dataclass(frozen=True, slots=True)
class Refused:
    """No row of the table covers a pair."""

    why: str


def flip(conversion: Conversion) -> Conversion:
    """Return a conversion seen from the other side."""
    match conversion:
        case Flipped(inner=inner):
            return inner
        case Same() | Copy():
            return conversion
        case _:
            return Flipped(conversion)


def conversions_in(conversion: Conversion) -> Iterator[Conversion]:
    """Yield a conversion and those inside it, at any depth, outer ones first."""
    yield conversion
    match conversion:
        case Each() | Wrap() | HidesZero() | Keyed() | Flipped():
            yield from conversions_in(conversion.inner)
        case Chain(first=first, second=second):
            yield from conversions_in(first)
            yield from conversions_in(second)
        case Computed(implicit=inner) if inner is not None:
            yield from conversions_in(inner)


def passed(conversion: Conversion) -> tuple[TypeRef, ...]:
    """Return the types that the objects of a value pass."""
    found = conversions_in(conversion)
    return next((one.steps for one in found if isinstance(one, Recurse)), ())


def is_reversible(conversion: Conversion) -> bool:
    """Tell whether a round trip always gives the same value."""
    match conversion:
        case Same() | Copy() | Recurse():
            return True
        case Each(inner=inner):
            return is_reversible(inner)
        case _:
            return False


def reference_member(conversion: Conversion) -> str:
    """Return the member that holds the text of a reference, empty for other conversions."""
    while isinstance(conversion, Each | Wrap | HidesZero | Flipped):
        conversion = conversion.inner
    return conversion.member if isinstance(conversion, Reference) else ""


# --- types with their Python names -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Member:
    """A property with the Python attribute it becomes."""

    name: str
    property: Property
    attribute: str
    constants: str = ""


@dataclass(frozen=True, slots=True)
class PlannedType:
    """One object type with the names it has in generated code.

    Members are in code-point order of their wire names. `records_version` says that the twin
    records the version the user wrote: the spec twin of a kind, its root twin without a spec.
    `head` are the attributes of the members that say version and kind, by wire name.
    """

    ref: TypeRef
    type: ObjectType
    members: tuple[Member, ...]
    records_version: bool = False
    kind: str = ""
    head: Mapping[str, str] = field(default_factory=dict)
    _by_name: Mapping[str, Member] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name = {member.name: member for member in reversed(self.members)}
        object.__setattr__(self, "_by_name", by_name)

    def member(self, name: str) -> Member:
        return self._by_name[name]

    def has(self, name: str) -> bool:
        return name in self._by_name


# --- edges -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """Two properties that mean the same."""

    older: str
    newer: str
    conversion: Conversion
    reason: str
    misfit_is_error: bool = False
    always: bool = False


@dataclass(frozen=True, slots=True)
class PlannedMove:
    """A property that changes its nesting level; paths are wire names from the edge's types.

    `older_types` and `newer_types` are the types along the paths, the edge's own types first.
    """

    older: tuple[str, ...]
    newer: tuple[str, ...]
    older_types: tuple[TypeRef, ...]
    newer_types: tuple[TypeRef, ...]
    conversion: Conversion
    reason: str
    misfit_is_error: bool = False


def ways(
    pairs: Iterable[PlannedPair], moves: Iterable[PlannedMove]
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], Conversion]]:
    """Yield the paths of all partners from both types, with their conversions."""
    for pair in pairs:
        yield (pair.older,), (pair.newer,), pair.conversion
    for move in moves:
        yield move.older, move.newer, move.conversion


def moved_paths(moves: Iterable[PlannedMove], side: Side) -> dict[str, tuple[str, ...]]:
    """Return the paths of moves on one side, by the names of decisions."""
    paths = (move.older if side == "older" else move.newer for move in moves)
    return {"/".join(path): path for path in paths}


def decision_about(
    path: tuple[str, ...],
    side: Side,
    decisions: Iterable[Decision],
    moved: Mapping[str, tuple[str, ...]],
) -> Decision | None:
    """Return the decision about the longest prefix of a path on a side, if any."""
    ways = [(moved.get(it.name, (it.name,)), it) for it in decisions if it.side == side]
    found = [(len(way), decision) for way, decision in ways if path[: len(way)] == way]
    return max(found, key=itemgetter(0), default=(0, None))[1]


@dataclass(frozen=True, slots=True)
class PlannedLink:
    """A property that is missing between two versions and has one meaning on both ends."""

    older: LinkEnd
    newer: LinkEnd
    conversion: Conversion
    reason: str


@dataclass(frozen=True, slots=True)
class PlannedEdge:
    """Everything decided about two neighbouring storage twins; the older one hosts it.

    `only_…` have no partner and go through the bag; `left_…` are handled by moves, a hook or
    `union`. `defaults` are for properties without a partner if nothing is kept. A `skipped` edge
    has no generated converter: without a hook its objects do not convert. `is_link` says that
    there are versions between the two. `suffix` distinguishes methods if the older type has several
    newer peers, else it is empty.
    """

    older: TypeRef
    newer: TypeRef
    protocol: str
    suffix: str
    is_link: bool
    pairs: tuple[PlannedPair, ...]
    moves: tuple[PlannedMove, ...]
    only_older: tuple[str, ...]
    only_newer: tuple[str, ...]
    left_older: tuple[str, ...]
    left_newer: tuple[str, ...]
    must_claim_older: tuple[str, ...]
    must_claim_newer: tuple[str, ...]
    decisions: tuple[Decision, ...]
    defaults: tuple[DefaultFacts, ...] = ()
    union: VariantFacts | None = None
    skipped: bool = False

    @property
    def ends(self) -> tuple[TypeRef, TypeRef]:
        return self.older, self.newer

    def default_of(self, side: Side, name: str) -> DefaultFacts | None:
        """Return the default of a property without a partner, if it has one."""
        return next(
            (item for item in self.defaults if (item.side, item.name) == (side, name)), None
        )


@dataclass(frozen=True, slots=True)
class PlannedKind:
    """A kind over its versions: which type it is in each, and the edges a conversion walks.

    `names` are the versions in which the kind has another name. `tracked_status` is the name of
    its API type for a status that holds tracked values too; empty if its status holds none.
    """

    name: str
    types: Mapping[str, str]
    edges: tuple[tuple[str, str], ...]
    carrier: CarrierName
    plural: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    tracking: Tracking = field(default_factory=Tracking)
    limits: BagLimits = field(default_factory=BagLimits)
    tracked_status: str = ""


@dataclass(frozen=True, slots=True)
class PlannedVersion:
    """One version: its module, its enum member, and its types by name.

    `types` are those of storage twins, `api_types` those of its users.
    """

    name: str
    module: str
    enum_member: str
    internal: bool
    deprecated: str
    location: Location
    types: Mapping[str, PlannedType]
    api_types: Mapping[str, PlannedType]


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """The plan of one group. Edges are sorted by their older, then their newer end.

    `pruned` are the types whose extras of other versions an API server removes. `location` is that
    of the group's configuration.
    """

    name: str
    package: str
    api_group: str
    hub: str
    versions: tuple[PlannedVersion, ...]
    version_edges: tuple[tuple[str, str], ...]
    kinds: tuple[PlannedKind, ...]
    edges: tuple[PlannedEdge, ...]
    links: tuple[PlannedLink, ...]
    warnings: tuple[str, ...] = ()
    crds: Mapping[str, JsonValue] = field(default_factory=dict)
    crd: CrdConfig = field(default_factory=CrdConfig)
    declared: DeclaredFacts | None = None
    pruned: frozenset[TypeRef] = frozenset()
    inner: tuple[InnerDocuments, ...] = ()
    head: MemberHead | None = None
    location: Location = NOWHERE

    def imports(self, name: Literal["runtime", "k8s_core", "k8s_client", "otel"]) -> str:
        """Return the import path of a part of the runtime, as generated code names it."""
        given = self.declared.imports if self.declared is not None else {}
        if name == "otel":
            return given.get("otel", "opentelemetry")
        runtime = given.get("runtime", "holdall")
        if name == "runtime":
            return f"{runtime}.generated"
        return given.get(name) or given.get("k8s", f"{runtime}.kubernetes.kinds")

    def held(self, ref: TypeRef) -> list[TypeRef]:
        """Return the types that the properties of a type hold."""
        return [TypeRef(ref.version, name) for name in self.type(ref).type.held()]

    def group_of(self, kind: str) -> str:
        """Return the API group of a kind: that of the group, unless it is declared."""
        return (self.declared.group_of(kind) if self.declared else "") or self.api_group

    def head_of(self, type_: PlannedType) -> JsonObject:
        """Return the head of documents of a root type; nothing for other types."""
        if not type_.kind:
            return {}
        parts = (self.group_of(type_.kind), type_.ref.version)
        return (self.head or API_HEAD).of("/".join(filter(None, parts)), type_.kind)

    def may_say(self, type_: PlannedType) -> JsonObject:
        """Return what documents of a root type may say about their version, but need not."""
        head = self.head
        if head is None or not type_.kind or type_.ref.version != head.default:
            return {}
        return {head.version_at: head.values[head.default]}

    def others_of(self, type_: PlannedType) -> dict[str, list[JsonValue]]:
        """Return what documents of a root type may say instead about their version."""
        head = self.head
        if head is None or not type_.kind or not head.others.get(type_.ref.version):
            return {}
        return {head.version_at: [*head.others[type_.ref.version]]}

    def version(self, name: str) -> PlannedVersion:
        return next(version for version in self.versions if version.name == name)

    def type(self, ref: TypeRef) -> PlannedType:
        return self.version(ref.version).types[ref.name]

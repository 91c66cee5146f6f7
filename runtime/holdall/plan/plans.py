"""The plan of a generated group, read back from its plan.json: types, fates, links.

Audits and laws use only this and the scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast

from holdall.errors import DecodeError, Problem, SchemeError
from holdall.plan.graph import closure
from holdall.plan.per_package import per_package
from holdall.text import json as _json
from holdall.types import JsonValue

PLAN_FILE: Final = "plan.json"
MANIFEST_FILE: Final = ".holdall-manifest.json"
"""The file beside the packages of groups with what was generated: `{"files": {path: digest}}`."""

Facts: TypeAlias = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Texts by edge (`v1.Pool -> v2.Pool`) or link (`v1.Pool/tier -> v3.Pool/tier`), side and name."""
T = TypeVar("T")
_ABSENT: Final = (OSError, ModuleNotFoundError)
MALFORMED: Final = (DecodeError, AttributeError, LookupError, TypeError, ValueError)
"""What `view` raises for malformed plans, which it does not check beforehand."""
Side = Literal["older", "newer"]
ScalarKind = Literal["string", "integer", "number", "boolean"]
TypeForm = Literal["object", "union", "tuple"]


@dataclass(frozen=True, slots=True, order=True)
class TypeRef:
    """An object type of one version, by name."""

    version: str
    name: str

    @classmethod
    def parse(cls, text: str) -> TypeRef:
        """Return the type that `v1.PoolSpec` names; a version may contain dots."""
        version, _, name = text.rpartition(".")
        return cls(version, name)

    def __str__(self) -> str:
        return f"{self.version}.{self.name}"


# --- types of properties ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value of one or more JSON scalar kinds, usually one.

    `enum` are the values that its schema names; others may occur. `format` is that of declared
    integers, such as `uint16`.
    """

    kinds: tuple[ScalarKind, ...]
    enum: tuple[JsonValue, ...] = ()
    format: str = ""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Any JSON value."""


@dataclass(frozen=True, slots=True)
class Ref:
    """An object of a type of the same version."""

    type: TypeRef


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list. `keys` are the members that identify an element, if any."""

    item: Type
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object with free keys and values of one type."""

    value: Type


Type: TypeAlias = Scalar | Opaque | Ref | ListOf | MapOf


def object_within(type_: Type) -> TypeRef | None:
    """Return the object type inside any number of lists and maps."""
    match type_:
        case Ref(type=ref):
            return ref
        case ListOf(item=inner) | MapOf(value=inner):
            return object_within(inner)
        case _:
            return None


# --- decisions -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decision:
    """The fate of a property of one side of an edge.

    `name` and `partner` are wire names, or paths with slashes for moved properties. Only the older
    side's decision has `values`, the renamed values of an enum, older to newer, and `lens`, what is
    declared about a value with another form, `duration: seconds`, or about its zero value,
    `hides_zero: older`. `follows_parent` says that a default is made from the other side's object.
    """

    side: Side
    name: str
    fate: str
    partner: str
    reason: str
    values: Mapping[str, str] = field(default_factory=dict)
    follows_parent: bool = False
    lens: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """Two neighbouring types with a decision for every property of both.

    `is_link` says that there are versions between the two.
    """

    older: TypeRef
    newer: TypeRef
    protocol: str
    is_link: bool
    decisions: tuple[Decision, ...]

    def side_of(self, ref: TypeRef) -> Side:
        """Return the side of the edge on which a type is."""
        return "older" if ref == self.older else "newer"

    def decided(self, side: Side) -> Iterator[Decision]:
        """Yield the decisions of one side, in the order of the plan."""
        return (decision for decision in self.decisions if decision.side == side)


@dataclass(frozen=True, slots=True, order=True)
class LinkEnd:
    """A property of a type: one end of a skip link."""

    type: TypeRef
    name: str

    @classmethod
    def parse(cls, text: str) -> LinkEnd:
        """Return the end that `v1.PoolSpec/tier` names; a property may contain slashes."""
        ref, _, name = text.partition("/")
        return cls(TypeRef.parse(ref), name)

    def __str__(self) -> str:
        return f"{self.type}/{self.name}"


@dataclass(frozen=True, slots=True)
class SkipLink:
    """A property that is missing between two versions and means the same at both ends."""

    older: LinkEnd
    newer: LinkEnd
    reason: str
    values: Mapping[str, str] = field(default_factory=dict)
    lens: str = ""


@dataclass(frozen=True, slots=True)
class PlannedKind:
    """A kind: its type in each version, and the edges that conversions cross.

    `names` are the versions in which the kind has another name.
    """

    name: str
    types: Mapping[str, str]
    edges: tuple[tuple[str, str], ...]
    carrier: str
    names: Mapping[str, str] = field(default_factory=dict)

    def root(self, version: str) -> TypeRef:
        """Return the type of the kind in a version."""
        return TypeRef(version, self.types[version])


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """The plan of one group. `versions` are oldest first; `types` hold properties by wire name.

    `forms` are those of declared types, empty for groups from schemas. `defaults` are those that an
    API server may fill in; None in a plan without them. `internal` versions are never stored.
    `open_types` preserve unknown members; the bags of `pruned` ones keep what an API server would
    remove. `facts` are the declarations about properties, in words; None in a plan without them.
    """

    group: str
    versions: tuple[str, ...]
    hub: str
    kinds: tuple[PlannedKind, ...]
    types: Mapping[TypeRef, Mapping[str, Type]]
    edges: tuple[Edge, ...]
    links: tuple[SkipLink, ...]
    forms: Mapping[TypeRef, TypeForm] = field(default_factory=dict)
    defaults: Mapping[TypeRef, Mapping[str, list[JsonValue]]] | None = None
    internal: frozenset[str] = frozenset()
    open_types: frozenset[TypeRef] = frozenset()
    pruned: frozenset[TypeRef] = frozenset()
    facts: Facts | None = None

    def form(self, ref: TypeRef) -> TypeForm:
        """Return the form of a type's objects on the wire."""
        return self.forms.get(ref, "object")

    def kind(self, name: str) -> PlannedKind:
        """Return a kind by name. Raises KeyError."""
        for kind in self.kinds:
            if kind.name == name:
                return kind
        raise KeyError(name)

    def edge(self, one: TypeRef, other: TypeRef) -> Edge | None:
        """Return the edge between two types, in any order; None if there is none."""
        for edge in self.edges:
            if {edge.older, edge.newer} == {one, other}:
                return edge
        return None

    def within(self, ref: TypeRef, names: Iterable[str]) -> TypeRef | None:
        """Return the type of the object at a path of members; None if one is not an object."""
        for name in names:
            inner = self.types.get(ref, {}).get(name)
            if not isinstance(inner, Ref):
                return None
            ref = inner.type
        return ref

    def reachable(self, root: TypeRef) -> list[TypeRef]:
        """Return a type and all types in its properties, at any depth, each once."""
        return closure(
            [root], lambda ref: filter(None, map(object_within, self.types[ref].values()))
        )


# --- reading ---------------------------------------------------------------------------------


@per_package
def load(package: str) -> GroupPlan:
    """Return the plan of a generated package, such as `generated.batch`.

    Raises SchemeError (HA405) if there is no plan beside the package, or none of this version.
    """
    return read_plan(package, view)


def read_plan(package: str, look: Callable[[Any], T]) -> T:
    """Return `look(plan.json)` for a package. Raises SchemeError like `load`."""
    try:
        return look(_json.decode(resources.files(package).joinpath(PLAN_FILE).read_bytes()))
    except (*_ABSENT, *MALFORMED) as error:
        what = f"the plan of {package} cannot be read: {type(error).__name__}: {error}"
        problem = Problem("HA405", f"{package}/{PLAN_FILE}", what, "run `holdall generate`")
        raise SchemeError([problem]) from error


def view(value: JsonValue) -> GroupPlan:
    """Return the plan in a decoded plan.json. Raises one of MALFORMED for other values."""
    plan = cast("dict[str, Any]", value)
    return GroupPlan(
        group=plan["group"],
        versions=tuple(plan["versions"]),
        hub=plan["hub"],
        kinds=tuple(
            PlannedKind(
                kind["kind"],
                kind["types"],
                tuple((older, newer) for older, newer in kind["edges"]),
                kind["carrier"],
                kind.get("names", {}),
            )
            for kind in plan["kinds"]
        ),
        types={
            TypeRef(version, name): _members(plan, version, name, members)
            for version, types in plan["types"].items()
            for name, members in types.items()
        },
        edges=tuple(_edge(edge) for edge in plan["edges"]),
        links=tuple(
            SkipLink(
                LinkEnd.parse(link["older"]),
                LinkEnd.parse(link["newer"]),
                link["reason"],
                link.get("values", {}),
                link.get("lens", ""),
            )
            for link in plan["links"]
        ),
        forms={
            TypeRef(version, name): entry.get("form", "object")
            for version, types in plan.get("declared", {}).items()
            for name, entry in types.items()
        },
        defaults={
            TypeRef(version, name): members
            for version, types in plan["defaults"].items()
            for name, members in types.items()
        }
        if "defaults" in plan
        else None,
        internal=frozenset(plan.get("internal", ())),
        open_types=_refs(plan.get("open", {})),
        pruned=_refs(plan.get("pruned", {})),
        facts=plan.get("facts"),
    )


def _refs(names: Mapping[str, list[str]]) -> frozenset[TypeRef]:
    return frozenset(TypeRef(version, name) for version, held in names.items() for name in held)


def _members(
    plan: Mapping[str, Any], version: str, name: str, members: Mapping[str, str]
) -> dict[str, Type]:
    enums = plan["enums"].get(version, {}).get(name, {})
    keys = plan["list_keys"].get(version, {}).get(name, {})
    declared = plan.get("declared", {}).get(version, {}).get(name, {"members": ()})
    formats = {item["name"]: item.get("format", "") for item in declared["members"]}
    return {
        member: _type(
            text,
            version,
            tuple(enums.get(member, ())),
            tuple(keys.get(member, ())),
            formats.get(member, ""),
        )
        for member, text in members.items()
    }


def _type(
    text: str, version: str, enum: tuple[JsonValue, ...], keys: tuple[str, ...], format: str
) -> Type:
    """Return the type that a plan describes, such as `map of list of PoolSpec`."""
    if text.startswith("list of "):
        rest = text.removeprefix("list of ")
        # The keys are those of the innermost list.
        own = () if "list of " in rest else keys
        return ListOf(_type(rest, version, enum, keys, format), own)
    if text.startswith("map of "):
        return MapOf(_type(text.removeprefix("map of "), version, enum, keys, format))
    if text == "any JSON":
        return Opaque()
    kinds = text.split(" or ")
    if all(kind in ("string", "integer", "number", "boolean") for kind in kinds):
        return Scalar(cast("tuple[ScalarKind, ...]", tuple(kinds)), enum, format)
    return Ref(TypeRef(version, text))


def _edge(edge: Mapping[str, Any]) -> Edge:
    return Edge(
        TypeRef.parse(edge["older"]),
        TypeRef.parse(edge["newer"]),
        edge["protocol"],
        edge["link"],
        tuple(
            Decision(
                item["side"],
                item["property"],
                item["fate"],
                item.get("partner", ""),
                item["reason"],
                item.get("values", {}),
                item.get("default") == "of the parent",
                item.get("lens", ""),
            )
            for item in edge["decisions"]
        ),
    )

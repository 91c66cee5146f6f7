"""The facts of a declaration about its edges, as the plan reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from holdall.engine.functions import function
from holdall.errors import FunctionFailure
from holdall.types import JsonValue
from holdall_codegen.config.model import (
    Constant,
    DefaultFacts,
    EdgeFacts,
    Failing,
    Fallback,
    Function,
    Implicit,
    PropertyFacts,
    RetypedFacts,
    Step,
    TypeFacts,
    VariantFacts,
)
from holdall_codegen.declared.lowering import Arguments, instances, tuple_name
from holdall_codegen.declared.model import (
    Container,
    ContainerEdge,
    Declaration,
    Item,
    ItemPair,
    Lone,
)
from holdall_codegen.declared.problems import raise_problem
from holdall_codegen.declared.shapes import item_type, say
from holdall_codegen.declared.types import (
    DeclType,
    DictOf,
    External,
    FunctionRef,
    JsonType,
    ListOf,
    Named,
    OptionalOf,
    Parameter,
    Scalar,
    by_parameter,
)
from holdall_codegen.model import Group, Location


def lower_facts(declaration: Declaration, group: Group) -> tuple[EdgeFacts, ...]:
    """Return the facts between neighbouring versions, and those that keep namesakes apart."""
    found: dict[tuple[str, str], dict[str, TypeFacts]] = {}
    uses = instances(declaration)
    types = {version.name: version.types for version in group.versions}

    def names(container: Container, *versions: str) -> list[str]:
        """Return the types of a container that all of the versions have."""
        own = (name for name, (of, _) in uses.items() if of is container)
        return [name for name in own if all(name in types[version] for version in versions)]

    for container in declaration.containers:
        for edge in container.edges.values():
            lowering = _EdgeLowering(declaration, container, edge)
            for name in names(container, edge.older, edge.newer):
                for facts in lowering.facts(name, uses[name][1]):
                    found.setdefault((edge.older, edge.newer), {})[facts.pattern] = facts
            if container.resource is not None and "object_from" in edge.skip:
                entry = TypeFacts(container.resource.kind, container.location, skip=True)
                found.setdefault((edge.older, edge.newer), {})[entry.pattern] = entry
        for older, newer, apart in _namesakes(declaration, container):
            entries = found.setdefault((older, newer), {})
            for name in names(container, older, newer):
                known = entries.get(name) or TypeFacts(name, container.location)
                entries[name] = replace(known, properties=(*known.properties, apart))
    return tuple(
        EdgeFacts(older, newer, Location(declaration.file, 1), tuple(entries.values()))
        for (older, newer), entries in sorted(found.items())
    )


class _EdgeLowering:
    def __init__(self, declaration: Declaration, container: Container, edge: ContainerEdge) -> None:
        self._declaration = declaration
        self._container = container
        self._edge = edge
        self._older = {item.name: item for item in container.shapes[edge.older]}
        self._newer = {item.name: item for item in container.shapes[edge.newer]}

    def facts(self, name: str, arguments: Arguments) -> Iterator[TypeFacts]:
        """Yield the facts of the edge for a type of the container, and for its tuples."""
        container, edge = self._container, self._edge
        if "from" in edge.skip:
            yield TypeFacts(name, container.location, skip=True)
            return
        pairs = (self._pair(pair, arguments) for pair in edge.pairs)
        is_object = container.form == "object"
        yield TypeFacts(
            name,
            container.location,
            properties=(*filter(None, pairs), *(self._apart() if is_object else ())),
            defaults=tuple(self._defaults()) if is_object else (),
            union=None if is_object else self._union(),
        )
        for pair in edge.pairs:
            newer = self._newer[pair.newer]
            elements = tuple(self._elements(pair, arguments))
            if elements:
                yield TypeFacts(
                    tuple_name(name, newer.declared), pair.location, properties=elements
                )

    def _elements(self, pair: ItemPair, arguments: Arguments) -> Iterator[PropertyFacts]:
        """Yield the changes of enums in the elements of a tuple."""
        older, newer = self._older[pair.older], self._newer[pair.newer]
        if not isinstance(older.type, tuple) or not isinstance(newer.type, tuple):
            return
        if _is_implicit(self._retyped(pair, newer, older)):
            for index, ends in enumerate(zip(older.type, newer.type, strict=False)):
                variants = self._enum_within_both(*ends, arguments)
                if variants is not None:
                    yield PropertyFacts((str(index),), pair.location, variants=variants)

    def _pair(self, pair: ItemPair, arguments: Arguments) -> PropertyFacts | None:
        older, newer = self._older[pair.older], self._newer[pair.newer]
        if older.type is None and newer.type is None:
            return None  # bare variants: renamed with their union
        if older.type is None or newer.type is None:
            text = f"a variant cannot change from {say(older.type)} to {say(newer.type)}"
            version = self._edge.newer
            fix = f'declare two: one with removed("{version}", …), one with added("{version}", …)'
            raise_problem("argument_invalid", pair.location, text, fix)
        rename = newer.json_name if newer.json_name != older.json_name else None
        retyped = self._retyped(pair, newer, older)
        variants = None
        if _is_implicit(retyped):
            variants = self._enum_within_both(older.type, newer.type, arguments)
        if rename is None and retyped is None and variants is None:
            return None
        return PropertyFacts(
            (older.json_name,),
            pair.location,
            rename=rename,
            retyped=retyped,
            variants=variants,
        )

    def _retyped(self, pair: ItemPair, newer: Item, older: Item) -> RetypedFacts | None:
        if not pair.retyped and pair.upgrade is None and pair.downgrade is None:
            return None
        edge = self._edge
        target = (newer, edge.newer) if pair.newer_has_default else None
        upgrade = self._step(pair.upgrade, pair.implicit_upgrade, target)
        target = (older, edge.older) if pair.older_has_default else None
        downgrade = self._step(pair.downgrade, pair.implicit_downgrade, target)
        if upgrade == downgrade == Implicit():
            return None
        keeps_all = self._declaration.options.keeps_all
        return RetypedFacts(upgrade, downgrade, keeps_all, json_nulls=True)

    def _step(self, function: object, implicit: bool, target: tuple[Item, str] | None) -> Step:
        """Return how a value crosses to an item, with the default of its version, if any."""
        if function is not None:
            return Function(str(function))
        if implicit:
            return Implicit()
        if target is None:
            return Constant(None)
        item, version = target
        return Constant(Defaults(self._declaration, version).of(item.type))

    def _enum_within_both(
        self, older: object, newer: object, arguments: Arguments
    ) -> VariantFacts | None:
        """Return the changes of the enum that a property holds on both sides, if any."""
        found = self._enum_within(older, arguments)
        return found if found == self._enum_within(newer, arguments) else None

    def _enum_within(self, type_: object, arguments: Arguments) -> VariantFacts | None:
        """Return the changes of the enum that a property holds at any depth, if any."""
        match type_:
            case OptionalOf(item=item) | ListOf(item=item) | DictOf(value=item):
                return self._enum_within(item, arguments)
            case Parameter(name=name) if name in arguments:
                return self._enum_within(arguments[name], {})
            case Named(container=name):
                container = self._declaration.container(name)
                edge = container.edges.get((self._edge.older, self._edge.newer))
                if not container.is_text or edge is None:
                    return None
                return _EdgeLowering(self._declaration, container, edge)._union()
            case _:
                return None

    def _union(self) -> VariantFacts | None:
        edge, older, newer = self._edge, self._older, self._newer
        pairs = [(older[pair.older], newer[pair.newer]) for pair in edge.pairs]
        facts = VariantFacts(
            {
                one.json_name: other.json_name
                for one, other in pairs
                if one.type is None and one.json_name != other.json_name
            },
            {
                older[lone.name].json_name: self._fallback(lone, newer, edge.newer)
                for lone in edge.vanishes
            },
            {
                newer[lone.name].json_name: self._fallback(lone, older, edge.older)
                for lone in edge.appears
            },
        )
        return facts if facts.names or facts.only_older or facts.only_newer else None

    def _fallback(self, lone: Lone, others: Mapping[str, Item], version: str) -> Fallback:
        if lone.replace_with is not None:
            return Function(str(lone.replace_with))
        known = (item for item in others.values() if lone.fallback in (item.name, item.declared))
        found = next(known, None)
        if found is None:
            return Failing()
        if found.type is None:
            return found.json_name
        return Constant({found.json_name: Defaults(self._declaration, version).of(found.type)})

    def _defaults(self) -> Iterator[DefaultFacts]:
        edge = self._edge
        for lone in edge.vanishes:
            yield from self._default(lone, "older", self._older[lone.name])
        for lone in edge.appears:
            yield from self._default(lone, "newer", self._newer[lone.name])

    def _default(self, lone: Lone, side: str, item: Item) -> Iterator[DefaultFacts]:
        version = self._edge.older if side == "older" else self._edge.newer
        default: Function | Constant
        given = lone.default or lone.default_from or item.default_factory
        if given is not None:
            default = Function(str(given))
        elif item.has_default:
            default = Constant(item.default)
        else:
            default = Constant(Defaults(self._declaration, version).of(item.type))
        options = self._declaration.options
        is_json = _has_null(item)
        if default == Constant(None) and not (is_json or options.tracking):
            return  # What comes back was kept by a converter, and has the type.
        yield DefaultFacts(
            "older" if side == "older" else "newer",
            item.json_name,
            default,
            lone.location,
            of_parent=lone.default_from is not None,
            json_nulls=is_json,
            always=options.keeps_all,
        )

    def _apart(self) -> Iterator[PropertyFacts]:
        """Yield the facts that keep two items apart that share a wire name by chance."""
        lone = {self._newer[item.name].json_name for item in self._edge.appears}
        for item in self._edge.vanishes:
            name = self._older[item.name].json_name
            if name in lone:
                yield PropertyFacts((name,), item.location, not_same=True)


def _is_implicit(retyped: RetypedFacts | None) -> bool:
    """Tell whether a value crosses by its type alone, in at least one direction."""
    return retyped is None or Implicit() in (retyped.upgrade, retyped.downgrade)


def _namesakes(
    declaration: Declaration, container: Container
) -> Iterator[tuple[str, str, PropertyFacts]]:
    """Yield the facts that keep apart a field and a later one of its name, with a gap between.

    Nothing would join them over skipped edges, and variants are never joined.
    """
    if container.form == "union":
        return
    order = [version.name for version in declaration.versions if version.name in container.shapes]
    named = {
        version: {item.json_name: item for item in container.shapes[version]} for version in order
    }
    edges = [container.edges[ends] for ends in pairwise(order)]
    for (at, first), (before, last) in combinations(enumerate(edges), 2):
        if "from" in first.skip and "from" in last.skip:
            continue
        gone, come = ({one.name for one in lone} for lone in (first.vanishes, last.appears))
        between = order[at + 1 : before + 1]
        for name, item in named[first.older].items():
            later = named[last.newer].get(name)
            is_another = later is not None and item.name in gone and later.name in come
            if is_another and not any(name in named[version] for version in between):
                yield first.older, last.newer, PropertyFacts((name,), item.location, not_same=True)


# --- the default of every type, as JSON -----------------------------------------------------------


_SCALARS: dict[str, JsonValue] = {"bool": False, "str": "", "float": 0.0}


@dataclass(frozen=True, slots=True)
class Defaults:
    """The defaults of the types of one version. Functions are called, as they are pure."""

    declaration: Declaration
    version: str

    def of(self, type_: DeclType | tuple[DeclType, ...] | None) -> JsonValue:
        """Return the default of a type; None for absence. Raises DeclarationError if a function
        fails."""
        match type_:
            case None | OptionalOf() | JsonType() | Parameter():
                return None
            case tuple():
                return [self.of(item) for item in type_]
            case Scalar(width=width):
                return _SCALARS.get(width, 0)
            case ListOf():
                return []
            case DictOf():
                return {}
            case External(default=made):
                return None if made is None else _called(made)
            case Named():
                return self._container(type_)

    def _container(self, type_: Named) -> JsonValue:
        container = self.declaration.container(type_.container)
        arguments = by_parameter(container.parameters, type_.arguments)
        items = container.shapes[self.version]
        if container.form == "object":
            values = ((item, self._item(item, arguments)) for item in items)
            return {
                item.json_name: value
                for item, value in values
                if value is not None or _has_null(item)
            }
        variant = next(item for item in items if item.declared == container.default_variant)
        if variant.type is None:
            return variant.json_name
        return {variant.json_name: self.of(item_type(variant.type, arguments))}

    def _item(self, item: Item, arguments: Mapping[str, DeclType]) -> JsonValue:
        if item.default_factory is not None:
            return _called(item.default_factory)
        return item.default if item.has_default else self.of(item_type(item.type, arguments))


def _has_null(item: Item) -> bool:
    """Tell whether null is a value of a required item."""
    return item.type == JsonType() and not item.has_default


def _called(reference: FunctionRef) -> JsonValue:
    try:
        return function(str(reference))()
    except FunctionFailure as error:
        text = f"the default cannot be computed: {error}"
        raise_problem("default_missing", reference.location, text, "correct the function")

"""A declaration as the model of a group: the types of every version, by wire names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from holdall.objects.wire_forms import UNIT
from holdall_codegen.declared.model import Container, Declaration, DeclaredVersion, Item, Resource
from holdall_codegen.declared.names import tracked_status
from holdall_codegen.declared.types import (
    FORMATS,
    DeclType,
    DictOf,
    ListOf,
    Named,
    OptionalOf,
    Parameter,
    Scalar,
    by_parameter,
    substituted,
)
from holdall_codegen.model import Group, Kind, ObjectType, Opaque, Property, Ref, Type, Version
from holdall_codegen.model import ListOf as ModelList
from holdall_codegen.model import MapOf as ModelMap
from holdall_codegen.model import Scalar as ModelScalar

Arguments = Mapping[str, DeclType]
_SCALARS: Final[Mapping[str, ModelScalar]] = {
    "bool": ModelScalar("boolean"),
    "str": ModelScalar("string"),
    "float": ModelScalar("number", "double"),
    **{width: ModelScalar("integer", name) for width, name in FORMATS.items()},
}


def tuple_name(union: str, variant: str) -> str:
    """Return the name of the type of a tuple variant's payload."""
    return f"{union}{variant}"


def instance_name(name: str, arguments: tuple[DeclType, ...]) -> str:
    """Return the name of a generic container with its arguments: `Page[Pet]` is `PagePet`."""
    return name + "".join(map(_argument_name, arguments))


def _argument_name(type_: DeclType) -> str:
    match type_:
        case Named(container=name, arguments=arguments):
            return instance_name(name, arguments)
        case Scalar(width=width):
            return width.capitalize()
        case OptionalOf(item=item):
            return f"Optional{_argument_name(item)}"
        case ListOf(item=item):
            return f"{_argument_name(item)}List"
        case DictOf(value=value):
            return f"{_argument_name(value)}Map"
        case _:
            return "Json"


def lower_group(
    name: str, declaration: Declaration, api_group: str, *, tracked: Collection[str] = ()
) -> Group:
    """Return the group of a declaration.

    `tracked` are the kinds whose objects carry tracked values as `changedValues`.
    """
    versions = tuple(
        _Lowering(declaration, version, tracked).version() for version in declaration.versions
    )
    roots = {name: None for version in versions for name in version.types}
    return Group(name, api_group, versions, roots=tuple(sorted(roots)))


def instances(declaration: Declaration) -> dict[str, tuple[Container, Arguments]]:
    """Return the container and the type arguments of every type, by its name."""
    found: dict[str, tuple[Container, Arguments]] = {}

    def look(type_: object, arguments: Arguments) -> None:
        match type_:
            case tuple():
                for part in type_:
                    look(part, arguments)
            case OptionalOf(item=item) | ListOf(item=item) | DictOf(value=item):
                look(item, arguments)
            case Named(container=name, arguments=inner):
                given = tuple(substituted(item, arguments) for item in inner)
                enter(declaration.container(name), given)
            case _:
                pass

    def enter(container: Container, given: tuple[DeclType, ...]) -> None:
        name = instance_name(container.name, given)
        if name not in found:
            arguments = by_parameter(container.parameters, given)
            found[name] = container, arguments
            for items in container.shapes.values():
                for item in items:
                    look(item.type, arguments)

    for container in declaration.containers:
        enter(container, ())
        if container.resource is not None:
            look(container.resource.status, {})
    return found


class _Lowering:
    """Lowers one version. Types are added when they are first named, generic ones once per use."""

    def __init__(
        self, declaration: Declaration, version: DeclaredVersion, tracked: Collection[str]
    ) -> None:
        self._declaration = declaration
        self._version = version
        self._tracked = tracked
        self._types: dict[str, ObjectType] = {}
        self._kinds: list[Kind] = []

    def version(self) -> Version:
        name = self._version.name
        for container in self._declaration.containers:
            if name not in container.shapes or container.is_text:
                continue
            self._container(container.name, container, {})
            if container.resource is not None:
                self._root(container, container.resource)
        return Version(
            name,
            tuple(self._kinds),
            dict(sorted(self._types.items())),
            deprecated=self._version.deprecated,
            location=self._version.location,
        )

    def _root(self, container: Container, resource: Resource) -> None:
        spec = Property("spec", Ref(container.name), required=True, location=container.location)
        properties = [Property("metadata", Opaque(), location=container.location), spec]
        status: Type | None = None
        if resource.status is not None:
            status, nullable = self._type(resource.status, {})
            properties.append(
                Property("status", status, nullable=nullable, location=resource.crd.location)
            )
        self._types[resource.kind] = ObjectType(
            resource.kind, tuple(properties), doc=resource.doc, location=container.location
        )
        self._kinds.append(
            Kind(
                resource.kind,
                resource.kind,
                resource.crd.plural,
                container.location,
                tracked_status=self._tracked_status(resource.kind, status),
            )
        )

    def _tracked_status(self, kind: str, status: Type | None) -> str:
        """Return the name of the status with tracked values, "" if it cannot hold any."""
        tracking = self._declaration.options.tracking
        if kind not in self._tracked or tracking is None:
            return ""
        if status is None:
            # With the other carrier, only values of a status are in the status.
            return tracked_status(kind) if tracking.carrier == "status" else ""
        return "" if isinstance(status, (ModelScalar, ModelList)) else tracked_status(kind)

    def _container(self, name: str, container: Container, arguments: Arguments) -> None:
        if name in self._types:
            return
        doc = self._declaration.class_doc(container, self._version.name)
        # before the properties are read, as containers may hold themselves
        self._types[name] = ObjectType(name, (), doc, location=container.location)
        items = container.shapes[self._version.name]
        if container.form == "object":
            properties = [self._field(item, arguments) for item in items]
        else:
            properties = list(self._variants(name, container, items, arguments))
        self._types[name] = ObjectType(
            name, tuple(properties), doc, location=container.location, form=container.form
        )

    def _field(self, item: Item, arguments: Arguments) -> Property:
        if isinstance(item.type, tuple) or item.type is None:
            raise TypeError(f"{item.name} is not a field")
        type_, nullable = self._type(item.type, arguments, item.list_keys)
        optional = nullable or item.has_default or item.default_factory is not None
        return Property(
            item.json_name,
            type_,
            required=not optional,
            nullable=nullable,
            default=item.default,
            has_default=item.has_default,
            doc=_documentation(item),
            deprecated=item.deprecated if isinstance(item.deprecated, str) else "",
            location=item.location,
            metadata=item.metadata,
        )

    def _variants(
        self, name: str, container: Container, items: tuple[Item, ...], arguments: Arguments
    ) -> Iterator[Property]:
        units = tuple(item.json_name for item in items if item.type is None)
        yield Property(UNIT, ModelScalar("string", enum=units), location=container.location)
        for item in items:
            if item.type is None:
                continue
            if isinstance(item.type, tuple):
                payload: Type = Ref(self._tuple(name, item, item.type, arguments))
                nullable = False
            else:
                payload, nullable = self._type(item.type, arguments)
            yield Property(
                item.json_name,
                payload,
                nullable=nullable,
                doc=_documentation(item),
                location=item.location,
                metadata=item.metadata,
            )

    def _tuple(
        self, union: str, item: Item, types: tuple[DeclType, ...], arguments: Arguments
    ) -> str:
        name = tuple_name(union, item.declared)
        properties = []
        for index, type_ in enumerate(types):
            lowered, nullable = self._type(type_, arguments)
            properties.append(
                Property(str(index), lowered, nullable=nullable, location=item.location)
            )
        self._types[name] = ObjectType(
            name, tuple(properties), item.doc, location=item.location, form="tuple"
        )
        return name

    def _type(
        self, type_: DeclType, arguments: Arguments, list_keys: tuple[str, ...] = ()
    ) -> tuple[Type, bool]:
        """Return a type of the model, and whether it is nullable."""
        match type_:
            case Scalar(width=width):
                return _SCALARS[width], False
            case OptionalOf(item=item):
                return self._type(item, arguments, list_keys)[0], True
            case ListOf(item=item):
                inner, nullable = self._type(item, arguments)
                keys = self._keys(item, list_keys)
                return ModelList(inner, nullable, "map" if keys else "atomic", keys), False
            case DictOf(value=value):
                inner, nullable = self._type(value, arguments)
                return ModelMap(inner, nullable), False
            case Named():
                return self._named(type_, arguments), False
            case Parameter(name=name) if name in arguments:
                return self._type(arguments[name], {})
            case _:
                return Opaque(), False

    def _keys(self, element: DeclType, declared: tuple[str, ...]) -> tuple[str, ...]:
        """Return the keys of a list by their names in this version, () if one is missing."""
        if not isinstance(element, Named):
            return ()
        items = self._declaration.container(element.container).shapes[self._version.name]
        named = {item.declared: item.json_name for item in items}
        return tuple(named[key] for key in declared) if named.keys() >= {*declared} else ()

    def _named(self, type_: Named, arguments: Arguments) -> Type:
        container = self._declaration.container(type_.container)
        if container.is_text:
            items = container.shapes[self._version.name]
            return ModelScalar("string", enum=tuple(item.json_name for item in items))
        given = tuple(substituted(item, arguments) for item in type_.arguments)
        name = instance_name(type_.container, given)
        self._container(name, container, by_parameter(container.parameters, given))
        return Ref(name)


def _documentation(item: Item) -> str:
    """Return the documentation of an item, and since when it is deprecated."""
    if not item.deprecated:
        return item.doc
    since = f"Deprecated since {item.deprecated_since}"
    note = f"{since}: {item.deprecated}" if isinstance(item.deprecated, str) else since
    return f"{item.doc}\n\n{note}" if item.doc else note

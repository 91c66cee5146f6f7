"""The default of every declarable type, as JSON. Source: declared versions, section 4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdall.engine.functions import function
from holdall.errors import FunctionFailure
from holdall.types import JsonValue
from holdall_codegen.declared.model import Declaration, Item
from holdall_codegen.declared.problems import raise_problem
from holdall_codegen.declared.shapes import item_type
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
)

_SCALARS: dict[str, JsonValue] = {"bool": False, "str": "", "float": 0.0}


@dataclass(frozen=True, slots=True)
class Defaults:
    """The defaults of the types of one version. Functions are called: they are pure."""

    declaration: Declaration
    version: str

    def of(self, type_: DeclType | tuple[DeclType, ...] | None) -> JsonValue:
        """Return the default of a type; None where that is absence. Raises DeclarationError
        if a function fails."""
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
        arguments = dict(zip(container.parameters, type_.arguments, strict=False))
        items = container.shapes[self.version]
        if container.form == "object":
            values = {item.json_name: self._item(item, arguments) for item in items}
            return {name: value for name, value in values.items() if value is not None}
        variant = next(item for item in items if item.declared == container.default_variant)
        if variant.type is None:
            return variant.json_name
        return {variant.json_name: self.of(item_type(variant.type, arguments))}

    def _item(self, item: Item, arguments: Mapping[str, DeclType]) -> JsonValue:
        if item.default_factory is not None:
            return _called(item.default_factory)
        return item.default if item.has_default else self.of(item_type(item.type, arguments))


def _called(reference: FunctionRef) -> JsonValue:
    try:
        return function(str(reference))()
    except FunctionFailure as error:
        raise_problem("default_missing", reference.location, f"there is no default: {error}")

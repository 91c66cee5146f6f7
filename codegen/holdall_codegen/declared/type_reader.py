"""Reading annotations and type expressions into declared types."""

from __future__ import annotations

import ast
import datetime
import decimal
import types
import typing
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Final, TypeVar

import holdall.declare
import holdall.types
from holdall.declare import Json, Unit, external
from holdall.declare.classes import DECLARED
from holdall.declare.types import Width
from holdall.suggest import nearest
from holdall_codegen.declared import types as declared
from holdall_codegen.declared.functions import find_function, find_nothing
from holdall_codegen.declared.raw import ItemType
from holdall_codegen.declared.source import Failed, Source
from holdall_codegen.declared.types import (
    DeclType,
    DictOf,
    External,
    JsonType,
    ListOf,
    Named,
    OptionalOf,
    Parameter,
)

_SCALARS: Final[dict[object, declared.Width]] = {
    bool: "bool",
    str: "str",
    float: "float",
    int: "int",
}
_WORDS: Final = (
    *("bool", "str", "float", "int", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64"),
    *("Usize", "Json", "list", "dict"),
)


_NOT_JSON: Final[tuple[object, ...]] = (
    *(datetime.datetime, datetime.date, datetime.time, datetime.timedelta),
    *(decimal.Decimal, uuid.UUID, bytes),
)
_AS_TEXT: Final = "use the type that it has in documents, such as str"
_AS_UNION: Final = "declare a class with @union, and a variant of type Unit for each value"


@dataclass(frozen=True, slots=True)
class NotDeclarable(Exception):
    """An expression that is not a declarable type: what it is, its place, and what may be meant."""

    message: str
    node: ast.expr
    fix: str = (
        "use a scalar, Json, T | None, list[T], dict[str, T], external(...) or a declared class"
    )


@dataclass(frozen=True, slots=True)
class TypeReader:
    """Reads types of one module. `containers` are the names of its declared classes."""

    source: Source
    containers: Mapping[str, int]

    def read(self, node: ast.expr, path: str, *, variant: bool = False) -> tuple[ItemType, bool]:
        """Return a type and True; report anything else and return None and False.

        A variant may also be `Unit` (None) or a tuple.
        """
        try:
            return (self._payload(node) if variant else self._type(node)), True
        except NotDeclarable as problem:
            self.source.report("unknown_type", problem.node, path, problem.message, problem.fix)
            return None, False

    def unwrap(self, node: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
        """Split `Annotated[T, x, y]` into type and metadata; other types have no metadata."""
        node = self._plain(node)
        if isinstance(node, ast.Subscript) and self.source.evaluate(node.value) is Annotated:
            parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
            inner, metadata = self.unwrap(parts[0])
            return inner, metadata + parts[1:]
        return node, []

    def _payload(self, node: ast.expr) -> ItemType:
        inner, _ = self.unwrap(node)
        if isinstance(inner, ast.Constant) and inner.value is None:
            return None
        value = self.source.evaluate(inner)
        if value is Unit:
            return None
        if isinstance(inner, ast.Subscript):
            head = self.source.evaluate(inner.value)
            if tuple in (head, typing.get_origin(head)):
                parts = inner.slice.elts if isinstance(inner.slice, ast.Tuple) else [inner.slice]
                return tuple(self._type(part) for part in parts)
        return self._type(inner)

    def _plain(self, node: ast.expr) -> ast.expr:
        """Replace a string with the expression in it, at the place of the string."""
        while isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                parsed = ast.parse(node.value.strip(), mode="eval").body
            except SyntaxError:
                raise NotDeclarable(f'"{node.value}" is not a type', node) from None
            for part in ast.walk(parsed):
                if isinstance(part, ast.expr):
                    ast.copy_location(part, node)
            node = parsed
        return node

    def _type(self, node: ast.expr) -> DeclType:
        return _some(self._type_or_none(node), node)

    def _type_or_none(self, node: ast.expr) -> DeclType | None:
        node = self._plain(node)
        match node:
            case ast.Constant(value=None):
                return None
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return _union(map(self._type_or_none, (left, right)), node)
            case ast.Name(id=name) if name in self.containers:
                return Named(name)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Name() | ast.Attribute() | ast.Call():
                return self._value(self._evaluate(node), node)
            case _:
                raise NotDeclarable(f"{ast.unparse(node)} is not a declarable type", node)

    def _subscript(self, node: ast.Subscript) -> DeclType | None:
        arguments = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(node.value, ast.Name) and node.value.id in self.containers:
            expected = self.containers[node.value.id]
            if expected != len(arguments):
                raise NotDeclarable(f"{node.value.id} takes {expected} type arguments", node)
            return Named(node.value.id, tuple(self._type(argument) for argument in arguments))
        head = self._evaluate(node.value)
        if head is Annotated:
            return self._annotated(node, arguments)
        if head is typing.Literal:
            raise NotDeclarable(f"{ast.unparse(node)} is a list of values", node, _AS_UNION)
        if head is typing.Optional:
            return _union((*map(self._type_or_none, arguments), None), node)
        if head is typing.Union:
            return _union(map(self._type_or_none, arguments), node)
        if list in (head, typing.get_origin(head)) and len(arguments) == 1:
            return ListOf(self._type(arguments[0]))
        if dict in (head, typing.get_origin(head)) and len(arguments) == 2:
            if self._type(arguments[0]) != declared.Scalar("str"):
                raise NotDeclarable("the keys of a dict are str in JSON", arguments[0])
            return DictOf(self._type(arguments[1]))
        raise NotDeclarable(f"{ast.unparse(node)} is not a declarable type", node)

    def _annotated(self, node: ast.Subscript, arguments: list[ast.expr]) -> DeclType | None:
        metadata = [self._evaluate(argument) for argument in arguments[1:]]
        return self._marked(metadata, node) or self._type_or_none(arguments[0])

    def _evaluate(self, node: ast.expr) -> object:
        value = self.source.evaluate(node)
        if not isinstance(value, Failed):
            return value
        if isinstance(value.error, NameError) and value.error.name:
            name = value.error.name
            if hasattr(holdall.declare, name):
                fix = f"add `from holdall.declare import {name}`"
                raise NotDeclarable(f"`{name}` is not imported", node, fix)
            known = [*self.containers, *_WORDS]
            raise NotDeclarable(
                f"there is no type `{name}` in the module{nearest(name, known)}", node
            )
        raise NotDeclarable(f"{ast.unparse(node)} cannot be evaluated: {value.error}", node)

    def _marked(self, metadata: Iterable[object], node: ast.expr) -> DeclType | None:
        """Return the type that the metadata of `Annotated` gives, if any."""
        for item in metadata:
            if isinstance(item, Width):
                return declared.Scalar(typing.cast(declared.Width, item.name))
            if isinstance(item, external):
                return self._external(item, node)
        return None

    def _value(self, value: Any, node: ast.expr) -> DeclType | None:
        """Return the declared type of an object at run time."""
        if value is None or value is type(None):
            return None
        if isinstance(value, str):
            return self._type_or_none(ast.copy_location(ast.Constant(value), node))
        if isinstance(value, typing.ForwardRef):
            return self._value(value.__forward_arg__, node)
        if (marked := self._marked([value], node)) is not None:
            return marked
        if value is Json or value is holdall.types.JsonValue:
            return JsonType()
        if isinstance(value, TypeVar):
            return Parameter(value.__name__)
        if isinstance(value, type) and value in _SCALARS:
            return declared.Scalar(_SCALARS[value])
        origin, arguments = typing.get_origin(value), typing.get_args(value)
        if origin is Annotated:
            return self._marked(value.__metadata__, node) or self._value(arguments[0], node)
        if origin in (typing.Union, types.UnionType):
            return _union((self._value(item, node) for item in arguments), node)
        if origin is list:
            return ListOf(self._inner(arguments[0], node))
        if origin is dict:
            if arguments[0] is not str:
                raise NotDeclarable("the keys of a dict are str in JSON", node)
            return DictOf(self._inner(arguments[1], node))
        base = origin if isinstance(origin, type) else value
        if isinstance(base, type) and base.__name__ in self.containers:
            return Named(base.__name__, tuple(self._inner(item, node) for item in arguments))
        return self._refuse(value, node)

    def _refuse(self, value: object, node: ast.expr) -> DeclType:
        shown = getattr(value, "__name__", None) or repr(value)
        if value is Unit:
            raise NotDeclarable("Unit is the payload of a variant, not the type of a field", node)
        if value in (list, dict):
            raise NotDeclarable(f"{shown} needs the type of its elements", node)
        if isinstance(value, type) and DECLARED in vars(value):
            raise NotDeclarable(f"{shown} is declared in another module", node)
        if isinstance(value, type) and issubclass(value, Enum):
            raise NotDeclarable(f"{shown} is a Python enum", node, _AS_UNION)
        if value in _NOT_JSON:
            raise NotDeclarable(f"{shown} is not a JSON type", node, _AS_TEXT)
        if isinstance(value, type) and value.__module__ == self.source.module:
            raise NotDeclarable(f"the class {shown} is not declared", node, "put @obj above it")
        raise NotDeclarable(f"{shown} is not a declarable type{nearest(shown, _WORDS)}", node)

    def _inner(self, value: object, node: ast.expr) -> DeclType:
        return _some(self._value(value, node), node)

    def _external(self, call: external, node: ast.expr) -> External:
        target = next(iter(call.arguments), call.keywords.get("target"))
        module, _, name = target.partition(":") if isinstance(target, str) else ("", "", "")
        if not all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
            raise NotDeclarable(f"external({target!r}) does not name a `pkg.mod:Type`", node)
        if wrong := find_nothing(module, name, self.source):
            raise NotDeclarable(wrong, node, "name a type that can be imported")
        default = call.keywords.get("default")
        function = None
        if default is not None:
            location = self.source.location(node, "external.default")
            function = find_function(default, location, self.source)
        return External(f"{module}:{name}", function.ref if function else None)


def _some(found: DeclType | None, node: ast.expr) -> DeclType:
    if found is None:
        raise NotDeclarable("None by itself is not a type", node)
    return found


def _union(members: Iterable[DeclType | None], node: ast.expr) -> DeclType:
    """Return the type of a union; the member None makes it optional."""
    found = [*members]
    inner = [member for member in found if member is not None]
    if len(inner) != 1:
        fix = "declare a class with @union and a variant for each"
        raise NotDeclarable(f"{ast.unparse(node)} is a union of several types", node, fix)
    optional = len(inner) < len(found) or isinstance(inner[0], OptionalOf)
    base = inner[0].item if isinstance(inner[0], OptionalOf) else inner[0]
    return OptionalOf(base) if optional else base

"""Values of the containers of a case, as plain JSON: input for what is generated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from holdall_codegen.declared.model import Container, Declaration, Item
from holdall_codegen.declared.types import (
    DeclType,
    DictOf,
    External,
    ListOf,
    Named,
    OptionalOf,
    Parameter,
    Scalar,
)
from tests.acceptance.declared.cases import Case

_DEPTH: Final = 4
_SMALL: Final[Mapping[str, Any]] = {"bool": False, "str": "", "float": 0.0}
_RICH: Final[Mapping[str, Any]] = {"bool": True, "str": "x", "float": 1.5}


def values(case: Case, declaration: Declaration, container: str, version: str) -> Iterator[Any]:
    """Yield values of a container in one version: one that holds something everywhere, those of
    the samples that convert, and one that holds as little as possible.
    """
    yield Values(case, declaration, version, rich=True).of(Named(container))
    for sample in case.data.get("samples") or []:
        is_here = (sample.get("container"), sample.get("from")) == (container, version)
        if is_here and "value" in (sample.get("expect") or {}):
            yield sample["input"]
    yield Values(case, declaration, version, rich=False).of(Named(container))


class Values:
    """Makes values of one version; `rich` ones differ from all defaults of types."""

    def __init__(self, case: Case, declaration: Declaration, version: str, *, rich: bool) -> None:
        self._functions = case.functions
        self._declaration = declaration
        self._version = version
        self._rich = rich

    def of(
        self, type_: DeclType, arguments: Mapping[str, DeclType] | None = None, depth: int = 0
    ) -> Any:
        """Return a value of a type; `arguments` are those of the generic container around it."""
        given = arguments or {}
        holds = self._rich and depth < _DEPTH
        match type_:
            case Scalar(width):
                known = _RICH if self._rich else _SMALL
                return known.get(width, 7 if self._rich else 0)
            case OptionalOf(item):
                return self.of(item, given, depth + 1) if holds else None
            case ListOf(item):
                return [self.of(item, given, depth + 1)] if holds else []
            case DictOf(item):
                return {"k": self.of(item, given, depth + 1)} if holds else {}
            case Named(name, inner):
                container = self._declaration.container(name)
                bound = dict(zip(container.parameters, inner, strict=False))
                if container.form == "object":
                    return self._fields(container, bound, depth + 1)
                return self._variant(container, bound, depth + 1)
            case Parameter(name) if name in given:
                return self.of(given[name], {}, depth + 1)
            case External(target):
                return self._external(target.rpartition(":")[2])
            case _:
                return "x"

    def _fields(self, container: Container, given: Mapping[str, DeclType], depth: int) -> Any:
        made = {
            item.json_name: self.of(item.type, given, depth)
            for item in container.shapes[self._version]
            if item.type is not None and not isinstance(item.type, tuple)
        }
        return {key: value for key, value in made.items() if value is not None}

    def _variant(self, container: Container, given: Mapping[str, DeclType], depth: int) -> Any:
        """Return a variant that all versions have, with a payload if the value is to be rich."""
        here = container.shapes[self._version]
        lasting = [
            item
            for item in here
            if all(item.declared in _declared(shape) for shape in container.shapes.values())
        ]
        full = [item for item in lasting if item.type is not None]
        bare = [item for item in lasting if item.type is None]
        wanted = full + bare if self._rich and depth < _DEPTH else bare + full
        for item in wanted or here:
            if item.type is None:
                return item.json_name
            if isinstance(item.type, tuple):
                return {item.json_name: [self.of(part, given, depth) for part in item.type]}
            return {item.json_name: self.of(item.type, given, depth)}
        return None

    def _external(self, name: str) -> Any:
        """Return a value of an opaque type: the first that a function of the case knows of it."""
        for key, operation in self._functions.items():
            source = key.removeprefix("into:").partition("->")[0].removeprefix("ext:")
            if key.startswith("into:") and source == name and operation.get("table"):
                return operation["table"][0][0]
            if key in (f"default:ext:{name}", f"default:{name}") and operation["op"] == "const":
                return operation.get("value")
        return "x"


def filled(declaration: Declaration, type_: DeclType, version: str, value: Any) -> Any:
    """Return a value with null for each option that it lacks: in the form both are the same.

    Payloads of variants stay as they are.
    """
    match type_, value:
        case OptionalOf(item), _:
            return None if value is None else filled(declaration, item, version, value)
        case ListOf(item), list():
            return [filled(declaration, item, version, inner) for inner in value]
        case DictOf(item), dict():
            return {key: filled(declaration, item, version, one) for key, one in value.items()}
        case Named(name), dict() if declaration.container(name).form == "object":
            made = dict(value)
            for row in declaration.container(name).shapes[version]:
                held, key = row.type, row.json_name
                if key not in made and isinstance(held, OptionalOf):
                    made[key] = None
                elif key in made and held is not None and not isinstance(held, tuple):
                    made[key] = filled(declaration, held, version, made[key])
            return made
        case _:
            return value


def _declared(shape: tuple[Item, ...]) -> set[str]:
    return {item.declared for item in shape}

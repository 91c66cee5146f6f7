"""What the code under test compares with: objects that have it are the ones that it is about."""

from __future__ import annotations

import ast
import dis
import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Final

from holdall.scheme.scheme import Scheme
from holdall.types import JsonValue, json_kind
from holdall.verification import find_sources

_LONGEST: Final = 64
_MOST: Final = 100
_FEW: Final = 6
_PLAIN: Final = (-1, 0, 1, 2)
_MOST_ELEMENTS: Final = 40
_COMPARISONS: Final = ("COMPARE_OP", "CONTAINS_OP")
_CONSTANTS: Final = ("LOAD_CONST", "LOAD_SMALL_INT")
_WINDOW: Final = 4


@dataclass(frozen=True, slots=True)
class Told:
    """Short texts and numbers that code speaks of, sorted.

    Of `telling` ones there are few: an object of each is always looked at.
    """

    texts: tuple[str, ...] = ()
    numbers: tuple[int | float, ...] = ()
    telling: tuple[str | int | float, ...] = ()

    def alone(self) -> Iterator[Mapping[str, Sequence[JsonValue]]]:
        """Yield telling values by their JSON kind, one at a time."""
        for value in self.telling:
            yield {json_kind(value): (value,)}

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many elements a container may be said to have."""
        found = {size for size in self.numbers if isinstance(size, int)}
        return tuple(sorted(size for size in found if 1 < size <= _MOST_ELEMENTS))


def told_by(scheme: Scheme, *, has_hooks: bool) -> Told:
    """Return what the hooks of a scheme say, and what its converters compare with.

    Converters hardly compare with anything: what a sound one says are names.
    """
    compared = [*_in_converters(scheme)]
    told = [*(_in_hooks(scheme.hooks) if has_hooks else ())]
    found = [*compared, *told]
    telling = [number for number in _numbers(found) if number not in _PLAIN]
    return Told(_texts(found), _numbers(found), (*_texts(compared)[:_FEW], *telling[:_FEW]))


def _texts(found: Iterable[Any]) -> tuple[str, ...]:
    texts = {item for item in found if isinstance(item, str) and 0 < len(item) <= _LONGEST}
    return tuple(sorted(texts)[:_MOST])


def _numbers(found: Iterable[Any]) -> tuple[int | float, ...]:
    return tuple(sorted({item for item in found if type(item) in (int, float)})[:_MOST])


def _in_hooks(package: str) -> Iterator[Any]:
    """Yield the constants in a package of hooks, without docstrings and claims."""
    for source in find_sources(package):
        try:
            tree = ast.parse(source.text)
        except SyntaxError:
            continue  # the hooks are verified elsewhere
        documented = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in documented:
                value = node.value
                if not (isinstance(value, str) and value.startswith(("bag:", "extra:"))):
                    yield value


def _in_converters(scheme: Scheme) -> Iterator[Any]:
    """Yield the constants that the loaded code of the storage modules compares with."""
    for version in scheme.versions:
        module = importlib.import_module(f"{scheme.package}.{version.module}.storage")
        for code in _codes(vars(module).values(), module.__name__):
            if any(name in _COMPARISONS for name in map(dis.opname.__getitem__, code.co_code[::2])):
                yield from _compared(code)


def _codes(values: Iterable[Any], module: str) -> Iterator[CodeType]:
    for value in values:
        if isinstance(value, FunctionType) and value.__module__ == module:
            yield from _nested(value.__code__)
        elif isinstance(value, type) and value.__module__ == module:
            yield from _codes(vars(value).values(), module)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def _compared(code: CodeType) -> Iterator[Any]:
    """Yield the constants that are loaded shortly before something is compared."""
    loaded: list[Any] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname in _COMPARISONS:
            for item in loaded:
                if isinstance(item, tuple | frozenset):
                    yield from item
                elif instruction.opname != "CONTAINS_OP":  # else it is the name of a member
                    yield item
        is_constant = instruction.opname.startswith(_CONSTANTS)
        loaded = [*loaded[1 - _WINDOW :], instruction.argval if is_constant else None]

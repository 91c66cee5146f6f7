"""Recorded calls and their signatures: arguments by name, with places and problems."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast

from holdall.declare.calls import Call
from holdall.declare.classes import ClassCall
from holdall.suggest import nearest
from holdall.words import counted
from holdall_codegen.declared.problems import Findings
from holdall_codegen.declared.source import Failed, Source
from holdall_codegen.model import Location

T = TypeVar("T", bound=str)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: its value (`Failed` if evaluation failed), its expression, and its place."""

    value: object
    node: ast.expr | None
    location: Location


@dataclass(frozen=True, slots=True)
class Bound:
    """A call with its arguments by name, and a variable number of positional ones."""

    word: str
    arguments: Mapping[str, Argument]
    rest: Sequence[Argument]
    location: Location
    findings: Findings

    def given(self, name: str) -> Argument | None:
        """Return an argument, unless it is missing or None."""
        found = self.arguments.get(name)
        return None if found is None or found.value is None else found

    def value(self, name: str) -> object:
        found = self.given(name)
        return None if found is None else found.value

    def text(self, name: str, *, some: bool = False) -> str | None:
        """Return a string; report anything else, and with `some` an empty string."""
        expected = "a non-empty string" if some else "text"
        found: str | None = self._checked(
            name, lambda it: isinstance(it, str) and (it != "" or not some), expected
        )
        return found

    def flag(self, name: str, default: bool = False) -> bool:
        found = self._checked(name, lambda it: isinstance(it, bool), "True or False")
        return default if found is None else bool(found)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a sequence of strings; report anything else."""
        found = self._checked(
            name, lambda it: isinstance(it, (tuple, list)) and _are_texts(it), "a tuple of strings"
        )
        return tuple(str.__str__(item) for item in found or ())

    def text_map(self, name: str) -> dict[str, str]:
        """Return a mapping of strings to strings; report anything else."""
        found = self._checked(
            name,
            lambda it: isinstance(it, Mapping) and _are_texts((*it, *it.values())),
            "a mapping of strings",
        )
        return dict(found or {})

    def choice(self, name: str, choices: Sequence[T]) -> T | None:
        """Return a string if it is one of `choices`; report anything else."""
        text = self.text(name)
        found = next((item for item in choices if item == text), None)
        if text is not None and found is None:
            shown = " or ".join(f'"{item}"' for item in choices)
            self.invalid(self.arguments[name], name, shown, choices)
        return found

    def invalid(
        self, argument: Argument, name: str, expected: str, known: Iterable[str] = ()
    ) -> None:
        """Report an argument that is not `expected`."""
        value = argument.value
        found = f"not {_show(value)}{nearest(value, known) if isinstance(value, str) else ''}"
        if isinstance(value, Failed):
            found = f"but cannot be evaluated: {value.error}"
        text = f"`{name}` must be {expected}, {found}"
        self.findings.add("argument_invalid", argument.location, text, f"write {expected}")

    def _checked(self, name: str, fits: Callable[[object], bool], expected: str) -> Any:
        found = self.given(name)
        if found is None or fits(found.value):
            return None if found is None else found.value
        self.invalid(found, name, expected)
        return None


def _are_texts(items: Iterable[object]) -> bool:
    return all(isinstance(item, str) for item in items)


def _show(value: object) -> str:
    if isinstance(value, Enum):
        return str(value)
    text = repr(value)
    return text if len(text) < 60 else text[:57] + "..."


def recall(node: ast.expr, source: Source) -> object:
    """Evaluate an expression; evaluate each argument of a recorded call by itself.

    So an argument that cannot be evaluated leaves the others readable.
    """
    if not isinstance(node, ast.Call):
        return source.evaluate(node)
    function = source.evaluate(node.func)
    recorded = isinstance(function, type) and issubclass(function, Call)
    if not recorded or any(isinstance(argument, ast.Starred) for argument in node.args):
        return source.evaluate(node)
    if any(keyword.arg is None for keyword in node.keywords):
        return source.evaluate(node)
    made = cast(Callable[..., object], function)
    return made(
        *(recall(argument, source) for argument in node.args),
        **{str(keyword.arg): recall(keyword.value, source) for keyword in node.keywords},
    )


def bind(
    call: Call | ClassCall,
    node: ast.expr,
    path: str,
    source: Source,
    *,
    argument_path: Callable[[str], str] | None = None,
) -> Bound:
    """Bind the arguments of a call to names; report unknown, surplus and missing ones.

    If `node` is the call itself, arguments have their own places, else that of `node`.
    `argument_path` returns the path of an argument in the declaration, by default below `path`.
    """
    word = call.word if isinstance(call, ClassCall) else type(call).__name__
    here, findings = source.location(node, path), source.findings
    below = argument_path or (lambda name: f"{path}.{name}")
    written = call.written if isinstance(call, ClassCall) else type(call).written
    positional, variable, required, names = _signature(written)
    literal = node if isinstance(node, ast.Call) else None
    is_plain = literal is not None and len(literal.args) == len(call.arguments)
    keyword_nodes = {item.arg: item for item in literal.keywords} if literal else {}
    found: dict[str, Argument] = {}
    rest: list[Argument] = []
    for index, value in enumerate(call.arguments):
        at = literal.args[index] if literal is not None and is_plain else None
        name = positional[index] if index < len(positional) else ""
        location = source.location(at or node, below(name) if name else path)
        argument = Argument(value, at, location)
        if name:
            found[name] = argument
        elif variable:
            rest.append(argument)
        else:
            count = counted(len(positional), "positional argument") if positional else "none"
            text = f"`{word}` has an extra positional argument; it takes {count}"
            findings.add("unknown_argument", location, text, "pass it by name, or remove it")
    for name, value in call.keywords.items():
        keyword = keyword_nodes.get(name)
        location = source.location(keyword or node, below(name) if name in names else path)
        if name not in names or name in found:
            again = " again" if name in found else ""
            text = f"`{word}` has no argument `{name}`{again}{nearest(name, names)}"
            fix = f"its arguments are {', '.join(names)}" if names else "remove it"
            findings.add("unknown_argument", location, text, fix)
        else:
            found[name] = Argument(value, keyword.value if keyword else None, location)
    for name in required:
        if name not in found:
            findings.add(
                "missing_argument", here, f"`{name}` of `{word}` is required", f"add {name}"
            )
    return Bound(word, found, rest, here, findings)


class _Signature(NamedTuple):
    """Positional names, whether more positional ones may follow, required names, and all names."""

    positional: tuple[str, ...]
    variable: bool
    required: tuple[str, ...]
    names: tuple[str, ...]


@cache
def _signature(written: Callable[..., object]) -> _Signature:
    """Return the signature of the word that a call uses, without `self` and the class."""
    parameters = inspect.signature(written).parameters.values()
    named = [
        item
        for item in parameters
        if item.kind in (item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY) and item.name != "self"
    ]
    return _Signature(
        tuple(item.name for item in named if item.kind is item.POSITIONAL_OR_KEYWORD),
        any(item.kind is item.VAR_POSITIONAL for item in parameters),
        tuple(item.name for item in named if item.default is item.empty),
        tuple(item.name for item in named),
    )

"""Breaking code on purpose: every way to break one line of a converter or of a hook.

Mutants are found in syntax trees and made by replacing text, so that each can be shown as the line
that it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from holdall.testing.laws.spoiling import attribute_kinds, spoiled

_CONVERTER = "assign_properties_"
Entry: TypeAlias = tuple[str, str]
"""Origin and key of an entry of a bag."""

_NOTHING = "None"
_PASS = "pass"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file: the bytes from `begin` to `end` become `after`.

    `owner` is the class of the converter or the function of the hook it is in, `what` says in
    words what is broken.
    """

    file: str
    line: int
    owner: str
    what: str
    before: str
    after: str
    begin: int
    end: int
    is_converter: bool = False

    def apply(self, data: bytes) -> bytes:
        """Return the file's bytes with the change made."""
        return data[: self.begin] + self.after.encode() + data[self.end :]

    def __str__(self) -> str:
        before = " ".join(self.before.split())
        return f"{self.file}:{self.line}: {self.what}: {before} => {self.after}"


def mutants_of_storage(
    file: str,
    text: str,
    hooked: Mapping[str, frozenset[str]],
    moved: Mapping[str, frozenset[Entry]],
) -> Iterator[Mutant]:
    """Yield the mutants of a generated module: of each line of each converter, and of the values
    that an edge renames.

    `hooked` are the crossings of the module that have a hook, with what it claims. Without a hook,
    not to run it is no change; and what generated code stashes and pulls of claimed properties
    is nobody's. `moved` are entries, by class, that never are: a move takes the value before.
    """
    source = _Source(file, text, is_converter=True)
    for cls in ast.parse(text).body:
        if not isinstance(cls, ast.ClassDef) or _is_protocol(cls):
            yield from _renamed_values(_Source(file, text), cls)
            continue
        for function in cls.body:
            if isinstance(function, ast.FunctionDef) and _CONVERTER in function.name:
                claimed = _claimed(function, hooked)
                gone = moved.get(cls.name, frozenset())
                for statement in _statements(function.body):
                    entry = _entry(statement)
                    if entry is None or (entry not in gone and entry[1] not in claimed):
                        yield from _in_converter(source, cls.name, statement, hooked)
                        yield from _spoiled(source, cls, statement)


def mutants_of_hooks(file: str, text: str) -> Iterator[Mutant]:
    """Yield the mutants of a module of hooks: of each line of each function in it."""
    source = _Source(file, text)
    for node in ast.parse(text).body:
        functions = [node] if isinstance(node, ast.FunctionDef) else []
        if isinstance(node, ast.ClassDef):
            functions = [item for item in node.body if isinstance(item, ast.FunctionDef)]
        for function in functions:
            if any(_is_overload(decorator) for decorator in function.decorator_list):
                continue
            for statement in _statements(function.body):
                yield from _in_hook(source, function.name, statement)


class _Source:
    """A text whose nodes can be replaced."""

    def __init__(self, file: str, text: str, *, is_converter: bool = False) -> None:
        self.file = file
        self._is_converter = is_converter
        self._data = text.encode()
        self._starts = [0]
        for line in self._data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def mutant(self, node: ast.stmt | ast.expr, owner: str, what: str, after: str) -> Mutant:
        begin = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        before = self._data[begin:end].decode()
        is_converter = self._is_converter
        return Mutant(self.file, node.lineno, owner, what, before, after, begin, end, is_converter)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list) and not isinstance(statement, ast.FunctionDef):
                yield from _statements(inner)


def _claimed(function: ast.FunctionDef, hooked: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return what the hook claims that a converter runs."""
    for statement in function.body:
        match statement:
            case ast.Assign(value=ast.Call(func=ast.Attribute(attr="open", value=crossing))):
                return hooked.get(ast.unparse(crossing), frozenset())
    return frozenset()


def _entry(statement: ast.stmt) -> Entry | None:
    """Return the entry that a statement stashes or pulls, if it does."""
    match getattr(statement, "value", None):
        case ast.Call(
            func=ast.Attribute(attr="stash" | "pull"),
            args=[ast.Constant(value=str(origin)), ast.Constant(value=str(key)), *_],
        ):
            return origin, key
    return None


def _in_converter(
    source: _Source, owner: str, statement: ast.stmt, hooked: Mapping[str, frozenset[str]]
) -> Iterator[Mutant]:
    match statement:
        case ast.Assign(targets=[ast.Attribute(attr=name)], value=value):
            what = "the bag is lost" if name == "property_bag" else "an assignment is missing"
            if not _is_nothing(value):
                yield source.mutant(value, owner, what, _NOTHING)
            match value:
                case ast.Call(func=ast.Attribute(attr=called), args=[ast.expr() as given]) if (
                    called.startswith("copy")
                ):
                    shared = ast.unparse(given)
                    yield source.mutant(value, owner, "a value is shared, not copied", shared)
            yield from _bag_keys(source, owner, value)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[given]) as call) if (
            name != "bag"
        ):
            yield source.mutant(call, owner, "a step is left out", ast.unparse(given))
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="hook", value=crossing))):
            if ast.unparse(crossing) in hooked:
                yield source.mutant(statement, owner, "a hook is not run", _PASS)
        case ast.Expr(value=ast.Call() as call):
            yield source.mutant(statement, owner, "a line is missing", _PASS)
            yield from _bag_keys(source, owner, call)


def _spoiled(source: _Source, cls: ast.ClassDef, statement: ast.stmt) -> Iterator[Mutant]:
    match statement:
        case ast.Assign(targets=[ast.Attribute() as target], value=value) if (
            target.attr != "original_version"
        ):
            for what, after in spoiled(target, value, attribute_kinds(cls)):
                yield source.mutant(value, cls.name, what, after)


def _renamed_values(source: _Source, statement: ast.stmt) -> Iterator[Mutant]:
    for node in ast.walk(statement):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="renamed_values"), args=[ast.Dict(values=values)]
            ):
                for value in values:
                    if isinstance(value, ast.Constant):
                        wrong = repr(f"{value.value!s}~")
                        yield source.mutant(value, "", "a renamed value is wrong", wrong)


def _bag_keys(source: _Source, owner: str, value: ast.expr) -> Iterator[Mutant]:
    match value:
        case ast.Call(
            func=ast.Attribute(attr="stash" | "pull"),
            args=[
                ast.Constant(value=str(origin)) as first,
                ast.Constant(value=str(key)) as second,
                *_,
            ],
        ):
            yield source.mutant(second, owner, "a bag key is wrong", repr(f"{key}~"))
            yield source.mutant(first, owner, "a bag origin is wrong", repr(f"{origin}~"))


def _in_hook(source: _Source, owner: str, statement: ast.stmt) -> Iterator[Mutant]:
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return  # a docstring does nothing
        case ast.Return(value=None):
            yield source.mutant(statement, owner, "a line is missing", _PASS)
        case ast.Return(value=ast.expr() as value) if not _is_nothing(value):
            yield source.mutant(value, owner, "nothing is returned", _NOTHING)
        case ast.Expr() | ast.Assign() | ast.AugAssign():
            yield source.mutant(statement, owner, "a line is missing", _PASS)
        case ast.AnnAssign(value=ast.expr()):
            yield source.mutant(statement, owner, "a line is missing", _PASS)
        case ast.If(test=test) | ast.While(test=test):
            yield _negated(source, owner, test)
        case ast.For(iter=items):
            yield source.mutant(items, owner, "nothing is iterated", "()")
    for inner in ast.walk(statement):
        own = inner is not statement and not isinstance(statement, ast.If | ast.While | ast.For)
        if own and isinstance(inner, ast.IfExp):
            yield _negated(source, owner, inner.test)
        elif own and isinstance(inner, ast.comprehension):
            yield from (_negated(source, owner, test) for test in inner.ifs)


def _negated(source: _Source, owner: str, test: ast.expr) -> Mutant:
    return source.mutant(test, owner, "a condition is reversed", f"(not ({ast.unparse(test)}))")


def _is_nothing(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _is_protocol(cls: ast.ClassDef) -> bool:
    return any(ast.unparse(base).rpartition(".")[2] == "Protocol" for base in cls.bases)


def _is_overload(decorator: ast.expr) -> bool:
    return ast.unparse(decorator).rpartition(".")[2] == "overload"

"""Breaking code on purpose: every way to break one line of a converter or of a hook.

Mutants are found in syntax trees and made by replacing text, so that each can be shown as a line. A
mutant replaces loaded code: no file is changed.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from importlib.util import decode_source
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final, TypeAlias

from holdall.testing.laws.marking import Rewriting

Entry: TypeAlias = tuple[str, str]
"""Origin and key of an entry of a bag."""

RARE: Final = "a rare value is lost"
_LIST: Final = "(lambda it: it[:4] if type(it) is list else it)({})"
_MAP: Final = "(lambda it: dict([*it.items()][:4]) if type(it) is dict else it)({})"
_FLOAT: Final = "(lambda it: int(float(it)) if type(it) is int else it)({})"
_TEXT: Final = (
    '(lambda it: __import__("unicodedata").normalize("NFC", it) if type(it) is str else it)({})'
)
_RARE_NUMBER: Final = "(lambda it: None if it == 443 else it)({})"
_RARE_TEXT: Final = "(lambda it: None if it == 'r443' else it)({})"
_SPOILED: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "list": (("a long list is cut", _LIST),),
    "dict": (("a long map is cut", _MAP),),
    "int": (("an integer goes through a float", _FLOAT), (RARE, _RARE_NUMBER)),
    "str": (("a text is normalised", _TEXT), (RARE, _RARE_TEXT)),
}

_NOTHING = "None"
_PASS = "pass"
_COMPOUND: Final = (ast.If, ast.While, ast.For, ast.With, ast.Try, ast.TryStar, ast.Match)
"""Statements that consist of statements, which are broken separately."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file: the bytes from `begin` to `end` of `text_of` become `after`.

    `owner` is the older type of the converter, or the function of the hook; `what` describes the
    change.
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

    @property
    def last_line(self) -> int:
        """The line in which it ends."""
        return self.line + self.before.count("\n")

    @property
    def redraws(self) -> bool:
        """Whether it changes which objects are drawn: these depend on values in the code."""
        return not self.is_converter or self.what == RARE

    def apply(self, data: bytes) -> bytes:
        """Return the text's bytes with the change made."""
        return data[: self.begin] + self.after.encode() + data[self.end :]

    def __str__(self) -> str:
        before = " ".join(self.before.split())
        return f"{self.file}:{self.line}: {self.what}: {before} => {self.after}"


def mutants_of_storage(
    file: str,
    text: str,
    hooked: Mapping[str, frozenset[str]],
    moved: Mapping[str, frozenset[Entry]],
    carried: Mapping[str, frozenset[str]],
) -> Iterator[Mutant]:
    """Yield the mutants of a generated module: of each line of each converter, and of the values
    that an edge renames.

    `hooked` are the crossings of the module that have a hook, with its claims. Without a hook, not
    running it changes nothing; and what generated code stashes and pulls of claimed properties is
    not used. `moved` are entries, by class, that never occur, because a move takes the value first.
    `carried` are members that a move takes out of an object itself, so nothing copies them.
    """
    source, tree = _Source(file, text, is_converter=True), ast.parse(text)
    kinds = {cls.name: _member_kinds(cls) for cls in tree.body if isinstance(cls, ast.ClassDef)}
    owners = dict(_owners(tree))
    for node in tree.body:
        converter = _Converter.of(node, owners) if isinstance(node, ast.FunctionDef) else None
        if converter is None:
            yield from _renamed_values(_Source(file, text), node)
            continue
        gone = {key for _, key in moved.get(converter.owner, ())}
        spared = gone | hooked.get(converter.crossing, frozenset())
        taken = spared | carried.get(converter.owner, frozenset())
        own = {key: it for key, it in kinds.get(converter.owner, {}).items() if key not in taken}
        for statement in _statements(converter.body):
            yield from _in_converter(source, converter, statement, hooked, spared)
            yield from _spoiled(source, converter, statement, own)


@dataclass(frozen=True, slots=True)
class _Converter:
    """A generated function: its older type, the direction of its edge, and its statements."""

    owner: str
    crossing: str
    body: list[ast.stmt]

    @classmethod
    def of(cls, function: ast.FunctionDef, owners: Mapping[str, str]) -> _Converter | None:
        """Return a function as a converter, if it is one."""
        for node in ast.walk(function.body[-1]):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="finish" | "complete"),
                    args=[ast.Name(id=crossing), *_],
                ):
                    return cls(owners.get(crossing, ""), crossing, function.body[1:])
        return None

    def keeps(self) -> bool:
        """Return whether it may put something into the bag."""
        calls = {
            node.func.attr
            for statement in self.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        return not calls.isdisjoint({"stash", "keep", "put"})

    def names(self) -> frozenset[str]:
        """Return the members that it handles."""
        return _texts(node for statement in self.body for node in ast.walk(statement))


def _owners(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names of both directions of each edge, with its older type."""
    for statement in tree.body:
        match statement:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=to), ast.Name(id=back)])],
                value=ast.Call(func=ast.Attribute(attr="edge"), args=[_, ast.Name(id=older), *_]),
            ):
                yield to, older
                yield back, older


def mutants_of_hooks(file: str, text: str) -> Iterator[Mutant]:
    """Yield the mutants of a module of hooks: of each line of each function in it."""
    source = _Source(file, text)
    for node in ast.parse(text).body:
        functions = [node] if isinstance(node, ast.FunctionDef) else []
        if isinstance(node, ast.ClassDef):
            functions = [item for item in node.body if isinstance(item, ast.FunctionDef)]
        for function in functions:
            names = [ast.unparse(decorator) for decorator in function.decorator_list]
            if any(name.rpartition(".")[2] == "overload" for name in names):
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
        if isinstance(statement, ast.FunctionDef):
            continue
        cases = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
        yield from _statements(getattr(statement, "body", []))
        for case in cases:
            yield from _statements(case.body)
        for name in ("orelse", "finalbody"):
            yield from _statements(getattr(statement, name, []))


def _in_converter(
    source: _Source,
    converter: _Converter,
    statement: ast.stmt,
    hooked: Mapping[str, frozenset[str]],
    spared: AbstractSet[str],
) -> Iterator[Mutant]:
    owner = converter.owner
    match statement:
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str(name)))]):
            yield source.mutant(
                statement, owner, "an assignment is missing", f"new.pop({name!r}, None)"
            )
        case ast.Assign(targets=[ast.Name(id="rest")], value=ast.Call(args=[given, *_]) as call):
            yield source.mutant(call, owner, "a step is left out", ast.unparse(given))
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="end"))):
            yield source.mutant(statement, owner, "the bag is lost", _PASS)
        case ast.Expr(value=ast.Call(args=given) as call) if spared.isdisjoint(_texts(given)):
            yield source.mutant(statement, owner, "a line is missing", _PASS)
            yield from _bag_keys(source, owner, call)
        case ast.Return(value=ast.expr() as value):
            if converter.keeps():
                lost = f"(lambda it: (it.pop(h.BAG, None), it)[1])({ast.unparse(value)})"
                yield source.mutant(value, owner, "the bag is lost", lost)
            if converter.crossing in hooked:
                yield source.mutant(value, owner, "a hook is not run", "new")


def _texts(values: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(
        value.value
        for value in values
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
    )


def _spoiled(
    source: _Source, converter: _Converter, statement: ast.stmt, kinds: Mapping[str, str]
) -> Iterator[Mutant]:
    """Yield mutants of copied values, with or without another name."""
    match statement:
        case ast.Assign(
            targets=[ast.Subscript(slice=ast.Constant(value=str(name)))],
            value=ast.Call(
                func=ast.Attribute(attr="pop"), args=[ast.Constant(value=str(before))]
            ) as value,
        ):
            for what, form in _SPOILED.get(kinds.get(name) or kinds.get(before, ""), ()):
                after = form.format(ast.unparse(value))
                yield source.mutant(value, converter.owner, what, after)
        case ast.Assign(
            value=ast.Call(
                func=ast.Attribute(attr="start" | "begin"), args=[ast.Name(id=given) as first, _]
            )
        ):
            for name in kinds.keys() - converter.names():
                for what, form in _SPOILED.get(kinds[name], ()):
                    wrong = form.format(f"{given}[{name!r}]")
                    after = (
                        f"({{**{given}, {name!r}: {wrong}}} if {name!r} in {given} else {given})"
                    )
                    yield source.mutant(first, converter.owner, what, after)


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


def _bag_keys(source: _Source, owner: str, call: ast.Call) -> Iterator[Mutant]:
    match call:
        case ast.Call(
            func=ast.Attribute(attr="stash"),
            args=[_, ast.Constant(value=str(origin)) as first, _],
        ):
            yield source.mutant(first, owner, "a bag origin is wrong", repr(f"{origin}~"))
        case ast.Call(
            func=ast.Attribute(attr="pull" | "take" | "keep"),
            args=[*_, ast.Constant(value=str(key)) as last],
        ):
            yield source.mutant(last, owner, "a bag key is wrong", repr(f"{key}~"))


def _in_hook(source: _Source, owner: str, statement: ast.stmt) -> Iterator[Mutant]:
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return  # a docstring does nothing
        case ast.Return(value=None):
            yield source.mutant(statement, owner, "a line is missing", _PASS)
        case ast.Return(value=ast.Constant(value=None)):
            return
        case ast.Return(value=ast.expr() as value):
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
        own = inner is not statement and not isinstance(statement, _COMPOUND)
        if own and isinstance(inner, ast.IfExp):
            yield _negated(source, owner, inner.test)
        elif own and isinstance(inner, ast.comprehension):
            yield from (_negated(source, owner, test) for test in inner.ifs)


def _negated(source: _Source, owner: str, test: ast.expr) -> Mutant:
    return source.mutant(test, owner, "a condition is reversed", f"(not ({ast.unparse(test)}))")


def _member_kinds(cls: ast.ClassDef) -> Mapping[str, str]:
    """Return the kinds of the members of a generated view: `int`, `list`, by their wire names."""
    kinds: dict[str, str] = {}
    for item in cls.body:
        match item:
            case ast.AnnAssign(
                annotation=ast.Subscript(slice=kind),
                value=ast.Call(args=[ast.Constant(value=str(name)), *_]),
            ):
                kinds[name] = ast.unparse(kind).partition("[")[0]
    return kinds


def text_of(file: Path) -> str:
    """Return a module's source as Python reads it, with any encoding and line ends."""
    return decode_source(file.read_bytes())


def plant(mutant: Mutant, root: Path, packages: Sequence[str]) -> bool:
    """Replace a converter that a mutant changes; return whether modules must be loaded again.

    They must for other code, which may have had its effect at import: the modules of `packages`
    are then removed, and will be imported with the mutant.
    """
    file = (root / mutant.file).resolve()
    after = mutant.apply(text_of(file).encode()).decode()
    module = _module_of(file) if mutant.is_converter else None
    if module is not None and _exchange(module, after, mutant.line):
        return False
    for name in list(sys.modules):
        if name.split(".")[0] in packages:
            del sys.modules[name]
    Rewriting({str(file)}, lambda _: after)
    importlib.invalidate_caches()
    return True


def _module_of(file: Path) -> ModuleType | None:
    for module in list(sys.modules.values()):
        name = getattr(module, "__file__", None)
        if name and name.endswith(file.name) and Path(name).resolve() == file:
            return module
    return None


def _exchange(module: ModuleType, text: str, line: int) -> bool:
    """Give the function at a line of a module its code from another text."""
    file = str(module.__file__)
    functions = {
        value.__code__.co_firstlineno: value
        for value in vars(module).values()
        if isinstance(value, FunctionType) and value.__code__.co_filename == file
    }
    first = max((number for number in functions if number <= line), default=0)
    block = inspect.getblock(text.splitlines(keepends=True)[max(first - 1, 0) :])
    if not first or line >= first + len(block):
        return False
    made: dict[str, Any] = {}
    code = compile("\n" * (first - 1) + "".join(block), file, "exec", dont_inherit=True)
    exec(code, vars(module), made)
    (function,) = made.values()
    functions[first].__code__ = function.__code__
    return True

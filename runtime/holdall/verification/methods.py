"""The methods of a hook compared with its protocol: form, parameters, annotations, result."""

from __future__ import annotations

import ast
import dis
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from holdall.engine.hook_points import HookPoint
from holdall.engine.hooks import BagView
from holdall.errors import Problem
from holdall.verification.mistakes import UNWRITTEN, contrast, mistake
from holdall.verification.places import FunctionNode, Places
from holdall.verification.protocols import (
    NAMES,
    Protocols,
    Way,
    definition,
    expected_types,
    name_of,
    signature,
    spelling,
)
from holdall.words import with_article

_EXPECTED = ["self", "source", "destination", "bag"]


@dataclass(frozen=True, slots=True)
class Method:
    """One direction of a hook, with what is needed to check it."""

    cls: type
    way: Way
    places: Places
    module: ModuleType
    protocols: Protocols
    point: HookPoint

    @property
    def name(self) -> str:
        return NAMES[self.way]

    @property
    def node(self) -> FunctionNode | None:
        return self.places.function_node(self.cls, self.name)

    @property
    def spell(self) -> Callable[[str], str]:
        return spelling(self.module)

    def report(
        self,
        code: str,
        fix: str = "",
        *,
        node: ast.AST | None = None,
        detail: str = "",
        **parts: object,
    ) -> Problem:
        where = self.places.where(node) if node else self.places.of_member(self.cls, self.name)
        detail = detail or definition(self.point, self.spell)
        return mistake(
            code, where, fix=fix, detail=detail, hook=self.cls.__name__, method=self.name, **parts
        )


def check_method(method: Method) -> Iterator[Problem]:
    """Yield all differences of a method from its protocol."""
    raw = vars(method.cls)[method.name]
    form = _form(raw)
    if form:
        yield method.report("HA332", node=_place_of(method, form), form=form)
    function = getattr(raw, "__func__", getattr(raw, "fget", raw))
    if not isinstance(function, FunctionType) or form == "a value":
        return
    yield from _check_parameters(method, function, isinstance(raw, staticmethod))
    yield from _check_annotations(method, function)
    yield from _check_result(method, function)
    if is_scaffold(function):
        yield method.report(UNWRITTEN)


def _form(raw: object) -> str:
    if isinstance(raw, staticmethod | classmethod | property):
        return with_article(type(raw).__name__)
    if not isinstance(raw, FunctionType) or raw.__name__ == "<lambda>":
        return "a value"
    if inspect.iscoroutinefunction(raw):
        return "an async function"
    return "a generator" if inspect.isgeneratorfunction(raw) else ""


def _place_of(method: Method, form: str) -> ast.AST | None:
    """Return the reason why a method is not a plain one: its decorator, or a `yield`."""
    node = method.node
    if node is None:
        return None
    word = form.removeprefix("a ")
    marks = [one for one in node.decorator_list if isinstance(one, ast.Name) and one.id == word]
    yields = [n for n in own_nodes(node) if isinstance(n, ast.Yield | ast.YieldFrom)]
    return next(iter([*marks, *(yields if word == "generator" else ())]), None)


def _check_parameters(method: Method, function: FunctionType, static: bool) -> Iterator[Problem]:
    given = signature_of(function).parameters.values()
    expected = _EXPECTED[1:] if static else _EXPECTED
    reasons = list(_parameter_faults([*given], expected))
    if not reasons:
        return
    correct = signature(method.point, method.way, method.spell)
    written = str(signature_of(function))
    if (node := method.node) is not None:
        start = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        written = f"{start} {node.name}({ast.unparse(node.args)}){result}: ..."
    for reason, fix in reasons:
        yield method.report("HA333", fix, detail=contrast(written, correct), reason=reason)


def _parameter_faults(
    given: list[inspect.Parameter], expected: list[str]
) -> Iterator[tuple[str, str]]:
    named = [one for one in given if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    for one in given:
        if one not in named:
            star = "*" if one.kind is one.VAR_POSITIONAL else "**"
            yield f"takes `{star}{one.name}`", "name the parameters of the protocol instead"
        elif one.kind is one.POSITIONAL_ONLY and one.name != "self":
            yield f"takes `{one.name}` by position only", "remove the `/`"
        elif one.kind is one.KEYWORD_ONLY and one.name in expected:
            yield f"takes `{one.name}` by keyword only", "remove the `*`"
    names = [one.name for one in named]
    missing = [name for name in expected if name not in names]
    surplus = [name for name in names if name not in expected]
    for name in list(missing):
        index = expected.index(name)
        if len(names) == len(expected) and names[index] in surplus:
            surplus.remove(names[index])
            missing.remove(name)
            yield f"names the parameter `{name}` `{names[index]}`", f"rename it to `{name}`"
    for name in missing:
        yield f"lacks the parameter `{name}`", "add it"
    for name in surplus:
        yield f"has the parameter `{name}`, which nobody passes", "remove it"
    by_position = [one.name for one in named if one.kind is not one.KEYWORD_ONLY]
    if by_position != expected and sorted(by_position) == sorted(expected):
        yield "has its parameters in another order", f"order them as {', '.join(expected)}"
    if defaults := [f"`{one.name}`" for one in named if one.default is not one.empty]:
        fix = "remove the default; the argument is always passed"
        yield f"gives {', '.join(defaults)} a default", fix


_UNKNOWN = object()


def signature_of(function: FunctionType) -> inspect.Signature:
    """Return the signature, without annotations if only type checkers can evaluate them."""
    try:
        return inspect.signature(function)
    except Exception:  # noqa: BLE001 - from Python 3.14 on annotations are evaluated only now
        inner: Any = inspect.unwrap(function)
        bare = FunctionType(inner.__code__, {}, None, inner.__defaults__, inner.__closure__)
        bare.__kwdefaults__ = inner.__kwdefaults__
        return inspect.signature(bare)


def annotations_of(function: FunctionType) -> dict[str, Any]:
    """Return the annotations; those that only type checkers can evaluate stay strings."""
    try:
        given = inspect.get_annotations(function)
    except Exception:  # noqa: BLE001 - from Python 3.14 on they are evaluated only now
        return dict.fromkeys(signature_of(function).parameters, _UNKNOWN) | {"return": None}
    return {name: _evaluated(value, function) for name, value in given.items()}


def _evaluated(value: Any, function: FunctionType) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return eval(value, function.__globals__)
    except Exception:  # noqa: BLE001 - names that are imported only for type checkers
        return value


def _check_annotations(method: Method, function: FunctionType) -> Iterator[Problem]:
    annotations = annotations_of(function)
    expected = expected_types(method.point, method.way)
    given = [name for name in (*expected, "bag") if name in signature_of(function).parameters]
    found: dict[str, str] = {}
    for name in given:
        spelt = method.spell(expected[name]) if name in expected else "BagView"
        value = annotations.get(name)
        if name not in annotations:
            node = _argument(method, name)
            yield method.report("HA334", f"write `{name}: {spelt}`", node=node, what=f"`{name}`")
        elif name in expected:
            found[name] = _named(value, expected[name])
        elif value not in (BagView, _UNKNOWN) and not _is_like(value, "BagView"):
            fix = "write `bag: BagView` with `from holdall import BagView`"
            yield _wrong(method, name, "BagView", "", fix)
    versions = {method.protocols.version_of(name) for name in found.values()}
    right = all(found.get(name) == twin for name, twin in expected.items())
    if not right and len(found) == 2 and len(versions) == 1 and "" not in versions:
        yield method.report(
            "HA339",
            f"join {method.point.older_version} and {method.point.newer_version}, as the protocol"
            " does; between an API type and its own twin there is nothing to convert",
            version=versions.pop(),
        )
        return
    for name, named in found.items():
        if named != expected[name]:
            why = _reason(method, name, named, found, expected)
            twin = expected[name]
            yield _wrong(method, name, method.spell(twin), why, _how(method, name, twin))


def _named(value: Any, expected: str) -> str:
    """Return the dotted name of an annotation that is a class, else ""."""
    if isinstance(value, type):
        return name_of(value)
    return expected if value is _UNKNOWN or _is_like(value, expected) else ""


def _is_like(value: Any, expected: str) -> bool:
    """Return whether an annotation that could not be evaluated may be the expected one."""
    return isinstance(value, str) and value.rpartition(".")[2] == expected.rpartition(".")[2]


def _argument(method: Method, name: str) -> ast.arg | None:
    args = method.node.args if method.node else None
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs) if args else ()
    return next((arg for arg in every if arg.arg == name), None)


def _reason(
    method: Method, name: str, named: str, found: dict[str, str], expected: dict[str, str]
) -> str:
    if method.protocols.twin_of(named) == expected[name]:
        return " (an API type; hooks convert storage twins)"
    if sorted(found.values()) == sorted(expected.values()):
        return " (the two directions are mixed up)"
    return ""


def _how(method: Method, name: str, twin: str) -> str:
    fix = f"write `{name}: {method.spell(twin)}`"
    package, _, last = twin.rpartition(".")[0].rpartition(".")
    version = package.rpartition(".")[2]
    known = any(
        (isinstance(value, type) and name_of(value) == twin)
        or (isinstance(value, ModuleType) and value.__name__ == f"{package}.{last}")
        for value in vars(method.module).values()
    )
    return fix if known else f"{fix} with `from {package} import {last} as {version}`"


def _wrong(method: Method, name: str, expected: str, why: str, fix: str) -> Problem:
    node = _argument(method, name)
    text = ast.unparse(node.annotation) if node and node.annotation else "something else"
    return method.report(
        "HA335",
        fix,
        node=node,
        detail=contrast(f"{name}: {text}", f"{name}: {expected}"),
        parameter=name,
        found=text,
        expected=expected,
        why=why,
    )


def _check_result(method: Method, function: FunctionType) -> Iterator[Problem]:
    annotations = annotations_of(function)
    if "return" not in annotations:
        yield method.report("HA334", "write `-> None`", what="its result")
    elif annotations["return"] not in (None, type(None), _UNKNOWN):
        returns = method.node.returns if method.node else None
        found = ast.unparse(returns) if returns else "a value"
        yield method.report("HA336", node=returns, found=found)
    if returns_something(function):
        for inner in own_nodes(method.node) if method.node else ():
            if isinstance(inner, ast.Return) and ast.unparse(inner)[7:] not in ("", "None"):
                fix = "assign to the members of `destination`; the return value is ignored"
                found = ast.unparse(inner)[7:]
                yield method.report("HA336", fix, node=inner, found=found)


def returns_something(function: FunctionType) -> bool:
    """Return whether, by its code, a function returns anything but None."""
    before: dis.Instruction | None = None
    for step in dis.get_instructions(function):
        if step.opname == "RETURN_CONST" and step.argval is not None:
            return True
        is_none = before and before.opname == "LOAD_CONST" and before.argval is None
        if step.opname == "RETURN_VALUE" and not is_none:
            return True
        before = step
    return False


def is_scaffold(function: FunctionType) -> bool:
    """Return whether, by its code, a function only raises NotImplementedError."""
    code = function.__code__
    steps = [step.opname for step in dis.get_instructions(code)]
    return (
        code.co_names == ("NotImplementedError",)
        and "RAISE_VARARGS" in steps
        and not any("JUMP" in name or name.startswith("RETURN") for name in steps)
    )


def own_nodes(function: FunctionNode) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, except those of nested functions and classes."""
    waiting: list[ast.AST] = list(reversed(function.body))
    closed = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, closed):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))

"""The methods of a hook compared with its protocol: form, parameters, annotations, body."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from holdall.engine.hook_points import HookPoint
from holdall.errors import Problem
from holdall.verification.mistakes import contrast, mistake
from holdall.verification.names import HookModule, HookNames, closest, dotted_name, fold
from holdall.verification.protocols import (
    METHODS,
    NAMES,
    Protocols,
    Way,
    definition,
    expected_types,
    signature,
)

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_CLAIMS = ("holdall.claims", "holdall.engine.hooks.claims")
_VIEWS = ("holdall.BagView", "holdall.generated.BagView", "holdall.engine.hooks.BagView")
_HARMLESS = {
    f"{module}.{name}"
    for module in ("typing", "typing_extensions", "holdall", "holdall.generated")
    for name in ("override", "final")
}
_WRAPPERS = ("staticmethod", "classmethod", "property")


@dataclass(frozen=True, slots=True)
class Method:
    """One direction of a hook, with all that is needed to judge it."""

    hook: str
    way: Way
    node: FunctionNode
    module: HookModule
    names: HookNames
    protocols: Protocols
    point: HookPoint

    @property
    def name(self) -> str:
        return NAMES[self.way]

    def spell(self, twin: str) -> str:
        return self.names.spell(self.module, twin)

    def report(
        self, code: str, fix: str, *, line: int = 0, detail: str = "", **parts: object
    ) -> Problem:
        where = self.module.where(line or self.node.lineno)
        return mistake(
            code,
            where,
            fix=fix,
            detail=detail or definition(self.point, self.spell),
            hook=self.hook,
            method=self.name,
            **parts,
        )


def is_claims(names: HookNames, module: HookModule, decorator: ast.expr) -> bool:
    """Tell whether a decorator is `@claims(...)`, called or not."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return names.resolve(module, function, decorator.lineno) in _CLAIMS


def near_method(name: str) -> str:
    """Return the method of a hook that a name nearly is; "" if it is one or none."""
    if name in METHODS:
        return ""
    exact = [method for method in METHODS if fold(method) == fold(name)]
    return exact[0] if exact else closest(name, METHODS, 0.82)


def check_method(method: Method) -> Iterator[Problem]:
    """Yield everything in which a method differs from its protocol."""
    yield from _check_form(method)
    yield from _check_parameters(method)
    yield from _check_annotations(method)
    yield from _check_result(method)
    if _is_empty(method.node):
        yield method.report(
            "HA337", "write what it does; if nothing has to happen in this direction, say `return`"
        )


def _check_form(method: Method) -> Iterator[Problem]:
    for form, line in _forms(method):
        yield method.report(
            "HA332", "write it as a plain `def` with `@claims(...)` above it", line=line, form=form
        )


def _forms(method: Method) -> Iterator[tuple[str, int]]:
    node = method.node
    if isinstance(node, ast.AsyncFunctionDef):
        yield "an async function", node.lineno
    for inner in own_nodes(node):
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            yield "a generator", inner.lineno
            break
    for decorator in node.decorator_list:
        if is_claims(method.names, method.module, decorator):
            continue
        name = dotted_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if method.names.resolve(method.module, decorator, decorator.lineno) in _HARMLESS:
            continue
        if name in _WRAPPERS:
            yield f"a {name}", decorator.lineno
        else:
            near = closest(name.rpartition(".")[2], ["claims", "override"], 0.7)
            hint = f" (did you mean `{near}` of holdall?)" if near == "claims" else ""
            yield f"decorated with `@{ast.unparse(decorator)}`{hint}", decorator.lineno


def _check_parameters(method: Method) -> Iterator[Problem]:
    reasons = list(_parameter_faults(method.node.args, _is_static(method.node)))
    correct = signature(method.point, method.way, method.spell)
    start = "async def" if isinstance(method.node, ast.AsyncFunctionDef) else "def"
    result = f" -> {ast.unparse(method.node.returns)}" if method.node.returns else ""
    written = f"{start} {method.name}({ast.unparse(method.node.args)}){result}: ..."
    for reason, fix in reasons:
        detail = contrast(written, correct)
        yield method.report("HA333", fix, detail=detail, reason=reason)


def _is_static(node: FunctionNode) -> bool:
    return any(dotted_name(decorator) == "staticmethod" for decorator in node.decorator_list)


def _parameter_faults(args: ast.arguments, static: bool) -> Iterator[tuple[str, str]]:
    expected = (
        ["source", "destination", "bag"] if static else ["self", "source", "destination", "bag"]
    )
    by_position = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    by_keyword = [arg.arg for arg in args.kwonlyargs]
    for star, arg in (("*", args.vararg), ("**", args.kwarg)):
        if arg:
            yield f"takes `{star}{arg.arg}`", "name the parameters of the protocol instead"
    for arg in args.posonlyargs:
        if arg.arg != "self":
            yield f"takes `{arg.arg}` by position only", "remove the `/`"
    for name in by_keyword:
        if name in expected:
            yield f"takes `{name}` by keyword only", "remove the `*`"
    given = [*by_position, *by_keyword]
    missing = [name for name in expected if name not in given]
    surplus = [name for name in given if name not in expected]
    for name in list(missing):
        index = expected.index(name)
        if len(given) == len(expected) and given[index] in surplus:
            surplus.remove(given[index])
            missing.remove(name)
            yield f"calls the parameter `{name}` `{given[index]}`", f"rename it to `{name}`"
    for name in missing:
        yield f"lacks the parameter `{name}`", "add it"
    for name in surplus:
        yield f"has the parameter `{name}`, which nobody passes", "remove it"
    if by_position != expected and sorted(by_position) == sorted(expected):
        yield "has its parameters in another order", f"order them as {', '.join(expected)}"
    defaults = [*args.defaults, *(default for default in args.kw_defaults if default)]
    if defaults:
        names = [*by_position[len(by_position) - len(args.defaults) :]]
        names += [n for n, d in zip(by_keyword, args.kw_defaults, strict=True) if d]
        listed = ", ".join(f"`{name}`" for name in names)
        yield f"gives {listed} a default", "remove the default; all are always passed"


def _check_annotations(method: Method) -> Iterator[Problem]:
    args = method.node.args
    given = {arg.arg: arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    expected = expected_types(method.point, method.way)
    found: dict[str, str] = {}
    for name in (*expected, "bag"):
        arg = given.get(name)
        if arg is None:
            continue
        spelt = method.spell(expected[name]) if name in expected else "BagView"
        if arg.annotation is None:
            fix = f"write `{name}: {spelt}`"
            yield method.report("HA334", fix, line=arg.lineno, what=f"`{name}`")
        elif name in expected:
            found[name] = method.names.resolve(method.module, arg.annotation, arg.lineno)
        elif method.names.resolve(method.module, arg.annotation, arg.lineno) not in _VIEWS:
            fix = "write `bag: BagView` with `from holdall import BagView`"
            yield _wrong(method, arg, "BagView", "", fix)
    versions = {method.protocols.version_of(name) for name in found.values()}
    right = all(found.get(name) == twin for name, twin in expected.items())
    if not right and len(found) == 2 and len(versions) == 1 and "" not in versions:
        yield method.report(
            "HA339",
            f"join {method.point.older_version} and {method.point.newer_version} as the protocol"
            " does; between an API type and its own twin there is nothing to convert",
            version=versions.pop(),
        )
        return
    for name, resolved in found.items():
        twin = expected[name]
        if not _plain(given[name].annotation) or resolved != twin:
            why = _reason(method, name, resolved, found, expected)
            spelt = method.spell(twin)
            yield _wrong(method, given[name], spelt, why, _how(method, name, twin))


def _plain(annotation: ast.expr | None) -> bool:
    return not isinstance(annotation, ast.Subscript)


def _reason(
    method: Method, name: str, resolved: str, found: dict[str, str], expected: dict[str, str]
) -> str:
    if method.protocols.twin_of(resolved) == expected[name]:
        return " (an API type; hooks convert storage twins)"
    if sorted(found.values()) == sorted(expected.values()):
        return " (the two directions are mixed up)"
    return ""


def _how(method: Method, name: str, twin: str) -> str:
    module = twin.rpartition(".")[0]
    fix = f"write `{name}: {method.spell(twin)}`"
    known = method.names.resolve(
        method.module, ast.parse(method.spell(twin), mode="eval").body, method.node.lineno
    )
    if known == twin:
        return fix
    package, _, last = module.rpartition(".")
    version = package.rpartition(".")[2]
    return f"{fix} with `from {package} import {last} as {version}`"


def _wrong(method: Method, arg: ast.arg, expected: str, why: str, fix: str) -> Problem:
    text = ast.unparse(arg.annotation) if arg.annotation else "nothing"
    detail = contrast(f"{arg.arg}: {text}", f"{arg.arg}: {expected}")
    return method.report(
        "HA335",
        fix,
        line=arg.lineno,
        detail=detail,
        parameter=arg.arg,
        found=text,
        expected=expected,
        why=why,
    )


def _check_result(method: Method) -> Iterator[Problem]:
    returns = method.node.returns
    if returns is None:
        yield method.report("HA334", "write `-> None`", what="its result")
    elif not (isinstance(returns, ast.Constant) and returns.value in (None, "None")):
        fix = "write `-> None`"
        yield method.report("HA336", fix, line=returns.lineno, found=ast.unparse(returns))
    for node in own_nodes(method.node):
        if isinstance(node, ast.Return) and not _is_none(node.value):
            fix = "assign to the members of `destination`; what is returned is lost"
            yield method.report("HA336", fix, line=node.lineno, found=ast.unparse(node)[7:])


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _is_empty(node: FunctionNode) -> bool:
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in node.body
    )


def own_nodes(function: FunctionNode) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body without those of functions and classes inside it."""
    waiting: list[ast.AST] = list(reversed(function.body))
    closed = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, closed):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))

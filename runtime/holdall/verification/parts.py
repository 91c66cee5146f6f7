"""Whether a bound class can be used: its form, and the shared hooks that it is composed of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Protocol

from holdall.errors import Problem
from holdall.verification.mistakes import contrast, mistake
from holdall.verification.names import HookModule, HookNames, closest, did_you_mean
from holdall.verification.protocols import METHODS

PARTS = "parts"
_HARMLESS = ("typing.final", "typing_extensions.final")


class _Member(Protocol):
    node: ast.stmt
    function: ast.FunctionDef | ast.AsyncFunctionDef | None


def check_usable(
    module: HookModule,
    node: ast.ClassDef,
    members: Mapping[str, Sequence[_Member]],
    composed: tuple[str, ...],
    names: HookNames,
) -> Iterator[Problem]:
    """Yield why a hook could not be made, or would be another one than its text shows."""
    for reason, line, fix in _obstacles(module, node, members, composed, names):
        yield mistake("HA319", module.where(line), fix=fix, hook=node.name, reason=reason)
    line_again = module.rebound(node.name, node.lineno)
    if line_again:
        yield mistake(
            "HA318",
            module.where(node.lineno),
            fix="give each class a name of its own and leave the name alone",
            hook=node.name,
            line=line_again,
        )


def _obstacles(
    module: HookModule,
    node: ast.ClassDef,
    members: Mapping[str, Sequence[_Member]],
    composed: tuple[str, ...],
    names: HookNames,
) -> Iterator[tuple[str, int, str]]:
    for decorator in node.decorator_list:
        if names.resolve(module, decorator, decorator.lineno) not in _HARMLESS:
            text = f"the decorator `@{ast.unparse(decorator)}` may replace it"
            yield text, decorator.lineno, "remove the decorator"
    for keyword in node.keywords:
        yield f"it is made with `{keyword.arg or '**'}`", node.lineno, "remove the keyword"
    for starred in (base for base in node.bases if isinstance(base, ast.Starred)):
        text = f"its bases `{ast.unparse(starred)}` cannot be read"
        yield text, starred.lineno, "write the bases by name"
    for name in ("__init__", "__new__", "__call__", "__getattribute__"):
        for member in members.get(name, ()):
            function = member.function
            if name in ("__init__", "__new__") and function and _needs(function.args):
                text = f"{name} takes arguments, and a hook is made without any"
                fix = "give them defaults, or make it a SharedHook and compose it"
                yield text, member.node.lineno, fix
            elif name == "__getattribute__":
                text = "__getattribute__ can replace its methods"
                yield text, member.node.lineno, "remove it"
    resolved = [names.resolve(module, base, node.lineno) for base in node.bases]
    if any(base in composed for base in resolved) and resolved[0] not in composed:
        fix = "write Composed as the first base"
        yield "Composed comes after another base", node.lineno, fix


def _needs(args: ast.arguments) -> bool:
    positional = len(args.posonlyargs) + len(args.args) - len(args.defaults)
    return positional > 1 or any(default is None for default in args.kw_defaults)


def check_parts(
    module: HookModule,
    node: ast.ClassDef,
    members: Mapping[str, Sequence[_Member]],
    composed: bool,
    names: HookNames,
    classes: Set[str],
    shared: Set[str],
) -> Iterator[Problem]:
    """Yield what is wrong with `parts` and with methods beside them.

    `classes` are the dotted names of all classes of the hooks package, `shared` those of the
    shared hooks among them.
    """
    given = members.get(PARTS, ())
    if not composed:
        if given:
            yield _fault(
                module,
                node,
                given[0].node.lineno,
                "it has `parts` but does not derive from Composed",
                contrast(f"class {node.name}(...): ...", f"class {node.name}(Composed, ...): ..."),
            )
        return
    for name in METHODS:
        for member in members.get(name, ()):
            yield mistake(
                "HA322",
                module.where(member.node.lineno),
                fix="move it to a SharedHook and add that to `parts`",
                hook=node.name,
                method=name,
            )
    if not given:
        near = closest(PARTS, set(members) - set(METHODS))
        yield _fault(module, node, node.lineno, f"it has no `parts`{did_you_mean(near)}")
    if len(given) > 1:
        line = given[1].node.lineno
        yield _fault(module, node, line, "its `parts` are assigned more than once")
    for member in given:
        statement = member.node
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        for reason, line in _read_parts(module, value, statement.lineno, names, classes, shared):
            yield _fault(module, node, line, reason)


def _fault(
    module: HookModule, node: ast.ClassDef, line: int, reason: str, detail: str = ""
) -> Problem:
    return mistake(
        "HA321",
        module.where(line),
        fix="write `parts = (First(...), Second(...))`, a tuple of shared hooks in running order",
        detail=detail or contrast("parts = First()", "parts = (First(),)"),
        hook=node.name,
        reason=reason,
    )


def _read_parts(
    module: HookModule,
    value: ast.expr | None,
    line: int,
    names: HookNames,
    classes: Set[str],
    shared: Set[str],
) -> Iterator[tuple[str, int]]:
    if not isinstance(value, ast.Tuple):
        yield "its `parts` are no tuple in the text", line
        return
    if not value.elts:
        yield "its `parts` are empty", line
    for element in value.elts:
        called = element.func if isinstance(element, ast.Call) else element
        meant = names.resolve(module, called, element.lineno)
        text = ast.unparse(element)
        if isinstance(element, ast.Call) and meant in classes and meant not in shared:
            yield f"`{text}` is no shared hook", element.lineno
        elif not isinstance(element, ast.Call) and meant in classes:
            yield f"`{text}` is a class, not a hook made from it; write `{text}()`", element.lineno
        elif isinstance(element, ast.Constant):
            yield f"`{text}` is no shared hook", element.lineno

"""What stands in a hook module outside its classes, and would be passed over."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Protocol

from holdall.errors import Problem
from holdall.verification.methods import is_claims, near_method
from holdall.verification.mistakes import mistake
from holdall.verification.names import HookModule, HookNames, did_you_mean, dotted_name, statements
from holdall.verification.protocols import METHODS, Protocols, definition, dotted, poses


class _Class(Protocol):
    pretenders: list[tuple[str, str]]


def check_loose(
    module: HookModule,
    classes: Sequence[_Class],
    shared: set[ast.ClassDef],
    names: HookNames,
    protocols: Protocols,
) -> Iterator[Problem]:
    """Yield what is written beside the classes of a module and has no effect as a hook.

    `shared` are the shared hooks among the classes.
    """
    for star in module.stars:
        yield mistake(
            "HA304",
            module.where(star.line),
            fix="import the names one by one",
            module=star.module,
        )
    used = {resolved for cls in classes for _, resolved in cls.pretenders}
    yield from _check_imports(module, names, protocols, used)
    for node, _ in statements(module.tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_method(node.name):
            yield mistake(
                "HA317",
                module.where(node.lineno),
                fix="indent it into the class of its hook, or give a helper another name",
                function=node.name,
            )
    yield from _check_claims(module, names, shared)
    for inner in ast.walk(module.tree):
        yield from _check_made(module, inner, names, protocols)


def _check_imports(
    module: HookModule, names: HookNames, protocols: Protocols, used: set[str]
) -> Iterator[Problem]:
    real = {point.protocol for point in protocols.points}
    for line, imported, bound in module.imports:
        last = imported.rpartition(".")[2]
        if not poses(last) or imported in used or protocols.is_foreign(imported):
            continue
        meant = names.resolve(module, ast.Name(bound, ast.Load()), line) or imported
        if meant in used or protocols.find(meant) or protocols.find(imported):
            continue
        if protocols.is_generated(imported) or last in real:
            near = protocols.nearest(imported)
            yield mistake(
                "HA311",
                module.where(line),
                fix="import a protocol that exists, or remove the hook of a type or an edge that"
                " is gone",
                detail=definition(near, lambda twin: names.spell(module, twin)) if near else "",
                found=imported,
                nearest=did_you_mean(dotted(near) if near else ""),
            )


def _is_method(name: str) -> bool:
    return name in METHODS or bool(near_method(name))


def _check_claims(
    module: HookModule, names: HookNames, shared: set[ast.ClassDef]
) -> Iterator[Problem]:
    """Yield `@claims` on anything but the methods of a hook; look-alikes are told elsewhere."""
    for node in ast.walk(module.tree):
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if _is_method(child.name) and node not in shared:
                continue
            for decorator in child.decorator_list:
                if is_claims(names, module, decorator):
                    owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
                    yield mistake(
                        "HA348",
                        module.where(decorator.lineno),
                        fix="claims belong on the two methods of a hook; a shared hook returns"
                        " them from claims_to and claims_from",
                        function=f"{owner}{child.name}",
                    )


def _check_made(
    module: HookModule, node: ast.AST, names: HookNames, protocols: Protocols
) -> Iterator[Problem]:
    """Yield classes made by a call, and methods put on a class from outside."""
    if isinstance(node, ast.Call):
        called = dotted_name(node.func).rpartition(".")[2]
        arguments = [inner for arg in node.args for inner in ast.walk(arg)]
        if called in ("type", "new_class"):
            for inner in arguments:
                if isinstance(inner, ast.Name | ast.Attribute) and protocols.find(
                    names.resolve(module, inner, node.lineno)
                ):
                    yield mistake(
                        "HA315",
                        module.where(node.lineno),
                        fix="define it with a `class` statement at the top level of its module",
                        hook=ast.unparse(node.args[0]),
                        place=f"by a call of {called}",
                    )
                    break
        elif called == "setattr" and len(node.args) == 3:
            name = node.args[1]
            if isinstance(name, ast.Constant) and name.value in METHODS:
                yield _put_on(module, node.lineno, ast.unparse(node.args[0]), str(name.value))
    elif (
        isinstance(node, ast.Attribute)
        and node.attr in METHODS
        and not isinstance(node.ctx, ast.Load)
    ):
        yield _put_on(module, node.lineno, ast.unparse(node.value), node.attr)


def _put_on(module: HookModule, line: int, owner: str, method: str) -> Problem:
    return mistake(
        "HA338",
        module.where(line),
        fix="define it once, directly in the class",
        hook=owner,
        method=method,
        how="from outside its class",
    )

"""Reading a declaring module into a raw declaration: versions, classes, items."""

from __future__ import annotations

import ast
import typing
from dataclasses import dataclass, replace
from typing import TypeVar

from holdall.declare import obj, print_column, resource, scale, union
from holdall.declare.classes import ClassCall
from holdall_codegen.declared.calls import Argument, Bound, bind
from holdall_codegen.declared.raw import RawContainer, RawDeclaration
from holdall_codegen.declared.read_items import ItemReader
from holdall_codegen.declared.read_versions import read_versions
from holdall_codegen.declared.source import Source
from holdall_codegen.declared.type_reader import TypeReader
from holdall_codegen.declared.types import DeclType

_DECORATORS = (obj, resource, union)


@dataclass(frozen=True, slots=True)
class _Class:
    """A declared class with its decorator, as a call and as an expression."""

    node: ast.ClassDef
    call: ClassCall
    decorator: ast.expr


def read_module(source: Source) -> RawDeclaration:
    """Read everything that a module declares; only single words are checked here."""
    versions = read_versions(source)
    classes = _find_classes(source)
    parameters = {item.node.name: _type_variables(item.node, source) for item in classes}
    counts = {name: len(variables) for name, variables in parameters.items()}
    items = ItemReader(source, TypeReader(source, counts), versions)
    containers = [
        _read_class(item, parameters[item.node.name], items, versions) for item in classes
    ]
    return replace(versions, containers=containers)


def _find_classes(source: Source) -> list[_Class]:
    found: list[_Class] = []
    for node in source.tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        marks = [(_class_call(item, source), item) for item in node.decorator_list]
        calls = [(call, item) for call, item in marks if call is not None]
        if not calls:
            continue
        found.append(_Class(node, *calls[0]))
        for call, item in calls[1:]:
            text = f"the class is declared twice, with @{calls[0][0].word} and @{call.word}"
            source.report("duplicate_action", item, node.name, text, "keep one")
        for mark, item in marks:
            if mark is None:
                _check_decorator(node, item, source)
    _refuse_elsewhere([item.node for item in found], source)
    return found


def _refuse_elsewhere(declared: list[ast.ClassDef], source: Source) -> None:
    """Report decorators above what cannot be declared, as they would have no effect there."""
    others = [statement for statement in source.tree.body if statement not in declared]
    for node in (inner for statement in others for inner in ast.walk(statement)):
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        is_class = isinstance(node, ast.ClassDef)
        for decorator in node.decorator_list:
            word = _word(decorator, source)
            if word is not None:
                what = "a class inside other code" if is_class else "a function"
                text = f"@{word} has no effect above {what}"
                fix = "move the class to the top level of the module" if is_class else "remove it"
                source.report("item_not_allowed", decorator, node.name, text, fix)


def _word(decorator: ast.expr, source: Source) -> str | None:
    """Return the word of a decorator that declares, without calling anything."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    call = _class_call(called, source) if isinstance(called, (ast.Name, ast.Attribute)) else None
    return None if call is None else call.word


def _check_decorator(node: ast.ClassDef, decorator: ast.expr, source: Source) -> None:
    code, shown = "item_not_allowed", ast.unparse(decorator)
    text, fix = f"@{shown} has no effect on a declared class", "remove it"
    if type(source.evaluate(decorator)).__name__ == "deprecated":
        code, text = (
            "native_deprecated_attribute",
            f"@{shown} is another library's mark of deprecation",
        )
        fix = "deprecate the version or the items"
    source.report(code, decorator, node.name, text, fix)


def _class_call(decorator: ast.expr, source: Source) -> ClassCall | None:
    value = source.evaluate(decorator)
    if isinstance(value, ClassCall):
        return value
    if any(value is word for word in _DECORATORS):
        return ClassCall(getattr(value, "__wrapped__"), (), {})  # noqa: B009 - set by functools.wraps
    return None


def _type_variables(node: ast.ClassDef, source: Source) -> list[TypeVar]:
    found: list[TypeVar] = []
    for base in node.bases:
        value = source.evaluate(base)
        if typing.get_origin(value) is typing.Generic:
            found.extend(item for item in typing.get_args(value) if isinstance(item, TypeVar))
    made = source.namespace.get(node.name)
    if not found and isinstance(made, type):
        found.extend(getattr(made, "__type_params__", ()))
    return found


def _read_class(
    found: _Class, variables: list[TypeVar], items: ItemReader, versions: RawDeclaration
) -> RawContainer:
    node, source = found.node, items.source
    name, word = node.name, found.call.word
    _check_bases(node, source)

    def place(argument: str) -> str:
        inner = word == "resource" and argument not in ("skip", "rename_all")
        return f"{name}.crd.{argument}" if inner else f"{name}.{argument}"

    path = f"{name}.crd" if word == "resource" else name
    bound = bind(found.call, found.decorator, path, source, argument_path=place)
    read = items.read_all(node, "union" if word == "union" else "object")
    status = bound.given("status") if word == "resource" else None
    status_type: DeclType | None = None
    if status is not None and status.node is not None:
        read_type, _ = items.types.read(status.node, f"{name}.crd.status")
        status_type = read_type if not isinstance(read_type, tuple) else None
    return RawContainer(
        name,
        word,
        source.location(node, name),
        bound,
        read,
        doc=ast.get_docstring(node) or "",
        parameters=tuple(variable.__name__ for variable in variables),
        since=versions.named(bound, "since")[0],
        removed=versions.named(bound, "removed")[0],
        status=status_type,
        scale=_scale(bound, source),
        columns=_columns(bound, source),
    )


def _scale(bound: Bound, source: Source) -> Bound | None:
    argument = bound.given("scale")
    if argument is None:
        return None
    if isinstance(argument.value, scale):
        node = argument.node or source.at(argument.location)
        return bind(argument.value, node, argument.location.pointer, source)
    bound.invalid(argument, "scale", "scale(...)")
    return None


def _columns(bound: Bound, source: Source) -> list[Bound]:
    argument = bound.given("print_columns")
    if argument is None or argument.value in ((), []):
        return []
    if not argument.value or not isinstance(argument.value, (tuple, list)):
        bound.invalid(argument, "print_columns", "a tuple of print_column(...)")
        return []
    found = []
    for value in argument.value:
        if isinstance(value, print_column):
            node = source.at(argument.location)
            found.append(bind(value, node, argument.location.pointer, source))
        else:
            each = Argument(value, None, argument.location)
            bound.invalid(each, "print_columns", "print_column(...)")
    return found


def _check_bases(node: ast.ClassDef, source: Source) -> None:
    for base in [*node.bases, *(keyword.value for keyword in node.keywords)]:
        value = source.evaluate(base)
        if typing.get_origin(value) is not typing.Generic:
            text = f"a declared class cannot have the base class {ast.unparse(base)}"
            fix = "repeat its items, or hold it in an item"
            source.report("item_not_allowed", base, node.name, text, fix)

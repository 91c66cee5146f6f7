"""The items of a declared class: types, actions, documentation, defaults."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import math
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import EllipsisType
from typing import Final, cast

from holdall.declare import (
    Doc,
    added,
    changed,
    default_variant,
    deprecated,
    external,
    hint,
    json_name,
    list_key,
    name,
    nested,
    removed,
)
from holdall.declare.calls import Call
from holdall.declare.types import Width
from holdall.types import JsonValue
from holdall_codegen.declared.calls import Bound, bind, recall
from holdall_codegen.declared.functions import find_function
from holdall_codegen.declared.model import Form
from holdall_codegen.declared.raw import ItemType, RawAction, RawDeclaration, RawFunction, RawItem
from holdall_codegen.declared.source import Failed, Source, spell_metadata
from holdall_codegen.declared.type_reader import NotDeclarable, TypeReader
from holdall_codegen.model import Location

_ACTIONS: Final = {added: "added", changed: "changed", deprecated: "deprecated", removed: "removed"}
_FUNCTIONS: Final = ("default", "default_from", "upgrade_with", "downgrade_with")
_OWN_MARK: Final = 'use deprecated("<version>", note=...) from holdall.declare'
_ONLY_FIELDS: Final = ("default", "default_from")
_ONLY_VARIANTS: Final = {
    "added": ("fallback", "downgrade_with"),
    "removed": ("fallback", "upgrade_with"),
}


@dataclass(slots=True)
class _Words:
    """The contents of one item's Annotated, by kind."""

    calls: list[tuple[Call, ast.expr]] = dataclasses.field(default_factory=list)
    nested: ast.expr | None = None
    is_default_variant: bool = False
    marked_type: ast.expr | None = None
    foreign: list[tuple[object, ast.expr]] = dataclasses.field(default_factory=list)

    def first(self, kind: type[Call]) -> tuple[Call, ast.expr] | None:
        return next((found for found in self.calls if isinstance(found[0], kind)), None)


@dataclass(frozen=True, slots=True)
class ItemReader:
    """Reads items of one module."""

    source: Source
    types: TypeReader
    versions: RawDeclaration

    def read_all(self, node: ast.ClassDef, form: Form) -> list[RawItem]:
        """Read the body of a declared class; report what is neither an item nor documentation."""
        found: list[RawItem] = []
        for index, statement in enumerate(node.body):
            match statement:
                case ast.AnnAssign(target=ast.Name()):
                    after = node.body[index + 1] if index + 1 < len(node.body) else None
                    found.append(self._read(node.name, statement, _text(after), form))
                case ast.Pass() | ast.Expr(value=ast.Constant(value=str() | EllipsisType())):
                    pass
                case _:
                    self._refuse(node.name, statement, form)
        return found

    def _refuse(self, class_name: str, statement: ast.stmt, form: Form) -> None:
        what = {
            ast.FunctionDef: "a function",
            ast.AsyncFunctionDef: "a function",
            ast.ClassDef: "a class",
            ast.Assign: "a name without a type",
        }.get(type(statement), "this statement")
        text = f"{what} is not allowed in a declared class"
        fix = "move it out of the class"
        if isinstance(statement, ast.Assign):
            type_ = "Unit" if form == "union" else "str"
            fix = f"write its type, as in `{ast.unparse(statement.targets[0])}: {type_}`, or {fix}"
        self.source.report("item_not_allowed", statement, class_name, text, fix)

    def _read(self, class_name: str, statement: ast.AnnAssign, doc: str, form: Form) -> RawItem:
        written = cast(ast.Name, statement.target).id
        path = f"{class_name}.{written}"
        words = _Words()
        annotation = statement.annotation
        try:
            annotation, metadata = self.types.unwrap(annotation)
        except NotDeclarable:
            metadata = []
        for node in metadata:
            self._sort(recall(node, self.source), node, words, path)
        if isinstance(annotation, (ast.Name, ast.Attribute)):  # it may be an alias of an Annotated
            for value in getattr(self.source.evaluate(annotation), "__metadata__", ()):
                self._sort(value, annotation, words, path)
        if found := words.first(name):
            bound = bind(*found, f"{path}.name", self.source)
            written = bound.text("name") or written
            path = f"{class_name}.{written}"
        location = self.source.location(statement, path)
        self._check_foreign(words, path)
        self._refuse_inside(annotation, path)
        type_, is_readable = self.types.read(
            words.marked_type or annotation, path, variant=form == "union"
        )
        actions = self._read_actions(words, path, form)
        self._check_repeated(words, location)
        has_default, default, factory = self._read_default(statement, path, form)
        hints = words.first(hint)
        return RawItem(
            written,
            location,
            type_,
            is_readable,
            added=next(iter(actions["added"]), None),
            changes=tuple(actions["changed"]),
            deprecated=next(iter(actions["deprecated"]), None),
            removed=next(iter(actions["removed"]), None),
            json_name=self._text_of(words, json_name, "name", path),
            doc=self._text_of(words, Doc, "text", path) or doc,
            is_default_variant=words.is_default_variant,
            list_keys=self._list_keys(words, path),
            hint=bind(*hints, f"{path}.hint", self.source) if hints else None,
            nested=self.source.location(words.nested, f"{path}.nested") if words.nested else None,
            metadata=tuple(
                spell_metadata(node, self.source)
                for _, node in words.foreign
                if any(node is item for item in metadata)
            ),
            has_default=has_default,
            default=default,
            default_factory=factory,
        )

    def _sort(self, value: object, node: ast.expr, words: _Words, path: str) -> None:
        if isinstance(value, (Width, external)):
            words.marked_type = node
            return
        if isinstance(value, Call):
            words.calls.append((value, node))
        elif value is nested:
            words.nested = node
        elif value is default_variant:
            words.is_default_variant = True
        elif isinstance(value, type) and issubclass(value, Call):
            word = value.__name__
            text, fix = f"`{word}` must be called with its arguments", f"write {word}(...)"
            self.source.report("missing_argument", node, f"{path}.{word}", text, fix)
        elif isinstance(value, Failed):
            meant = value.meant(self.source.namespace)
            text = f"{ast.unparse(node)} cannot be evaluated: {value.error}{meant}"
            fix = "correct it, or import what it needs"
            self.source.report("argument_invalid", node, path, text, fix)
        else:
            words.foreign.append((value, node))

    def _check_foreign(self, words: _Words, path: str) -> None:
        for value, node in words.foreign:
            if type(value).__name__ == "deprecated" or getattr(value, "deprecated", None):
                text = f"{ast.unparse(node)} is another library's mark of deprecation"
                self.source.report("native_deprecated_attribute", node, path, text, _OWN_MARK)

    def _refuse_inside(self, annotation: ast.expr, path: str) -> None:
        """Report words about the item that are inside its type, where they have no effect."""
        for word in _words_inside(self.source.evaluate(annotation)):
            text = f"`{word}` is about an item, and has no effect inside its type"
            fix = "write it in the Annotated around the whole type, or remove it"
            self.source.report("unknown_argument", annotation, path, text, fix)

    def _check_repeated(self, words: _Words, location: Location) -> None:
        kinds = [type(call) for call, _ in words.calls]
        for kind in dict.fromkeys(kinds):
            if kinds.count(kind) > 1 and kind is not changed:
                text = f"only one `{kind.__name__}` is allowed, not {kinds.count(kind)}"
                self.source.findings.add("duplicate_action", location, text, "remove all but one")

    def _text_of(self, words: _Words, kind: type[Call], argument: str, path: str) -> str | None:
        found = words.first(kind)
        if found is None:
            return None
        bound = bind(*found, f"{path}.{kind.__name__}", self.source)
        text = bound.text(argument, some=kind is json_name)
        return inspect.cleandoc(text) if text is not None and kind is Doc else text

    def _list_keys(self, words: _Words, path: str) -> tuple[str, ...]:
        found = words.first(list_key)
        if found is None:
            return ()
        bound = bind(*found, f"{path}.list_key", self.source)
        if not bound.rest:
            text = "`list_key` takes at least one name of a field"
            self.source.findings.add(
                "missing_argument", bound.location, text, "add one, or remove it"
            )
        for argument in bound.rest:
            if not isinstance(argument.value, str):
                bound.invalid(argument, "list_key", "names of fields")
        return tuple(item.value for item in bound.rest if isinstance(item.value, str))

    def _read_actions(self, words: _Words, path: str, form: Form) -> dict[str, list[RawAction]]:
        """Return the actions by name."""
        found: dict[str, list[RawAction]] = {word: [] for word in _ACTIONS.values()}
        for call, node in words.calls:
            word = _ACTIONS.get(type(call))
            if word is None:
                continue
            place = f"{path}.{word}"
            if word == "changed":
                place += f"[{len(found[word])}]"
            bound = bind(call, node, place, self.source)
            found[word].append(self._read_action(word, bound, form))
        return found

    def _read_action(self, word: str, bound: Bound, form: Form) -> RawAction:
        order, since = self.versions.named(bound, "since", word)
        functions: dict[str, RawFunction] = {}
        for argument_name in _FUNCTIONS:
            argument = bound.given(argument_name)
            if argument is not None:
                function = find_function(argument.value, argument.location, self.source)
                if function is not None:
                    functions[argument_name] = function
        self._check_form(word, bound, form)
        from_type: ItemType = None
        has_from_type = False
        argument = bound.given("from_type")
        if argument is not None and argument.node is not None:
            path = argument.location.pointer
            from_type, has_from_type = self.types.read(argument.node, path, variant=form == "union")
        return RawAction(word, order, since, bound, functions, from_type, has_from_type)

    def _check_form(self, word: str, bound: Bound, form: Form) -> None:
        """Report arguments that this form of item does not have."""
        wrong = _ONLY_FIELDS if form == "union" else _ONLY_VARIANTS.get(word, ())
        what = "fields" if form == "union" else "variants"
        for argument_name in wrong:
            argument = bound.given(argument_name)
            if argument is not None:
                text = f"`{argument_name}` of `{word}` is for {what} only"
                self.source.findings.add("unknown_argument", argument.location, text, "remove it")

    def _read_default(
        self, statement: ast.AnnAssign, path: str, form: Form
    ) -> tuple[bool, JsonValue, RawFunction | None]:
        """Return whether there is a default, its value, or the function that makes it."""
        if statement.value is None:
            return False, None, None
        location = self.source.location(statement.value, path)
        value = self.source.evaluate(statement.value)
        if form == "union":
            message, fix = "a variant has no default", "mark it with default_variant"
            self.source.findings.add("item_not_allowed", location, message, fix)
            return False, None, None
        if isinstance(value, dataclasses.Field):
            if value.metadata.get("deprecated"):
                text = "the metadata of field(...) marks the item as deprecated"
                self.source.findings.add("native_deprecated_attribute", location, text, _OWN_MARK)
            factory = value.default_factory
            if factory in (list, dict, str, int, float, bool):
                return True, cast(JsonValue, cast(Callable[[], object], factory)()), None
            if factory is not dataclasses.MISSING:
                function = find_function(factory, location, self.source)
                return function is not None, None, function
            if value.default is dataclasses.MISSING:
                return False, None, None
            value = value.default
        if not _is_json(value):
            text = f"the default {ast.unparse(statement.value)} is not a JSON value"
            fix = "use a JSON value, or a function as default_factory"
            self.source.findings.add("argument_invalid", location, text, fix)
            return False, None, None
        return True, cast(JsonValue, value), None


def _text(statement: ast.stmt | None) -> str:
    """Return the text of a documentation string."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return inspect.cleandoc(text)
        case _:
            return ""


def _words_inside(type_: object) -> Iterator[str]:
    for part in typing.get_args(type_):
        for inner in typing.get_args(part):
            if isinstance(inner, Call) and not isinstance(inner, (Doc, external)):
                yield type(inner).__name__
        yield from _words_inside(part)


def _is_json(value: object) -> bool:
    if isinstance(value, list):
        return all(_is_json(item) for item in value)
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (bool, int, str)

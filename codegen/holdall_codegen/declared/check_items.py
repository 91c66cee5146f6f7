"""Rules for one item by itself: its name, its actions, and their order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from holdall.suggest import nearest
from holdall_codegen.declared.grammar import VersionName
from holdall_codegen.declared.model import Form
from holdall_codegen.declared.names import DEPRECATION_PREFIXES, has_deprecation_prefix
from holdall_codegen.declared.problems import Findings
from holdall_codegen.declared.raw import RawAction, RawContainer, RawDeclaration, RawItem
from holdall_codegen.declared.shapes import say, within
from holdall_codegen.declared.types import (
    DictOf,
    External,
    JsonType,
    ListOf,
    Named,
    OptionalOf,
    Parameter,
)

_PASCAL_CASE: Final = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
_HINTS: Final[dict[str, type[OptionalOf] | type[ListOf] | type[DictOf]]] = {
    "option": OptionalOf,
    "list": ListOf,
    "map": DictOf,
}


def check_items(declaration: RawDeclaration, findings: Findings) -> None:
    """Check every item of every container."""
    for container in declaration.containers:
        for item in container.items:
            _Item(item, container, declaration, findings).check()


@dataclass(frozen=True, slots=True)
class _Item:
    item: RawItem
    container: RawContainer
    declaration: RawDeclaration
    findings: Findings

    @property
    def form(self) -> Form:
        return self.container.form

    def check(self) -> None:
        self._check_same_version()
        self._check_order()
        self._check_removed()
        self._check_changes()
        self._check_name()
        self._check_parameters()
        self._check_hint()
        self._check_no_effect()

    def _report(self, code: str, message: str, fix: str) -> None:
        self.findings.add(code, self.item.location, message, fix)

    def _check_same_version(self) -> None:
        added, deprecated = _order(self.item.added), _order(self.item.deprecated)
        changes = [change.order for change in self.item.changes_in_order()]
        fix = "let at least one version have the item unchanged"
        if added is not None and added == deprecated:
            text = f"cannot be both added and deprecated in {added}"
            self._report("added_deprecated_same_version", text, fix)
        for code, other, word in (
            ("added_changed_same_version", added, "added"),
            ("deprecated_changed_same_version", deprecated, "deprecated"),
        ):
            if other is not None and other in changes:
                self._report(code, f"cannot be both {word} and changed in {other}", fix)

    def _check_order(self) -> None:
        added, deprecated = _order(self.item.added), _order(self.item.deprecated)
        if added is not None and deprecated is not None and added > deprecated:
            text = f"added in {added} but deprecated earlier, in {deprecated}"
            self._report("added_after_deprecated", text, "swap the versions")
            return
        outside = [
            change.order
            for change in self.item.changes_in_order()
            if change.order is not None
            and (
                (added is not None and change.order <= added)
                or (deprecated is not None and change.order >= deprecated)
            )
        ]
        if outside:
            self._report(
                "changed_order",
                f"changes must come after `added` and before `deprecated`, "
                f"not in {', '.join(map(str, outside))}",
                "correct the versions",
            )

    def _check_removed(self) -> None:
        removed = _order(self.item.removed)
        others = [action for action in self.item.actions() if action is not self.item.removed]
        late = [action for action in others if action.order is not None]
        last = max(late, key=lambda action: action.order or VersionName(0, 0), default=None)
        if removed is not None and last is not None and last.order and last.order >= removed:
            self._report(
                "removed_order",
                f"removed in {removed}, but {last.word} in {last.order}; `removed` must come last",
                "correct the versions",
            )

    def _check_changes(self) -> None:
        orders = [change.order for change in self.item.changes if change.order is not None]
        for twice in sorted({order for order in orders if orders.count(order) > 1}):
            self._report(
                "changed_twice_same_version", f"two changes in {twice}", "combine them into one"
            )
        if orders != sorted(orders) and not self.declaration.options.allow_unsorted:
            right = ", ".join(map(str, sorted(set(orders))))
            fix = "put them in this order, or set allow_unsorted=True"
            self._report("changes_unsorted", f"changes must ascend: {right}", fix)
        for change in self.item.changes:
            self._check_change(change)
        if self.item.deprecated is not None:
            self.item.deprecated.bound.text("note")

    def _check_change(self, change: RawAction) -> None:
        bound = change.bound
        froms = ("from_name", "from_json_name", "from_type", "from_docs")
        if not any(bound.given(name) for name in froms):
            text = "changes nothing: it has no `from_…` argument"
            fix = "add what was different before, or remove it"
            self.findings.add("changed_without_from", bound.location, text, fix)
        for name in ("upgrade_with", "downgrade_with"):
            argument = bound.given(name)
            if argument is not None and bound.given("from_type") is None:
                text = f"`{name}` has no effect without `from_type`"
                fix = "add `from_type`, or remove the function"
                self.findings.add(f"{name}_needs_from_type", argument.location, text, fix)
        bound.text("from_docs")
        bound.text("from_json_name", some=True)
        self._check_from_name(change)

    def _check_from_name(self, change: RawAction) -> None:
        name = change.bound.text("from_name")
        if name is None:
            return
        location = change.bound.arguments["from_name"].location
        prefix = DEPRECATION_PREFIXES[self.form]
        if not name.isidentifier():
            text = f'"{name}" is not an identifier'
            self.findings.add("from_name_invalid", location, text, "use a Python name")
        elif name.startswith(prefix):
            text = f'the previous name "{name}" must not start with `{prefix}`'
            fix = f'write "{name.removeprefix(prefix)}"' if name != prefix else "write another name"
            self.findings.add("from_name_has_deprecation_prefix", location, text, fix)
        if self.form == "union" and name.isidentifier() and not _PASCAL_CASE.fullmatch(name):
            text = f'"{name}" is not in PascalCase'
            self.findings.add("variant_name_case", location, text, f'write "{_pascal_case(name)}"')

    def _check_name(self) -> None:
        name, prefix = self.item.name, DEPRECATION_PREFIXES[self.form]
        has_prefix = has_deprecation_prefix(name, self.form)
        if self.item.deprecated is not None and not has_prefix:
            text = f"the name of a deprecated item starts with `{prefix}`"
            self._report("deprecation_prefix_missing", text, f"call it {prefix}{name}")
        if self.item.deprecated is None and has_prefix:
            text = f"only the names of deprecated items start with `{prefix}`"
            fix = f"add deprecated(...), or call it {name.removeprefix(prefix)}"
            self._report("deprecation_prefix_unexpected", text, fix)
        if self.item.deprecated is not None and has_prefix:
            before = name.removeprefix(prefix)
            if not before.isidentifier():
                text = f'the previous name "{before}" is not an identifier'
                self._report("from_name_invalid", text, "rename it")
        if self.form == "union" and not _PASCAL_CASE.fullmatch(name):
            text = f'the variant "{name}" is not in PascalCase'
            self._report("variant_name_case", text, f"call it {_pascal_case(name)}")

    def _check_parameters(self) -> None:
        types = [self.item.type, *(change.from_type for change in self.item.changes)]
        found = [part for type_ in types for part in within(type_)]
        held = {part.name for part in found if isinstance(part, Parameter)}
        name = self.container.name
        for unknown in sorted(held.difference(self.container.parameters)):
            fix = f"derive {name} from Generic[{unknown}], or write a type"
            self._report("unknown_type", f"{unknown} is not a type parameter of {name}", fix)

    def _check_hint(self) -> None:
        item = self.item
        if item.hint is not None and (word := item.hint.text("wrapper")) is not None:
            location = item.hint.location
            if word not in _HINTS:
                text = f'"{word}" is not a hint{nearest(word, _HINTS)}'
                self.findings.add(
                    "unknown_hint", location, text, "write option, list or map, or remove it"
                )
            elif item.is_readable and not isinstance(item.type, _HINTS[word]):
                text = f'the hint "{word}" contradicts the type {say(item.type)}'
                self.findings.add(
                    "hint_mismatch",
                    location,
                    text,
                    "remove it: option, list and map are recognized without it",
                )
        if item.nested is not None and item.is_readable:
            kinds = (Named, External, JsonType)
            if not any(isinstance(part, kinds) for part in within(item.type)):
                text = (
                    f"`nested` contradicts the type {say(item.type)}, which holds no declared class"
                )
                self.findings.add("hint_mismatch", item.nested, text, "remove it")

    def _check_no_effect(self) -> None:
        first = next(iter(self.declaration.versions_of(self.container)), None)
        for action in self.item.actions():
            if first is not None and action.since is not None and action.since <= first:
                text = f"changes nothing: {action.since} is the first version"
                self.findings.add(
                    "no_effect", action.location, text, "remove it, or name a later version"
                )
        name, type_, doc = self.item.name, self.item.type, self.item.doc
        if self.item.deprecated is not None:
            name = name.removeprefix(DEPRECATION_PREFIXES[self.form])
        for change in reversed(self.item.changes_in_order()):
            bound = change.bound
            functions = {"upgrade_with", "downgrade_with"} & set(change.functions)
            same = {
                "from_name": bound.value("from_name") == name,
                "from_type": change.has_from_type and change.from_type == type_ and not functions,
                "from_docs": bound.value("from_docs") == doc,
            }
            for argument, is_same in same.items():
                if is_same and (given := bound.given(argument)) is not None:
                    text = f"`{argument}` is the same as in the later version"
                    self.findings.add("no_effect", given.location, text, "remove it")
            name = str(bound.value("from_name") or name)
            type_ = change.from_type if change.has_from_type else type_
            doc = str(bound.value("from_docs") or doc)


def _order(action: RawAction | None) -> VersionName | None:
    return None if action is None else action.order


def _pascal_case(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))

"""Rules for the items of a version together: names, types, defaults, fallbacks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from holdall.declare import FAIL
from holdall.objects.bag import is_taken
from holdall.objects.wire_forms import UNIT
from holdall.suggest import nearest
from holdall.types import JsonValue, json_kind
from holdall_codegen.declared.functions import check_signature
from holdall_codegen.declared.grammar import VersionName
from holdall_codegen.declared.model import Item
from holdall_codegen.declared.raw import ItemType, RawAction, RawItem
from holdall_codegen.declared.shapes import Shape, Shapes, States, say, within
from holdall_codegen.declared.source import Source
from holdall_codegen.declared.types import (
    RANGES,
    DeclType,
    DictOf,
    ListOf,
    Named,
    OptionalOf,
    Scalar,
    describe,
)


def check_shapes(shapes: Shapes, source: Source) -> None:
    """Check every container over all its versions."""
    for shape in shapes.by_name.values():
        check = _Check(shape, shapes, source)
        for version in shape.versions:
            check.check_names(version)
        check.check_default_variant()
        edges = shapes.edges(shape.container)
        for item, states in shape.items:
            check.check_types(item, states)
            check.check_default(item)
            check.check_list_keys(item)
            for older, newer in edges:
                check.check_edge(item, states, older, newer)


@dataclass(frozen=True, slots=True)
class _Check:
    shape: Shape
    shapes: Shapes
    source: Source

    def check_names(self, version: VersionName) -> None:
        """Report items of one version that share a name or a JSON name."""
        names: dict[str, RawItem] = {}
        json_names: dict[str, tuple[RawItem, str]] = {}
        container = self.shape.container.name
        for item, state in self.shape.present(version):
            other = names.setdefault(state.name, item)
            if other is not item and other.name != item.name:
                text = f"{other.name} and {item.name} are both called {state.name} in {version}"
                self._collide("name_collision", item, f"{container} {version} {state.name}", text)
            if other is not item:
                continue
            if is_taken(state.json_name) or state.json_name == UNIT:
                self._collide(
                    "serialized_name_collision",
                    item,
                    f"{container} {version} {state.json_name}",
                    f'{state.name} has the JSON name "{state.json_name}" in {version}, which '
                    "holdall needs for itself",
                    "give it another one",
                )
            known, name = json_names.setdefault(state.json_name, (item, state.name))
            if known is not item:
                self._collide(
                    "serialized_name_collision",
                    item,
                    f"{container} {version} {state.json_name}",
                    f'{name} and {state.name} both have the JSON name "{state.json_name}" '
                    f"in {version}",
                )

    def _collide(
        self, code: str, item: RawItem, path: str, message: str, fix: str = "rename one of them"
    ) -> None:
        self.source.findings.add(code, replace(item.location, pointer=path), message, fix)

    def check_default_variant(self) -> None:
        """Report a second default variant, and a field that is marked as one."""
        marked = [item for item, _ in self.shape.items if item.is_default_variant]
        if self.shape.container.form == "object":
            for item in marked:
                text = "`default_variant` marks a variant, but this is a field"
                self.source.findings.add("argument_invalid", item.location, text, "remove it")
            return
        for item in marked[1:]:
            text = f"only one `default_variant` is allowed, and {marked[0].name} has it"
            self.source.findings.add("duplicate_action", item.location, text, "remove one")

    def check_types(self, item: RawItem, states: States) -> None:
        """Report types that an item holds in versions without these types."""
        missing: dict[str, list[str]] = {}
        for version in self.shape.versions:
            state = states.get(version)
            for part in within(state.type) if state else ():
                shape = self._shape_of(part)
                if shape is not None and version not in shape.versions:
                    missing.setdefault(shape.container.name, []).append(str(version))
        for name, versions in missing.items():
            text = f"its type {name} does not exist in {', '.join(versions)}"
            fix = f"limit the item to the versions of {name}, or widen those"
            self.source.findings.add("container_not_in_version", item.location, text, fix)

    def check_default(self, item: RawItem) -> None:
        """Report a default in the class that does not fit the item's type."""
        if not item.has_default or not item.is_readable:
            return
        if item.default_factory is not None:
            function = item.default_factory
            check_signature(function, "nothing", item.type, self.source)
        elif self.shape.versions:
            wrong = misfit(item.default, item.type, self.shapes, self.shape.versions[-1])
            if wrong:
                text = f"its default does not fit its type {say(item.type)}: {wrong}"
                self.source.findings.add(
                    "argument_invalid", item.location, text, "correct the default, or the type"
                )

    def check_list_keys(self, item: RawItem) -> None:
        """Report list keys that name no field of the elements."""
        held = item.type.item if isinstance(item.type, OptionalOf) else item.type
        shape = self._shape_of(held.item) if isinstance(held, ListOf) else None
        if not item.list_keys or not item.is_readable:
            return
        known = [other.name for other, _ in shape.items] if shape else []
        for key in item.list_keys:
            if key not in known:
                text = f'the list key "{key}" names no field of the elements{nearest(key, known)}'
                self.source.findings.add(
                    "path_unknown", item.location, text, "use names of the latest version"
                )

    def _shape_of(self, type_: DeclType) -> Shape | None:
        return self.shapes.by_name.get(type_.container) if isinstance(type_, Named) else None

    def check_edge(
        self, item: RawItem, states: States, older: VersionName, newer: VersionName
    ) -> None:
        """Check what an item needs between two neighbouring versions."""
        before, after = states.get(older), states.get(newer)
        if before is None and after is not None and item.added is not None:
            self._check_lone(item, item.added, after, newer, older)
        elif before is not None and after is None and item.removed is not None:
            self._check_lone(item, item.removed, before, older, newer)
        elif before is not None and after is not None:
            for change in item.changes:
                if change.since == newer and item.is_readable:
                    self._check_change(change, before.type, after.type)

    def _check_lone(
        self,
        item: RawItem,
        action: RawAction,
        state: Item,
        version: VersionName,
        without: VersionName,
    ) -> None:
        """Check an item that `version` has and its neighbour `without` does not have."""
        if self.shape.container.form == "union":
            self._check_fallback(item, action, without)
            return
        for name, takes in (("default", "nothing"), ("default_from", "anything")):
            function = action.functions.get(name)
            if function is not None and item.is_readable:
                check_signature(function, takes, state.type, self.source)
        both = action.bound.given("default_from")
        if both is not None and action.bound.given("default") is not None:
            text = "`default_from` has no effect beside `default`"
            self.source.findings.add("unknown_argument", both.location, text, "remove one of them")
        given = action.bound.given("default") or both
        if given is not None or item.has_default_of(state.type) or not item.is_readable:
            return
        if not self.shapes.has_default(state.type, version):
            text = (
                f"{action.word} in {max(version, without)}, but its type {say(state.type)} "
                "has no default"
            )
            self.source.findings.add(
                "default_missing", item.location, text, "add default= with a function"
            )
        elif action.word == "removed":
            message = "the value gets the default of its type on the way back"
            self._report_unmatched(action, message, "add default= with a function")

    def _check_fallback(self, item: RawItem, action: RawAction, without: VersionName) -> None:
        bound = action.bound
        way = "downgrade_with" if action.word == "added" else "upgrade_with"
        where = f"in {without} and {'older' if action.word == 'added' else 'newer'} versions"
        function = action.functions.get(way)
        if function is not None:
            whole = Named(self.shape.container.name)
            check_signature(function, "anything", whole, self.source)
        fallback = bound.given("fallback")
        if fallback is None:
            if bound.given(way) is None:
                text = f"nothing says what replaces this variant {where}"
                fix = f'add fallback="Variant", fallback=FAIL or {way}='
                self.source.findings.add("variant_needs_fallback", item.location, text, fix)
            return
        if bound.given(way) is not None:
            text = f"`fallback` has no effect beside `{way}`"
            self.source.findings.add(
                "unknown_argument", fallback.location, text, "remove one of them"
            )
        if fallback.value is FAIL:
            return
        if not isinstance(fallback.value, str):
            bound.invalid(fallback, "fallback", "the name of a variant, or FAIL")
            return
        target = fallback_state(self.shape, fallback.value, without)
        if target is None:
            names = [state.name for _, state in self.shape.present(without)]
            self.source.findings.add(
                "variant_needs_fallback",
                item.location,
                f'the fallback "{fallback.value}" does not exist in {without}'
                f"{nearest(fallback.value, names)}",
                f"name one of {', '.join(names) or 'its variants'}",
            )
        elif not self.shapes.has_default(target.type, without):
            text = f'the payload of the fallback "{target.name}" has no default'
            fix = f"name another variant, or add {way}="
            self.source.findings.add("variant_needs_fallback", item.location, text, fix)

    def _check_change(self, change: RawAction, before: ItemType, after: ItemType) -> None:
        if change.bound.given("from_type") is None or not change.has_from_type:
            return
        ways = (("upgrade_with", before, after), ("downgrade_with", after, before))
        for name, takes, gives in ways:
            function = change.functions.get(name)
            if function is not None:
                check_signature(function, takes, gives, self.source)
            elif change.bound.given(name) is None and not self.shapes.converts(takes, gives):
                message = f"{say(takes)} cannot become {say(gives)} without `{name}`"
                self._report_unmatched(change, message)

    def _report_unmatched(
        self, action: RawAction, message: str, fix: str = "add a function"
    ) -> None:
        options = self.shapes.declaration.options
        if options.tracking is None:
            fate = "without tracking the value is lost, unless a hook converts it"
        else:
            fate = "tracking keeps the value, and a hook may convert it"
        text = f"{message}; {fate}"
        self.source.findings.add(
            "unconvertible", action.location, text, fix, error=options.unconvertible == "error"
        )


def fallback_state(shape: Shape, name: str, version: VersionName) -> Item | None:
    """Return the variant that a fallback names in a version, by its name there or its latest."""
    present = shape.present(version)
    by_name = (state for _, state in present if state.name == name)
    by_declared = (state for item, state in present if item.name == name)
    return next(by_name, None) or next(by_declared, None)


# --- values and types -----------------------------------------------------------------------------


def misfit(value: JsonValue, type_: ItemType, shapes: Shapes, version: VersionName) -> str:
    """Return why a JSON value does not fit a type in a version; "" if it does, or if unknown.

    External types and type parameters accept any value.
    """
    match type_:
        case OptionalOf(item):
            return "" if value is None else misfit(value, item, shapes, version)
        case Scalar():
            return _scalar(value, type_)
        case ListOf(item):
            if not isinstance(value, list):
                return _wrong(value, type_)
            return _first(misfit(inner, item, shapes, version) for inner in value)
        case DictOf(item):
            if not isinstance(value, dict):
                return _wrong(value, type_)
            return _first(misfit(inner, item, shapes, version) for inner in value.values())
        case tuple():
            if not isinstance(value, list) or len(value) != len(type_):
                return f"{json_kind(value)} is not a list of {len(type_)}"
            pairs = zip(value, type_, strict=True)
            return _first(misfit(inner, part, shapes, version) for inner, part in pairs)
        case Named(name):
            return _container(value, type_, name, shapes, version)
        case _:
            return ""


def _container(
    value: JsonValue, type_: Named, name: str, shapes: Shapes, version: VersionName
) -> str:
    shape = shapes.by_name.get(name)
    if shape is None or version not in shape.versions:
        return ""
    members = {state.json_name: (item, state) for item, state in shape.present(version)}
    if shape.container.form == "union":
        if isinstance(value, str):
            known = [one for one, (_, state) in members.items() if state.type is None]
            return (
                "" if value in known else f'"{value}" is not a variant of {name} without a payload'
            )
        if not isinstance(value, dict) or len(value) != 1:
            return _wrong(value, type_)
        (variant, payload), *_ = value.items()
        if variant not in members or members[variant][1].type is None:
            return f'"{variant}" is not a variant of {name} with a payload'
        return misfit(payload, members[variant][1].type, shapes, version)
    if not isinstance(value, dict):
        return _wrong(value, type_)
    for one in value:
        if one not in members:
            return f'{name} has no field "{one}"'
    for one, (item, state) in members.items():
        if one not in value and not item.has_default and not isinstance(state.type, OptionalOf):
            return f'{name} needs a field "{one}"'
    return _first(
        misfit(inner, members[one][1].type, shapes, version) for one, inner in value.items()
    )


def _scalar(value: JsonValue, type_: Scalar) -> str:
    kinds: dict[str, tuple[type, ...]] = {"bool": (bool,), "str": (str,), "float": (float, int)}
    if type(value) not in kinds.get(type_.width, (int,)):
        return _wrong(value, type_)
    low, high = RANGES.get(type_.width, (0, 0))
    if type_.width in RANGES and isinstance(value, int) and not low <= value <= high:
        return f"{value} is not within {low} and {high}"
    return ""


def _wrong(value: JsonValue, type_: DeclType) -> str:
    return f"{json_kind(value)} is not {describe(type_)}"


def _first(found: Iterable[str]) -> str:
    return next(filter(None, found), "")

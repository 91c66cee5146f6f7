"""All items of all containers in all versions, and what their types can do there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from holdall_codegen.declared.grammar import VersionName
from holdall_codegen.declared.model import Form, Item
from holdall_codegen.declared.names import DEPRECATION_PREFIXES, camel_case, has_deprecation_prefix
from holdall_codegen.declared.raw import ItemType, RawContainer, RawDeclaration, RawItem
from holdall_codegen.declared.read_versions import read_skip
from holdall_codegen.declared.types import (
    RANGES,
    DeclType,
    DictOf,
    External,
    ListOf,
    Named,
    OptionalOf,
    Parameter,
    Scalar,
    by_parameter,
    describe,
    parts,
    substituted,
)

States = Mapping[VersionName, Item | None]
"""An item as each version has it, None if it does not."""
# The depth of nested containers at which the search for a default ends.
_DEEPEST: Final = 64


@dataclass(frozen=True, slots=True)
class Shape:
    """One container: its items with their states, over all versions of the declaration."""

    container: RawContainer
    versions: Sequence[VersionName]
    items: Sequence[tuple[RawItem, States]]

    def types(self) -> list[DeclType]:
        """Return all types inside its items, in any version."""
        items = [item for item, _ in self.items]
        changes = [change for item in items for change in item.changes]
        held = [*(item.type for item in items), *(change.from_type for change in changes)]
        return [part for type_ in held for part in within(type_)]

    def present(self, version: VersionName) -> list[tuple[RawItem, Item]]:
        """Return the items of one version in declaration order."""
        found = ((item, states.get(version)) for item, states in self.items)
        return [(item, state) for item, state in found if state is not None]


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes of a declaration, by the name of the container."""

    declaration: RawDeclaration
    by_name: Mapping[str, Shape]

    def edges(self, container: RawContainer) -> list[tuple[VersionName, VersionName]]:
        """Return the pairs of neighbouring versions that both have a container."""
        present = set(self.declaration.versions_of(container))
        pairs = pairwise(self.declaration.ascending)
        return [pair for pair in pairs if present.issuperset(pair)]

    def has_default(self, type_: ItemType, version: VersionName) -> bool:
        """Tell whether a type has a default in a version.

        Scalars default to zero, "" or False, lists and dicts to empty, optionals to null; objects
        have a default if all their fields do, unions if one variant is marked.
        """
        return self._has_default(type_, version, ())

    def _has_default(self, type_: ItemType, version: VersionName, seen: tuple[Named, ...]) -> bool:
        match type_:
            case External(_, default):
                return default is not None
            case Parameter():
                return False
            case Named():
                # generic containers may contain themselves with ever longer arguments
                is_seen = type_ in seen or len(seen) > _DEEPEST
                return not is_seen and self._container_default(type_, version, (*seen, type_))
            case tuple():
                return all(self._has_default(part, version, seen) for part in type_)
            case _:
                return True

    def grows(self, container: RawContainer) -> bool:
        """Tell whether a generic container contains itself with ever longer arguments."""
        work = [Named(container.name, tuple(map(Parameter, container.parameters)))]
        seen = set(work)
        while work:
            holder = work.pop()
            if sum(1 for _ in parts(holder)) > _DEEPEST:
                return True
            found = self.by_name.get(holder.container)
            if found is None:
                continue
            arguments = by_parameter(found.container.parameters, holder.arguments)
            for held in found.types():
                inner = substituted(held, arguments)
                if isinstance(inner, Named) and inner not in seen:
                    seen.add(inner)
                    work.append(inner)
        return False

    def _container_default(
        self, type_: Named, version: VersionName, seen: tuple[Named, ...]
    ) -> bool:
        shape = self.by_name.get(type_.container)
        if shape is None or version not in shape.versions:
            return shape is None  # an unknown container is reported elsewhere
        arguments = by_parameter(shape.container.parameters, type_.arguments)
        found = [(item, item_type(state.type, arguments)) for item, state in shape.present(version)]
        if shape.container.form == "union":
            return any(
                item.is_default_variant and self._has_default(held, version, seen)
                for item, held in found
            )
        return all(
            item.has_default_of(held) or self._has_default(held, version, seen)
            for item, held in found
        )

    def converts(self, source: ItemType, target: ItemType) -> bool:
        """Tell whether values of one type convert to another without a function.

        That is: equal types, wider integers, optional of the same, enums to strings, and what is
        built from these; never a narrower type.
        """
        match source, target:
            case _ if source == target:
                return True
            case Scalar(narrow), Scalar(wide) if narrow in RANGES and wide in RANGES:
                low, high = RANGES[narrow]
                return RANGES[wide][0] <= low and high <= RANGES[wide][1]
            case OptionalOf(inner), OptionalOf(outer):
                return self.converts(inner, outer)
            case _, OptionalOf(outer):
                return source is not None and self.converts(source, outer)
            case (ListOf(inner), ListOf(outer)) | (DictOf(inner), DictOf(outer)):
                return self.converts(inner, outer)
            case Named(name, given), Named(other, wanted) if name == other:
                return len(given) == len(wanted) and all(map(self.converts, given, wanted))
            case Named(name), Scalar("str"):
                return name in self.by_name and is_text(self.by_name[name].container)
            case tuple(), tuple():
                return len(source) == len(target) and all(map(self.converts, source, target))
            case _:
                return False


def make_shapes(declaration: RawDeclaration) -> Shapes:
    """Return the shapes of all containers."""
    found: dict[str, Shape] = {}
    for container in declaration.containers:
        renames = isinstance(container.bound.value("rename_all") or declaration.rename_all, str)
        items = [
            (item, walk(item, container.form, renames, declaration.ascending))
            for item in container.items
        ]
        shape = Shape(container, declaration.versions_of(container), items)
        found.setdefault(container.name, shape)
    return Shapes(declaration, found)


def is_text(container: RawContainer) -> bool:
    """Tell whether a class is a plain string instead of a type: a union without payloads.

    If its converters are skipped, it still is a type, for hooks to convert.
    """
    payloads = [change.from_type for item in container.items for change in item.changes]
    payloads += [item.type for item in container.items]
    is_bare = container.word == "union" and all(payload is None for payload in payloads)
    return is_bare and "from" not in read_skip(container.bound)


def item_type(type_: ItemType, arguments: Mapping[str, DeclType]) -> ItemType:
    """Return the type of an item of a generic container with its arguments."""
    if isinstance(type_, tuple):
        return tuple(substituted(part, arguments) for part in type_)
    return None if type_ is None else substituted(type_, arguments)


def say(type_: ItemType) -> str:
    """Spell the type of an item as it is declared."""
    if isinstance(type_, tuple):
        return f"tuple[{', '.join(map(describe, type_))}]"
    return "Unit" if type_ is None else describe(type_)


def within(type_: ItemType) -> list[DeclType]:
    """Return all types inside the type of an item, outer ones first."""
    return [part for held in named(type_) for part in parts(held)]


def named(type_: ItemType) -> Iterable[DeclType]:
    """Return the outer types of an item: none, one, or the parts of a tuple."""
    if type_ is None:
        return ()
    return type_ if isinstance(type_, tuple) else (type_,)


# --- one item in every version --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Cursor:
    name: str
    type: ItemType
    present: bool
    json_name: str | None
    doc: str


def walk(
    item: RawItem, form: Form, renames: bool, versions: Sequence[VersionName]
) -> dict[VersionName, Item | None]:
    """Return an item as every version has it, None if absent, walking from the newest to the
    oldest.

    Source: docs/declared.md, "Actions". `versions` ascend. Actions of undeclared versions are left
    out.
    """
    changes = {change.since: change for change in item.changes_in_order() if change.since}
    added = item.added.since if item.added else None
    removed = item.removed.since if item.removed else None
    deprecated = item.deprecated.since if item.deprecated else None
    cursor = _Cursor(item.name, item.type, item.removed is None, item.json_name, item.doc)
    found: dict[VersionName, Item | None] = {}
    for version in reversed(versions):
        if version == removed:
            found[version] = None
            cursor = replace(cursor, present=True)
            continue
        if not cursor.present:
            found[version] = None
            continue
        found[version] = _item(item, cursor, form, renames, version)
        if version == added:
            cursor = replace(cursor, present=False)
        if version == deprecated and has_deprecation_prefix(cursor.name, form):
            name = cursor.name.removeprefix(DEPRECATION_PREFIXES[form])
            cursor = replace(cursor, name=name, json_name=None)
        if version in changes:
            change = changes[version]
            from_name = _text(change.bound.value("from_name"))
            from_json_name = _text(change.bound.value("from_json_name"))
            from_docs = _text(change.bound.value("from_docs"))
            cursor = replace(
                cursor,
                name=from_name or cursor.name,
                json_name=from_json_name or (None if from_name else cursor.json_name),
                type=change.from_type if change.has_from_type else cursor.type,
                doc=cursor.doc if from_docs is None else from_docs.strip(),
            )
    return dict(sorted(found.items()))


def _item(item: RawItem, cursor: _Cursor, form: Form, renames: bool, version: VersionName) -> Item:
    ruled = camel_case(cursor.name, form) if renames else cursor.name
    deprecated: str | bool = False
    since = item.deprecated.since if item.deprecated else None
    if item.deprecated is not None and since is not None and version >= since:
        deprecated = _text(item.deprecated.bound.value("note")) or True
    has_default = item.has_default_of(cursor.type)
    factory = item.default_factory if has_default else None
    return Item(
        cursor.name,
        cursor.json_name or ruled,
        item.name,
        cursor.type,
        item.location,
        doc=cursor.doc,
        deprecated=deprecated,
        deprecated_since=str(since) if deprecated else "",
        has_default=has_default,
        default=item.default if has_default else None,
        default_factory=factory.ref if factory else None,
        list_keys=item.list_keys,
        metadata=item.metadata,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None

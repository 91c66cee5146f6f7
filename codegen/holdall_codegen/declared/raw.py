"""A declaration as it was read: every word with its place, and nothing resolved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from holdall.suggest import nearest
from holdall.types import JsonValue
from holdall_codegen.declared.calls import Bound
from holdall_codegen.declared.grammar import NotAVersion, VersionName, parse_version
from holdall_codegen.declared.model import Form, Options, Reexport
from holdall_codegen.declared.types import DeclType, FunctionRef
from holdall_codegen.model import Location, Metadata

_ACTIONS: Final = {"since": "added", "removed": "removed"}
"""The form of the limits of a class."""

ItemType = DeclType | tuple[DeclType, ...] | None


@dataclass(frozen=True, slots=True)
class RawFunction:
    """A function that was found; `call` is the function itself."""

    ref: FunctionRef
    call: Callable[..., object]


@dataclass(frozen=True, slots=True)
class RawVersion:
    """One version; `name` is None if it cannot be read, `text` is what was written."""

    text: str
    name: VersionName | None
    bound: Bound
    reexports: Sequence[Reexport]


@dataclass(frozen=True, slots=True)
class RawAction:
    """One action of an item. `since` is None if it is not a declared version.

    `order` is its place in the order of versions, None if `since` is not a version at all.
    """

    word: str
    order: VersionName | None
    since: VersionName | None
    bound: Bound
    functions: Mapping[str, RawFunction] = field(default_factory=dict)
    from_type: ItemType = None
    has_from_type: bool = False

    @property
    def location(self) -> Location:
        return self.bound.location


@dataclass(frozen=True, slots=True)
class RawItem:
    """One field or variant. `type` is the latest; `is_readable` tells whether it could be read."""

    name: str
    location: Location
    type: ItemType
    is_readable: bool
    added: RawAction | None = None
    changes: Sequence[RawAction] = ()
    deprecated: RawAction | None = None
    removed: RawAction | None = None
    json_name: str | None = None
    doc: str = ""
    is_default_variant: bool = False
    list_keys: tuple[str, ...] = ()
    hint: Bound | None = None
    nested: Location | None = None
    metadata: tuple[Metadata, ...] = ()
    has_default: bool = False
    default: JsonValue = None
    default_factory: RawFunction | None = None

    def has_default_of(self, type_: ItemType) -> bool:
        """Tell whether the default in the class is for a type: that of the latest version."""
        return self.has_default and type_ == self.type

    def actions(self) -> list[RawAction]:
        """Return all actions, changes in the order of the text."""
        found = [self.added, *self.changes, self.deprecated, self.removed]
        return [action for action in found if action is not None]

    def changes_in_order(self) -> list[RawAction]:
        """Return the changes in the order of versions."""
        known = [action for action in self.changes if action.order is not None]
        return sorted(known, key=lambda action: action.order or VersionName(0, 0))


@dataclass(frozen=True, slots=True)
class RawContainer:
    """One declared class; `bound` is its decorator, `scale` and `columns` are calls inside it."""

    name: str
    word: str
    location: Location
    bound: Bound
    items: Sequence[RawItem]
    doc: str = ""
    parameters: tuple[str, ...] = ()
    since: VersionName | None = None
    removed: VersionName | None = None
    status: DeclType | None = None
    scale: Bound | None = None
    columns: Sequence[Bound] = ()

    @property
    def form(self) -> Form:
        return "union" if self.word == "union" else "object"


@dataclass(frozen=True, slots=True)
class RawDeclaration:
    """A whole module; `ascending` are the versions in their order, each once.

    `rename_all` is the rule for classes without one, `imports` the argument that replaces imports.
    """

    versions: Sequence[RawVersion]
    ascending: Sequence[VersionName]
    options: Options
    rename_all: str | None = None
    imports: Location | None = None
    containers: Sequence[RawContainer] = ()

    def versions_of(self, container: RawContainer) -> list[VersionName]:
        """Return the versions that have a container, ascending."""
        return [
            version
            for version in self.ascending
            if (container.since is None or version >= container.since)
            and (container.removed is None or version < container.removed)
        ]

    def named(
        self, bound: Bound, argument: str, action: str = ""
    ) -> tuple[VersionName | None, VersionName | None]:
        """Return the version that an argument names, as version and as declared version.

        One that is neither is reported, by the name of the action, or else of the argument.
        """
        text = bound.text(argument)
        if text is None:
            return None, None
        try:
            version = parse_version(text)
        except NotAVersion:
            version = None
        if version in self.ascending:
            return version, version
        written = [known.text for known in self.versions]
        if written and text not in written:
            bound.findings.add(
                f"{action or _ACTIONS[argument]}_unknown_version",
                bound.arguments[argument].location,
                f'`{action or argument}` uses the version "{text}", which is not declared'
                f"{nearest(text, written)}",
                "declare it in Versions(...), or use a declared one",
            )
        return version, None

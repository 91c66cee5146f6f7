"""Paths into a resource, such as `.spec.replicas`, from the latest version to any other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from holdall.suggest import nearest
from holdall_codegen.declared.grammar import VersionName
from holdall_codegen.declared.model import Item
from holdall_codegen.declared.raw import ItemType, RawContainer
from holdall_codegen.declared.shapes import Shape, Shapes, States, item_type
from holdall_codegen.declared.types import DictOf, ListOf, Named, OptionalOf, by_parameter

_SEGMENT: Final = re.compile(r"\.([A-Za-z_][A-Za-z0-9_-]*)|\['((?:[^'\\]|\\.)*)'\]|(\[[^\]']*\])")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
_METADATA: Final = ("metadata", "apiVersion", "kind")


@dataclass(frozen=True, slots=True)
class Segment:
    """One step of a path: the name of a member, or an index as it was written."""

    text: str
    is_index: bool = False

    def __str__(self) -> str:
        if self.is_index:
            return self.text
        if _NAME.fullmatch(self.text):
            return f".{self.text}"
        escaped = self.text.replace("\\", "\\\\").replace("'", "\\'")
        return f"['{escaped}']"


Step: TypeAlias = tuple[Segment, States | None]
"""A step, with the states of the field that it names; None if it names no declared field."""


class PathError(ValueError):
    """A path that leads nowhere: the message says where it ends."""


def parse_path(text: str) -> list[Segment]:
    """Read a path. Raises PathError."""
    found: list[Segment] = []
    position = 0
    while position < len(text):
        part = _SEGMENT.match(text, position)
        if part is None:
            raise PathError(f'"{text}" is not a path; write one such as .spec.replicas')
        if part[3] is not None:
            found.append(Segment(part[3], is_index=True))
        else:
            name = part[1] if part[1] is not None else re.sub(r"\\(.)", r"\1", part[2])
            found.append(Segment(name))
        position = part.end()
    if not found:
        raise PathError("the path is empty; write one such as .spec.replicas")
    return found


def follow(path: str, container: RawContainer, shapes: Shapes) -> list[Step]:
    """Return the steps of a path from a resource of the latest version. Raises PathError."""
    segments = parse_path(path)
    type_ = _root(segments[0].text, container, shapes)
    steps: list[Step] = [(segments[0], None)]
    for segment in segments[1:]:
        while isinstance(type_, OptionalOf):
            type_ = type_.item
        states: States | None = None
        match type_:
            case DictOf(inner):
                type_ = inner
            case ListOf(inner) if segment.is_index:
                type_ = inner
            case Named(name, arguments) if not segment.is_index and name in shapes.by_name:
                shape = shapes.by_name[name]
                item, states = _member(shape, segment.text, shapes.declaration.ascending[-1])
                type_ = item_type(item.type, by_parameter(shape.container.parameters, arguments))
            case _:
                type_ = None
        steps.append((segment, states))
    return steps


def spelled_in(version: VersionName, steps: Iterable[Step]) -> str | None:
    """Return a path as a version has it, None if it has no such field."""
    found: list[Segment] = []
    for segment, states in steps:
        if states is not None:
            state = states.get(version)
            if state is None:
                return None
            segment = Segment(state.json_name)
        found.append(segment)
    return "".join(map(str, found))


def _root(name: str, container: RawContainer, shapes: Shapes) -> ItemType:
    """Return the type at the start of a path, None if no declared field is below it."""
    declaration = shapes.declaration
    if name in _METADATA or not declaration.ascending:
        return None
    if name not in ("spec", "status"):
        raise PathError(f'a path must start with .spec, .status or .metadata, not with "{name}"')
    if name == "spec":
        return Named(container.name)
    if container.status is None and declaration.options.tracking is None:
        raise PathError("there is no status")
    return container.status


def _member(shape: Shape, name: str, latest: VersionName) -> tuple[Item, States]:
    """Return the field with a JSON name, else of that name, as versions of its class have it."""
    present = [
        (state, states) for _, states in shape.items if (state := states.get(latest)) is not None
    ]
    by_json = (found for found in present if found[0].json_name == name)
    by_name = (found for found in present if found[0].name == name)
    found = next(by_json, None) or next(by_name, None)
    if found is None:
        near = nearest(name, [state.json_name for state, _ in present])
        raise PathError(f'{shape.container.name} has no field "{name}"{near}')
    item, states = found
    return item, {version: states.get(version) for version in shape.versions}

"""Paths into a resource, such as `.spec.replicas`, from the latest version to any other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from holdall.suggest import nearest
from holdall_codegen.declared.model import Container, Declaration, Item
from holdall_codegen.declared.shapes import item_type
from holdall_codegen.declared.types import (
    DeclType,
    DictOf,
    ListOf,
    Named,
    OptionalOf,
    by_parameter,
)

_SEGMENT: Final = re.compile(r"\.([A-Za-z_][A-Za-z0-9_-]*)|\['((?:[^'\\]|\\.)*)'\]|(\[[^\]']*\])")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)


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


def find_member(items: Iterable[Item], name: str) -> Item | None:
    """Return the item with a JSON name, else the one with that name."""
    listed = list(items)
    by_json = (item for item in listed if item.json_name == name)
    return next(by_json, None) or next((item for item in listed if item.name == name), None)


def unknown_member(name: str, items: Iterable[Item], holder: str) -> PathError:
    """Return the error of a field that an object does not have."""
    return PathError(f'{holder} has no field "{name}"{nearest(name, [i.json_name for i in items])}')


def path_in(declaration: Declaration, container: Container, path: str, version: str) -> str | None:
    """Return a path of the latest version as another version has it, None if it has no such field.

    Only names of declared fields below `.spec` and `.status` change.
    """
    segments = parse_path(path)
    resource = container.resource
    if resource is None or len(segments) < 2:
        return path
    roots: Mapping[str, DeclType | None] = {
        "spec": Named(container.name),
        "status": resource.status,
    }
    type_ = roots.get(segments[0].text)
    latest = declaration.versions[-1].name
    found = [segments[0]]
    for segment in segments[1:]:
        while isinstance(type_, OptionalOf):
            type_ = type_.item
        match type_:
            case DictOf(inner):
                type_ = inner
            case ListOf(inner) if segment.is_index:
                type_ = inner
            case Named(name, arguments) if not segment.is_index:
                holder = declaration.container(name)
                item = find_member(holder.shapes.get(latest, ()), segment.text)
                type_ = None
                if item is not None:
                    shape = holder.shapes.get(version, ())
                    there = next((one for one in shape if one.declared == item.declared), None)
                    if there is None:
                        return None
                    segment = Segment(there.json_name)
                    held = item_type(item.type, by_parameter(holder.parameters, arguments))
                    type_ = held if not isinstance(held, tuple) else None
            case _:
                type_ = None
        found.append(segment)
    return "".join(map(str, found))

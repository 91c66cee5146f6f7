"""Storage twins made in a line, for tests of what generated code calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args, get_origin

from holdall.engine.edges import Crossing, TypeEdge
from holdall.engine.members import open_bag as opened_bag
from holdall.engine.open_bag import OpenBag
from holdall.objects.view_type import ViewType
from holdall.objects.views import Member, StorageObject


def _levels(hint: Any) -> tuple[Any, ...]:
    container = get_origin(hint)
    if container is not None:
        return container, *_levels(get_args(hint)[-1])
    return (hint,) if isinstance(hint, type) and issubclass(hint, StorageObject) else ()


def twin(version: str, name: str, members: Mapping[str, Any]) -> Any:
    """Return a twin whose members, by wire name, have these annotations; attributes are equal."""
    declared: dict[str, Any] = {
        wire.replace("-", "_"): Member(wire, *_levels(hint)) for wire, hint in members.items()
    }
    return ViewType(name, (StorageObject,), {**declared, "__module__": __name__}, version=version)


def edge(older: Any, newer: Any, **facts: Any) -> tuple[Crossing, Crossing]:
    """Return both directions of the edge of two twins."""
    made = TypeEdge(older, newer, **facts)
    for crossing in (made.to, made.back):
        crossing.prepare(same=False)
    return made.to, made.back


def open_bag(source: Any, destination: Any, entries: Any = None) -> OpenBag:
    """Return a bag as it is while a source is converted."""
    crossing, _ = edge(type(source), type(destination))
    bag = opened_bag(destination.members_, source.members_, crossing)
    bag.update({origin: dict(values) for origin, values in (entries or {}).items()})
    bag._source, bag._destination = source, destination
    return bag

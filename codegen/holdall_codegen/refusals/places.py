"""All places of what is refused: each object is checked once, however many ways lead to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from holdall.plan.graph import closure
from holdall.text.pointer import join
from holdall_codegen.read.nodes import Node
from holdall_codegen.refusals.arrivals import Arrival
from holdall_codegen.refusals.model import Refusal, Subject

_DEPTH: Final = 24
"""The depth at which recursive types end; no real object is that deep."""
_MANY: Final = 200
"""How many ways to one object are followed; their number may be unlimited."""

Place: TypeAlias = tuple[Subject, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Visit:
    """An object at one of its places, and what arrives there."""

    at: Place
    arrival: Arrival
    nodes: Sequence[Node]

    @property
    def key(self) -> Hashable:
        """The key of all visits that have the same findings."""
        subject, path = self.at
        ids = (tuple(node.id for node in them or ()) for them in (self.arrival.nodes, self.nodes))
        return subject.source, subject.target, self.arrival.forward, len(path) == 1, *ids


Look: TypeAlias = Callable[[Visit], tuple[Sequence[Refusal], Sequence[Visit]]]
"""Returns the findings of an object by itself, and the objects in it."""


@dataclass(frozen=True, slots=True)
class _Looked:
    """The findings of an object, and the objects in it with their places."""

    place: str
    found: Sequence[Refusal]
    inner: Sequence[tuple[Hashable, str]]


def with_places(root: Visit, look: Look) -> Iterator[Refusal]:
    """Yield the findings of an object and those in it, with all places from the root on."""
    objects = _look_at_all(root, look)
    telling = _telling(objects)
    places: dict[Refusal, list[str]] = {}
    ways = [(root.key, place_of(root.at[1]), 1)]
    followed: Counter[Hashable] = Counter()
    for key, place, depth in ways:
        followed[key] += 1
        if followed[key] > _MANY or depth > _DEPTH:
            continue
        looked = objects[key]
        size = len(looked.place)
        for item in looked.found:
            places.setdefault(item, []).extend(place + there[size:] for there in item.places)
        for inner, there in looked.inner:
            if inner in telling:
                below = there[size:]
                ways.append((inner, place + below, depth + below.count("/")))
    for item, them in places.items():
        yield replace(item, places=tuple(them))


def place_of(path: Iterable[str]) -> str:
    """Return a place as findings name it."""
    return join("", *path)[1:]


def _look_at_all(root: Visit, look: Look) -> dict[Hashable, _Looked]:
    objects: dict[Hashable, _Looked] = {}
    visits = [root]
    for visit in visits:
        if visit.key not in objects:
            found, inner = look(visit)
            named = [(one.key, place_of(one.at[1])) for one in inner]
            objects[visit.key] = _Looked(place_of(visit.at[1]), found, named)
            visits += inner
    return objects


def _telling(objects: Mapping[Hashable, _Looked]) -> set[Hashable]:
    """Return the objects with findings, and those that hold such objects."""
    holders: dict[Hashable, list[Hashable]] = {}
    for key, looked in objects.items():
        for inner, _ in looked.inner:
            holders.setdefault(inner, []).append(key)
    told = (key for key, looked in objects.items() if looked.found)
    return {*closure(told, lambda key: holders.get(key, ()))}

"""What an API server does to objects of a version, before storing and after reading them.

It prunes undeclared members, except in types that preserve them, drops nulls if there is a default,
fills in defaults, and writes whole numbers without a fraction. It also merges lists of type map by
key, which equals an edit in place.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from holdall.objects.bag import BAG_MEMBER
from holdall.objects.implied import without_defaults
from holdall.objects.shapes import Shaped, ValueShape, object_shape, shape_of
from holdall.objects.views import StorageRoot
from holdall.plan.tracking import CHANGED_VALUES
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue

_KEPT = frozenset({"metadata", BAG_MEMBER})


@dataclass(frozen=True, slots=True)
class Work:
    """The tasks of a server: pruning undeclared members, and filling in defaults."""

    open_types: frozenset[str] = frozenset()
    prunes: bool = True
    fills: bool = True


class Server:
    """Stores objects of one kind in one version, whose `open_types` preserve unknown members.

    `head` are the members that say version and kind. If it `tracks`, the schema has a place for
    changed values in the status.
    """

    def __init__(
        self,
        root: type[StorageRoot],
        open_types: frozenset[str] = frozenset(),
        *,
        head: Collection[str] = ("apiVersion", "kind"),
        tracks: bool = False,
    ) -> None:
        self._root = root
        self._open = open_types
        self._kept = _KEPT.union(head)
        self._own = CHANGED_VALUES if tracks else BAG_MEMBER

    def stored(self, document: JsonObject) -> JsonObject:
        """Return an API object as it is stored."""
        stored: JsonObject = _json.without_fractions(self._made(document, Work(self._open)))
        return stored

    def pruned(self, document: JsonObject) -> JsonObject:
        """Return an API object pruned, without defaults, its numbers as they are."""
        return self._made(document, Work(self._open, fills=False))

    def unfilled(self, document: JsonObject) -> JsonObject:
        """Return an API object without members that equal their defaults."""
        bare: JsonObject = without_defaults(document, object_shape(self._root), None)
        return bare

    def _made(self, document: JsonObject, work: Work) -> JsonObject:
        kept = {name: value for name, value in document.items() if name in self._kept}
        made = _object(self._root, document, work)
        status, slot = made.get("status"), document.get("status")
        if isinstance(slot, dict) and self._own in slot:
            rest: JsonObject | None = status if isinstance(status, dict) else None
            if rest is not None or self._own == CHANGED_VALUES:
                made["status"] = {**(rest or {}), self._own: slot[self._own]}
        return {**made, **kept}


def normal(shape: ValueShape, value: JsonValue, work: Work) -> JsonValue:
    """Return a value as a server stores it."""
    if value is None or shape.container == "value":
        copied: JsonValue = _json.copy(value)
        return copied
    if shape.type is not None:
        return _object(shape.type, value, work) if isinstance(value, dict) else value
    if shape.item is None:
        return value
    if isinstance(value, list):
        return [normal(shape.item, item, work) for item in value]
    if isinstance(value, dict):
        return {key: normal(shape.item, item, work) for key, item in value.items()}
    return value


def _object(cls: type[Shaped], members: JsonObject, work: Work) -> JsonObject:
    declared = shape_of(cls).members
    keeps = not work.prunes or cls.__name__ in work.open_types
    made = {name: it for name, it in members.items() if name not in declared} if keeps else {}
    for name, member in declared.items():
        value = members.get(name)
        if value is None and member.defaults and work.fills:
            made[name] = normal(member.value, member.defaults[0], work)
        elif name in members:
            made[name] = normal(member.value, value, work)
    return made

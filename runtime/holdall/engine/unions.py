"""Edges of tagged unions: variants with other names, and variants that one side does not have.

Source: declared versions, sections 4 and 5.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdall.engine.computed import Fallback, read_result
from holdall.engine.functions import function, wrong_result
from holdall.engine.open_bag import OpenBag
from holdall.errors import DecodeError, FunctionFailure
from holdall.objects.bag import BAG_MEMBER, WHOLE_KEY
from holdall.objects.bag_forms import ObjectForm
from holdall.objects.shapes import shape_of
from holdall.objects.views import StorageObject
from holdall.objects.wire_forms import UNIT, close_union
from holdall.plan.misfits import WHOLE, misfit
from holdall.text import json as _json
from holdall.types import JsonValue

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class _Side:
    """One version of a union: new names of its units, and the variants that only it has."""

    version: str
    cls: type[StorageObject]
    units: Mapping[str, str]
    alone: Mapping[str, Fallback]

    def view(self, value: Any) -> StorageObject:
        """Return the view of a union as it stands on the wire."""
        return self.cls.view_(self.cls.open_wire(value))

    def variant(self, union: StorageObject) -> str | None:
        """Return which variant a union is, by its wire name."""
        attributes = shape_of(self.cls).attributes
        unit: str | None = getattr(union, attributes[UNIT])
        if unit is not None:
            return unit
        return next(
            (name for name, item in attributes.items() if getattr(union, item) is not None), None
        )

    def stored(self, union: StorageObject) -> JsonValue:
        """Return a union as it stands in a bag, without its own bag."""
        written: JsonValue = union.write_members()
        if isinstance(written, dict):
            written.pop(BAG_MEMBER, None)
            closed: JsonValue = close_union(written)
            return closed
        return written

    def crossed(self, union: StorageObject) -> JsonValue | object:
        """Return what a union becomes that only this side can say, as plain JSON of the other."""
        fallback = self.alone.get(self.variant(union) or "")
        if fallback is None:
            return _ABSENT
        if isinstance(fallback, str):
            return fallback
        return fallback(_json.copy(union.write_members([])))


class UnionEdge:
    """Completes the converters of a union, whose payloads are converted as properties are.

    A variant that the other side lacks becomes its fallback there; the whole value is kept in the
    bag and returns as long as the fallback was not edited.
    """

    __slots__ = ("_newer", "_older")

    def __init__(
        self,
        older: tuple[str, type[StorageObject]],
        newer: tuple[str, type[StorageObject]],
        *,
        units: Mapping[str, str] | None = None,
        only_older: Mapping[str, Fallback] | None = None,
        only_newer: Mapping[str, Fallback] | None = None,
    ) -> None:
        names = units or {}
        back = {new: old for old, new in names.items()}
        self._older = _Side(*older, names, only_older or {})
        self._newer = _Side(*newer, back, only_newer or {})

    def to(self, source: StorageObject, destination: StorageObject, bag: OpenBag) -> None:
        """Complete the newer union after its properties were assigned."""
        _settle(self._older, self._newer, source, destination, bag)

    def back(self, source: StorageObject, destination: StorageObject, bag: OpenBag) -> None:
        """Complete the older union after its properties were assigned."""
        _settle(self._newer, self._older, source, destination, bag)


def _settle(
    here: _Side, there: _Side, source: StorageObject, destination: StorageObject, bag: OpenBag
) -> None:
    if bag:
        bag.drop(here.version, WHOLE_KEY)
        became = bag.became(there.version, WHOLE_KEY, _ABSENT)
        unfit = bag.is_unfit(there.version, WHOLE_KEY)
        kept = bag.take(there.version, WHOLE_KEY, _ABSENT)
        if kept is not _ABSENT:
            union = _read(there, kept, bag, unfit)
            if became is _ABSENT and union is not None:
                became = _retraced(there, union)
            if union is not None and became is not _ABSENT and _agree(became, source):
                _assign(there.cls, union, destination)
                return
    try:
        instead = _replacement(here, there, source)
    except FunctionFailure as failure:
        raise failure.at(source, here.variant(source) or "") from failure.__cause__
    if instead is not None:
        _assign(there.cls, instead, destination)
        bag.put(here.version, WHOLE_KEY, here.stored(source))
        return
    attributes = shape_of(here.cls).attributes
    unit = getattr(source, attributes[UNIT])
    if unit is not None:
        renamed = here.units.get(unit, unit)
        if renamed != unit:
            setattr(destination, shape_of(there.cls).attributes[UNIT], renamed)
        if renamed in there.alone or there.units.get(renamed, renamed) != unit:
            # A name that only the other side declares: it would return as another one.
            bag.put(here.version, WHOLE_KEY, here.stored(source))
    elif any(name in here.alone and name in attributes for name in source.extra_):
        # A null payload, of which the other side can say nothing.
        bag.put(here.version, WHOLE_KEY, here.stored(source))


def _replacement(here: _Side, there: _Side, source: StorageObject) -> StorageObject | None:
    """Return what takes the place of a variant that only one side has; none for all others."""
    crossed: Any = here.crossed(source)
    if crossed is _ABSENT:
        return None
    fallback = here.alone[here.variant(source) or ""]
    if not isinstance(fallback, function):
        return there.cls.read_members(crossed, False)
    union = there.view(read_result(fallback, ObjectForm(there.cls), crossed))
    error = misfit(there.cls, there.version, WHOLE, crossed)
    if error is not None:
        raise wrong_result(fallback.path, error) from error
    return union


def _agree(became: Any, source: StorageObject) -> bool:
    return _json.same(became, source.write_members([]))


def _retraced(side: _Side, union: StorageObject) -> JsonValue | object:
    try:
        crossed = side.crossed(union)
    except FunctionFailure:
        return _ABSENT
    unit: str | None = getattr(union, shape_of(side.cls).attributes[UNIT])
    if crossed is _ABSENT and unit is not None:
        return side.units.get(unit, unit)
    if crossed is _ABSENT and side.variant(union) is None:
        return {name: item for name, item in union.extra_.items() if name not in side.alone}
    return crossed


def _read(side: _Side, kept: JsonValue, bag: OpenBag, unfit: bool) -> StorageObject | None:
    """Return a kept union, None if it was refused; one that is `unfit` never was of its type."""
    try:
        if not unfit and isinstance(kept, dict) and len(kept) != 1:
            raise DecodeError(f"expected one variant, found {len(kept)}")
        union = side.view(ObjectForm(side.cls).read(kept))
    except DecodeError as error:
        _refuse(side, kept, bag, error)
        return None
    wrong = None if unfit else misfit(side.cls, side.version, WHOLE, kept)
    if wrong is None:
        return union
    _refuse(side, kept, bag, wrong)
    return None


def _refuse(side: _Side, kept: JsonValue, bag: OpenBag, error: DecodeError) -> None:
    bag.put(side.version, WHOLE_KEY, kept)
    bag.refuse(side.version, WHOLE_KEY, error)


def _assign(cls: type[StorageObject], union: StorageObject, destination: StorageObject) -> None:
    for attribute in shape_of(cls).attributes.values():
        setattr(destination, attribute, getattr(union, attribute))
    destination.extra_ = union.extra_

"""Edges of tagged unions: renamed variants, and variants that one side lacks.

Source: docs/declared.md, "Unions".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdall.engine.computed import Fallback, read_result
from holdall.engine.functions import function, wrong_result
from holdall.engine.open_bag import OpenBag
from holdall.errors import DecodeError, FunctionFailure
from holdall.objects.bag import WHOLE_KEY
from holdall.objects.bag_forms import ObjectForm
from holdall.objects.shapes import shape_of
from holdall.objects.stored_forms import bare, closed
from holdall.objects.views import HIDDEN, StorageObject
from holdall.objects.wire_forms import UNIT
from holdall.plan.misfits import WHOLE, misfit
from holdall.text import json as _json
from holdall.types import JsonValue, Members

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class _Side:
    """One version of a union: the new names of its units, and the variants that only it has.

    Unions are opened here, with bare names under `$unit`.
    """

    version: str
    cls: Any
    units: Mapping[str, str]
    alone: Mapping[str, Fallback]

    @property
    def names(self) -> frozenset[str]:
        """The wire names of the members: the unit, and all variants with a payload."""
        return shape_of(self.cls).names

    def variant(self, union: Members) -> str | None:
        """Return the wire name of a union's variant; null is a payload if its type allows it."""
        unit: str | None = union.get(UNIT)
        if unit is not None:
            return unit
        names = [name for name in shape_of(self.cls).members if name in union and name != UNIT]
        filled = (name for name in names if union[name] is not None)
        nulls = (name for name in names if misfit(self.cls, self.version, name, None) is None)
        return next(filled, None) or next(nulls, None)

    def fallback(self, union: Members) -> Fallback | None:
        """Return the fallback of a variant that only this side has; None for all others."""
        return self.alone.get(self.variant(union) or "") if self.alone else None

    def stored(self, union: Members) -> JsonValue:
        """Return a union in the form of a bag, without its own bag."""
        rest = {name: value for name, value in union.items() if name not in HIDDEN}
        written: JsonValue = _json.copy(closed(self.cls, rest))
        return written

    def shown(self, union: Members) -> JsonValue:
        """Return a union in the form of an API document."""
        written: JsonValue = _json.copy(bare(self.cls, union))
        return written

    def crossed(self, union: Members, fallback: Fallback) -> JsonValue:
        """Return the conversion of a union only this side has, as plain JSON of the other side."""
        return fallback if isinstance(fallback, str) else fallback(self.shown(union))

    def extras(self, union: Members) -> Members:
        """Return the undeclared members, and those that are null."""
        return {
            name: value
            for name, value in union.items()
            if (value is None or name not in self.names) and name not in HIDDEN
        }


class UnionEdge:
    """Completes the converters of a union, whose payloads are converted like properties.

    A variant that the other side lacks becomes its fallback there; the whole value is kept in the
    bag, and returns unless the fallback was edited.
    """

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

    def to(self, bag: OpenBag) -> None:
        """Complete the newer union after its properties were assigned."""
        _settle(self._older, self._newer, bag)

    def back(self, bag: OpenBag) -> None:
        """Complete the older union after its properties were assigned."""
        _settle(self._newer, self._older, bag)


def _settle(here: _Side, there: _Side, bag: OpenBag) -> None:
    old, new = bag.old, bag.new
    if bag:
        bag.drop(here.version, WHOLE_KEY)
        became: Any = bag.became(there.version, WHOLE_KEY, _ABSENT)
        unfit = bag.is_unfit(there.version, WHOLE_KEY)
        kept = bag.take(there.version, WHOLE_KEY, _ABSENT)
        if kept is not _ABSENT:
            union = _read(there, kept, bag, unfit)
            if union is not None:
                shown: Any = here.shown(old)
                returns: Any = _retraced(there, union)
                is_shown = returns is not _ABSENT and _json.equal(returns, shown)
                if _json.equal(became, shown) if became is not _ABSENT else is_shown:
                    _assign(there, union, new)
                    if not is_shown:
                        # It was noted to become what it does not become: so is this one now.
                        bag.put(here.version, WHOLE_KEY, here.stored(old))
                        bag.note_became(here.version, WHOLE_KEY, there.shown(union))
                    return
    try:
        instead = _replacement(here, there, old)
    except FunctionFailure as failure:
        raise failure.at(bag.source, here.variant(old) or "") from failure.__cause__
    if instead is not None:
        _assign(there, instead, new)
        bag.put(here.version, WHOLE_KEY, here.stored(old))
        return
    unit = old.get(UNIT)
    if unit is not None:
        renamed = here.units.get(unit, unit)
        if renamed != unit:
            new[UNIT] = renamed
        if renamed in there.alone or there.units.get(renamed, renamed) != unit:
            # A name that only the other side declares would return as another variant.
            bag.put(here.version, WHOLE_KEY, here.stored(old))
    elif any(name in here.alone and old.get(name, new) is None for name in here.names):
        # The other side cannot express a null that its type does not allow.
        bag.put(here.version, WHOLE_KEY, here.stored(old))


def _replacement(here: _Side, there: _Side, old: Members) -> Members | None:
    """Return the replacement of a variant that only one side has; None for all others."""
    fallback = here.fallback(old)
    if fallback is None:
        return None
    crossed: Any = here.crossed(old, fallback)
    if isinstance(fallback, str):
        return {UNIT: crossed}
    form = ObjectForm(there.cls)
    union: Members
    if not isinstance(fallback, function):
        union = there.cls.open_wire(form.read(crossed, False))
        return union
    union = there.cls.open_wire(read_result(fallback, form, crossed))
    error = misfit(there.cls, there.version, WHOLE, crossed)
    if error is not None:
        raise wrong_result(fallback.path, error) from error
    return union


def _retraced(side: _Side, union: Members) -> JsonValue | object:
    fallback = side.fallback(union)
    if fallback is not None:
        try:
            return side.crossed(union, fallback)
        except FunctionFailure:
            return _ABSENT
    unit: str | None = union.get(UNIT)
    if unit is not None:
        return side.units.get(unit, unit)
    if side.variant(union) is None:
        return {name: item for name, item in side.extras(union).items() if name not in side.alone}
    return _ABSENT


def _read(side: _Side, kept: JsonValue, bag: OpenBag, unfit: bool) -> Members | None:
    """Return a kept union, None if it was refused; an `unfit` one never had its type."""
    try:
        if not unfit and isinstance(kept, dict) and len(kept) != 1:
            raise DecodeError(f"expected one variant, found {len(kept)}")
        union: Members = side.cls.open_wire(ObjectForm(side.cls).read(kept))
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


def _assign(side: _Side, union: Members, new: Members) -> None:
    """Replace the contents of a union; hidden values stay."""
    for name in [name for name in new if name not in HIDDEN]:
        del new[name]
    declared = shape_of(side.cls).members
    new.update({name: union[name] for name in declared if union.get(name) is not None})
    new.update(side.extras(union))

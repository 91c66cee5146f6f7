"""Hooks of two pure functions: the engine keeps what does not come back, and checks it.

Source: property-conversion contract, sections 5.6, 5.7 and 6.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from typing_extensions import override

from holdall import json as _json
from holdall.bag import RESIDUE_PREFIX
from holdall.conversions import EachForm, Form, ObjectForm
from holdall.errors import BagError, DecodeError
from holdall.hooks import BAG_PREFIX, EXTRA_PREFIX, BagView, Claims, SharedHook
from holdall.objects import StorageObject
from holdall.residues import Difference, differences, make, places, read_differences
from holdall.shapes import ValueShape, shape_of

Members: TypeAlias = dict[str, Any]
"""JSON values by wire name: an absent member has no key, a null one is None."""
_Function: TypeAlias = Callable[[Members], Members]
_Field: TypeAlias = tuple[str, str | None, Form | None]


class TwoWay(SharedHook, ABC):
    """A shared hook of two functions that say what the members of one side are on the other.

    `older` and `newer` name the members that each side has for the same matter, by wire name
    (`extra:<name>` for one its type does not declare). `to_newer` and `to_older` get those that
    are there, as plain JSON, and return those of the other side. They may change what they get.
    They need not be inverse to each other: a member that is left out of the result is not lost.

    What does not come back by itself is kept as residue, each difference with the value it stands
    for. On the way back it is put in place where that value is still there, and stays there only if
    the live members then look as they do without it. So live members always win, and an edit
    costs only the residue that it contradicts.
    """

    older: Sequence[str] = ()
    newer: Sequence[str] = ()

    @abstractmethod
    def to_newer(self, older: Members) -> Members:
        """Return the newer members for the older ones."""

    @abstractmethod
    def to_older(self, newer: Members) -> Members:
        """Return the older members for the newer ones."""

    @override
    def claims_to(self) -> Claims:
        return self._claims(self.older, self.newer)

    @override
    def claims_from(self) -> Claims:
        return self._claims(self.newer, self.older)

    @override
    def assign_properties_to(self, source: Any, destination: Any, bag: BagView) -> None:
        self._way("to", source, destination).run(source, destination, bag)

    @override
    def assign_properties_from(self, source: Any, destination: Any, bag: BagView) -> None:
        self._way("from", source, destination).run(source, destination, bag)

    @property
    def _key(self) -> str:
        return f"{RESIDUE_PREFIX}{(*self.older, *self.newer)[0].removeprefix(EXTRA_PREFIX)}"

    def _claims(self, reads: Sequence[str], writes: Sequence[str]) -> Claims:
        key = f"{BAG_PREFIX}{self._key}"
        return Claims(reads=(*reads, key), writes=(*writes, key))

    def _way(self, direction: str, source: StorageObject, destination: StorageObject) -> _Way:
        # Subclasses have constructors of their own, which need not call that of this class.
        ways: dict[Any, _Way] = vars(self).setdefault("_ways", {})
        key = direction, type(source), type(destination)
        way = ways.get(key)
        if way is None:
            older = self.older, self.to_older
            newer = self.newer, self.to_newer
            left, entered = (older, newer) if direction == "to" else (newer, older)
            ends = _End(key[1], left[0]), _End(key[2], entered[0])
            way = ways[key] = _Way(self._key, *ends, entered[1], left[1])
        return way


class EachValue(TwoWay):
    """A two-way hook for one property: two functions say what its value is on the other side.

    `depth` is the number of lists and maps around each value: 0 for the property's own value, 2
    for the elements of the lists in a map. A value is None for null; what has fewer containers
    around it stays as it is. `newer_name` is the newer property's name if it is another one.
    """

    def __init__(
        self,
        name: str,
        to_newer: Callable[[Any], Any],
        to_older: Callable[[Any], Any],
        *,
        depth: int = 0,
        newer_name: str = "",
    ) -> None:
        self.older, self.newer = (name,), (newer_name or name,)
        self._functions, self._depth = (to_newer, to_older), depth

    @override
    def to_newer(self, older: Members) -> Members:
        return self._over(self.newer[0], older, self._functions[0])

    @override
    def to_older(self, newer: Members) -> Members:
        return self._over(self.older[0], newer, self._functions[1])

    def _over(self, claimed: str, members: Members, act: Callable[[Any], Any]) -> Members:
        values = [_each(value, act, self._depth) for value in members.values()]
        return dict(zip([claimed.removeprefix(EXTRA_PREFIX)], values, strict=False))


class _End:
    """The claimed members of one type: read from its twins as JSON, and assigned to them."""

    __slots__ = ("_fields", "_forms", "_shapes", "names")

    def __init__(self, cls: type[StorageObject], claimed: Sequence[str]) -> None:
        self.names = frozenset(name.removeprefix(EXTRA_PREFIX) for name in claimed)
        declared = shape_of(cls).members
        self._fields: list[_Field] = []
        self._forms: dict[str, Form] = {}
        self._shapes: dict[str, ValueShape] = {}
        for name in sorted(self.names):
            member = declared.get(name)
            form = None if member is None else _form(member.value)
            self._fields.append((name, None if member is None else member.attribute, form))
            if form is not None:
                self._forms[name] = form
            elif member is not None and member.value.container != "value":
                self._shapes[name] = member.value

    def read(self, twin: StorageObject) -> Members:
        """Return the members in their stored form, with the bags of objects in them."""
        members: Members = {}
        for name, attribute, form in self._fields:
            value = None if attribute is None else getattr(twin, attribute)
            if value is not None:
                members[name] = value if form is None else form.write(value)
            elif name in twin.extra_:
                members[name] = twin.extra_[name]
        return members

    def write(self, members: Members, twin: StorageObject) -> None:
        """Assign all claimed members; those without a value become absent."""
        extras = twin.extra_
        for name, attribute, form in self._fields:
            value = members.get(name)
            if attribute is not None and value is not None:
                setattr(twin, attribute, value if form is None else form.read(value))
                extras.pop(name, None)
            else:
                if attribute is not None:
                    setattr(twin, attribute, None)
                if name in members:
                    extras[name] = value
                else:
                    extras.pop(name, None)

    def wire(self, stored: Members) -> Members:
        """Return stored members as they are on the wire, without bags, sharing nothing.

        Raises DecodeError if one is not of its type.
        """
        copied: Members = _json.copy(stored)
        for name, form in self._forms.items():
            if copied.get(name) is not None:
                copied[name] = form.write(form.read(copied[name]), stored=False)
        return copied

    def stored(self, wire: Members) -> Members:
        """Return what a function made, in its stored form; what the type cannot hold is left out.

        Raises BagError for members that are not claimed.
        """
        if not wire.keys() <= self.names:
            alien = ", ".join(sorted(wire.keys() - self.names))
            raise BagError(f"the hook returned {alien} without a claim; add it to the members")
        copied: Members = _json.copy(wire)
        for name, form in self._forms.items():
            if copied.get(name) is not None:
                try:
                    copied[name] = form.write(form.read(copied[name], stored=False))
                except DecodeError:
                    del copied[name]
        for name, shape in self._shapes.items():
            if not _fits(shape, copied.get(name)):
                del copied[name]
        return copied


class _Way:
    """One direction of a two-way hook between two types."""

    __slots__ = ("_act", "_entered", "_inverse", "_key", "_left", "_of_nothing")

    def __init__(
        self, key: str, left: _End, entered: _End, act: _Function, inverse: _Function
    ) -> None:
        self._key, self._left, self._entered = key, left, entered
        self._act, self._inverse = act, inverse
        self._of_nothing: tuple[Members, list[Difference]] | None = None

    def run(self, source: StorageObject, destination: StorageObject, bag: BagView) -> None:
        live = self._left.read(source)
        kept = (
            read_differences(bag.pull(self._key), self._entered.names) if self._key in bag else []
        )
        if live or kept:
            made, residue = self._cross(live, kept)
        else:
            if self._of_nothing is None:
                self._of_nothing = self._cross(live, kept)
            made, residue = _json.copy(self._of_nothing[0]), self._of_nothing[1]
        self._entered.write(made, destination)
        if residue:
            bag.put(self._key, residue)  # type: ignore[arg-type]

    def _cross(self, live: Members, kept: list[Difference]) -> tuple[Members, list[Difference]]:
        wire = self._left.wire(live)
        made = self._entered.stored(self._act(_json.copy(wire) if kept else wire))
        shown = self._shown(made)
        if kept:
            made = self._with_residue(made, kept, wire, shown)
            shown = self._shown(made)
        return made, differences(shown, live)

    def _shown(self, made: Members) -> Members:
        return self._left.stored(self._inverse(self._entered.wire(made)))

    def _with_residue(
        self, made: Members, kept: list[Difference], live: Members, shown: Members
    ) -> Members:
        """Return `made` with what was kept, as far as no more of the live members is missing."""

        unaided = made

        def agrees(changed: Members) -> bool:
            seen = self._shown(changed)
            if _json.same(seen, live):
                return True
            # What the live members lose anyway may be lost, and they must be able to come back.
            again = self._entered.stored(self._act(self._left.wire(seen)))
            return _includes(differences(shown, live), differences(seen, live)) and _includes(
                differences(again, changed), differences(unaided, changed)
            )

        # Whole members stand or fall together: one may have been put in the place of another.
        whole = [item for item in kept if len(item["at"]) == 1]
        units = [whole, *([item] for item in kept if len(item["at"]) > 1)]
        everything = made
        for unit in units:
            everything = _changed(everything, unit)
        if agrees(everything):
            return everything
        for unit in units:
            changed = _changed(made, unit)
            made = changed if agrees(changed) else made
        return made


def _includes(all_: list[Difference], some: list[Difference]) -> bool:
    return all(any(_json.same(item, other) for other in all_) for item in some)


def _changed(members: Members, unit: list[Difference]) -> Members:
    """Return the members with all differences of a unit; as they were if one has no place."""
    changed: Members = _json.copy(members)
    for difference in unit:
        place = next(places(changed, difference), None)
        if place is None:
            return members
        make(place, difference)
    return changed


def _form(shape: ValueShape) -> Form | None:
    """Return how values with objects in them are written and read; None if there are none."""
    if shape.type is not None and issubclass(shape.type, StorageObject):
        return ObjectForm(shape.type)
    item = None if shape.item is None else _form(shape.item)
    return None if item is None else EachForm(item, list if shape.container == "list" else dict)


def _fits(shape: ValueShape, value: Any) -> bool:
    """Tell whether lists and maps are where a type has them; scalars are kept as they arrive."""
    if value is None or shape.item is None:
        return True
    if type(value) is not (list if shape.container == "list" else dict):
        return False
    items = value.values() if type(value) is dict else value
    return shape.item.container == "value" or all(_fits(shape.item, item) for item in items)


def _each(value: Any, act: Callable[[Any], Any], depth: int) -> Any:
    if depth == 0:
        return act(value)
    if type(value) is dict:
        return {key: _each(item, act, depth - 1) for key, item in value.items()}
    return [_each(item, act, depth - 1) for item in value] if type(value) is list else value

"""One end of a two-way hook: the members it declares there, copied and checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from typing_extensions import override

from holdall.engine.hooks import EXTRA_PREFIX
from holdall.errors import BagError, DecodeError
from holdall.objects.bag_forms import EachForm, Form, ObjectForm
from holdall.objects.container_kinds import Check, stored_checker, value_checker
from holdall.objects.implied import (
    are_filled_in,
    before_defaults,
    has_defaults,
    without_defaults,
)
from holdall.objects.shapes import ValueShape, object_shape, shape_of
from holdall.objects.stored_forms import unrecorded
from holdall.objects.views import StorageObject
from holdall.text import json as _json
from holdall.types import Members, is_json_object


class End:
    """The claimed members of one type; `maker` is the name of the function that makes them."""

    def __init__(self, cls: type[StorageObject], claimed: Sequence[str], maker: str = "") -> None:
        self.cls, self.maker = cls, maker
        self.names = frozenset(name.removeprefix(EXTRA_PREFIX) for name in claimed)
        self.order = tuple(sorted(self.names))
        declared = shape_of(cls).members
        self.shapes = {name: declared[name].value for name in self.order if name in declared}
        spec = self.shapes["spec"].type if "spec" in self.shapes else None
        self.records_version: bool = getattr(spec, "RECORDS_VERSION", False)
        self._forms: dict[str, Form] = {}
        self._fits: dict[str, Check] = {}
        self._convertible: list[tuple[str, Check]] = []
        for name, shape in self.shapes.items():
            if (may_be := value_checker(shape)) is not None:
                self._convertible.append((name, may_be))
            if (form := _form(shape)) is not None:
                self._forms[name] = form
            elif (fits := value_checker(shape, stored=True, deep=True)) is not None:
                self._fits[name] = fits

    def live(self, members: Members) -> Members:
        """Return these members of an object, the spec without the recorded version.

        In open JSON a member of that name is user data.
        """
        found = {name: members[name] for name in self.order if name in members}
        if self.records_version and "spec" in found:
            found["spec"] = unrecorded(found["spec"])
        return found

    def holds(self, members: Members) -> bool:
        """Return whether members have their types, so that they are stored unchanged."""
        return not members or self._are_stored(members)

    @cached_property
    def _are_stored(self) -> Check:
        return stored_checker(self.shapes)  # it takes its time, and most hooks see few objects

    def expect_convertible(self, members: Members) -> None:
        """Raise DecodeError for a member that no document of this end could convert with.

        So holdall never kept it: someone else wrote it into the bag.
        """
        for name, may_be in self._convertible:
            if members.get(name) is not None and not may_be(members[name]):
                raise DecodeError("no document with what is kept would convert", f"/{name}")

    def is_filled_in(self, shown: Members, live: Members) -> bool:
        """Return whether live members are the shown ones with an API server's defaults."""
        return _json.equal(shown, live) or are_filled_in(shown, live, shape_of(self.cls).members)

    def plain(self, members: Members) -> Members:
        """Return members without what an API server may have filled in."""
        if not has_defaults(self.cls):
            return members
        bare: Members = without_defaults(members, object_shape(self.cls), None)
        return bare

    def without_filled(self, live: Members) -> Iterator[Members]:
        """Yield the possible members before an API server filled in defaults, if it did."""
        return before_defaults(live, shape_of(self.cls).members)

    def wire(self, stored: Members) -> Members:
        """Return a copy of stored members in the form on the wire, without bags.

        Raises DecodeError if one does not have its type.
        """
        copied: Members = _json.copy(stored)
        if not self.holds(copied):
            for name, form in self._forms.items():
                if copied.get(name) is not None:
                    copied[name] = form.write(form.read(copied[name]), stored=False)
        return copied

    def stored(self, wire: Members) -> Members:
        """Return a function's result in stored form, without what the type cannot hold.

        Raises BagError for members that are not claimed, DecodeError for what is not JSON.
        """
        return self.fitted(self.copied(wire))

    def copied(self, wire: Members) -> Members:
        """Return a copy of a function's result. Raises what `stored` raises."""
        copied = _json.copy_checked(wire)
        if not is_json_object(copied):
            found = type(wire).__name__
            raise DecodeError(f"expected a dict of members from {self.maker}, found {found}")
        if not copied.keys() <= self.names:
            alien = ", ".join(sorted(copied.keys() - self.names))
            text = f"{self.maker} returned {alien} without a claim; add it to the members"
            raise BagError(text)
        return copied

    def fitted(self, copied: Members) -> Members:
        """Return copied members in stored form; unchanged if they have their types."""
        if self.holds(copied):
            return copied
        for name, form in self._forms.items():
            if copied.get(name) is not None:
                try:
                    copied[name] = form.write(form.read(copied[name], stored=False))
                except DecodeError:
                    del copied[name]
        for name, fits in self._fits.items():
            if copied.get(name) is not None and not fits(copied[name]):
                del copied[name]
        return copied


class OnTheWay(End):
    """An end at a version that an object only passes, whose server has filled in no default."""

    @override
    def is_filled_in(self, shown: Members, live: Members) -> bool:
        return _json.equal(shown, live)

    @override
    def without_filled(self, live: Members) -> Iterator[Members]:
        return iter(())


def _form(shape: ValueShape) -> Form | None:
    """Return the form of values with objects; None if there are no objects."""
    if shape.type is not None and issubclass(shape.type, StorageObject):
        return ObjectForm(shape.type)
    item = None if shape.item is None else _form(shape.item)
    return None if item is None else EachForm(item, list if shape.container == "list" else dict)

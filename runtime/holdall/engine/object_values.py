"""Conversions of single values that are or contain objects."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from holdall.engine.alike import become_same
from holdall.engine.conversions import Conversion
from holdall.engine.member_ways import crossed
from holdall.engine.misfit import MISFIT
from holdall.objects.bag_forms import Form, ObjectForm


class recurse(Conversion):
    """Objects of two types that share an edge: converted by it, with its hook."""

    is_exact = True

    def __init__(self, older: Any, newer: Any) -> None:
        self.older_type, self.newer_type = older, newer
        older.is_converted_alone_ = newer.is_converted_alone_ = True
        self.older = ObjectForm(older)
        self.newer = ObjectForm(newer)

    def to(self, value: Any) -> Any:
        return crossed(self.older_type, self.newer_type, value)

    def back(self, value: Any) -> Any:
        return crossed(self.newer_type, self.older_type, value)

    @override
    def surely(self, value: Any, upward: bool) -> Any:
        source, destination = self.older_type, self.newer_type
        if source.crossings_[destination].runs_views:
            return MISFIT
        if upward:
            return crossed(source, destination, value)
        return crossed(destination, source, value)

    @override
    def alike(self, one: Any, other: Any, upward: bool) -> bool:
        act, form = (self.to, self.newer) if upward else (self.back, self.older)
        return become_same(act, form, one, other)


class reference(Conversion):
    """A string on the older side, an object with the string as a member on the newer one."""

    def __init__(self, cls: Any, name: str) -> None:
        self.name = name
        self.newer = ObjectForm(cls)
        self.merge_newer = self._named

    def _named(self, kept: Any, converted: Any, live: Any) -> Any:
        """Add the member to a kept object without it; with another value, it is another object."""
        return {**kept, **converted} if kept.get(self.name) is None else converted

    def to(self, value: Any) -> Any:
        return {self.name: value} if type(value) is str else MISFIT

    def back(self, value: Any) -> Any:
        member = value.get(self.name)
        return member if member is None or type(member) is str else MISFIT

    @override
    def surely(self, value: Any, upward: bool) -> Any:
        if upward:
            return self.to(value)
        member = value.get(self.name)
        return member if len(value) == 1 and type(member) is str else MISFIT


class through(Conversion):
    """A linked property that a hook converts, on the edge of the two objects that hold it.

    The hook sees a source with only this property. What it does not restore by itself is kept as
    residue, so it must not claim a key of the bag, and a two-way hook's own residue is not needed.
    """

    def __init__(
        self,
        older: Any,
        older_name: str,
        older_form: Form,
        newer: Any,
        newer_name: str,
        newer_form: Form,
    ) -> None:
        self.older, self.newer = older_form, newer_form
        older.is_converted_alone_ = newer.is_converted_alone_ = True
        self._older, self._older_name = older, older_name
        self._newer, self._newer_name = newer, newer_name

    def to(self, value: Any) -> Any:
        made = crossed(self._older, self._newer, {self._older_name: value})
        return made.get(self._newer_name)

    def back(self, value: Any) -> Any:
        made = crossed(self._newer, self._older, {self._newer_name: value})
        return made.get(self._older_name)

"""Conversions of single values that are objects, or hold some, on members."""

from __future__ import annotations

from typing import Any

from holdall.engine import conversions
from holdall.engine.conversions import MISFIT, Conversion
from holdall.engine.member_ways import crossed
from holdall.errors import BagError
from holdall.objects.bag import BAG_MEMBER, ORIGINAL_VERSION_MEMBER
from holdall.objects.bag_forms import Form
from holdall.objects.container_kinds import checker, read_object, unread
from holdall.objects.stored_forms import bare, taken_in
from holdall.text import json as _json
from holdall.types import JsonValue


class ObjectForm:
    """Objects of one twin: they stand in a bag as they are, with their own bags."""

    is_plain = False

    def __init__(self, cls: Any) -> None:
        self.cls = cls

    def write(self, value: Any, stored: bool = True) -> JsonValue:
        if not stored:
            value = bare(self.cls, self.cls.open_wire(value), [])
        elif type(value) is dict and ORIGINAL_VERSION_MEMBER in value:
            # A record of where the object came from; it is no part of the value.
            value = {key: item for key, item in value.items() if key != ORIGINAL_VERSION_MEMBER}
        copied: JsonValue = _json.copy(value)
        return copied

    def read(self, value: Any, stored: bool = True) -> Any:
        copied = _json.copy(value)
        if stored:
            return read_object(self.cls, copied)
        opened = self.cls.open_wire(copied)
        if not checker(self.cls)(copied):
            raise unread(self.cls, copied)
        taken = taken_in(self.cls, opened)
        return copied if taken is opened else self.cls.close_wire(taken)


class recurse(conversions.recurse):
    """Objects of two types that share an edge: converted by it, with its hook."""

    def __init__(self, older: Any, newer: Any) -> None:
        self.older_type, self.newer_type = older, newer
        self.older = ObjectForm(older)
        self.newer = ObjectForm(newer)

    def to(self, value: Any) -> Any:
        return None if value is None else crossed(self.older_type, self.newer_type, value)

    def back(self, value: Any) -> Any:
        return None if value is None else crossed(self.newer_type, self.older_type, value)


class reference(Conversion):
    """A string on the older side, an object with the string as a member on the newer one."""

    def __init__(self, cls: Any, name: str, attribute: str) -> None:
        self.cls, self.name, self.attribute = cls, name, attribute
        self.newer = ObjectForm(cls)

    def to(self, value: Any) -> Any:
        return {self.name: value} if type(value) is str else MISFIT

    def back(self, value: Any) -> Any:
        member = value.get(self.name)
        return member if member is None or type(member) is str else MISFIT


class through(Conversion):
    """A linked property that a hook converts, on the edge of the two objects that hold it.

    The hook sees a source that has the property and nothing else. What it does not give back by
    itself is kept as residue, so it may keep nothing in the bag.
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
        self._older, self._older_name = older, older_name
        self._newer, self._newer_name = newer, newer_name

    def to(self, value: Any) -> Any:
        made = crossed(self._older, self._newer, _holder(self._older_name, value))
        return _result(made, self._newer_name)

    def back(self, value: Any) -> Any:
        made = crossed(self._newer, self._older, _holder(self._newer_name, value))
        return _result(made, self._older_name)


def _holder(name: str, value: Any) -> dict[str, Any]:
    return {} if value is None else {name: value}


def _result(made: dict[str, Any], name: str) -> Any:
    if BAG_MEMBER in made:
        raise BagError("a hook of a skip link keeps nothing in the bag: residue is kept for it")
    return made.get(name)

"""The forms in which a bag keeps the values of one side of a conversion."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

from holdall.objects.codec import json_list, json_object
from holdall.objects.container_kinds import checker, read_object, unread
from holdall.objects.shapes import ValueShape, object_shape
from holdall.objects.stored_forms import bare, taken_in, unrecorded
from holdall.text import json as _json
from holdall.types import JsonValue

Strip: TypeAlias = Callable[[Any, dict[str, Any]], dict[str, Any]]


class PlainForm:
    """Scalars and opaque JSON: stored as they are."""

    is_plain = True
    shape = ValueShape("value")

    def write(self, value: Any, stored: bool = True) -> JsonValue:
        copied: JsonValue = _json.copy(value)
        return copied

    def read(self, value: Any, stored: bool = True) -> Any:
        return _json.copy(value)

    def compared(self, value: Any) -> JsonValue:
        """Return what `write` returns, for comparison only, so not necessarily a copy."""
        return value  # type: ignore[no-any-return]

    def stripped(self, value: Any, strip: Strip) -> Any:
        """Return a value with `strip(type, members)` applied to the objects in it."""
        return value


class ObjectForm:
    """Objects of one twin, kept with their own bags."""

    is_plain = False

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.shape = object_shape(cls)

    def write(self, value: Any, stored: bool = True) -> JsonValue:
        value = self.compared(value) if stored else bare(self.cls, self.cls.open_wire(value))
        copied: JsonValue = _json.copy(value)
        return copied

    def compared(self, value: Any) -> JsonValue:
        # The recorded version is not part of the value.
        return unrecorded(value)  # type: ignore[no-any-return]

    def stripped(self, value: Any, strip: Strip) -> Any:
        return strip(self.cls, value)

    def read(self, value: Any, stored: bool = True) -> Any:
        copied = _json.copy(value)
        if stored:
            return read_object(self.cls, copied)
        opened = self.cls.open_wire(copied)
        if not checker(self.cls)(copied):
            raise unread(self.cls, copied)
        taken = taken_in(self.cls, opened)
        return copied if taken is opened else self.cls.close_wire(taken)


class EachForm:
    """Lists, or maps with string keys, whose elements have one form; null elements are kept.

    Containers of plain values are kept unchanged, because twins do not look into them.
    """

    is_plain: bool
    shape: ValueShape

    def __init__(self, item: Form, container: type[list[Any]] | type[dict[str, Any]]) -> None:
        self.item = item
        self.container = container
        self.is_plain = item.is_plain
        self.shape = ValueShape("list" if container is list else "map", item=item.shape)

    def write(self, value: Any, stored: bool = True) -> JsonValue:
        if stored or self.is_plain:
            copied: JsonValue = _json.copy(self.compared(value))
            return copied
        written: JsonValue = self._over(value, self.item.write, stored)
        return written

    def compared(self, value: Any) -> JsonValue:
        if self.is_plain and type(value) is self.container:
            return value
        seen: JsonValue = over_container(self.container, value, self.item.compared)
        return seen

    def stripped(self, value: Any, strip: Strip) -> Any:
        if type(value) is not self.container:
            return value
        return over_container(self.container, value, lambda item: self.item.stripped(item, strip))

    def read(self, value: Any, stored: bool = True) -> Any:
        if self.is_plain and (stored or self.item is PLAIN):
            return _json.copy(self.compared(value))
        return self._over(value, self.item.read, stored)

    def _over(self, value: Any, act: Callable[..., Any], stored: bool) -> Any:
        return over_container(self.container, value, partial(act, stored=stored))


Form: TypeAlias = PlainForm | ObjectForm | EachForm
"""How the values of one side are written to a bag and read from it.

Without `stored` it is the form on the wire: without bags, with reserved names as user data; what is
read is the result of a function, which is checked. `is_plain` says that the values contain no
objects of generated types.
"""
PLAIN: Final = PlainForm()


def over_container(container: type[Any], value: Any, act: Callable[[Any], Any]) -> Any:
    """Apply `act` to the elements of a JSON list or object; nulls are kept. Raises WrongKind."""
    if container is list:
        return [None if item is None else act(item) for item in json_list(value)]
    return {key: None if item is None else act(item) for key, item in json_object(value).items()}

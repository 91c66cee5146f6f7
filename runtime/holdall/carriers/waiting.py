"""Values that bags keep, and the bags of the objects in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from holdall.carriers.envelope import Bag
from holdall.objects.bag import BAG_MEMBER
from holdall.objects.per_type import PerType
from holdall.objects.shapes import ValueShape, holders_of
from holdall.objects.views import StorageObject
from holdall.text.pointer import join
from holdall.types import JsonValue, is_json_object

_Find: TypeAlias = Callable[[Any], bool]


class Waiting:
    """A property whose values bags may keep; there are objects in them."""

    __slots__ = ("_shape", "has_bags")

    def __init__(self, shape: ValueShape) -> None:
        self._shape = shape
        # Most have none, and `bags` works out addresses on the way.
        self.has_bags = _find_in(shape)

    def bags(self, value: JsonValue, address: str) -> Iterator[tuple[str, Any, Bag]]:
        """Yield the bags in the stored JSON of a value: address, type of the holder, bag."""
        return _bags(self._shape, value, address)


def _bags(shape: ValueShape, value: JsonValue, address: str) -> Iterator[tuple[str, Any, Bag]]:
    if isinstance(value, dict):
        if shape.container == "map" and shape.item is not None:
            for key, item in value.items():
                yield from _bags(shape.item, item, join(address, key))
        elif shape.type is not None and issubclass(shape.type, StorageObject):
            bag = value.get(BAG_MEMBER)
            if isinstance(bag, dict):  # on its way, or as it was read
                origins = {it: entries for it, entries in bag.items() if is_json_object(entries)}
                yield address, shape.type, origins
            for name, member in holders_of(shape.type).items():
                yield from _bags(member.value, value.get(name), join(address, name))
    elif isinstance(value, list) and shape.container == "list" and shape.item is not None:
        for index, item in enumerate(value):
            yield from _bags(shape.item, item, join(address, index))


def _find_in(shape: ValueShape) -> _Find:
    """Return what tells whether there are bags in a value of a shape, as `_bags` finds them."""
    if shape.type is not None:
        return _FINDS.of(shape.type)
    if shape.item is None:
        return lambda _: False
    find, kind = _find_in(shape.item), dict if shape.container == "map" else list

    def find_in(value: Any) -> bool:
        if type(value) is not kind:
            return False
        items: Any = value.values() if isinstance(value, dict) else value
        for item in items:  # noqa: SIM110 - any() takes twice the time
            if find(item):
                return True
        return False

    return find_in


def _make_finder(cls: Any) -> Iterator[_Find]:
    """Make what tells of objects of a type whether they have bags, they or objects within."""
    steps: list[tuple[str, _Find]] = []

    def find(value: Any) -> bool:
        if type(value) is not dict:
            return False
        if BAG_MEMBER in value:
            return True
        for name, find_in in steps:  # noqa: SIM110
            if name in value and find_in(value[name]):
                return True
        return False

    yield find
    steps.extend((name, _find_in(member.value)) for name, member in holders_of(cls).items())


_FINDS: Final = PerType(_make_finder)

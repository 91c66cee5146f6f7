"""Properties that change their nesting level between two versions.

Source: property-conversion contract, section 2 step 3.
"""

from __future__ import annotations

from typing import Any

from holdall.bag import CREATED_KEY, OpenBag, PropertyBag
from holdall.conversions import Conversion
from holdall.objects import StorageObject
from holdall.pairs import Pair
from holdall.shapes import shape_of

_Step = tuple[type[StorageObject], str]


class MovePath:
    """A path of wire names from a twin of `version` to a property of a nested object.

    Each step names the type it starts from; the last step names the property itself.
    """

    __slots__ = ("parents", "steps", "version")

    def __init__(self, version: str, *steps: _Step) -> None:
        self.version = version
        self.steps = steps
        self.parents = steps[:-1]

    @property
    def key(self) -> str:
        """The path as a bag key."""
        return "/".join(name for _, name in self.steps)

    def holder(self, root: StorageObject) -> StorageObject | None:
        """Return the object that holds the property, none if a parent is absent."""
        found: StorageObject | None = root
        for cls, name in self.parents:
            if found is None:
                return None
            found = getattr(found, _attribute(cls, name))
        return found

    def create_holder(self, root: StorageObject, origin: str) -> StorageObject:
        """Return the object that holds the property; missing parents are made and marked."""
        found = root
        for (cls, name), (parent_type, _) in zip(self.parents, self.steps[1:], strict=True):
            attribute = _attribute(cls, name)
            parent: StorageObject | None = getattr(found, attribute)
            if parent is None:
                was_null = found.extra_.pop(name, 0) is None
                parent = parent_type()
                mark = "null" if was_null else "absent"
                parent.property_bag = PropertyBag({origin: {CREATED_KEY: mark}})
                setattr(found, attribute, parent)
            found = parent
        return found


class Move:
    """A property at one path of the older twin and another path of the newer one."""

    __slots__ = ("_newer", "_older", "_pair")

    def __init__(
        self,
        older: MovePath,
        newer: MovePath,
        conversion: Conversion,
        *,
        misfit_is_error: bool = False,
    ) -> None:
        self._older, self._newer = older, newer
        self._pair = Pair(
            (older.version, older.key),
            (newer.version, newer.key),
            conversion,
            misfit_is_error=misfit_is_error,
        )

    def to(self, source: StorageObject, destination: StorageObject, bag: OpenBag) -> None:
        """Move the property from the older to the newer path."""
        self._move(self._older, self._newer, source, destination, bag)

    def back(self, source: StorageObject, destination: StorageObject, bag: OpenBag) -> None:
        """Move the property from the newer to the older path."""
        self._move(self._newer, self._older, source, destination, bag)

    def _move(
        self,
        left: MovePath,
        entered: MovePath,
        source: StorageObject,
        destination: StorageObject,
        bag: OpenBag,
    ) -> None:
        cls, name = left.steps[-1]
        holder = left.holder(source)
        value = None if holder is None else getattr(holder, _attribute(cls, name))
        is_null = holder is not None and value is None and name in holder.extra_
        convert = self._pair.to if left is self._older else self._pair.back
        moved = convert(value, bag, is_null=is_null)
        _forget(left, source, destination, bag, entered.version)
        if moved is not None or is_null:
            target = entered.create_holder(destination, left.version)
            target_type, target_name = entered.steps[-1]
            setattr(target, _attribute(target_type, target_name), moved)
            if is_null:
                target.extra_[target_name] = None


def _forget(
    left: MovePath,
    source: StorageObject,
    destination: StorageObject,
    bag: OpenBag,
    entered: str,
) -> None:
    """Take the moved value out of what the parents' own conversion made of it.

    A parent that an earlier move created, and that is otherwise empty, goes back to what was
    there before.
    """
    if not left.parents:
        return
    names = [name for _, name in left.steps]
    top_type, top = left.steps[0]
    stored = bag.get(left.version, {}).get(top)
    if isinstance(stored, dict):
        inner: Any = stored
        for name in names[1:-1]:
            inner = inner.get(name) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            inner.pop(names[-1], None)
    twin: Any = destination
    for cls, name in left.parents:
        attribute = shape_of(type(twin)).attributes.get(name) if twin is not None else None
        twin = getattr(twin, attribute) if attribute else None
        del cls
    if isinstance(twin, StorageObject) and twin.property_bag is not None:
        twin.property_bag.drop(left.version, names[-1])
        twin.property_bag = twin.property_bag or None
    mark = _created_mark(getattr(source, _attribute(top_type, top)), left, entered)
    if mark is None:
        return
    if isinstance(stored, dict):
        bag.drop(left.version, top)
        if mark == "null":
            bag.put(left.version, top, None)
        return
    attribute = shape_of(type(destination)).attributes.get(top)
    if attribute is not None:
        setattr(destination, attribute, None)
        if mark == "null":
            destination.extra_[top] = None


def _created_mark(parent: StorageObject | None, left: MovePath, origin: str) -> str | None:
    """Return what a parent was before a move created it, if it holds nothing but moved values."""
    if parent is None or parent.property_bag is None:
        return None
    mark = parent.property_bag.get(origin, {}).get(CREATED_KEY)
    written = parent.write_members()
    written.pop("$propertyBag", None)
    moved = left.steps[1][1]
    entries = [key for _, key, _ in parent.property_bag.entries()]
    if set(written) <= {moved} and entries == [CREATED_KEY]:
        return str(mark)
    return None


def _attribute(cls: type[StorageObject], name: str) -> str:
    return shape_of(cls).attributes[name]

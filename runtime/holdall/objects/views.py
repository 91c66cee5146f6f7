"""Storage twins as typed views of members: reading and writing attributes reads and writes JSON.

Length: it is one mechanism, whose parts make no sense alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, ClassVar, Final, Generic, Self, TypeVar, overload

from typing_extensions import override

from holdall.errors import BagError, DecodeError
from holdall.objects import wire_forms
from holdall.objects.bag import BAG_MEMBER, ORIGINAL_VERSION_MEMBER, PropertyBag
from holdall.objects.base import Object
from holdall.objects.codec import json_object
from holdall.objects.container_kinds import checker, unread
from holdall.objects.shapes import (
    ValueShape,
    holds_objects,
    list_shape,
    members_of,
    objects_within,
)
from holdall.objects.stored_forms import (
    Lifted,
    bare,
    closed,
    lifted_bag,
    stored_bags,
    taken_in,
)
from holdall.objects.view_type import ViewType
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue, Members

T = TypeVar("T")
Level = type[list[Any]] | type[dict[Any, Any]] | type[Object] | Callable[[], Any]

_CONTAINERS: Final = frozenset({dict, list})
HIDDEN: Final = frozenset({BAG_MEMBER, ORIGINAL_VERSION_MEMBER})
OWN: Final = 0
"""The mode of a user's view: edits take effect at once."""
SOURCE: Final = 1
"""The mode of a hook's source: the hook gets copies of containers, so it cannot edit the source."""
DESTINATION: Final = 2
"""The mode of a hook's destination, which shares containers with the source until their use."""


class Member(Generic[T]):
    """A declared member, by wire name: a value, an object, or nested lists or maps of these.

    `levels` are the containers around an object or a value, outermost first, and finally the twin
    of the objects, if there are any: `Member("wheels", list, Wheel)`. A function may return a twin
    that is not defined yet. `keys` are those of the elements of a list of type map, `defaults` what
    an API server fills in, also for null, unless the member is `nullable`.
    """

    def __init__(
        self,
        name: str,
        *levels: Level,
        keys: tuple[str, ...] = (),
        defaults: tuple[JsonValue, ...] = (),
        nullable: bool = False,
    ) -> None:
        self.name = name
        self.pointer = join("", name)
        self.attribute = name
        self.levels = levels
        self.keys = keys
        self.defaults = defaults
        self.nullable = nullable

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute

    @cached_property
    def shape(self) -> ValueShape:
        """The shape of the member's value."""
        return _shape(self.levels, self.keys)

    @cached_property
    def nests(self) -> bool:
        """Whether there are objects in its values."""
        return holds_objects(self.shape)

    @overload
    def __get__(self, twin: None, owner: type) -> Self: ...
    @overload
    def __get__(self, twin: StorageObject, owner: type) -> T | None: ...
    def __get__(self, twin: StorageObject | None, owner: type) -> Any:
        if twin is None:
            return self
        value = twin.members_.get(self.name)
        if value is None or (type(value) not in _CONTAINERS and not self.levels):
            return value
        return twin._look(self, value)

    def __set__(self, twin: StorageObject, value: T | None) -> None:
        twin._assign(self, value)


def _shape(levels: tuple[Level, ...], keys: tuple[str, ...]) -> ValueShape:
    if not levels:
        return ValueShape("value")
    first, *rest = levels
    if first is list or first is dict:
        item = _shape(tuple(rest), keys)
        return list_shape(item, keys) if first is list else ValueShape("map", item=item)
    is_type = isinstance(first, type)
    held: Any = first if is_type else first()
    return ValueShape("object", type=held)


class StorageObject(Object, metaclass=ViewType):
    """Base of every storage twin: a view of the members of an object, all of them optional.

    `PRUNED` says that objects of other versions may leave members here that this version's schema
    does not declare, so that an API server would remove them.

    Two views are equal if they have the same type and equal members.
    """

    __slots__ = ("_looked", "_mode", "_touched", "members_")

    PRUNED: ClassVar[bool] = False
    VERSION: ClassVar[str] = ""
    RECORDS_VERSION: ClassVar[bool] = False

    def __init__(self, **values: Any) -> None:
        self.members_: Members = {}
        self._looked: dict[str, Any] = {}
        self._touched: set[str] = set()
        self._mode = OWN
        declared = type(self).declared_
        for attribute, value in values.items():
            if attribute not in declared and not (
                attribute in _ATTRIBUTES and hasattr(type(self), attribute)
            ):
                text = f"{type(self).__name__}() got an unexpected keyword argument {attribute!r}"
                raise TypeError(text)
            setattr(self, attribute, value)

    @classmethod
    def view_(cls, members: Members, mode: int = OWN) -> Self:
        """Return the view of members, which are not copied."""
        view = cls.__new__(cls)
        view.members_ = members
        view._looked = {}
        view._touched = set()
        view._mode = mode
        return view

    def adopt_(self, members: Members) -> None:
        """Become the view of other members, independent of the former ones."""
        self.members_ = members
        self._looked = {}
        self._touched = set()
        self._mode = OWN

    # --- attributes ---

    def _look(self, member: Member[Any], value: Any) -> Any:
        """Return what a hook gets for a container, the same at each access."""
        name, looked = member.name, self._looked
        if name in looked:
            return looked[name]
        self._touched.add(name)
        if member.nests:
            found = looked[name] = _opened(member.shape, value, self._mode)
            if self._mode == OWN:
                # Unions and tuples stay open below a view that user code made.
                self.members_[name] = _closed(member.shape, found, "", is_checked=False)
            return found
        if self._mode == OWN or type(value) not in _CONTAINERS:
            return value
        found = looked[name] = _json.copy_known(value)
        if self._mode == DESTINATION:
            self.members_[name] = found
        return found

    def _assign(self, member: Member[Any], value: Any) -> None:
        if self._mode == SOURCE:
            self._part()
        name = member.name
        if name in self._looked:
            del self._looked[name]
        self._touched.add(name)
        if value is None:
            if self.members_.get(name) is not None:  # a null stays
                del self.members_[name]
        elif member.nests:
            self._looked[name] = value
            if self._mode == OWN:
                self.members_[name] = _closed(member.shape, value, "", is_checked=False)
            else:
                self.members_[name] = value  # until it is settled
        else:
            self.members_[name] = value

    def _part(self) -> None:
        """Copy the members before a hook writes to its source."""
        if self._mode == SOURCE:
            self.members_ = {**self.members_}

    @property
    def property_bag(self) -> PropertyBag | None:
        """The bag, None without one."""
        if BAG_MEMBER not in self.members_:
            return None
        bag: Any = self.members_[BAG_MEMBER]
        if self._mode == SOURCE:
            if BAG_MEMBER not in self._looked:
                self._looked[BAG_MEMBER] = PropertyBag.clone(bag)
            copied: PropertyBag = self._looked[BAG_MEMBER]
            return copied
        if isinstance(bag, PropertyBag):
            return bag
        wrapped = self.members_[BAG_MEMBER] = PropertyBag(bag)
        return wrapped

    @property_bag.setter
    def property_bag(self, bag: PropertyBag | None) -> None:
        self._part()
        self._looked.pop(BAG_MEMBER, None)
        if bag is None:
            self.members_.pop(BAG_MEMBER, None)
        else:
            self.members_[BAG_MEMBER] = bag

    @property  # type: ignore[override]
    def extra_(self) -> MutableMapping[str, Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The members that the type does not declare, and the declared ones that are null."""
        return Extras(self)

    @extra_.setter
    def extra_(self, values: Mapping[str, Any]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        extras, given = Extras(self), dict(values)
        for name in HIDDEN.intersection(given):
            raise _not_extra(name)
        for name in [*extras]:  # `clear` would search from the start for each
            del extras[name]
        extras.update(given)

    def replace_(self, names: AbstractSet[str], values: Members) -> None:
        """Replace members by `values`."""
        for name in names:
            self._looked.pop(name, None)
            self.members_.pop(name, None)
        self.members_.update(values)

    # --- settling: views back to members ---

    def settled_(self) -> Members:
        """Return the members, with changes in views of nested objects."""
        if self._mode == DESTINATION:
            self.settle_()
        elif self._looked:
            self._part()
            for name, found in self._looked.items():
                member = type(self).named_.get(name)
                if member is not None and member.nests:
                    found = _closed(member.shape, found, "", is_checked=False)
                self.members_[name] = found
        return self.members_

    def settle_(self, path: str = "") -> Members:
        """Write a hook's results into the members. Raises DecodeError for what is not JSON.

        A view that the hook made itself is checked completely.
        """
        members, looked, named = self.members_, self._looked, type(self).named_
        names: Iterable[str] = self._touched if self._mode == DESTINATION else members
        for name in sorted(names):
            if name in HIDDEN:
                continue
            value = looked[name] if name in looked else members.get(name)
            if value is None:
                continue
            if name not in named:
                checked: Any = _json.copy_checked({name: value}, path)
                members.update(checked)
                continue
            member, kind = named[name], type(value)
            if member.levels and (member.nests or kind is not member.levels[0]):
                if (
                    name not in looked and member.nests
                ):  # values from a converter that were not accessed
                    value = _opened(member.shape, value, OWN)
                members[name] = _closed(member.shape, value, path + member.pointer, is_checked=True)
            elif kind is not bool and not (kind is str and value.isascii()):
                members[name] = _json.copy_checked(value, path + member.pointer)
        looked.clear()
        self._touched.clear()
        return members

    def is_touched_(self) -> bool:
        """Return whether a hook may have left changes to settle."""
        return bool(self._touched)

    # --- JSON ---

    @classmethod
    @override
    def read_members(cls, members: Any, stored: bool = True) -> Self:
        """Return the view of a copy of members: stored ones, or those of an API document."""
        if not checker(cls)(members):
            raise unread(cls, members)
        copied = _json.copy(cls.open_wire(members))
        return cls.view_(stored_bags(cls, copied) if stored else taken_in(cls, copied))

    @override
    def write_members(self, lifted: Lifted | None = None) -> Any:
        """Return a copy of the members; bags go into `$propertyBag`, or into `lifted` if given."""
        members = self.settled_()
        if lifted is None:
            return _json.copy(closed(type(self), members))
        found: Lifted = []
        # A copy, because walking the objects opens unions, which the bare members share.
        written = _json.copy(bare(type(self), members, found))
        if found:
            for _, obj in objects_within(self):
                if isinstance(obj, StorageObject):
                    bag = lifted_bag(type(obj), obj.members_)
                    if bag is not None:
                        lifted.append((obj, bag))
        return written

    @classmethod
    @override
    def schema(cls, **options: Any) -> Any:
        """Raise TypeError: dataclasses-json makes schemas only of dataclasses."""
        text = f"{cls.__name__} is a storage twin of {cls.VERSION}, a view of JSON members"
        raise TypeError(f"{text}: it has no marshmallow schema; use that of the API type")

    def api_members_(self) -> Any:
        """Return a copy of the object in the form of an API document, without bags."""
        return _json.copy(bare(type(self), self.settled_()))

    # --- values ---

    @override
    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, StorageObject):
            return NotImplemented
        return bool(self.write_members() == other.write_members())

    __hash__ = None  # type: ignore[assignment]

    @override
    def __repr__(self) -> str:
        parts = [f"{name}={getattr(self, name)!r}" for name in type(self).declared_]
        return f"{type(self).__name__}({', '.join(parts)})"

    def __copy__(self) -> Self:
        return type(self).view_({**self.settled_()})

    def __deepcopy__(self, memo: Any) -> Self:
        return type(self).view_(_json.copy(self.settled_()))

    @override
    def __reduce__(self) -> Any:
        return type(self).view_, (_json.copy(self.settled_()),)


class StorageRoot(StorageObject):
    """Base of the storage twins of kinds: apiVersion and kind belong to the class."""

    API_VERSION: ClassVar[str]
    KIND: ClassVar[str]
    HEAD: ClassVar[Mapping[str, Any]]
    """The head of stored documents, usually `apiVersion` and `kind`."""
    MAY_SAY: ClassVar[Mapping[str, Any]]
    """The optional version member: documents that have it keep it as their own property."""
    OTHERS: ClassVar[Mapping[str, Sequence[Any]]]
    """Values instead of those of `HEAD`, which documents also keep as their own property."""

    @classmethod
    @override
    def from_dict(cls, kvs: Mapping[str, Any], *, infer_missing: bool = False) -> Self:
        """Return the twin of a stored document, which is not changed."""
        members = {**json_object(kvs)}
        own = {
            name: members[name]
            for name, others in cls.OTHERS.items()
            if any(_json.same(members.get(name), other) for other in others)
        }
        known = {**cls.MAY_SAY, **cls.HEAD, **own}
        found = {name: members.get(name, said) for name, said in known.items()}
        for name in cls.HEAD.keys() - own.keys():
            members.pop(name, None)
        if not _json.same(found, known):
            expected, other = (" ".join(map(str, it.values())) for it in (known, found))
            raise DecodeError(f"expected {expected}, found {other}")
        return super().from_dict(members)

    @override
    def to_dict(self, encode_json: bool = False) -> dict[str, Any]:
        """Return the stored document, with its head."""
        return {**self.HEAD, **self.write_members()}


class StorageUnion(StorageObject):
    """Base of the storage twins of unions: views of their opened form."""

    FORM = "union"
    open_wire = staticmethod(wire_forms.opened_union)
    close_wire = staticmethod(wire_forms.close_union)


class StorageTuple(StorageObject):
    """Base of the storage twins of tuples: views of their opened form."""

    FORM = "tuple"
    open_wire = staticmethod(wire_forms.opened_tuple)
    close_wire = staticmethod(wire_forms.close_tuple)


class RecordedVersion:
    """The version in which an object was written; on the twins that record it."""

    @overload
    def __get__(self, twin: None, owner: type) -> Self: ...
    @overload
    def __get__(self, twin: StorageObject, owner: type) -> str | None: ...
    def __get__(self, twin: StorageObject | None, owner: type) -> Any:
        return self if twin is None else twin.members_.get(ORIGINAL_VERSION_MEMBER)

    def __set__(self, twin: StorageObject, version: str | None) -> None:
        if version is None:
            twin.members_.pop(ORIGINAL_VERSION_MEMBER, None)
        else:
            twin.members_[ORIGINAL_VERSION_MEMBER] = version


_ATTRIBUTES: Final = frozenset({"property_bag", "original_version", "extra_"})


class Extras(MutableMapping[str, Any]):
    """The extras of a view, as a mapping onto its members."""

    __slots__ = ("_declared", "_view")

    def __init__(self, view: StorageObject) -> None:
        self._view = view
        self._declared = members_of(type(view))

    def _is_extra(self, name: str, value: Any) -> bool:
        return (value is None or name not in self._declared) and name not in HIDDEN

    @override
    def __getitem__(self, name: str) -> Any:
        view = self._view
        value = view.members_[name]
        if not self._is_extra(name, value):
            raise KeyError(name)
        if type(value) not in _CONTAINERS or view._mode == OWN:
            return value
        found = view._looked.get(name)
        if found is None:
            found = view._looked[name] = _json.copy_known(value)
            view._touched.add(name)
            if view._mode == DESTINATION:
                view.members_[name] = found
        return found

    @override
    def __setitem__(self, name: str, value: Any) -> None:
        view = self._view
        if name in HIDDEN:
            raise _not_extra(name)
        if name in self._declared and view.members_.get(name) is not None:
            return  # the value overrides the null
        view._part()
        view._looked.pop(name, None)
        view._touched.add(name)
        view.members_[name] = value

    @override
    def __delitem__(self, name: str) -> None:
        if not self._is_extra(name, self._view.members_[name]):
            raise KeyError(name)
        self._view._part()
        self._view._looked.pop(name, None)
        del self._view.members_[name]

    @override
    def __iter__(self) -> Iterator[str]:
        members = self._view.members_
        return iter([name for name, value in members.items() if self._is_extra(name, value)])

    @override
    def __len__(self) -> int:
        return sum(1 for _ in self)

    @override
    def __repr__(self) -> str:
        return repr(dict(self))


def _not_extra(name: str) -> BagError:
    attribute = "property_bag" if name == BAG_MEMBER else "original_version"
    text = f"{name!r} is not an extra of a storage twin; set the attribute `{attribute}` instead"
    return BagError(text)


def _opened(shape: ValueShape, value: Any, mode: int) -> Any:
    """Return views for the objects in a value; those of a destination have their own members."""
    if value is None or isinstance(value, Object):
        return value
    if shape.type is not None:
        cls: Any = shape.type
        members = cls.open_wire(value)
        return cls.view_({**members} if mode == DESTINATION else members, mode)
    if shape.item is None:
        return value
    if type(value) is list:
        return [_opened(shape.item, item, mode) for item in value]
    return {key: _opened(shape.item, item, mode) for key, item in value.items()}


def _closed(shape: ValueShape, value: Any, path: str, *, is_checked: bool) -> Any:
    """Return the JSON of a view's value; plain values are copied. Raises DecodeError."""
    if value is None:
        return None
    if shape.type is not None:
        if not isinstance(value, shape.type):
            names = (f"{each.__module__}.{each.__name__}" for each in (shape.type, type(value)))
            expected, found = names
            raise DecodeError(f"expected {expected}, found {found}", path)
        view: Any = value
        return type(view).close_wire(view.settle_(path)) if is_checked else view.settled_()
    if shape.item is not None:
        container = list if shape.container == "list" else dict
        if type(value) is not container:
            raise DecodeError(f"expected {container.__name__}, found {type(value).__name__}", path)
    if shape.item is None or not holds_objects(shape.item):
        return _json.copy_checked(value, path)
    if type(value) is dict:
        _json.copy_checked(dict.fromkeys(value), path)
        return {
            key: _closed(shape.item, item, join(path, key), is_checked=is_checked)
            for key, item in value.items()
        }
    return [
        _closed(shape.item, item, join(path, index), is_checked=is_checked)
        for index, item in enumerate(value)
    ]

"""Fast checks, in C, that containers are where types have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any, Final, NamedTuple, TypeAlias

from holdall.errors import DecodeError
from holdall.objects.bag import BAG_MEMBER, RESERVED, USER_KEYS
from holdall.objects.base import Object, explain
from holdall.objects.codec import json_list, json_object
from holdall.objects.per_type import PerType
from holdall.objects.shapes import ValueShape, holds_objects, shape_of, wrong_members
from holdall.objects.stored_forms import stored_bags
from holdall.text import json as _json

Check: TypeAlias = Callable[[Any], bool]
Ways: TypeAlias = Mapping[Any, frozenset[str]]


def read_entry(cls: Any, name: str, value: Any) -> Any:
    """Return a bag entry of a property in the form of stored members. Raises DecodeError."""
    return _read(shape_of(cls).members[name].value, value)


def _read(shape: ValueShape, value: Any) -> Any:
    if value is None or shape.container == "value":
        return value
    if shape.type is not None:
        return read_object(shape.type, value)
    is_list = shape.container == "list"
    checked: Any = json_list(value) if is_list else json_object(value)
    if shape.item is None or not holds_objects(shape.item):
        return value
    if is_list:
        return [_read(shape.item, item) for item in checked]
    return {key: _read(shape.item, item) for key, item in checked.items()}


def read_object(cls: Any, value: Any) -> Any:
    """Return a stored object with its bags read; its values are shared. Raises DecodeError."""
    if not checker(cls)(value):
        raise explain(cls, value, DecodeError("it does not fit its type"))
    opened = cls.open_wire(value)
    read = stored_bags(cls, opened)
    return value if read is opened else cls.close_wire(read)


def unread(cls: Any, value: Any) -> DecodeError:
    """Return the error of a function's result that does not have a type: without a path."""
    for _, text in wrong_members(cls, value):
        return DecodeError(text)
    return DecodeError("it does not fit its type")


@cache
def checker(cls: Any) -> Check:
    """Return a check that containers are where a type and the types in it have them."""
    shape = _kinds(cls, {}, _Rules())
    return _CHECKS.of(cls) if shape is None else _json.kinds_checker(shape)


@cache
def clean_checker(cls: Any) -> Check:
    """Return a check that an object of a type needs no further look.

    If it succeeds, containers are where the types have them, and no object that an API server would
    prune has an undeclared member, except its bag. If it fails, nothing is known.
    """
    return extras_checker(cls, None)


def extras_checker(cls: Any, ways: Ways | None) -> Check:
    """Return the same check for the contents of some members, by type."""
    shape = _kinds(cls, {}, _Rules(only_declared=True, ways=ways))
    return (lambda _: False) if shape is None else _json.kinds_checker(shape)


def stored_checker(shapes: Mapping[str, ValueShape]) -> Check:
    """Return a check that a twin reads and writes members unchanged.

    It is that of `value_checker`, including the contents of containers of plain values.
    """
    kinds: dict[str, Any] = {}
    checks: list[tuple[str, Check]] = []
    for name, shape in shapes.items():
        deep = not holds_objects(shape)
        check = value_checker(shape, stored=True, deep=deep)
        if check is not None:
            checks.append((name, check))
            kinds[name] = _kinds_of_value(shape, {}, _Rules(stored=True, deep=deep))
    fast = None if None in kinds.values() else _json.kinds_of("Members", kinds)
    if fast is not None:
        return _json.kinds_checker(fast) if kinds else lambda _: True
    return lambda members: all(
        members.get(name) is None or check(members[name]) for name, check in checks
    )


class _Rules(NamedTuple):
    """What to check.

    With `only_declared`, objects that an API server would prune have no undeclared members. With
    `ways`, only these members are checked, by type. With `stored`, objects have no reserved names.
    With `deep`, the contents of containers of plain values are checked.
    """

    only_declared: bool = False
    ways: Ways | None = None
    stored: bool = False
    deep: bool = False


def _kinds(cls: Any, known: dict[Any, Any], rules: _Rules) -> Any:
    """Return the shape of a type for a checking decoder; None if that cannot check it."""
    if cls.open_wire is not Object.open_wire:
        return None  # on the wire it is not an object
    if cls not in known:
        known[cls] = None  # recursive types have none
        closed = rules.only_declared and getattr(cls, "PRUNED", False)
        members: dict[str, Any] = {BAG_MEMBER: _kinds_of_bag(cls)} if closed else {}
        for name, member in shape_of(cls).members.items():
            if member.value.container != "value" and (
                rules.ways is None or name in rules.ways[cls]
            ):
                kinds = _kinds_of_value(member.value, known, rules)
                if kinds is None:
                    return None
                members[name] = kinds
            elif closed:
                members[name] = Any
        if rules.stored:
            members |= dict.fromkeys(RESERVED, _json.NEVER)
        known[cls] = _json.kinds_of(cls.__name__, members, closed=closed)
    return known[cls]


def _kinds_of_bag(cls: Any) -> Any:
    """Return the shape of a bag that keeps no undeclared members under reserved names."""
    own = _json.kinds_of("Own", dict.fromkeys(USER_KEYS, _json.NEVER))
    return _json.kinds_of("Bag", {cls.VERSION: own})


def _kinds_of_value(shape: ValueShape, known: dict[Any, Any], rules: _Rules) -> Any:
    if shape.type is not None:
        kinds = _kinds(shape.type, known, rules)
        return None if kinds is None else kinds | None
    if shape.item is None:
        return Any
    inner: Any = Any
    if rules.deep or holds_objects(shape.item):
        inner = _kinds_of_value(shape.item, known, rules)
        if inner is None:
            return None
    return list[inner] | None if shape.container == "list" else dict[str, inner] | None


def _make_checker(stored: bool, cls: Any) -> Iterator[Check]:
    checks: list[tuple[str, Check]] = []
    is_opened = cls.open_wire is not Object.open_wire

    def check(value: Any) -> bool:
        if is_opened:
            value = None if stored else cls.open_wire(value)
        if type(value) is not dict:
            return False
        for name, passes in checks:
            member = value.get(name)
            if member is not None and not passes(member):
                return False
        return not stored or RESERVED.isdisjoint(value)

    yield check
    for name, member in shape_of(cls).members.items():
        passes = value_checker(member.value, stored=stored)
        if passes is not None:
            checks.append((name, passes))


_CHECKS: Final = PerType(partial(_make_checker, False))
_STORED_CHECKS: Final = PerType(partial(_make_checker, True))


def value_checker(shape: ValueShape, *, stored: bool = False, deep: bool = False) -> Check | None:
    """Return a check that a document may have a value; None if any value is allowed.

    With `stored` it checks that a twin reads and writes the value unchanged. A value that fails is
    not always wrong: it may be a union, or contain a reserved name. Contents of containers of plain
    values are only checked with `deep`.
    """
    if shape.type is not None:
        return (_STORED_CHECKS if stored else _CHECKS).of(shape.type)
    if shape.item is None:
        return None
    within = deep or holds_objects(shape.item)
    item = value_checker(shape.item, stored=stored, deep=deep) if within else None
    kind = list if shape.container == "list" else dict
    if item is None:
        return lambda value: type(value) is kind
    inner: Check = item

    def check(value: Any) -> bool:
        if type(value) is not kind:
            return False
        elements: Any = value.values() if type(value) is dict else value
        for element in elements:  # noqa: SIM110 - all() takes twice as long
            if element is not None and not inner(element):
                return False
        return True

    return check

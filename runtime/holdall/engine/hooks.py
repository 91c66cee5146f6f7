"""The API for hook authors: claims, the view of the bag, presence of members, shared hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from holdall.errors import BagError
from holdall.objects.bag import PropertyBag
from holdall.objects.base import Object
from holdall.objects.shapes import shape_of
from holdall.objects.tolerance import is_tolerated
from holdall.objects.views import HIDDEN, StorageObject
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue

F = TypeVar("F", bound=Callable[..., None])

BAG_PREFIX = "bag:"
EXTRA_PREFIX = "extra:"


@dataclass(frozen=True, slots=True)
class Claims:
    """What a hook handles in one direction, by wire name.

    A name is a property of the source (`reads`) or of the destination (`writes`),
    `extra:<name>` for an undeclared member, or `bag:<key>` for a value that the hook keeps in the
    bag for the way back. Raises TypeError for anything but a tuple or list of names.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    extras_read: frozenset[str] = field(init=False, repr=False)
    extras_written: frozenset[str] = field(init=False, repr=False)
    keys_read: frozenset[str] = field(init=False, repr=False)
    keys_written: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for keyword in ("reads", "writes"):
            given: Any = getattr(self, keyword)
            is_list = isinstance(given, (list, tuple))
            if not is_list or not all(isinstance(name, str) for name in given):
                raise TypeError(f"`{keyword}` of claims is not a list of strings")
            object.__setattr__(self, keyword, tuple(given))
        for name, prefix, names in (
            ("extras_read", EXTRA_PREFIX, self.reads),
            ("extras_written", EXTRA_PREFIX, self.writes),
            ("keys_read", BAG_PREFIX, self.reads),
            ("keys_written", BAG_PREFIX, self.writes),
        ):
            own = frozenset(it.removeprefix(prefix) for it in names if it.startswith(prefix))
            object.__setattr__(self, name, own)

    def properties(self, names: Iterable[str]) -> frozenset[str]:
        """Return the claimed names that are properties."""
        return frozenset(name for name in names if not name.startswith((BAG_PREFIX, EXTRA_PREFIX)))


def claims(*, reads: Sequence[str] = (), writes: Sequence[str] = ()) -> Callable[[F], F]:
    """Declare what one direction of a hook reads and writes, by wire name.

    Claimed properties leave the bag by themselves; hooks need no bag housekeeping. Raises TypeError
    for anything but a list of names, and for a second `@claims`.
    """
    claimed = Claims(reads, writes)  # type: ignore[arg-type]  # made tuples there

    def declare(method: F) -> F:
        if hasattr(method, "__holdall_claims__"):
            raise TypeError("@claims is above it more than once")
        method.__holdall_claims__ = claimed  # type: ignore[attr-defined]
        return method

    return declare


class BagView:
    """What a hook sees of the bag: the keys it claims.

    `put` keeps a value for the way back, under the source version; `get` and `pull` return what was
    kept when the destination version was left. Values are copied in and out. A kept value is a
    hint: use it only if it agrees with the live value.
    """

    __slots__ = ("_bag", "_claims", "_entered", "_left", "_twin")

    def __init__(
        self,
        twin: StorageObject,
        left: str,
        entered: str,
        allowed: Claims,
        bag: PropertyBag | None,
    ) -> None:
        self._twin = twin
        self._left = left
        self._entered = entered
        self._claims = allowed
        self._bag = bag

    def __contains__(self, key: str) -> bool:
        return self._waiting(key) is not None

    def get(self, key: str, default: JsonValue = None) -> JsonValue:
        """Return a copy of the value kept under `key`, `default` if there is none."""
        bag = self._waiting(key)
        return default if bag is None else _json.copy(bag[self._entered][key])

    def pull(self, key: str, default: JsonValue = None) -> JsonValue:
        """Remove the value kept under `key` and return it, `default` if there is none."""
        value = self.get(key, default)
        self.drop(key)
        return value

    def drop(self, key: str) -> None:
        """Remove the value kept under `key` if there is one."""
        if (bag := self._waiting(key)) is not None:
            bag.drop(self._entered, key)

    def set_aside(self, key: str, source: StorageObject, reason: str) -> bool:
        """Set aside a value that cannot be used, if that is tolerated; return whether it is."""
        bag = self._waiting(key)
        if bag is None or not is_tolerated(source, self._entered, key, reason):
            return False
        bag.set_aside(self._left, self._entered, key)
        return True

    def put(self, key: str, value: JsonValue) -> None:
        """Keep a JSON value, even null, for the way back. Raises DecodeError for other values."""
        self._allow(key, self._claims.keys_written, "writes")
        copied = _json.copy_checked(value, join("", f"{BAG_PREFIX}{key}"))
        bag = self._twin.property_bag
        if bag is None:
            bag = self._bag = self._twin.property_bag = PropertyBag()
        bag.put(self._left, key, copied)

    def _waiting(self, key: str) -> PropertyBag | None:
        """Return the bag if it has a value under `key`."""
        self._allow(key, self._claims.keys_read, "reads")
        bag = self._bag or self._twin.property_bag
        return bag if bag is not None and bag.has(self._entered, key) else None

    def _allow(self, key: str, keys: frozenset[str], verb: str) -> None:
        if key not in keys:
            raise BagError(
                f'the hook does not claim the bag key {key!r}; add "{BAG_PREFIX}{key}" to {verb}'
            )


def is_null(obj: Object, name: str) -> bool:
    """Return whether the member with the wire name `name` is an explicit null."""
    if isinstance(obj, StorageObject):
        return name in obj.members_ and obj.members_[name] is None and name not in HIDDEN
    attribute = shape_of(type(obj)).attributes.get(name)
    set_ = attribute is not None and getattr(obj, attribute) is not None
    return not set_ and name in obj.extra_ and obj.extra_[name] is None


def set_null(obj: Object, name: str) -> None:
    """Make the member with the wire name `name` an explicit null."""
    set_absent(obj, name)
    obj.extra_[name] = None


def set_absent(obj: Object, name: str) -> None:
    """Remove the member with the wire name `name`."""
    attribute = shape_of(type(obj)).attributes.get(name)
    if attribute is not None:
        setattr(obj, attribute, None)
    obj.extra_.pop(name, None)


class SharedHook:
    """A hook for many edges: subclass it, add parameters, and compose it where you need it.

    The claims may depend on the parameters. `source` and `destination` are storage twins of any
    type with the claimed members.
    """

    def claims_to(self) -> Claims:
        """Return what the conversion to the newer version reads and writes."""
        raise NotImplementedError(type(self))

    def claims_from(self) -> Claims:
        """Return what the conversion from the newer version reads and writes."""
        raise NotImplementedError(type(self))

    def assign_properties_to(self, source: Any, destination: Any, bag: BagView) -> None:
        raise NotImplementedError(type(self))

    def assign_properties_from(self, source: Any, destination: Any, bag: BagView) -> None:
        raise NotImplementedError(type(self))


class Composed:
    """Mixin for a hook composed of shared hooks, which run in the order of `parts`.

    `class PoolHooks(Composed, AssignablePool): parts = (Tls(service="host"),)`
    """

    parts: ClassVar[tuple[SharedHook, ...]] = ()

    def assign_properties_to(self, source: Any, destination: Any, bag: BagView) -> None:
        """Never called: the engine runs each part with a bag view of its own."""

    def assign_properties_from(self, source: Any, destination: Any, bag: BagView) -> None:
        """Never called: the engine runs each part with a bag view of its own."""

"""The property bag: what an object holds that its present version cannot express."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from holdall import json as _json
from holdall.errors import BagError, DecodeError, HoldallError
from holdall.pointer import join
from holdall.types import JsonValue, json_kind

if TYPE_CHECKING:
    from holdall.objects import StorageObject

BAG_MEMBER = "$propertyBag"
ORIGINAL_VERSION_MEMBER = "$originalVersion"
CREATED_KEY = "$created"
RESIDUE_PREFIX = "residue:"
ANNOTATION_DOMAIN = "holdall.dev"
RESERVED = frozenset({BAG_MEMBER, ORIGINAL_VERSION_MEMBER, CREATED_KEY})

# Where user data under a reserved name waits. That of `$created` must not be taken for the mark
# of a move, which may have the same origin in the bag of another version's object.
USER_KEYS = {f"${name}" if name == CREATED_KEY else name: name for name in sorted(RESERVED)}


class PropertyBag(dict[str, dict[str, JsonValue]]):
    """Values by origin version, then by the wire name of the property.

    Shape: `{"v20210101": {"poolQuota": 100}}`; a value has the shape of its origin version, so
    two shapes of one name coexist. No origin is ever empty.
    """

    __slots__ = ()

    @classmethod
    def read(cls, value: Any) -> PropertyBag | None:
        """Return the bag that `$propertyBag` holds, none if it is empty.

        Raises DecodeError if the bag or an origin is no JSON object.
        """
        if type(value) is not dict:
            raise DecodeError(f"expected object, found {json_kind(value)}", f"/{BAG_MEMBER}")
        for origin, entries in value.items():
            if type(entries) is not dict:
                raise DecodeError(
                    f"expected object, found {json_kind(entries)}", join(f"/{BAG_MEMBER}", origin)
                )
        return cls({origin: entries for origin, entries in value.items() if entries}) or None

    @classmethod
    def clone(cls, bag: PropertyBag | None) -> PropertyBag:
        """Return a deep copy of a bag, an empty bag for none."""
        return cls() if bag is None else cls(_json.copy(dict(bag)))

    def write(self) -> dict[str, JsonValue]:
        """Return the bag as the JSON value of `$propertyBag`, sharing nothing with it."""
        return {**_json.copy(dict(self))}

    def entries(self) -> Iterator[tuple[str, str, JsonValue]]:
        """Yield origin, key and value of every entry, in order."""
        for origin, entries in self.items():
            for key, value in entries.items():
                yield origin, key, value

    def has(self, origin: str, key: str) -> bool:
        """Tell whether there is an entry, null included."""
        return key in self.get(origin, ())

    def put(self, origin: str, key: str, value: JsonValue) -> None:
        """Keep a JSON value, null included, under its origin; an earlier entry is overwritten."""
        self.setdefault(origin, {})[key] = value

    def stash(self, origin: str, key: str, value: Any) -> None:
        """Keep a copy of a property's value; an absent one (None) has no entry."""
        if value is not None:
            self.put(origin, key, _json.copy(value) if type(value) in _CONTAINERS else value)

    def drop(self, origin: str, key: str) -> None:
        """Remove an entry if there is one."""
        self.take(origin, key)

    def take(self, origin: str, key: str, default: Any = None) -> Any:
        """Remove an entry and return its JSON value, `default` if there is none."""
        entries = self.get(origin)
        if entries is None or key not in entries:
            return default
        value = entries.pop(key)
        if not entries:
            del self[origin]
        return value

    def drop_all(self, origin: str, dropped: frozenset[str]) -> None:
        """Remove the entries of an origin whose keys are in `dropped`."""
        entries = self.get(origin)
        if entries is not None:
            for key in dropped.intersection(entries):
                del entries[key]
            if not entries:
                del self[origin]


class OpenBag(PropertyBag):
    """A clone of the source's bag while one conversion runs: stashed into and pulled from."""

    __slots__ = ("destination", "source")

    source: StorageObject
    destination: StorageObject

    def pull(self, origin: str, key: str, read: Callable[[Any], Any] | None = None) -> Any:
        """Remove an entry and return it as `read` makes it; None if there is none.

        A null entry is remembered beside the property `key` of the destination. Raises BagError,
        with the entry still in place, if the entry is not of its origin's shape.
        """
        if not self or not self.has(origin, key):
            return None
        value = self[origin][key]
        if value is None:
            self.destination.extra_[key] = None
        elif read is not None:
            try:
                value = read(value)
            except DecodeError as error:
                raise self.wrong_entry(origin, key, error) from error
        self.take(origin, key)
        return value

    def wrong_entry(self, origin: str, key: str, error: HoldallError) -> BagError:
        """Return the error that says that an entry cannot be used, and of which object."""
        path = error.path if isinstance(error, DecodeError) else ""
        text = error.message if isinstance(error, DecodeError) else str(error)
        return BagError(f"bag entry {origin}/{key}{path}: {text}", self.source)


_CONTAINERS = frozenset({dict, list})

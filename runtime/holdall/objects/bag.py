"""The property bag: what an object holds that its current version cannot express."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final, Self, TypeAlias

from holdall.errors import DecodeError
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue, is_json_object, json_kind

Bag: TypeAlias = "dict[str, dict[str, JsonValue]]"
"""The entries of a bag by origin and key."""
BAG_MEMBER = "$propertyBag"
ORIGINAL_VERSION_MEMBER = "$originalVersion"
CREATED_KEY = "$created"
ABSENT_KEY = "$absent"
BECAME_KEY = "$became"
WHOLE_KEY = "$value"
SHOWN_KEY = "$shown"
UNUSED_KEY = "$unused"
UNFIT_KEY = "$unfit"
GONE_KEY = "$gone"
BESIDE_KEY = "$beside"
RESIDUE_PREFIX = "residue:"
ANNOTATION_DOMAIN = "holdall.dev"
# Prefix of the member of a stand-in, an object that replaces a value of a wrong kind.
STAND_IN = "$mistyped"
# Marks among the entries of one origin: parents that a move created; properties that were absent
# although a default would appear; what kept values became; the whole value of a union; extras that
# were in a document although its API server would prune them; entries that could not be used;
# values that did not fit their declared type when they were kept; properties that their version no
# longer has; values kept beside what was shown of them, in a version unknown here.
ABOUT_ENTRIES = (ABSENT_KEY, BECAME_KEY, UNFIT_KEY, UNUSED_KEY, GONE_KEY, BESIDE_KEY)
MARKS = frozenset({CREATED_KEY, WHOLE_KEY, SHOWN_KEY, *ABOUT_ENTRIES})
_ABOUT_ENTRIES: Final = frozenset(ABOUT_ENTRIES)
# Marks that are removed with their entries. A mark of absence stands for itself.
WITH_ENTRIES = _ABOUT_ENTRIES - {ABSENT_KEY}
# Members with a meaning in stored forms. In an API object they may be user data.
RESERVED = frozenset({BAG_MEMBER, ORIGINAL_VERSION_MEMBER, CREATED_KEY})
_MARKED_WITH: Final = (BECAME_KEY, UNFIT_KEY, GONE_KEY, BESIDE_KEY)
_OWN_STARTS: Final = ("$", RESIDUE_PREFIX)
_OWN_KEY: Final = re.compile(
    rf"\$*({RESIDUE_PREFIX}.*|{'|'.join(map(re.escape, sorted(MARKS)))})", re.DOTALL
)


def is_taken(name: str) -> bool:
    """Return whether schemas must not declare a property of this name."""
    return name in RESERVED or name.startswith(STAND_IN) or _is_own_key(name)


def is_mark(key: str) -> bool:
    """Return whether a key is that of a mark or a residue, not of a property or user data."""
    return key in MARKS or key.startswith(RESIDUE_PREFIX)


def key_of(name: str) -> str:
    """Return the key under which a bag keeps an undeclared member.

    Names that look like holdall's own keys get one more `$`, so no two members share a key.
    """
    return f"${name}" if name.startswith(_OWN_STARTS) and _is_own_key(name) else name


def name_of(key: str) -> str:
    """Return the name of the member kept under a key: the inverse of `key_of`."""
    return key[1:] if _is_own_key(key) else key


def _is_own_key(key: str) -> bool:
    return key.startswith(_OWN_STARTS) and _OWN_KEY.fullmatch(key) is not None


# The key of user data under a reserved name.
USER_KEYS = {key_of(name): name for name in sorted(RESERVED)}


def is_stand_in(value: object) -> bool:
    """Return whether the value of a member makes its object a stand-in, if the name fits, too."""
    return type(value) is dict and value.keys() == {"up", "value"} and type(value["up"]) is int


def no_entries(value: JsonValue) -> dict[str, JsonValue]:
    """Return what to set aside forever of a value that is not an object of entries."""
    return {"": {"": value}}


def wrong_mark(key: str, value: JsonValue) -> str:
    """Return what is wrong with an entry if it is a malformed mark."""
    if key == CREATED_KEY:
        return "" if value in ("absent", "null") else "expected absent or null"
    if key in (ABSENT_KEY, SHOWN_KEY, GONE_KEY, BESIDE_KEY):
        is_right = isinstance(value, list) and all(isinstance(name, str) for name in value)
        return "" if is_right else "expected a list of names"
    if key in (BECAME_KEY, UNUSED_KEY) and type(value) is not dict:
        return f"expected object, found {json_kind(value)}"
    return ""


class PropertyBag(dict[str, dict[str, JsonValue]]):
    """Values by origin version, then by the wire name of the property.

    Shape: `{"v20210101": {"poolQuota": 100}}`; a value has the shape of its origin version, so
    two shapes of one name can coexist. Origins are never empty.
    """

    __slots__ = ()

    @classmethod
    def read(cls, value: Any) -> PropertyBag | None:
        """Return the bag in `$propertyBag`, None if it is empty.

        Raises DecodeError if the bag or an origin is not a JSON object, or a mark is damaged.
        """
        if type(value) is not dict and type(value) is not cls:
            raise DecodeError(f"expected object, found {json_kind(value)}", f"/{BAG_MEMBER}")
        for origin, entries in value.items():
            if type(entries) is not dict:
                raise DecodeError(
                    f"expected object, found {json_kind(entries)}", join(f"/{BAG_MEMBER}", origin)
                )
            for key in sorted(MARKS.intersection(entries)):
                if wrong := wrong_mark(key, entries[key]):
                    raise DecodeError(wrong, join(f"/{BAG_MEMBER}", origin, key))
        return cls({origin: entries for origin, entries in value.items() if entries}) or None

    @classmethod
    def clone(cls, bag: Mapping[str, dict[str, JsonValue]] | None) -> PropertyBag:
        """Return a deep copy of a bag, an empty one for None."""
        return cls() if bag is None else cls(_json.copy(bag))

    @classmethod
    def own(cls, bag: Mapping[str, dict[str, JsonValue]]) -> Self:
        """Return a bag with its own entries; their values are shared."""
        copied = cls()
        for origin, entries in bag.items():
            copied[origin] = entries.copy()
        return copied

    def entries(self) -> Iterator[tuple[str, str, JsonValue]]:
        """Yield origin, key and value of every entry, in order."""
        for origin, entries in self.items():
            for key, value in entries.items():
                yield origin, key, value

    def has(self, origin: str, key: str) -> bool:
        """Return whether there is an entry, even null."""
        return key in self.get(origin, ())

    def put(self, origin: str, key: str, value: JsonValue) -> None:
        """Keep a JSON value, even null, under its origin; overwrites an earlier entry."""
        self.setdefault(origin, {})[key] = value

    def put_all(self, other: PropertyBag) -> None:
        """Add the entries of another bag; values are shared with it."""
        for origin, entries in other.items():
            self.setdefault(origin, {}).update(entries)

    def drop(self, origin: str, *keys: str) -> None:
        """Remove entries if they exist."""
        entries = self.get(origin)
        found = [] if entries is None else [key for key in keys if key in entries]
        if entries is None or not found:
            return
        for key in found:
            del entries[key]
        for mark in _MARKED_WITH if entries else ():
            if mark in entries:
                _forget(entries, mark, {*found})
        if not entries:
            del self[origin]

    def take(self, origin: str, key: str, default: Any = None) -> Any:
        """Remove an entry and return its JSON value, `default` if there is none."""
        value = self.get(origin, {}).get(key, default)
        PropertyBag.drop(self, origin, key)  # during a conversion a bag may be a plain dictionary
        return value

    def drop_all(self, origin: str, dropped: frozenset[str]) -> None:
        """Remove the entries of an origin whose keys are in `dropped`."""
        entries = self.get(origin)
        if entries is not None:
            if not dropped.isdisjoint(entries):
                for key in dropped.intersection(entries):
                    del entries[key]
            if not _ABOUT_ENTRIES.isdisjoint(entries):
                for mark in ABOUT_ENTRIES:
                    if mark in entries:
                        _forget(entries, mark, dropped)
            if not entries:
                del self[origin]

    # --- marks among the entries of an origin ---

    def set_aside(self, version: str, origin: str, *keys: str) -> None:
        """Keep entries where nothing looks for them until their object has `version` again."""
        aside, entries = self.aside(origin), self[origin]
        before = aside.get(version)
        waiting = {**before} if isinstance(before, dict) else {}
        for key in keys:
            waiting[key] = entries.pop(key)
        if BECAME_KEY in entries:
            _forget(entries, BECAME_KEY, set(keys))
        entries[UNUSED_KEY] = {**aside, version: waiting}

    def postpone(self, version: str, until: str, origin: str, key: str) -> None:
        """Make an entry that was set aside in an object of `version` wait for another version."""
        aside = self.aside(origin)
        waiting = aside.pop(version)
        if isinstance(waiting, dict):
            self.put(origin, key, waiting.pop(key))
            if waiting:
                aside[version] = waiting
            self.set_aside(until, origin, key)

    def put_back(self, version: str, *, damaged_marks: bool = True) -> list[tuple[str, str]]:
        """Put back entries that were set aside in an object of `version`; return which ones.

        A live value that was stashed meanwhile replaces the entry. Damaged marks are only put back
        for documents: conversions expect none.
        """
        returned: list[tuple[str, str]] = []
        for origin in [origin for origin, entries in self.items() if UNUSED_KEY in entries]:
            aside = self.aside(origin)
            waiting = aside.get(version)
            if isinstance(waiting, dict):
                stays = {
                    key: value
                    for key, value in waiting.items()
                    if not damaged_marks and wrong_mark(key, value)
                }
                back = {key: value for key, value in waiting.items() if key not in stays}
                rest = {key: value for key, value in aside.items() if key != version}
                rest |= {version: stays} if stays else {}
                returned.extend((origin, key) for key in back if key not in self[origin])
                self[origin] = {**back, **self[origin], UNUSED_KEY: rest}
                if not rest:
                    del self[origin][UNUSED_KEY]
        return returned

    def displaced(self, version: str) -> list[tuple[str, str]]:
        """Return which entries, set aside in an object of `version`, have lost their place.

        Another value has been kept there since.
        """
        return [
            (origin, key)
            for origin, entries in self.items()
            if is_json_object(waiting := self.aside(origin).get(version))
            for key, value in waiting.items()
            if key in entries and not is_mark(key) and not _json.same(entries[key], value)
        ]

    def aside(self, origin: str) -> dict[str, JsonValue]:
        """Return what was set aside, by the version of the object then."""
        found = self.get(origin, {}).get(UNUSED_KEY, {})
        return found if isinstance(found, dict) else no_entries(found)

    def mark_absent(self, origin: str, key: str) -> None:
        """Mark a property as absent where a default would appear."""
        self._mark(ABSENT_KEY, origin, key)

    def is_absent(self, origin: str, key: str) -> bool:
        """Return whether a property is marked as absent."""
        return self._is_marked(ABSENT_KEY, origin, key)

    def mark_unfit(self, origin: str, key: str) -> None:
        """Mark a kept value that does not fit its declared type, so that it returns unchanged."""
        self._mark(UNFIT_KEY, origin, key)

    def is_unfit(self, origin: str, key: str) -> bool:
        """Return whether a kept value never fitted its declared type."""
        return self._is_marked(UNFIT_KEY, origin, key)

    def mark_gone(self, origin: str, *keys: str) -> None:
        """Mark entries whose version no longer declares their properties."""
        self._mark(GONE_KEY, origin, *keys)

    def is_gone(self, origin: str, key: str) -> bool:
        """Return whether an entry belongs to a property that its version no longer declares.

        It stays until that changes, while an undeclared member would return there.
        """
        return self._is_marked(GONE_KEY, origin, key)

    def gone(self, origin: str) -> frozenset[str]:
        """Return the keys for which `is_gone` is true; there may be tens of thousands."""
        return self._marked(GONE_KEY, origin)

    def mark_beside(self, origin: str, *keys: str) -> None:
        """Mark entries as kept beside what was shown of them."""
        self._mark(BESIDE_KEY, origin, *keys)

    def beside(self, origin: str) -> frozenset[str]:
        """Return the keys of entries marked as kept beside what was shown of them."""
        return self._marked(BESIDE_KEY, origin)

    def forget_absent(self, origin: str, key: str) -> None:
        """Remove the mark of an absent property if there is one."""
        entries = self.get(origin)
        if entries is not None and ABSENT_KEY in entries:
            _forget(entries, ABSENT_KEY, {key})
            if not entries:
                del self[origin]

    def became(self, origin: str, key: str, default: Any) -> Any:
        """Return what a kept value became, if that was recorded, else `default`."""
        values = self.get(origin, {}).get(BECAME_KEY)
        return values.get(key, default) if isinstance(values, dict) else default

    def note_became(self, origin: str, key: str, value: JsonValue) -> None:
        """Record what a kept value became, if converting it again would give something else."""
        entries = self[origin]
        values = entries.get(BECAME_KEY, {})
        if isinstance(values, dict):  # it may be shared with another bag
            entries[BECAME_KEY] = {**values, key: value}

    def _mark(self, mark: str, origin: str, *keys: str) -> None:
        new = {*keys} - self._marked(mark, origin)
        names = self.setdefault(origin, {}).setdefault(mark, [])
        if isinstance(names, list) and new:
            self[origin][mark] = sorted([*names, *new], key=str)

    def _is_marked(self, mark: str, origin: str, key: str) -> bool:
        names = self.get(origin, {}).get(mark)
        return isinstance(names, list) and key in names

    def _marked(self, mark: str, origin: str) -> frozenset[str]:
        names = self.get(origin, {}).get(mark)
        # In a document, a damaged mark may name anything.
        return frozenset(
            [name for name in names if isinstance(name, str)] if isinstance(names, list) else ()
        )


def own_bag(new: dict[str, Any], old: Mapping[str, Any]) -> Any:
    """Return the bag of an object, to be changed: a copy if it is that of the source."""
    bag = new[BAG_MEMBER]
    if BAG_MEMBER in old and bag is old[BAG_MEMBER]:
        bag = new[BAG_MEMBER] = PropertyBag.own(bag)
    return bag


class WaitingBag(PropertyBag):
    """A bag with entries that the next step gives back.

    `untaken` collects the keys of entries that no converter took, although it knows their names.
    """

    __slots__ = ("untaken",)

    untaken: set[str]


def _forget(entries: dict[str, JsonValue], mark: str, names: AbstractSet[str]) -> None:
    """Remove names from a mark, and the mark if no name is left."""
    marked = entries[mark]
    if isinstance(marked, dict) and mark == BECAME_KEY:  # an object elsewhere names no entries
        rest: JsonValue = {name: value for name, value in marked.items() if name not in names}
    elif isinstance(marked, list):
        # In a document, a damaged mark may name anything.
        rest = [name for name in marked if type(name) is not str or name not in names]
    else:
        return
    if rest:
        entries[mark] = rest
    elif marked:  # an empty mark is damaged, and stays for repair
        del entries[mark]

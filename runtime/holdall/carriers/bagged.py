"""Objects with bags from an earlier plan, and what these add to live objects."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from holdall.carriers.envelope import Cargo, Residues
from holdall.carriers.reports import Dropped
from holdall.objects.bag import BESIDE_KEY, GONE_KEY, PropertyBag, is_mark
from holdall.objects.base import Object
from holdall.objects.implied import is_default
from holdall.objects.shapes import shape_of
from holdall.objects.tolerance import Unused
from holdall.objects.views import StorageObject
from holdall.text.json import same
from holdall.types import JsonValue, Members

Owners: TypeAlias = "Mapping[int, tuple[StorageObject, str]]"
"""By the identity of an object's members, its holder and the wire name of the holder's member."""

DISPLACED: Final = "its version kept another value of its name since then"


@dataclass(frozen=True, slots=True)
class Bagged:
    """An object with a bag, of the shape of `version`.

    `known` says which entries were residues, None if that is not known. `owners` lead to the
    objects above, into which a property may have moved. `hidden` takes the entries that nothing
    shows, with their ways.
    """

    twin: StorageObject
    version: str
    address: str
    known: Cargo | None
    owners: Owners
    hidden: list[tuple[str, str, Sequence[Any]]] = field(default_factory=list)

    def was_shown(self, origin: str, key: str) -> bool:
        """Return whether an entry is known to have been a residue."""
        return key in self.shown_of(origin)

    def shown_of(self, origin: str) -> AbstractSet[str]:
        """Return the keys of entries of an origin that are known to have been residues."""
        return bag_of(self.twin).beside(origin).union(self._residues().get(origin, ()))

    def with_partner(self, origin: str) -> AbstractSet[str]:
        """Return the keys of entries whose property is known to have had a partner, seen or not."""
        unseen = {} if self.known is None else self.known.unseen.get(self.address, {})
        return self.shown_of(origin) | {*unseen.get(origin, ())}

    def put_within(self, origin: str, key: str, path: Sequence[str], value: JsonValue) -> bool:
        """Put a moved entry into the kept object from which it moved.

        Return whether its place there was free, or had the same value.
        """
        bag = bag_of(self.twin)
        bag.drop(origin, key)
        kept = bag.get(origin, {}).get(path[0], {})
        whole = inner = {**kept} if isinstance(kept, dict) else {}
        for name in path[1:-1]:
            below = inner.get(name)
            inner[name] = inner = {**below} if isinstance(below, dict) else {}
        there = inner.setdefault(path[-1], value)
        bag.put(origin, path[0], whole)
        self.twin.property_bag = bag
        return same(there, value)

    def drop_outdated(
        self, origin: str, given: StorageObject, blank: StorageObject
    ) -> Iterator[Dropped]:
        """Drop what versions on the way kept if an entry, which gives an object, differs from it.

        The entry was written under a plan without those versions, which did not show theirs.
        """
        bag = bag_of(self.twin)
        for other, key, value in bag_of(given).entries():
            is_theirs = bag.has(other, key) and not is_mark(key) and not self.was_shown(other, key)
            if is_theirs and not bag_of(blank).has(other, key) and not same(bag[other][key], value):
                yield self.drop(other, key, origin)

    def put_back(self) -> Iterator[Dropped]:
        """Put back what was set aside under another plan, wherever it waited: it may fit by now.

        What has something else in its place is dropped.
        """
        bag = bag_of(self.twin)
        waited = {version for origin in bag for version in bag.aside(origin)}
        for version in sorted(waited - {"", self.version}):  # damaged, or set aside just now
            for origin, key in bag.displaced(version):
                yield Dropped(self.address, origin, key, DISPLACED)
            returned: dict[str, list[str]] = {}
            for origin, key in bag.put_back(version):
                if is_mark(key):
                    continue
                returned.setdefault(origin, []).append(key)
            for origin, keys in returned.items():
                bag.mark_gone(origin, *keys)

    def set_aside(self, origin: str, key: str, why: str) -> Unused:
        """Keep an entry where nothing uses it until there is another plan."""
        bag_of(self.twin).set_aside(GONE_KEY, origin, key)
        return Unused(self.address, origin, key, why)

    def drop(self, origin: str, key: str, version: str = "") -> Dropped:
        """Drop an entry that gave way to what its object shows, and return the report."""
        bag_of(self.twin).drop(origin, key)
        return self.says_otherwise(origin, key, version)

    def says_otherwise(self, origin: str, key: str, version: str = "") -> Dropped:
        """Return the report of an entry that gave way to what its object shows."""
        why = f"{version or self.version} has it now, with another value"
        return Dropped(self.address, origin, key, why)

    def pass_on_residues(self, versions: Container[str]) -> None:
        """Mark the residues of unknown versions, for releases that know them."""
        bag = bag_of(self.twin)
        for origin, keys in self._residues().items():
            if origin not in versions and (kept := [key for key in keys if bag.has(origin, key)]):
                bag.mark_beside(origin, *kept)

    def forget_residues(self, versions: Container[str]) -> None:
        """Remove the marks of releases that did not know versions that are known here."""
        bag = bag_of(self.twin)
        for origin in [*bag]:
            if origin in versions:
                bag.drop(origin, BESIDE_KEY)
        self.twin.property_bag = bag or None

    def _residues(self) -> Residues:
        return {} if self.known is None else self.known.residues.get(self.address, {})


Add: TypeAlias = "partial[str | None] | partial[None]"


class Additions(NamedTuple):
    """Functions that add values to an object, None if it already has others, and entries to bags.

    Each returns the version of the value that is already in the place, if there is another one.
    """

    values: list[Add] | None
    entries: list[Add]


def additions_to(live: Any, given: Any, blank: Any, *, over_defaults: bool = False) -> Additions:
    """Return the additions to a live object of all that another one has beyond a blank one.

    A null in the live object counts as a value; with `over_defaults`, defaults do not.
    """
    values: list[Add] | None = []
    entries: list[Add] = []
    for name, member in shape_of(type(live)).members.items():
        there, is_null = getattr(given, member.attribute), name in given.extra_
        base = None if blank is None else getattr(blank, member.attribute)
        was_null = blank is not None and name in blank.extra_
        if (there is None and not is_null) or (
            _written(there) == _written(base) and is_null == was_null
        ):
            continue
        here = getattr(live, member.attribute)
        added: list[Add] | None = []
        is_silent = here is None and name not in live.extra_
        if is_silent or (over_defaults and is_default(_written(here), member)):
            added = [partial(_set, live, name, member.attribute, there)]
        elif isinstance(here, Object) and isinstance(there, Object):
            added, inner = additions_to(here, there, base, over_defaults=over_defaults)
            entries += inner
        elif _written(here) != _written(there):
            added = None
        values = None if values is None or added is None else [*values, *added]
    for name in given.extra_.keys() - shape_of(type(live)).members.keys():
        value, has = given.extra_[name], name in live.extra_
        if (blank is not None and name in blank.extra_) or (has and same(live.extra_[name], value)):
            continue
        values = (
            None if values is None or has else [*values, partial(_set_extra, live, name, value)]
        )
    for origin, key, value in bag_of(given).entries():
        if blank is None or not bag_of(blank).has(origin, key):
            entries.append(partial(put_missing, live, origin, key, value))
    return Additions(values, entries)


def _set(live: Any, name: str, attribute: str, value: Any) -> None:
    setattr(live, attribute, value)
    if value is None:
        live.extra_[name] = None


def _set_extra(live: Any, name: str, value: Any) -> None:
    live.extra_[name] = value


def put_missing(live: Any, origin: str, key: str, value: Any) -> str | None:
    """Keep an entry in the bag of an object; return its origin if its place is taken."""
    bag = bag_of(live)
    is_taken = bag.has(origin, key) and not same(bag[origin][key], value)
    if not bag.has(origin, key):
        bag.put(origin, key, value)
    live.property_bag = bag
    return origin if is_taken and not is_mark(key) else None


def bag_of(twin: Any) -> PropertyBag:
    """Return the bag of a twin, an empty one if it has none."""
    return PropertyBag() if twin.property_bag is None else twin.property_bag


def _written(value: Any) -> Any:
    """Return a value, with any objects in it, as JSON."""
    if isinstance(value, Object):
        return value.write_members()
    if isinstance(value, list):
        return [_written(item) for item in value]
    if isinstance(value, dict):
        return {key: _written(item) for key, item in value.items()}
    return value


def shown_by(twin: StorageObject) -> Members:
    """Return what an object shows, by member, without bags; unions and tuples are opened."""
    shown: Members = twin.open_wire(twin.write_members([]))
    return shown


def differ(
    value: JsonValue, given: StorageObject, live: StorageObject, shown: AbstractSet[str]
) -> bool:
    """Return whether what is shown of a value differs from what is live.

    The rest of lists and maps that differ may be merged with what is live.
    """
    one, other = shown_by(given), shown_by(live)
    both = shown & other.keys()
    if not both or isinstance(value, list):
        return not both
    plain = [name for name in both if not isinstance(one[name], list | dict)]
    return any(not same(one[name], other[name]) for name in plain)

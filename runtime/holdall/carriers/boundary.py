"""The API boundary: putting bags into a document, unloading and restoring them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from operator import attrgetter, or_
from typing import Any, Final

from holdall.carriers.annotations import (
    SPEC_ANNOTATION,
    STATUS_ANNOTATION,
    Found,
    Omitted,
    Unread,
    put_annotations,
    put_field,
    take_annotations,
    take_field,
    take_slot,
)
from holdall.carriers.bagged import DISPLACED, Bagged
from holdall.carriers.envelope import (
    Bags,
    Cargo,
    Compartment,
    Entry,
    Envelope,
    compartment_of,
    names_of,
)
from holdall.carriers.evolution import Evolution
from holdall.carriers.matching import Known, resolve
from holdall.carriers.own_entries import take_own
from holdall.carriers.pruning import is_hidden_extra
from holdall.carriers.quarantine_note import NOTE, refuse_quarantined
from holdall.carriers.reports import LOST_ELEMENT, Dropped, Lost
from holdall.engine.uncertain import SAME_CODE, OtherCode
from holdall.objects.bag import (
    BAG_MEMBER,
    MARKS,
    SHOWN_KEY,
    UNUSED_KEY,
    USER_KEYS,
    WITH_ENTRIES,
    Bag,
    PropertyBag,
    name_of,
    wrong_mark,
)
from holdall.objects.tolerance import Unused
from holdall.objects.views import StorageObject, StorageRoot
from holdall.text import json as _json
from holdall.types import members as members_in

_NO_CARRIER: Final = "documents of this kind have no carrier for bags"
_NO_OBJECT: Final = "the document has no such object"
_PLACE: Final = attrgetter("address", "origin", "key")


@dataclass(slots=True)
class Load:
    """What was taken out of a document: its bags and their facts, and what was dropped.

    `earlier` are the addresses of bags that were stored under another plan than that of today, or
    for another version, each with what was in its carrier, which says what was shown of the entries
    then; None if that is not known. Those for another version are also `passed_on`.
    `other_code` says what of the code that keeps something was another one then.
    """

    cargo: Cargo
    dropped: list[Dropped] = field(default_factory=list)
    earlier: dict[str, Cargo | None] = field(default_factory=dict)
    passed_on: set[str] = field(default_factory=set)
    other_code: OtherCode = SAME_CODE
    _may_hold_bags: bool | None = field(default=None, init=False)

    def entries(self) -> list[Entry]:
        """Return the entries that may be used."""
        return [entry for entry in names_of(self.cargo.bags) if entry[2] != UNUSED_KEY]

    def has_unused(self) -> bool:
        """Return whether an entry was set aside, here or before."""
        return self.may_hold_bags() and any(
            UNUSED_KEY in entries for bag in self.cargo.bags.values() for entries in bag.values()
        )

    def may_hold_bags(self) -> bool:
        """Return whether there may be bags in the kept values, or marks beside them."""
        if self._may_hold_bags is None:
            text = _json.encode(self.cargo.bags)
            self._may_hold_bags = _json.may_hold_dollars(text)
        return self._may_hold_bags

    def returned(self, version: str) -> Load:
        """Return the load with entries put back that were set aside in a document of `version`."""
        dropped = [*self.dropped]

        def put_back(bag: PropertyBag, address: str) -> None:
            dropped.extend(Dropped(address, *place, DISPLACED) for place in bag.displaced(version))
            bag.put_back(version)

        return replace(self._changed(put_back), dropped=dropped)

    def without(self, unwanted: Iterable[Entry], version: str) -> Load:
        """Return the load with some entries set aside, in a document of `version`."""
        keys: dict[tuple[str, str], list[str]] = {}
        for address, origin, key in unwanted:
            keys.setdefault((address, origin), []).append(key)

        def set_aside(bag: PropertyBag, address: str) -> None:
            for origin in [*bag]:
                if found := keys.get((address, origin)):
                    bag.set_aside(version, origin, *found)

        return self._changed(set_aside)

    def _changed(self, change: Callable[[PropertyBag, str], object]) -> Load:
        """Return the load with changed bags; values are shared."""
        bags: Bags = {}
        for address, bag in self.cargo.bags.items():
            copied = PropertyBag.own(bag)
            change(copied, address)
            bags[address] = copied
        cargo = copy(self.cargo)
        cargo.bags = bags
        return replace(self, cargo=cargo)


def put_parts(
    envelope: Envelope, version: str, parts: Mapping[Compartment, Cargo], document: dict[str, Any]
) -> Omitted:
    """Put bags into an API document by compartment, and return what was left out."""
    if envelope.carrier == "annotation":
        return put_annotations(envelope, version, parts, document)
    if envelope.carrier == "field":
        put_field(envelope, version, parts, document)
        return []
    return [(names_of(part.bags), _NO_CARRIER) for part in parts.values()]


def lost_entries(omitted: Omitted, pointers: Mapping[str, str]) -> list[Lost]:
    """Return what was left out, in order; `pointers` are those that differ from the address."""
    lost = [
        Lost(pointers.get(at, at), origin, key, why)
        for left, why in omitted
        for at, origin, key in left
    ]
    # Texts are compared faster than tuples of them, and most keys and origins are the same.
    for name in ("key", "origin", "path"):
        lost.sort(key=attrgetter(name))
    return lost


def unload(envelope: Envelope, version: str, document: dict[str, Any]) -> Load | None:
    """Take the carrier out of an API document before it is read; None if it has none.

    `document` is changed, but nothing nested in it, so a shallow copy of a caller's document is
    enough: a changed `metadata` is a new object. A carrier that is damaged or of another format
    stays in place and is reported; one of another kind is dropped. Raises QuarantinedError.
    """
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if type(metadata) is dict else None
    if type(annotations) is dict and NOTE in annotations:
        refuse_quarantined(document)
    if envelope.carrier == "annotation":
        found, unread = Found(), Unread()
        if type(annotations) is dict and (
            SPEC_ANNOTATION in annotations or STATUS_ANNOTATION in annotations
        ):
            found, unread = take_annotations(envelope, document)
        status = document.get("status")
        if type(status) is dict and BAG_MEMBER in status:
            # If both exist, the annotation is older than the slot.
            in_slot, unread_slot = take_slot(envelope, document)
            found.update(in_slot)
            unread.extend(unread_slot)
        return _load(envelope, version, document, found, unread) if found or unread else None
    if envelope.carrier == "field" and document.get(BAG_MEMBER) is not None:
        return _load(envelope, version, document, *take_field(envelope, document))
    return None


def restore(
    load: Load,
    version: str,
    root: StorageRoot,
    strict: Sequence[str] = (),
    evolution: Evolution | None = None,
    bagged: set[int] | None = None,
    *,
    is_bare: bool = False,
) -> list[Dropped | Unused]:
    """Attach the bags to the objects of the tree that was read, and return what is not used.

    `strict` are the paths of lists whose elements are only identified by keys and unchanged
    members. `evolution` reads entries of earlier plans. `bagged` gets the lineages of objects that
    get bags. A tree `is_bare` if none of its objects has a bag yet. Values are shared with the
    document that the bags came from.
    """
    lineages = set[int]() if bagged is None else bagged
    dropped: list[Dropped | Unused] = list(load.dropped)
    known = Known(load.cargo.lists, frozenset(strict), is_bare)
    bags = load.cargo.bags
    found, unplaced = resolve(root, dict(zip(bags, bags.items(), strict=True)), known)
    for address, bag in unplaced:
        dropped.extend(_all_dropped(address, bag, LOST_ELEMENT if "/[" in address else _NO_OBJECT))
    for cls, members, _, (address, bag) in found:
        lineages.add(cls.lineage_)
        is_other = address in load.passed_on
        if is_other or load.earlier.get(address) is not None:
            bag, not_used = take_own(cls, members, (address, version), bag, is_passed_on=is_other)
            dropped.extend(not_used)
        if wrong := _attach(cls, members, address, bag, version):
            dropped.extend(wrong)
    if evolution is not None and load.earlier:
        for cls, members, view, (address, _) in found:
            if address in load.earlier:
                if BAG_MEMBER in members:  # the load must not be changed
                    members[BAG_MEMBER] = PropertyBag.own(members[BAG_MEMBER])
                cargo, twin = load.earlier[address], view or cls.view_(members)
                held = Bagged(twin, version, address, cargo, known.owners)
                dropped.extend(evolution.settle(held))
    return sorted(dropped, key=_PLACE)


def _load(
    envelope: Envelope, version: str, document: dict[str, Any], found: Found, unread: Unread
) -> Load:
    load = Load(Cargo({}), [Dropped(at, "", "", f"it stays as it is: {why}") for at, why in unread])
    for compartment, contents in found.items():
        cargo = contents.cargo
        reason = ""
        if (contents.group, contents.kind) != (envelope.group, envelope.kind):
            reason = f"it was written for {contents.kind} of group {contents.group!r}"
        elif compartment == "status" and document.get("status") is None:
            reason = "the document has no status"
        if reason:
            for address, bag in cargo.bags.items():
                load.dropped.extend(_all_dropped(address, bag, reason))
            continue
        # Users who may write only spec or only status must not affect the other one.
        for address, prints in cargo.lists.items():
            if compartment_of(address) == compartment:
                load.cargo.lists[address] = prints
        # An older release passes on what it cannot read: then the document has another version,
        # and nobody has seen the bags' values in it.
        is_passed_on = contents.version != version
        is_earlier = is_passed_on or envelope.is_earlier(contents.plan)
        other = envelope.other_code(contents.plan)
        load.other_code = OtherCode(*map(or_, load.other_code, other))
        for address, bag in cargo.bags.items():
            if compartment_of(address) != compartment:
                alien = f"the carrier of {compartment} data must not hold it"
                load.dropped.extend(_all_dropped(address, bag, alien))
                continue
            load.cargo.bags[address] = bag
            if is_earlier:
                load.earlier[address] = cargo if contents.plan else None
            if is_passed_on:
                load.passed_on.add(address)
    return load


def _attach(
    cls: type[StorageObject], members: dict[str, Any], address: str, bag: Bag, version: str
) -> list[Dropped | Unused]:
    # The bag only has reserved names so far, which are the live document's own data.
    if BAG_MEMBER not in members and version not in bag and bag and _is_unmarked(bag):
        members[BAG_MEMBER] = bag
        return []
    own = members.pop(BAG_MEMBER, {})
    merged = PropertyBag.own(own)
    stored = PropertyBag(bag)
    dropped: list[Dropped | Unused] = []
    for origin, entries in bag.items():
        if origin != version and origin not in merged and MARKS.isdisjoint(entries):
            if entries:
                merged[origin] = {**entries}
            continue
        gone = stored.gone(origin)
        if UNUSED_KEY in entries:
            aside = stored.aside(origin)
            merged.put(origin, UNUSED_KEY, aside)
            if "" in aside:
                dropped.append(Unused(address, origin, "", "expected an object of entries"))
        for key, value in entries.items():
            is_hidden = key not in gone and is_hidden_extra(cls, version, origin, key)
            if is_hidden and key in USER_KEYS:
                if not merged.has(origin, key):
                    merged.put(origin, key, value)
            elif is_hidden:
                members.setdefault(name_of(key), value)
            elif origin == version and (key in USER_KEYS or key == SHOWN_KEY):
                dropped.append(Dropped(address, origin, key, "the live document decides about it"))
            elif key == UNUSED_KEY:
                continue
            elif key in MARKS and (wrong := wrong_mark(key, value)):
                merged.put(origin, key, value)
                merged.set_aside(version, origin, key)
                dropped.append(Unused(address, origin, key, wrong))
            else:
                merged.put(origin, key, value)
    if merged:
        members[BAG_MEMBER] = merged
    return dropped


def _is_unmarked(bag: Bag) -> bool:
    """Return whether a bag has entries under each of its origins, and no marks."""
    for entries in bag.values():  # noqa: SIM110 - all() takes twice as long
        if not entries or not MARKS.isdisjoint(entries):
            return False
    return True


def _all_dropped(address: str, bag: Bag, reason: str) -> list[Dropped]:
    """Report all entries as dropped, including those set aside; marks are not reported."""
    stored = PropertyBag(bag)
    dropped: list[Dropped] = []
    for origin, entries in bag.items():
        aside = [*map(members_in, stored.aside(origin).values())]
        keys = dict.fromkeys(key for one in (entries, *aside) for key in one)
        dropped += [
            Dropped(address, origin, key, reason) for key in keys if key not in WITH_ENTRIES
        ]
    return dropped

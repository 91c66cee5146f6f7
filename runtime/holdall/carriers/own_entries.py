"""Entries of an object's own version in its bag, which it gets back as members."""

from __future__ import annotations

from typing import Any

from holdall.carriers.pruning import is_hidden_extra, may_be_extra
from holdall.carriers.reports import Dropped
from holdall.errors import DecodeError
from holdall.objects.bag import USER_KEYS, Bag, PropertyBag, name_of
from holdall.objects.container_kinds import read_entry
from holdall.objects.implied import is_default
from holdall.objects.shapes import members_of, shape_of
from holdall.objects.tolerance import Unused
from holdall.objects.views import StorageObject
from holdall.text import json as _json


def take_own(
    cls: type[StorageObject],
    members: dict[str, Any],
    place: tuple[str, str],
    bag: Bag,
    *,
    is_passed_on: bool,
) -> tuple[Bag, list[Dropped | Unused]]:
    """Return members to an object that a server would have pruned when its bag was stored.

    Now their type declares them, or accepts all. Those that only a neighbour declares are kept for
    it, unless the bag `is_passed_on`: then it was in another version, and they are unchanged.
    `place` is the address and the version. Return the rest of the bag, and what is not used.
    """
    address, version = place
    if version not in bag:
        return bag, []
    rest = PropertyBag.own(bag)
    # There may be tens of thousands, so marks with their names are changed once.
    gone, marked = rest.gone(version), list[str]()
    unfit, used_up = list[str](), list[str]()
    wrong: list[Dropped | Unused] = []
    for key, value in bag[version].items():
        name, is_own = name_of(key), name_of(key) in members_of(cls)
        near = () if is_own or is_passed_on else cls.crossings_
        peers: list[Any] = [it for it in near if name in members_of(it)]
        still_hidden = not peers and is_hidden_extra(cls, version, version, key)
        is_kept = still_hidden or key in USER_KEYS or not may_be_extra(cls, key)
        if is_kept or key in gone:
            continue
        if is_own and _json.may_hold_dollars(_json.encode(value)):
            marked.append(key)  # bags in it are read under the current plan, too
            continue
        try:
            used = read_entry(cls, name, value) if is_own else value
        except DecodeError as error:
            unfit.append(key)
            wrong.append(Unused(address, version, key, str(error)))
            continue
        if peers:
            if len(peers) == 1 and not rest.has(peers[0].VERSION, name):
                used_up.append(key)
                rest.put(peers[0].VERSION, name, value)
            continue
        used_up.append(key)
        if is_own and is_default(members.get(name), shape_of(cls).members[name]):
            members[name] = used
        elif not _json.same(members.setdefault(name, used), used):
            wrong.append(Dropped(address, version, key, "the live document has another value"))
    if marked:
        rest.mark_gone(version, *marked)
    if unfit:
        rest.set_aside(version, version, *unfit)
    rest.drop(version, *used_up)
    return rest, wrong

"""Objects after round trips: which law a difference breaks, and the meaning of bags."""

from __future__ import annotations

from collections.abc import Iterator

from holdall.objects.bag import BAG_MEMBER, MARKS, RESERVED, WHOLE_KEY
from holdall.plan.plans import GroupPlan, ListOf, MapOf, Opaque, Ref, Type, TypeRef
from holdall.testing.laws.differences import MISSING, Difference, Found, Tokens
from holdall.testing.laws.edits import Edit
from holdall.testing.laws.values import FOREIGN_KEYS
from holdall.types import JsonObject, JsonValue, get, members

Names = frozenset[tuple[str, str]]
"""Entries by origin and key."""


def linked_names(plan: GroupPlan) -> Names:
    """Return the entries that skip links join: one of them may stand for another."""
    ends = [end for link in plan.links for end in (link.older, link.newer)]
    return frozenset((end.type.version, end.name) for end in ends)


def law_of(plan: GroupPlan, root: TypeRef, difference: Difference, usual: str) -> str:
    """Return which law a difference after a round trip breaks: that of values (`usual`), of bags
    (L9), or of unknown members (L10)."""
    type_: Type = Ref(root)
    path = difference.path
    for index, token in enumerate(path):
        match type_:
            case Ref(type=ref):
                members = plan.types[ref]
                if token == BAG_MEMBER:
                    return _law_of_bag(plan, path[index + 1 :], difference)
                if str(token) not in members:
                    named = ref == root and token in ("apiVersion", "kind")
                    return usual if named else "L10"
                type_ = members[str(token)]
            case ListOf(item=inner) | MapOf(value=inner):
                type_ = inner
            case _:
                type_ = Opaque()
    return usual


def _law_of_bag(plan: GroupPlan, rest: Tokens, difference: Difference) -> str:
    if len(rest) > 1:
        return "L10" if rest[0] not in plan.versions or rest[1] in FOREIGN_KEYS else "L9"
    gone: Found = difference.expected if difference.found is MISSING else None
    origins = {str(rest[0]): gone}.items() if rest else _items(gone)
    entries = [(origin, key) for origin, held in origins for key, _ in _items(held)]
    foreign = [o not in plan.versions or k in FOREIGN_KEYS for o, k in entries]
    return "L10" if foreign and all(foreign) else "L9"


def _items(value: Found) -> list[tuple[str, JsonValue]]:
    return list(value.items()) if isinstance(value, dict) else []


def without_linked(value: JsonValue, linked: Names) -> JsonValue:
    """Return a stored object without the entries that skip links join."""
    if isinstance(value, list):
        return [without_linked(item, linked) for item in value]
    if not isinstance(value, dict):
        return value
    members = {key: without_linked(item, linked) for key, item in value.items()}
    bag = members.get(BAG_MEMBER)
    if isinstance(bag, dict):
        rest: JsonObject = {}
        for origin, entries in bag.items():
            if isinstance(entries, dict):
                kept = {k: v for k, v in entries.items() if (origin, k) not in linked}
                if kept:
                    rest[origin] = kept
        members[BAG_MEMBER] = rest
        if not rest:
            del members[BAG_MEMBER]
    return members


def entries_of(
    value: JsonValue, linked: Names, path: Tokens = ()
) -> Iterator[tuple[Tokens, str, str]]:
    """Yield holder, origin and key of the entries that no skip link joins with another one."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from entries_of(item, linked, (*path, index))
    elif isinstance(value, dict):
        for origin, entries in members(value, BAG_MEMBER).items():
            for key in members(entries):
                is_mark = key != WHOLE_KEY and key.lstrip("$") in _MARKS
                known = key not in FOREIGN_KEYS and not is_mark
                if known and (origin, key) not in linked:
                    yield path, origin, key
        for key, item in value.items():
            if key != BAG_MEMBER:
                yield from entries_of(item, linked, (*path, key))


_MARKS = frozenset(name.lstrip("$") for name in MARKS | RESERVED)


def without_entry(document: JsonObject, path: Tokens, origin: str, key: str) -> JsonObject:
    """Return a stored object without one entry of the bag at a path."""
    place = (*path, BAG_MEMBER)
    bag = get(document, *place)
    if not isinstance(bag, dict):
        return document
    entries = bag.get(origin)
    kept = {k: v for k, v in members(entries).items() if k != key}
    rest = {o: held for o, held in bag.items() if o != origin}
    if kept:
        rest[origin] = kept
    return Edit(place, rest if rest else MISSING).apply(document)

"""Matching members and elements, from nothing but the values before and after a change."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from holdall.text import json
from holdall.types import JsonValue, is_json_object, members

_TRIVIAL: Final = frozenset(map(json.canonical, (None, True, False, "", 0)))


def align(before: Sequence[JsonValue], after: Sequence[JsonValue]) -> dict[int, int]:
    """Return which elements of `after` continue which of `before`, by index.

    Equal elements are matched first, then those of one name, and then the rest in order if there
    are as many before as after.
    """
    pairs: dict[int, int] = {}
    old, new = ([json.encode_sorted(item) for item in items] for items in (before, after))
    # Most of a long list stays the same, and the matcher takes quadratic time.
    first, last = _shared(old, new)
    pairs.update(zip(range(first), range(first), strict=True))
    pairs.update((len(new) - at, len(old) - at) for at in range(1, last + 1))
    middles = old[first : len(old) - last], new[first : len(new) - last]
    for tag, *bounds in SequenceMatcher(None, *middles, autojunk=False).get_opcodes():
        a, b, c, d = (first + bound for bound in bounds)
        if tag == "equal":
            pairs.update(zip(range(c, d), range(a, b), strict=True))
        elif tag == "replace":
            pairs.update(_by_name(before, after, range(a, b), range(c, d)))
    return dict(sorted(pairs.items()))


def renamed(before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]) -> Mapping[str, str]:
    """Return members that were only renamed: the value of a removed one is that of a new one.

    Values that say little, such as booleans, do not count, nor do those that occur twice.
    """
    gone = {key: value for key, value in before.items() if key not in after}
    fresh = {key: value for key, value in after.items() if key not in before}

    old_keys, new_keys = _by_value(gone), _by_value(fresh)
    return {
        keys[0]: new_keys[value][0]
        for value, keys in old_keys.items()
        if value not in _TRIVIAL and len(keys) == len(new_keys.get(value, ())) == 1
    }


def _by_value(members: Mapping[str, JsonValue]) -> Mapping[bytes, list[str]]:
    found: dict[bytes, list[str]] = {}
    for key, value in members.items():
        found.setdefault(json.encode_sorted(value), []).append(key)
    return found


def _shared(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[int, int]:
    """Return how many elements at the start are the same, and how many of the rest at the end."""
    most = min(len(old), len(new))
    first = next((at for at in range(most) if old[at] != new[at]), most)
    most -= first
    last = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    return first, last


def _by_name(
    before: Sequence[JsonValue], after: Sequence[JsonValue], old: range, new: range
) -> dict[int, int]:
    old_names = [_name(before[at]) for at in old]
    new_names = [_name(after[at]) for at in new]
    if len(old) == len(new) and (None in old_names or None in new_names):
        return dict(zip(new, old, strict=True))
    pairs: dict[int, int] = {}
    for tag, a, b, c, d in SequenceMatcher(
        None, old_names, new_names, autojunk=False
    ).get_opcodes():
        if tag == "equal" or (tag == "replace" and b - a == d - c):
            pairs.update(zip(new[c:d], old[a:b], strict=True))
    return {
        at: came_from
        for at, came_from in pairs.items()
        if type(after[at]) is type(before[came_from])
    }


def _name(value: JsonValue) -> Hashable:
    """Return what identifies an element: its name, that of its metadata, or its key."""
    if not is_json_object(value):
        return None
    for names in (value, members(value, "metadata")):
        for key in ("name", "id", "key", "type"):
            if isinstance(name := names.get(key), str):
                return key, name
    return None

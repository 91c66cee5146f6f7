"""Which member or element is which, when only the values before and after are known."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from holdall.text import json
from holdall.types import JsonValue, is_json_object, members

_TRIVIAL: Final = frozenset(map(json.canonical, (None, True, False, "", 0)))


def align(before: Sequence[JsonValue], after: Sequence[JsonValue]) -> dict[int, int]:
    """Return the elements of `after` that continue one of `before`, by their numbers.

    Equal elements do, then those of one name; where as many are left before as after, each does.
    """
    pairs: dict[int, int] = {}
    old, new = ([json.canonical(item) for item in items] for items in (before, after))
    # Most of a long list stays, and the matcher takes the square of what it is given.
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
    """Return members that only got another name: one that is gone and one that is new say the same.

    What says little, such as a truth value, does not count, and neither does what occurs twice.
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
        found.setdefault(json.canonical(value), []).append(key)
    return found


def _shared(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[int, int]:
    """Return how many elements at the start, and of the others at the end, are the same."""
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
    """Return what tells an element from its neighbours: its name, that of its metadata, or key."""
    if not is_json_object(value):
        return None
    for names in (value, members(value, "metadata")):
        for key in ("name", "id", "key", "type"):
            if isinstance(name := names.get(key), str):
                return key, name
    return None

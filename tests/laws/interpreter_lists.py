"""Which element of a list that was kept as a whole is which, interpreted on plain JSON.

What is known again by fingerprints is what `same_elements` says here, too: random groups judge that
with an oracle that shares nothing with it. What the fingerprints and names are is worked out here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from holdall.engine.same_elements import same_elements
from holdall.text.json import canonical
from tests.laws.json_form import ABSENT, Json

Pair = tuple[Sequence[Any], Sequence[Any]]
"""Something of all elements of a kept list, and of those of the live one."""


def known_again(shown: Pair, own: Pair, names: tuple[Json, Json]) -> dict[int, int]:
    """Return the indexes of live elements by those of kept ones.

    `shown` is what the elements show, `own` what becomes of that on the side of the kept ones, and
    `names` are indexes by names.
    """
    old, new = (list(map(_text, side)) for side in shown)
    found = same_elements(old, new, edited=False)
    if len(found) == min(len(old), len(new)):
        return found
    plain_old, plain_new = (list(map(_text, side)) for side in own)
    before, now = names
    return same_elements(
        _apart(old, plain_old, new, plain_new),
        _apart(new, plain_new, old, plain_old),
        old_names={at: name for name, at in reversed(before.items())},
        new_names=now,
    )


def known_by_texts(shown: Pair, before: Json, now: Json) -> dict[int, int]:
    """Return the same where what elements show, and names, are all that is known."""
    old, new = (list(map(_text, side)) for side in shown)
    old_names = {at: name for name, at in reversed(before.items())}
    return same_elements(old, new, old_names=old_names, new_names=now)


def known_by_keys(shown: Pair, keys: tuple[str, ...]) -> dict[int, int] | None:
    """Return the same by the keys of a list of type map; None if they do not tell."""
    sides = [[_keys_of(item, keys) for item in side] for side in shown]
    if not keys or any(None in side or len({*side}) < len(side) for side in sides):
        return None
    old, new = sides
    return {at: new.index(name) for at, name in enumerate(old) if name in new}


def _keys_of(item: Any, keys: tuple[str, ...]) -> Hashable:
    values = [item.get(key) for key in keys] if isinstance(item, dict) else [None]
    return canonical(values) if all(isinstance(one, (str, int)) for one in values) else None


def names(items: Sequence[Any]) -> Json:
    """Return the indexes of objects by what names no other one: name, key, or id."""
    found: Json = {}
    for key in ("name", "key", "id"):
        texts = [
            f"{key}={canonical(item[key]).decode()}"
            if isinstance(item, dict) and isinstance(item.get(key), (str, int))
            else ""
            for item in items
        ]
        found |= {text: at for at, text in enumerate(texts) if text and texts.count(text) == 1}
    return found


def _apart(
    shown: list[Hashable], plain: list[Hashable], others: list[Hashable], plainly: list[Hashable]
) -> list[Hashable]:
    """Return what tells elements apart: all that they show where as many as before show that."""

    def kinds(texts: list[Hashable], own: list[Hashable], one: Hashable) -> Counter[Hashable]:
        return Counter(text for text, bare in zip(texts, own, strict=True) if bare == one)

    return [
        (one, text if kinds(shown, plain, one) == kinds(others, plainly, one) else None)
        for text, one in zip(shown, plain, strict=True)
    ]


def _text(value: Any) -> Hashable:
    return object() if value is ABSENT else canonical(value)

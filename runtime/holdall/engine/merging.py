"""Merging a kept list or map with an edit of the value that was shown for it.

An edited element is merged with its former value only if that is certain: under its key in a map,
and in a list as `same_elements` finds it. Source: docs/conversions.md, "Residue and agreement".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from holdall.engine.same_elements import same_elements
from holdall.engine.uncertain import count_lost
from holdall.text import json as _json

Merge: TypeAlias = Callable[[Any, Any, Any], Any]
"""Merges a kept value, the converted live one, and the live one, in this order."""
Shown: TypeAlias = bytes | None
"""What an element shows, as comparable text; None equals nothing, not even itself."""
Pair: TypeAlias = "tuple[Sequence[Shown], Sequence[Shown]]"
"""What the elements of a kept list and of the live one show."""

NULL = _json.canonical(None)


def merge_map(
    kept: dict[str, Any],
    converted: dict[str, Any],
    live: dict[str, Any],
    shows: Callable[[Any, Any], bool],
    merge: Merge | None,
) -> dict[str, Any]:
    """Put back every kept value that `shows` the live one under its key; merge the others."""
    for key, item in live.items():
        old = kept.get(key)
        if item is not None and old is not None:
            if shows(old, item):
                converted[key] = old
            elif merge is not None:
                converted[key] = merge(old, converted[key], item)
    return converted


def merge_list(
    kept: list[Any],
    converted: list[Any],
    live: list[Any],
    shown: Pair,
    plainly: Callable[[], Pair],
    names: Callable[[], tuple[Mapping[str, int], Mapping[str, int]]],
    merge: Merge | None,
    hides: Callable[[Any], bool],
) -> list[Any]:
    """Put back every element of `kept` that is recognised in `live`; merge edited ones.

    `shown` is what the elements of both show, `plainly` the same without an API server's defaults,
    and `names` their indexes by name. The rest is not guessed: if there are new elements that might
    be merged, kept ones that `hides` something are counted.
    """
    found = same_elements(*map(_alone, shown), edited=False)
    if len(found) < min(len(kept), len(live)):
        was, now = names()
        found = same_elements(
            *_told_apart(shown, plainly()),
            old_names={at: name for name, at in reversed([*was.items()])},
            new_names=now,
        )
    before, after = shown
    for old, at in found.items():
        if before[old] is not None and before[old] == after[at]:
            converted[at] = kept[old]
        elif merge is not None and live[at] is not None and kept[old] is not None:
            converted[at] = merge(kept[old], converted[at], live[at])
    if merge is not None:
        new, left = _without(live, found.values()), _without(kept, found)
        if new and left:
            count_lost(sum(map(hides, left)))
    return converted


def _told_apart(shown: Pair, plain: Pair) -> Iterator[list[Hashable]]:
    """Yield what identifies the elements of both lists.

    Those that show the same plainly are distinguished by all they show, if that is unchanged.
    """
    was, now = (_kinds(*side) for side in zip(shown, plain, strict=True))
    whole = {one for one, texts in was.items() if one is None or texts == now.get(one)}
    for side in zip(shown, plain, strict=True):
        pairs = zip(*side, strict=True)
        yield [
            object() if text is None else (one, text if one in whole else None)
            for text, one in pairs
        ]


def _kinds(shown: Sequence[Shown], plain: Sequence[Shown]) -> dict[Shown, Counter[Shown]]:
    """Return how often elements that show the same plainly show each text."""
    kinds: dict[Shown, Counter[Shown]] = {}
    for text, bare in zip(shown, plain, strict=True):
        kinds.setdefault(bare, Counter())[text] += 1
    return kinds


def _alone(texts: Sequence[Shown]) -> list[Hashable]:
    """Return texts, with each None replaced by a unique value."""
    return [object() if text is None else text for text in texts]


def _without(items: list[Any], indexes: Iterable[int]) -> list[Any]:
    known = {*indexes}
    return [item for at, item in enumerate(items) if item is not None and at not in known]

"""Which element of a list may be taken for which, after clients have edited it.

An element is certain if anybody can tell which one it is: by its declared keys; by what it shows,
if as many elements show it as before and in the same order; or, edited in place, because it stands
between two that are certain and in a stretch that is as long as before, or because every element
stands where it stood and shows what it showed or something new. Of several elements, some must show
what they showed. Only where this does not tell, a hidden part may be lost (with a report), or be
with another element that

- shows or showed exactly what the owner showed, whatever undeclared members one of them has, or
- stands where the owner stood in such a stretch, the owner being gone: a replacement, or
- has the `name`, `key` or `id` that only the owner had, in a list without declared keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Element:
    """What is known of an element: identity, what it shows, keys, and what looks like a key."""

    id: int
    shows: str
    key: str | None = None
    guess: str | None = None
    declared: str = ""  # what it shows without undeclared members, where it has any


@dataclass
class Claim:
    """What one element may get: the own hidden part, with certainty or not, or that of others.

    Owners are places in the list as it was; `equals` are those that looked the same.
    """

    own: int | None = None
    certain: bool = False
    equals: list[int] = field(default_factory=list)
    others: list[int] = field(default_factory=list)

    def owners(self) -> list[int]:
        """Return all owners that are allowed, the likeliest first."""
        own = [] if self.own is None else [self.own]
        if self.certain:
            return own
        first = own if self.own in self.equals else []
        return list(dict.fromkeys([*first, *self.equals, *own, *self.others]))


def claims(
    before: Sequence[Element],
    after: Sequence[Element],
    *,
    keyed: bool,
    strict: bool = False,
    by_value: bool = False,
) -> list[Claim]:
    """Return the claims of the elements of a list as it is now.

    Without keys, elements of a `strict` list are known by what they show, and by nothing else.
    `by_value` is for elements that are single values, whose rest is kept beside the list: only an
    equal value in the list, or one in the same place of a list without any other change, is known.
    """
    if keyed and _are_keys(before) and _are_keys(after):
        return _by_keys(before, after)
    found = [Claim(_place(before, item.id)) for item in after]
    if strict and not keyed:
        return _by_looks_only(before, after, found)
    if _is_edited_in_place_only(before, after):
        return [Claim(claim.own, certain=True) for claim in found]
    pairs, ranked = _by_looks(before, after, found)
    for item, claim in zip(after, found, strict=True):
        claim.others += [
            place
            for place, one in enumerate(before)
            if (one.declared or one.shows) == (item.declared or item.shows)
            or (claim.own is not None and one.shows == before[claim.own].shows)
        ]
    alike = _by_guess(before, after, found)
    _by_stretches(before, after, found, pairs, ranked, alike)
    if by_value and [item.id for item in before] != [item.id for item in after]:
        for place, (item, claim) in enumerate(zip(after, found, strict=True)):
            if claim.own is not None and before[claim.own].shows != item.shows:
                claim.certain = False
            if len(before) == len(after):
                claim.others.append(place)
    if by_value:  # equal values cannot be told apart by anybody, whatever their order
        for item, claim in zip(after, found, strict=True):
            if sum(one.shows == item.shows for one in before) > 1:
                claim.certain = False
    if keyed:  # against their schema, some lack their keys or share them: nothing is certain
        for claim in found:
            claim.certain = False
            claim.others += range(len(before))
    return found


def _is_renamed(was: Element, is_: Element) -> bool:
    """Tell whether two elements have a name, key or id of one kind, and not the same."""
    names = [(one.guess or "").partition("=") for one in (was, is_)]
    return names[0][0] == names[1][0] and names[0][2] != names[1][2]


def _is_edited_in_place_only(before: Sequence[Element], after: Sequence[Element]) -> bool:
    known = {item.shows for item in before}
    if len(before) > 1 and not known & {item.shows for item in after}:
        return False  # nothing of the list was found again
    edited = [both for both in zip(before, after, strict=False) if both[0].shows != both[1].shows]
    if len(edited) > 1 and any(_is_renamed(*both) for both in edited):
        return False  # it may be another one
    return [item.id for item in before] == [item.id for item in after] and all(
        is_.shows == was.shows or is_.shows not in known
        for was, is_ in zip(before, after, strict=True)
    )


def _are_keys(items: Sequence[Element]) -> bool:
    keys = [item.key for item in items]
    return None not in keys and len(set(keys)) == len(keys)


def _place(items: Sequence[Element], id: int) -> int | None:
    return next((place for place, item in enumerate(items) if item.id == id), None)


def _by_keys(before: Sequence[Element], after: Sequence[Element]) -> list[Claim]:
    found = []
    for item in after:
        equal = [place for place, one in enumerate(before) if one.key == item.key]
        found.append(Claim(equal[0], certain=True) if equal else Claim())
    return found


def _by_looks(
    before: Sequence[Element], after: Sequence[Element], found: list[Claim]
) -> tuple[dict[int, int], dict[int, int]]:
    """Settle what shows the same as before; return pairs by place in `after`.

    First the pairs of what as many elements show as before, then those of all, by rank.
    """
    pairs: dict[int, int] = {}
    ranked: dict[int, int] = {}
    for shows in {item.shows for item in after}:
        were = [place for place, item in enumerate(before) if item.shows == shows]
        are = [place for place, item in enumerate(after) if item.shows == shows]
        ranked.update(zip(are, were, strict=False))
        for place in are:
            found[place].equals = were
        if len(were) == len(are):
            pairs.update(zip(are, were, strict=True))
            for place in are:
                found[place].certain = not _may_be_pruned(before, after, shows) and all(
                    found[now].own == was for now, was in zip(are, were, strict=True)
                )
    return pairs, ranked


def _may_be_pruned(before: Sequence[Element], after: Sequence[Element], shows: str) -> bool:
    """Tell whether some that look so may be others that have lost their undeclared members."""
    looks = next((one.declared for one in after if one.shows == shows and one.declared), shows)
    counts = [sum((one.declared or one.shows) == looks for one in many) for many in (before, after)]
    return counts[0] != counts[1]


def _by_looks_only(
    before: Sequence[Element], after: Sequence[Element], found: list[Claim]
) -> list[Claim]:
    """Settle the elements of a strict list: one that shows something new is nobody's."""
    _by_looks(before, after, found)
    for item, claim in zip(after, found, strict=True):
        claim.others = [
            place
            for place, one in enumerate(before)
            if (one.declared or one.shows) == (item.declared or item.shows)
        ]
        if claim.own not in (*claim.equals, *claim.others):
            claim.own = None
    return found


def _stretches(
    before: Sequence[Element], after: Sequence[Element], pairs: dict[int, int]
) -> Iterator[tuple[int, int, int]]:
    """Yield stretches without pairs that have kept their length between two pairs.

    They are given by their place in `after`, their place in `before`, and their length.
    """
    taken = set(pairs.values())
    place = 0
    while place < len(after):
        end = place
        while end < len(after) and end not in pairs:
            end += 1
        first = 0 if place == 0 else pairs.get(place - 1, -1) + 1
        last = len(before) if end == len(after) else pairs[end]
        if end - place == last - first > 0 and not taken & set(range(first, last)):
            yield place, first, end - place
        place = end + 1


def _by_stretches(
    before: Sequence[Element],
    after: Sequence[Element],
    found: list[Claim],
    pairs: dict[int, int],
    ranked: dict[int, int],
    alike: dict[int, int],
) -> None:
    """Settle elements that were edited in place, between two that were found again."""
    were, are = {item.shows for item in before}, {item.shows for item in after}
    for place, first, length in _stretches(before, after, pairs):
        if length == len(before) == len(after) > 1:
            continue  # nothing of the list was found again
        new, old = after[place : place + length], before[first : first + length]
        if all(item.shows not in were for item in new) and all(
            item.shows not in are for item in old
        ):
            claims = found[place : place + length]
            renamed = [both[0].guess for both in zip(old, new, strict=True) if _is_renamed(*both)]
            is_taken = any(item.guess in renamed for item in after)
            certain = not renamed or (len(before) - len(pairs) == 1 and not is_taken)
            certain = certain and [claim.own for claim in claims] == list(
                range(first, first + length)
            )
            for claim in claims:
                claim.certain = certain
    for known in (*(each | alike for each in _pairings(before, after)), ranked):
        for place, first, length in _stretches(before, after, known):
            if length == len(before) == len(after) > 1:
                continue
            for offset in range(length):
                found[place + offset].others.append(first + offset)


def _pairings(before: Sequence[Element], after: Sequence[Element]) -> Iterator[dict[int, int]]:
    """Yield ways to pair what shows the same: by rank from either end, or in its place first.

    Each way exists twice: with undeclared members, and without them.
    """
    for plain in (False, True):
        old = [(plain and item.declared) or item.shows for item in before]
        new = [(plain and item.declared) or item.shows for item in after]
        for order in (1, -1):
            pairs: dict[int, int] = {}
            for shows in set(new):
                were = [place for place, item in enumerate(old) if item == shows]
                are = [place for place, item in enumerate(new) if item == shows]
                pairs.update(zip(are[::order], were[::order], strict=False))
            yield pairs
        stayed = [
            place for place, both in enumerate(zip(old, new, strict=False)) if len({*both}) == 1
        ]
        pairs = {place: place for place in stayed}
        for place, item in enumerate(new):
            left = [was for was, one in enumerate(old) if one == item and was not in pairs.values()]
            if place not in pairs and left:
                pairs[place] = left[0]
        yield pairs


def _by_guess(
    before: Sequence[Element], after: Sequence[Element], found: list[Claim]
) -> dict[int, int]:
    """Allow owners that share a unique `name`, `key` or `id`; return these pairs."""
    pairs = {}
    for place, item in enumerate(after):
        equal = [was for was, one in enumerate(before) if one.guess == item.guess]
        if item.guess and len(equal) == 1 and sum(one.guess == item.guess for one in after) == 1:
            found[place].others += equal
            pairs[place] = equal[0]
    return pairs

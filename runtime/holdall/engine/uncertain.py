"""Recording kept values that cannot be used, during the conversion of a document.

These are elements of kept lists that are not recognised, and values that other hooks or functions
have kept.

Source: docs/bags.md, "Losses".
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from holdall.objects.bag import BAG_MEMBER
from holdall.text.pointer import Pointers, join

Reason: TypeAlias = Literal["element", "hooks", "functions", "name"]
"""What is not certain, other than it was, or taken by something else."""
Noted: TypeAlias = "dict[tuple[int, str, str, str], tuple[Any, int, Reason]]"
"""The members and a count, by the identity of an object's members, the path to an object in a kept
value if that has the entry, and the entry's origin and key."""
_Make: TypeAlias = Callable[[], Any]


class OtherCode(NamedTuple):
    """Whether entries were kept under other two-way hooks, or functions, than the current ones.

    Then unused entries are noted; otherwise they are unused because of an edit.
    """

    hooks: bool = False
    functions: bool = False


SAME_CODE: Final = OtherCode()
_NOTED: Final[ContextVar[Noted | None]] = ContextVar("noted", default=None)
_OTHER: Final[ContextVar[OtherCode]] = ContextVar("other", default=SAME_CODE)
_COUNTS: Final[ContextVar[list[int] | None]] = ContextVar("counts", default=None)


def noting(convert: _Make, other: OtherCode | None = None) -> tuple[Any, Noted]:
    """Return the result of a function, and what was left out meanwhile.

    `other` are facts about the code under which entries were kept; without it, those of an outer
    call hold, because a hook may convert another document.
    """
    if other is not None and other != _OTHER.get():
        before = _OTHER.set(other)
        try:
            return noting(convert)
        finally:
            _OTHER.reset(before)
    noted: Noted = {}
    token = _NOTED.set(noted)
    try:
        return convert(), noted
    finally:
        _NOTED.reset(token)


def noting_lost(members: Any, origin: str, key: str, make: _Make) -> Any:
    """Return the result for an entry in the bag of an object, and note what is left out of it."""
    if _NOTED.get() is None:
        return make()
    made, count = counting_lost(make)
    note_lost(members, origin, key, count)
    return made


def note_lost(members: Any, origin: str, key: str, count: int) -> None:
    """Note how many elements are left out of an entry in the bag of an object."""
    noted = _NOTED.get()
    if noted is not None and count:
        noted[id(members), "", origin, key] = members, count, "element"


def counting_lost(make: _Make) -> tuple[Any, int]:
    """Return the result of a function, and how many elements were left out meanwhile."""
    counts: list[int] = []
    token = _COUNTS.set(counts)
    try:
        return make(), sum(counts)
    finally:
        _COUNTS.reset(token)


def notes_unused() -> bool:
    """Return whether entries that hooks do not use are noted."""
    return _OTHER.get().hooks and _NOTED.get() is not None


def note_unused(members: Any, origin: str, key: str, reason: Reason = "hooks") -> None:
    """Note that an entry in the bag of an object is not used, by default by a hook."""
    noted = _NOTED.get()
    if noted is not None:
        noted[id(members), "", origin, key] = members, 1, reason


def note_differing(holder: Any, origin: str, key: str, is_used: _Make) -> None:
    """Note that an entry of a view, from which a function makes a value, is not used as a whole."""
    if _OTHER.get().functions and holder is not None and not is_used():
        note_unused(holder.members_, origin, key, "functions")


def noted_below(holder: _Make, origin: str, key: str, kept: Any, convert: _Make) -> Any:
    """Return the result for an entry of a bag, and note what is left out of lists in it.

    The entry is not in a document, so this is noted for the view with the bag, from `holder`.
    """
    noted = _NOTED.get()
    if noted is None:
        return convert()
    made, within = noting(convert)
    places = Pointers(kept)
    for (_, below, left, name), (part, count, reason) in within.items():
        place = places.pointer_to(part)
        if place is not None:
            members, path = holder().members_, join("", BAG_MEMBER, origin, key)
            noted[id(members), f"{path}{place}{below}", left, name] = members, count, reason
    return made


def count_lost(count: int) -> None:
    """Count elements of a kept list that are left out."""
    counts = _COUNTS.get()
    if counts is not None and count:
        counts.append(count)

"""Tolerance: what a bag holds and nobody can use is set aside, and the object is converted.

Anyone who may annotate an object can damage what is in its bag. A serving layer must not fail
for that, so it converts as if such an entry were not there, keeps it and reports it.
Source: property-conversion contract, section 5.10.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Self, TypeVar

from holdall.text.pointer import Pointers

T = TypeVar("T")
Made = TypeVar("Made")

_TRIALS: Final = 128
_LEAST_TRIALS: Final = 8
_WORK: Final = 400_000
"""Conversions that a search may take, and entries that it may give to all of them together."""


@dataclass(frozen=True, slots=True)
class Unused:
    """A bag entry that could not be used: it was kept, and the object converted without it.

    `address` names the object that it belongs to, as a carrier does or as a JSON Pointer. Without
    a key it is all that was kept under the origin.
    """

    address: str
    origin: str
    key: str
    reason: str

    def __str__(self) -> str:
        what = "/".join(filter(None, (self.origin, self.key))) or "a bag"
        return f"{self.address or '/'}: {what} is kept, but not used: {self.reason}"


class Tolerance:
    """While it is entered, entries of objects that `look_at` saw are set aside if they are wrong.

    `found` are these entries, each once. Entries of `passed` versions were live in this conversion:
    none of them is at fault, but an entry within, which came with the document. Not so those that
    waited and have returned to their place on the way, by origin and key.
    """

    def __init__(self) -> None:
        self.found: dict[Unused, None] = {}
        self._places = Pointers(None)
        self._copies: Mapping[int, tuple[Any, Any]] = {}
        self.passed: Sequence[str] = ()
        self.returned: set[tuple[str, str]] = set()

    def __enter__(self) -> Self:
        self._token = _CURRENT.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _CURRENT.reset(self._token)

    def look_at(self, members: Any, copies: Mapping[int, tuple[Any, Any]]) -> None:
        """Know the tree that is about to be converted; `copies` has the originals of copies."""
        self._places, self._copies = Pointers(members), copies

    def accepts(self, holder: Any, origin: str, key: str, reason: str) -> bool:
        """Note an entry in the bag of an object; return whether that is one of the tree.

        An object within an entry is none: there the whole entry is wrong.
        """
        was_live = origin in self.passed and (origin, key) not in self.returned
        path = None if was_live else self._place(holder)
        if path is None:
            return False
        self.found[Unused(path, origin, key, reason)] = None
        return True

    def _place(self, holder: Any) -> str | None:
        found = holder.members_
        while id(found) in self._copies:
            found = self._copies[id(found)][1]
        return self._places.pointer_to(found)


_CURRENT: Final[ContextVar[Tolerance | None]] = ContextVar("tolerance", default=None)


def is_tolerated(holder: Any, origin: str, key: str, reason: str) -> bool:
    """Return whether an entry that cannot be used is to be set aside instead of an error."""
    current = _CURRENT.get()
    return current is not None and current.accepts(holder, origin, key, reason)


def searched(
    entries: Sequence[T], convert: Callable[[Sequence[T]], Made], error: Exception
) -> tuple[Made, list[tuple[T, Exception]]]:
    """Return what is made of as many entries as possible, and the others, each with its error.

    `convert` makes something with some of the entries and raises if that is impossible. The trials
    are bounded. Raises `error`, with which all of them failed, if it is not the fault of any.
    """
    try:
        made = convert(())
    except Exception:  # noqa: BLE001 - what failed first is what is to be seen
        raise error from error.__cause__
    trials = max(_LEAST_TRIALS, min(_TRIALS, _WORK // max(1, len(entries))))
    accepted: list[T] = []
    refused: list[tuple[T, Exception]] = []
    # Groups of entries that fail together with what is accepted, the larger ones first.
    groups = deque([(entries, error)])
    while groups and trials > 0:
        group, reason = groups.popleft()
        if len(group) == 1:
            refused.append((group[0], reason))
            continue
        middle, is_whole = len(group) // 2, False
        for part in (group[:middle], group[middle:]):
            if not is_whole:
                trials -= 1
                try:
                    made = convert((*accepted, *part))
                except Exception as failure:  # noqa: BLE001 - the reason to refuse them
                    reason = failure
                else:
                    accepted.extend(part)
                    is_whole = True
                    continue
            groups.append((part, reason))
    refused.extend((entry, reason) for group, reason in groups for entry in group)
    return made, refused

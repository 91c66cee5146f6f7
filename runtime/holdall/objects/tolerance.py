"""Tolerance: bag entries that cannot be used are set aside, and the object is converted.

Anyone who may annotate an object can damage its bag. A server must not fail because of that, so it
converts without such an entry, keeps it and reports it. Source: docs/bags.md, "Entries that cannot
be used".
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
"""Limits of a search: conversions, and entries passed to all of them together."""


@dataclass(frozen=True, slots=True)
class Unused:
    """A bag entry that could not be used: it was kept, and the object converted without it.

    `address` is the carrier's address or JSON Pointer of its object. Without a key, it is all that
    was kept under the origin.
    """

    address: str
    origin: str
    key: str
    reason: str

    def __str__(self) -> str:
        what = "/".join(filter(None, (self.origin, self.key))) or "a bag"
        return f"{self.address or '/'}: {what} is kept, but not used: {self.reason}"


class Tolerance:
    """While it is active, wrong entries of objects that `look_at` saw are set aside.

    `found` are these entries, each once. Entries of `passed` versions were live values in this
    conversion, so they are not at fault, but an entry inside one is, which came with the document.
    This does not hold for entries, by origin and key, that returned to their place on the way.
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
        """Register the tree to be converted; `copies` has the originals of copies."""
        self._places, self._copies = Pointers(members), copies

    def accepts(self, holder: Any, origin: str, key: str, reason: str) -> bool:
        """Record an entry in the bag of an object; return whether the object is in the tree.

        Objects inside entries are not: then the whole entry is wrong.
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
    """Return whether to set aside an entry that cannot be used, instead of raising an error."""
    current = _CURRENT.get()
    return current is not None and current.accepts(holder, origin, key, reason)


def searched(
    entries: Sequence[T], convert: Callable[[Sequence[T]], Made], error: Exception
) -> tuple[Made, list[tuple[T, Exception]]]:
    """Return the result with as many entries as possible, and the other entries with their errors.

    `convert` uses some of the entries and raises if that is impossible. The number of trials is
    limited. Raises `error`, the failure with all entries, if no entry is at fault.
    """
    try:
        made = convert(())
    except Exception:  # noqa: BLE001 - the first failure is reported
        raise error from error.__cause__
    trials = max(_LEAST_TRIALS, min(_TRIALS, _WORK // max(1, len(entries))))
    accepted: list[T] = []
    refused: list[tuple[T, Exception]] = []
    # Groups of entries that fail together with the accepted ones, larger ones first.
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

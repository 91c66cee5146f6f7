"""Collections of plain values in entries: one entry for each element that needs one.

Source: docs/declared.md, "Tracking".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from holdall.carriers.addresses import Elements
from holdall.carriers.matching import match_indexes
from holdall.carriers.tracking.entries import NOTHING, Entry
from holdall.engine.conversions import Conversion, each, values
from holdall.errors import FunctionFailure
from holdall.text import json as _json
from holdall.text.json_path import Index, Name, Segment
from holdall.types import JsonValue


@dataclass(frozen=True, slots=True)
class Piece:
    """One element of a kept value, by its path inside, and what it became."""

    path: tuple[Segment, ...]
    guards: tuple[str, ...]
    value: JsonValue
    became: JsonValue


@dataclass(frozen=True, slots=True)
class Waiting:
    """An entry of one element, with the rest of its path and guards."""

    path: tuple[Segment, ...]
    guards: tuple[str, ...]
    entry: Entry

    def inside(self) -> Waiting:
        """Return the entry one step further inside."""
        is_index = isinstance(self.path[0], Index)
        return Waiting(self.path[1:], self.guards[1:] if is_index else self.guards, self.entry)


@dataclass(frozen=True, slots=True)
class Piecewise:
    """Converts a collection element by element; `is_older` says that its entries have values of the
    conversion's older side, and that the live value is on the newer one.
    """

    conversion: Conversion
    is_older: bool

    def fits(self, value: Any, became: Any) -> bool:
        """Return whether a kept value and what it became have the same elements."""
        if isinstance(self.conversion, each):
            if type(value) is not list or type(became) is not list or len(value) != len(became):
                return False
            return all(map(self._inner().fits, value, became))
        if isinstance(self.conversion, values):
            if type(value) is not dict or type(became) is not dict or value.keys() != became.keys():
                return False
            return all(self._inner().fits(value[key], became[key]) for key in value)
        return True

    def split(self, value: Any, became: Any) -> Iterator[Piece]:
        """Yield the elements that converting back would not restore."""
        inner = self._inner() if isinstance(self.conversion, (each, values)) else self
        if isinstance(self.conversion, each):
            elements = Elements(became, ())
            for index, item in enumerate(value):
                guard = f"{len(became)}:{elements.fingerprint(index)}"
                yield from _within(inner.split(item, became[index]), Index(index), (guard,))
        elif isinstance(self.conversion, values):
            for key, item in value.items():
                yield from _within(inner.split(item, became[key]), Name(key), ())
        elif not self._gives(became, value):
            yield Piece((), (), value, became)

    def join(self, live: Any, waiting: list[Waiting]) -> tuple[Any, list[Entry]]:
        """Return a live value in the form of the entries' side, with their values where they fit,
        and the entries that fit nowhere.

        An edited element is converted.
        """
        if not waiting:
            return self._crossed(live), []
        if isinstance(self.conversion, each) and type(live) is list:
            return self._join_list(live, waiting)
        if isinstance(self.conversion, values) and type(live) is dict:
            return self._join_map(live, waiting)
        dropped = [item.entry for item in waiting]
        if not isinstance(self.conversion, (each, values)):
            for item in waiting:
                if not item.path and not item.entry.absent and self._agrees(item.entry, live):
                    dropped.remove(item.entry)
                    return _json.copy(item.entry.value), dropped
        return self._crossed(live), dropped

    def _join_list(self, live: list[Any], waiting: list[Waiting]) -> tuple[Any, list[Entry]]:
        elements = Elements(live, ())
        addressed: dict[str, list[Waiting]] = {}
        dropped: list[Entry] = []
        for item in waiting:
            segment = _segment(item, elements)
            if segment is None:
                dropped.append(item.entry)
            else:
                addressed.setdefault(segment, []).append(item)
        places = match_indexes(elements, addressed)
        found: dict[Any, list[Waiting]] = {
            places[key]: items for key, items in addressed.items() if key in places
        }
        for key, items in addressed.items():
            dropped += [item.entry for item in items if key not in places]
        joined = [self._element(item, found.get(at, []), dropped) for at, item in enumerate(live)]
        return joined, dropped

    def _join_map(self, live: dict[str, Any], waiting: list[Waiting]) -> tuple[Any, list[Entry]]:
        found: dict[str, list[Waiting]] = {}
        dropped: list[Entry] = []
        for item in waiting:
            step = item.path[0] if item.path else None
            if isinstance(step, Name) and step.text in live:
                found.setdefault(step.text, []).append(item)
            else:
                dropped.append(item.entry)
        joined = {key: self._element(one, found.get(key, []), dropped) for key, one in live.items()}
        return joined, dropped

    def _element(self, live: Any, waiting: list[Waiting], dropped: list[Entry]) -> Any:
        value, more = self._inner().join(live, [item.inside() for item in waiting])
        dropped += more
        return value

    def _inner(self) -> Piecewise:
        inner = self.conversion
        if isinstance(inner, (each, values)):
            inner = inner.inner
        return Piecewise(inner, self.is_older)

    def _agrees(self, entry: Entry, live: Any) -> bool:
        """Return whether a live value is what the entry's value became."""
        if entry.became is not NOTHING:
            return _json.equal(entry.became, live)
        back = Piecewise(self.conversion, not self.is_older)
        return back._gives(entry.value, live)

    def _gives(self, value: Any, wanted: Any) -> bool:
        try:
            return _json.equal(self._crossed(value), wanted)
        except FunctionFailure:
            return False

    def _crossed(self, live: Any) -> Any:
        return self.conversion.back(live) if self.is_older else self.conversion.to(live)


def _within(pieces: Iterator[Piece], step: Segment, guards: tuple[str, ...]) -> Iterator[Piece]:
    for piece in pieces:
        path = (step, *piece.path)
        yield Piece(path, (*guards, *piece.guards), piece.value, piece.became)


def _segment(item: Waiting, elements: Elements) -> str | None:
    """Return the address segment of an element to match; without a guard, that of its index."""
    step = item.path[0] if item.path else None
    if not isinstance(step, Index):
        return None
    if item.guards:
        return f"[{step.at}:{item.guards[0]}]"
    count = len(elements.items)
    return f"[{step.at}:{count}:{elements.fingerprint(step.at)}]" if 0 <= step.at < count else None

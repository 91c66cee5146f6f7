"""Patterns that Python may need years for, matched as RE2 matches them: in one pass over a text.

A repetition of something that repeats can match a text in very many ways, and Python tries them
one after the other. Here all of them advance together, letter by letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

MOST_STATES: Final = 10_000
_MOST_KNOWN: Final = 100_000
_TOKEN: Final = re.compile(
    r"(?P<open>\((?:\?(?P<flags>[a-zA-Z]*(?:-[a-zA-Z]+)?):)?) | (?P<close>\)) | (?P<either>\|)"
    r" | (?P<repeat>[*+?]|\{(?P<least>\d+)(?P<comma>,?)(?P<most>\d*)\})"
    r" | (?P<place>[$^]|\\[AZbB]) | (?P<letter>\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|.)",
    re.VERBOSE | re.DOTALL,
)
Part: TypeAlias = "Callable[[int], int]"
"""Makes the states of a part of a pattern that leads to a state; returns the one it begins with."""


class TooLarge(Exception):
    """A pattern would have more states than are made."""


def is_risky(pattern: str) -> bool:
    """Tell whether a pattern, in Python's syntax, repeats what has a repetition or a choice."""
    within = [False]
    closed = False
    for token in _TOKEN.finditer(pattern):
        if token["open"]:
            within.append(False)
        elif token["close"]:
            closed = within.pop() if len(within) > 1 else False
            within[-1] |= closed
            continue
        elif token["either"]:
            within[-1] = True
        elif token["repeat"] and token["repeat"] != "?":
            if closed:
                return True
            within[-1] = True
        closed = False
    return False


class Linear:
    """A pattern in Python's syntax, without groups that refer to others or look around."""

    def __init__(self, pattern: str) -> None:
        self._tokens = _TOKEN.finditer(pattern)
        self._next = next(self._tokens, None)
        self._letters: list[re.Pattern[str] | None] = []
        self._places: list[re.Pattern[str] | None] = []
        self._ways: list[tuple[int, ...]] = []
        self._known: dict[tuple[int, str], bool] = {}
        self._end = self._state()
        self._start = self._either("")(self._end)

    def search(self, text: str) -> bool:
        """Tell whether the pattern is found in a text."""
        states: set[int] = set()
        for at in range(len(text) + 1):
            states = self._reached({*states, self._start}, text, at)
            if self._end in states:
                return True
            if at < len(text):
                letter = text[at]
                states = {self._ways[state][0] for state in states if self._takes(state, letter)}
        return False

    def _takes(self, state: int, letter: str) -> bool:
        pattern = self._letters[state]
        if pattern is None:
            return False
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        found = self._known.get((state, letter))
        if found is None:
            found = self._known[state, letter] = pattern.fullmatch(letter) is not None
        return found

    def _reached(self, states: set[int], text: str, at: int) -> set[int]:
        """Return the states that are reached without a letter."""
        work = [*states]
        while work:
            state = work.pop()
            place = self._places[state]
            if self._letters[state] is None and (place is None or place.match(text, at)):
                fresh = [way for way in self._ways[state] if way not in states]
                states.update(fresh)
                work += fresh
        return states

    def _state(
        self,
        *ways: int,
        letter: re.Pattern[str] | None = None,
        place: re.Pattern[str] | None = None,
    ) -> int:
        if len(self._ways) >= MOST_STATES:
            raise TooLarge
        self._letters.append(letter)
        self._places.append(place)
        self._ways.append(ways)
        return len(self._ways) - 1

    def _take(self) -> re.Match[str] | None:
        token, self._next = self._next, next(self._tokens, None)
        return token

    def _either(self, flags: str) -> Part:
        choices = [self._sequence(flags)]
        while self._next is not None and self._next["either"]:
            self._take()
            choices.append(self._sequence(flags))
        return lambda end: self._state(*[choice(end) for choice in choices])

    def _sequence(self, flags: str) -> Part:
        parts: list[Part] = []
        while self._next is not None and not (self._next["either"] or self._next["close"]):
            parts.append(self._repeated(self._one(flags)))

        def make(end: int) -> int:
            for part in reversed(parts):
                end = part(end)
            return end

        return make

    def _one(self, flags: str) -> Part:
        token = self._take()
        if token is None:
            return lambda end: end
        if token["open"]:
            inner = self._either(token["flags"] or flags)
            self._take()  # what closes it
            return inner
        compiled = re.compile(f"(?{flags}:{token[0]})" if flags else token[0], re.ASCII)
        if token["place"]:
            return lambda end: self._state(end, place=compiled)
        return lambda end: self._state(end, letter=compiled)

    def _repeated(self, part: Part) -> Part:
        while self._next is not None and self._next["repeat"]:
            token = self._next
            self._take()
            lazy = self._next
            if lazy is not None and lazy[0] == "?":
                self._take()  # whether few or many are preferred makes no difference
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(
                token[0], (int(token["least"] or 0), None)
            )
            if token["least"] and (token["most"] or not token["comma"]):
                most = int(token["most"] or token["least"])
            part = self._times(part, least, most)
        return part

    def _times(self, part: Part, least: int, most: int | None) -> Part:
        def make(end: int) -> int:
            if most is None:
                again = self._state(end)
                self._ways[again] = (part(again), end)
                end = again
            else:
                for _ in range(most - least):
                    end = self._state(part(end), end)
            for _ in range(least):
                end = part(end)
            return end

        return make

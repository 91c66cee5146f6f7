"""How similar the names and descriptions of properties are, by words instead of letters.

Common words (`name`, `spec`, units, the names of versions) have little weight.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache
from typing import Final

from holdall_codegen.plan.python_names import snake_case

_Path = tuple[str, ...]

_LITTLE: Final = 0.3
_HARDLY: Final = 0.1
_TYPO: Final = 0.9
MOST_OF_COMMON: Final = 0.7
"""How much a path has of a name of common words at most."""


@cache
def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(_stem, text.split()))


# Words at the end of many names, whatever these are about.
_COMMON: Final = _stems(
    "config configuration data id info key kind list name namespace option param parameter policy"
    " properties property ref reference setting spec specification status strategy template type"
    " value"
)
_UNITS: Final = _stems(
    "ms milli millis millisecond sec second min minute hour day percent percentage count"
    " byte b kb ki kib mb mi mib gb gi gib tb ti tib"
)
_FILLING: Final = _stems(
    "a an and as at be by for from if in is it its of on or than that the this to with will"
    " deprecated legacy stamp"
)
# Words that are also written as two.
_COMPOUNDS: Final = {
    "filename": "file_name",
    "hostname": "host_name",
    "nodename": "node_name",
    "timestamp": "time_stamp",
    "username": "user_name",
}
_VERSION: Final = re.compile(r"v[0-9]+|(?:v[0-9]+)?(?:alpha|beta)[0-9]*")
_NEGATIONS: Final = ("un", "in", "non", "dis", "not", "no", "im")
_TURNING: Final = _set("not no non never without except")
_OPPOSITES: Final = frozenset(
    frozenset(pair.split("/"))
    for pair in _set(
        "min/max minimum/maximum enable/disable enabled/disabled before/after start/end start/stop"
        " first/last allow/deny allowed/denied include/exclude source/destination source/target"
        " read/write lower/upper old/new older/newer input/output inputs/outputs request/limit"
        " requests/limits up/down in/out ingress/egress public/private internal/external"
        " create/delete add/remove open/closed left/right begin/end success/failure"
        " succeeded/failed success/error increase/decrease inbound/outbound client/server"
        " hard/soft required/optional required/preferred parent/child present/absent"
    )
)


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the words of a wire name, in lower case."""
    found = [_COMPOUNDS.get(word, word) for word in snake_case(name).split("_")]
    return tuple("_".join(found).strip("_").split("_"))


def path_words(path: Iterable[str]) -> tuple[str, ...]:
    """Return the words of all names of a path."""
    return tuple(word for name in path for word in words(name))


@cache
def same_word(one: str, other: str) -> bool:
    """Tell whether two words are forms of the same word: a plural, another ending, a typo."""
    if one == other or _stem(one) == _stem(other):
        return True
    if is_opposite(one, other):
        return False
    short, long = sorted((one, other), key=len)
    shared = next(
        (i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short)
    )
    if shared >= 5 and shared >= len(short) - 2:
        return True
    if len(short) < 6 or 2 * len(short) < _TYPO * (len(short) + len(long)):
        return False
    matcher = SequenceMatcher(None, one, other)
    return (
        matcher.quick_ratio() >= _TYPO and matcher.ratio() >= _TYPO
    )  # the first is an upper bound


class Forms:
    """Finds the forms of a word among many words, without comparing it with each of them."""

    def __init__(self, known: Iterable[str]) -> None:
        self._by_part: dict[str, list[str]] = {}
        for word in dict.fromkeys(known):
            for part in _parts(word):
                self._by_part.setdefault(part, []).append(word)
        self._found: dict[str, tuple[str, ...]] = {}

    def of(self, word: str) -> tuple[str, ...]:
        """Return the words that are forms of the same word as this one, itself included."""
        if word not in self._found:
            near = {other for part in _parts(word) for other in self._by_part.get(part, ())}
            self._found[word] = tuple(other for other in near if same_word(word, other))
        return self._found[word]


def _parts(word: str) -> set[str]:
    """Return parts of a word; forms of one word have one of them in common.

    That is the stem, or three letters in a row: a typo leaves as many between two changes.
    """
    return {_stem(word), *(word[at : at + 3] for at in range(len(word) - 2))}


@cache
def is_opposite(one: str, other: str) -> bool:
    """Tell whether two words exclude each other: `available` and `unavailable`, `min` and `max`."""
    if frozenset((one, other)) in _OPPOSITES:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= 3 and any(long == negation + short for negation in _NEGATIONS)


@cache
def are_opposites(one: str, other: str) -> bool:
    """Tell whether two names differ in a word that reverses the meaning."""
    first, second = words(one), words(other)
    lone, rest = _without(first, second), _without(second, first)
    if any(is_opposite(a, b) for a in lone for b in rest):
        return True
    extra = {*lone, *rest}
    return bool(extra) and extra <= _TURNING


def has_more_words(one: str, other: str) -> bool:
    """Tell whether one name is the other with more words, none a number or one that reverses it."""
    few, many = sorted(({*words(one)}, {*words(other)}), key=len)
    more = many - few
    return few < many and not more & _TURNING and all(map(str.isalpha, more))


def _without(some: tuple[str, ...], others: tuple[str, ...]) -> list[str]:
    return [word for word in some if not any(same_word(word, other) for other in others)]


class Names:
    """Compares names of a group; in a name, the names of its versions have no weight."""

    def __init__(self, versions: Iterable[str]) -> None:
        self._versions = frozenset(_stem(word) for version in versions for word in words(version))
        self._weights: dict[str, float] = {}
        self._share: dict[tuple[_Path, _Path], bool] = {}

    def weight(self, word: str) -> float:
        """Return the weight of a word in a name, up to 1."""
        if word not in self._weights:
            self._weights[word] = self._weigh(word)
        return self._weights[word]

    def weight_of(self, name: str) -> float:
        """Return the weight of the words of a name; below 1 if they are all common."""
        return sum(map(self.weight, dict.fromkeys(words(name))))

    def _weigh(self, word: str) -> float:
        stem = _stem(word)
        if _VERSION.fullmatch(word) or stem in _FILLING | _UNITS | self._versions:
            return _HARDLY
        return _LITTLE if stem in _COMMON else 1.0

    def likeness(self, one: tuple[str, ...], other: tuple[str, ...]) -> float:
        """Return how much of the ends of two paths the other path has, by weight: 0 to 1."""
        if one[-1] == other[-1]:
            own = sum(self.weight(word) for word in words(one[-1]))
            return 1.0 if own >= 1 else 0.53 + 0.4 * self._shared(one[:-1], other[:-1])
        if are_opposites(one[-1], other[-1]):
            return 0.0
        said = self._said(words(one[-1]), path_words(other))
        return (said + self._said(words(other[-1]), path_words(one))) / 2

    def share_word(self, one: _Path, other: _Path) -> bool:
        """Tell whether two paths share a distinctive word; cached, for all ends of two objects."""
        if (one, other) not in self._share:
            known = path_words(other)
            self._share[one, other] = any(
                self.weight(word) >= 1 and any(same_word(word, there) for there in known)
                for word in path_words(one)
            )
        return self._share[one, other]

    def _shared(self, one: tuple[str, ...], other: tuple[str, ...]) -> float:
        first, second = path_words(one), path_words(other)
        return (self._said(first, second) + self._said(second, first)) / 2

    def _said(self, wanted: tuple[str, ...], given: tuple[str, ...]) -> float:
        weights = {word: self.weight(word) for word in wanted}
        missing = sum(
            weight
            for word, weight in weights.items()
            if not any(same_word(word, other) for other in given)
        )
        total = sum(weights.values())
        if 0 < total < 1:
            return 0.6 if missing else MOST_OF_COMMON  # common words prove little
        return 1 - missing / max(total, 1.0)


class Texts:
    """Compares descriptions: by the words they share, rare ones first."""

    def __init__(self, texts: Iterable[str]) -> None:
        known = [frozenset(_text_words(text)) for text in {*texts} if text]
        seen = Counter(word for found in known for word in found)
        self._weight = {word: math.log(1 + len(known) / count) for word, count in seen.items()}
        self._vectors: dict[str, dict[str, float]] = {}

    def likeness(self, one: str, other: str) -> float | None:
        """Return how similar two descriptions are, 0 to 1; None if one has no significant word."""
        first, second = self._vector(one), self._vector(other)
        if not first or not second:
            return None
        return sum(weight * second.get(word, 0.0) for word, weight in first.items())

    def _vector(self, text: str) -> dict[str, float]:
        if text not in self._vectors:
            # in the order of the text, on which sums of floats depend
            found = {word: self._weight.get(word, 1.0) for word in _text_words(text)}
            length = math.sqrt(sum(weight * weight for weight in found.values()))
            self._vectors[text] = {word: weight / length for word, weight in found.items()}
        return self._vectors[text]


def _text_words(text: str) -> Iterable[str]:
    for found in re.findall(r"[A-Za-z][A-Za-z0-9]*", text):
        for word in words(found):
            stem = _stem(word)
            if len(word) > 2 and stem not in _FILLING:
                yield stem

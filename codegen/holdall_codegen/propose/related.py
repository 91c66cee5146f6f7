"""Which properties of two versions can be similar, and how much, found by words, not pairwise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from holdall_codegen.propose.ends import End
from holdall_codegen.propose.words import MOST_OF_COMMON, Forms, Names, path_words, words

Values = Callable[[End], frozenset[str]]


class Related:
    """The ends of one side, by the words of their paths and by the values of their enums."""

    def __init__(self, ends: Sequence[End], names: Names, values: Values) -> None:
        self._ends, self._names, self._values = ends, names, values
        self._totals = [names.weight_of(end.path[-1]) for end in ends]
        self._vague = {at for at, total in enumerate(self._totals) if total < 1}
        self._by_name: dict[str, set[int]] = {}
        self._by_path: dict[str, set[int]] = {}
        self._by_values: dict[frozenset[str], set[int]] = {}
        for at, end in enumerate(ends):
            for word in words(end.path[-1]):
                self._by_name.setdefault(word, set()).add(at)
            for word in path_words(end.path):
                self._by_path.setdefault(word, set()).add(at)
            if found := values(end):
                self._by_values.setdefault(found, set()).add(at)
        self._forms = Forms(self._by_path)

    def to(self, end: End) -> Iterator[tuple[End, float]]:
        """Yield the ends that have something in common with one of the other side.

        That is a form of a word or all values of an enum; names of common words alone are a little
        like all others. With each end comes the most that `Names.likeness` can say about its name.
        """
        name = end.path[-1]
        total = self._names.weight_of(name)
        own, theirs = self._said(name), self._heard(end.path)
        some = (
            own.keys() | theirs.keys() | self._vague | self._by_values.get(self._values(end), set())
        )
        for at in range(len(self._ends)) if total < 1 else sorted(some):
            other = self._ends[at]
            said = _share(own.get(at, 0.0), total), _share(theirs.get(at, 0.0), self._totals[at])
            yield other, 1.0 if other.path[-1] == name else sum(said) / 2

    def _said(self, name: str) -> dict[int, float]:
        """Return the weight of the words of a name that the path of each end has."""
        found: dict[int, float] = defaultdict(float)
        for word in dict.fromkeys(words(name)):
            weight = self._names.weight(word)
            for at in set().union(*(self._by_path[form] for form in self._forms.of(word))):
                found[at] += weight
        return found

    def _heard(self, path: Sequence[str]) -> dict[int, float]:
        """Return the weight of the words in the name of each end that a path has."""
        found: dict[int, float] = defaultdict(float)
        for form in {form for word in path_words(path) for form in self._forms.of(word)}:
            weight = self._names.weight(form)
            for at in self._by_name.get(form, ()):
                found[at] += weight
        return found


def _share(said: float, total: float) -> float:
    return MOST_OF_COMMON if total < 1 else said / total

"""Making a counterexample small: whatever can go from the object goes, one piece at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from holdall.objects.heads import head_members
from holdall.testing.laws.cases import Case, Violation
from holdall.testing.laws.differences import MISSING, Tokens
from holdall.testing.laws.edits import Edit
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import TRIALS, Trialled, check_api
from holdall.types import JsonObject, JsonValue, get

_SIMPLE: dict[type, tuple[JsonValue, ...]] = {
    str: ("", "a"),
    int: (0, 1),
    float: (0.5, 1.5),
    bool: (False,),
    dict: ({},),
    list: ([],),
}
_ATTEMPTS = 3000


@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest case found that breaks a law, and how. `is_api` tells which of the two forms
    of the object it is about."""

    case: Case
    violation: Violation
    is_api: bool

    @property
    def document(self) -> JsonObject:
        """The object, in the form that matters."""
        return self.case.api if self.is_api else self.case.stored


def shrink(tools: Tools, case: Case, violation: Violation) -> Smallest:
    """Return a small case that breaks the same law between the same versions; the case itself
    if the law holds when it is checked again."""
    return _Shrinker(tools, case, violation).run()


class _Shrinker:
    def __init__(self, tools: Tools, case: Case, violation: Violation) -> None:
        self._tools = tools
        self._left = _ATTEMPTS
        self._cell = violation.cell
        self._damaged = violation.damaged
        self._trial: Trialled = TRIALS[0]
        self._case = case
        self._violation = violation

    def run(self) -> Smallest:
        if not any(self._attempt_in(trial) for trial in TRIALS):
            return Smallest(self._case, self._violation, self._is_api)
        self._simplify()
        if not self._damaged:
            self._attempt(replace(self._case, damage=None))
        while self._left > 0 and self._reduce():
            pass
        return Smallest(self._case, self._violation, self._is_api)

    @property
    def _is_api(self) -> bool:
        return self._trial is check_api

    def _attempt_in(self, trial: Trialled) -> bool:
        self._trial = trial
        return self._attempt(self._case)

    def _attempt(self, case: Case) -> bool:
        """Take a case over if it breaks the law as well."""
        self._left -= 1
        for found in self._trial(self._tools, case):
            if found.cell == self._cell and found.damaged == self._damaged:
                self._case, self._violation = case, found
                return True
        return False

    def _simplify(self) -> None:
        """Do without all that is done besides."""
        edit = self._violation.edit
        if edit is not None:
            self._attempt(replace(self._case, edits={self._violation.end: edit}, thorough=False))
        self._attempt(replace(self._case, thorough=False))
        self._attempt(replace(self._case, stale=False))

    def _reduce(self) -> bool:
        """Try every piece of the object and of its edit; tell whether anything got smaller."""
        smaller = False
        head = head_members(self._tools.subject.scheme.head)
        for edit in _reductions(self._document, (), head):
            if self._left <= 0:
                return False
            reduced = edit.apply(self._document)
            case = replace(self._case, api=reduced)
            if not self._is_api:
                case = replace(self._case, stored=reduced)
            if reduced != self._document and self._attempt(case):
                smaller = True
        for case in self._changes():
            if self._left > 0 and self._attempt(case):
                smaller = True
        return smaller

    @property
    def _document(self) -> JsonObject:
        return self._case.api if self._is_api else self._case.stored

    def _changes(self) -> Iterator[Case]:
        """Yield cases with a simpler edit, or simpler damage."""
        end = self._violation.end
        edit, damage = self._case.edits.get(end), self._case.damage
        if edit is not None:
            for value in _simpler(edit.value):
                yield replace(self._case, edits={end: replace(edit, value=value)})
        if damage is not None and self._damaged:
            for value in _simpler(damage.value):
                yield replace(self._case, damage=replace(damage, value=value))


def _simpler(value: object) -> Iterator[JsonValue]:
    kind = type(value)
    for simple in _SIMPLE.get(kind, ()):
        if value == simple and type(simple) is kind:
            return
        yield simple
    if isinstance(value, dict | list):
        holder: JsonObject = {"value": value}
        for edit in _reductions(holder, (), ()):
            if len(edit.path) > 1:
                yield edit.apply(holder)["value"]


def _reductions(document: JsonValue, path: Tokens, head: Collection[str]) -> Iterator[Edit]:
    """Yield edits that make a value simpler, the largest pieces first; its head stays."""
    keys: Sequence[str | int]
    if isinstance(document, dict):
        keys = [key for key in document if path or key not in head]
    elif isinstance(document, list):
        keys = range(len(document))[::-1]
    else:
        return
    for key in keys:
        here = (*path, key)
        yield Edit(here, MISSING)
    for key in keys:
        here = (*path, key)
        value = get(document, key)
        if isinstance(value, dict | list):
            yield from _reductions(value, here, head)
        for simple in _SIMPLE.get(type(value), ()):
            if type(simple) is type(value) and simple == value:
                break
            yield Edit(here, simple)

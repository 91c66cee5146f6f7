"""Making a counterexample small: whatever can go from the object goes, one piece at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

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


class Smallest:
    """A small case that breaks the same law between the same versions as another one, and how.

    It is that case itself if the law holds when it is checked again. `is_api` tells which of the
    two forms of the object it is about.
    """

    def __init__(self, tools: Tools, case: Case, violation: Violation) -> None:
        self.case, self.violation = case, violation
        self._tools = tools
        self._left = _ATTEMPTS
        self._trial: Trialled = TRIALS[0]
        if any(self._attempt_in(trial) for trial in TRIALS):
            self._shrink()

    @property
    def is_api(self) -> bool:
        return self._trial is check_api

    @property
    def document(self) -> JsonObject:
        """The object, in the form that matters."""
        return self.case.api if self.is_api else self.case.stored

    def _shrink(self) -> None:
        self._simplify()
        if not self.violation.damaged:
            self._attempt(replace(self.case, damage=None))
        while self._left > 0 and self._reduce():
            pass

    def _attempt_in(self, trial: Trialled) -> bool:
        self._trial = trial
        return self._attempt(self.case)

    def _attempt(self, case: Case) -> bool:
        """Take a case over if it breaks the law as well."""
        self._left -= 1
        for found in self._trial(self._tools, case):
            is_same = found.cell == self.violation.cell
            if is_same and found.damaged == self.violation.damaged:
                self.case, self.violation = case, found
                return True
        return False

    def _simplify(self) -> None:
        """Do without all that is done besides."""
        edit = self.violation.edit
        if edit is not None:
            self._attempt(replace(self.case, edits={self.violation.end: edit}, thorough=False))
        self._attempt(replace(self.case, thorough=False))
        self._attempt(replace(self.case, stale=False))

    def _reduce(self) -> bool:
        """Try every piece of the object and of its edit; return whether anything got smaller."""
        smaller = False
        head = head_members(self._tools.subject.scheme.head)
        for edit in _reductions(self.document, (), head):
            if self._left <= 0:
                return False
            reduced = edit.apply(self.document)
            case = replace(self.case, api=reduced)
            if not self.is_api:
                case = replace(self.case, stored=reduced)
            if reduced != self.document and self._attempt(case):
                smaller = True
        for case in self._changes():
            if self._left > 0 and self._attempt(case):
                smaller = True
        return smaller

    def _changes(self) -> Iterator[Case]:
        """Yield cases with a simpler edit, or simpler damage."""
        end = self.violation.end
        edit, damage = self.case.edits.get(end), self.case.damage
        if edit is not None:
            for value in _simpler(edit.value):
                yield replace(self.case, edits={end: replace(edit, value=value)})
        if damage is not None and self.violation.damaged:
            for value in _simpler(damage.value):
                yield replace(self.case, damage=replace(damage, value=value))


def _simple(value: object) -> Iterator[JsonValue]:
    """Yield the simplest values of the same type, up to the value itself."""
    for simple in _SIMPLE.get(type(value), ()):
        if simple == value and type(simple) is type(value):
            return
        yield simple


def _simpler(value: object) -> Iterator[JsonValue]:
    yield from _simple(value)
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
    yield from (Edit((*path, key), MISSING) for key in keys)
    for key in keys:
        here = (*path, key)
        value = get(document, key)
        if isinstance(value, dict | list):
            yield from _reductions(value, here, head)
        yield from (Edit(here, simple) for simple in _simple(value))

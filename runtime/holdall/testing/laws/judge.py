"""The base of trials: checking one case, collecting violations, and describing errors."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from holdall.errors import MisfitError, RefusedError
from holdall.testing.laws.cases import Case, Violation
from holdall.testing.laws.differences import Difference, differences, lines
from holdall.testing.laws.edits import Edit
from holdall.text import json as _json
from holdall.types import JsonValue

_STACKS: Final = ContextVar("_STACKS", default=False)


class Judge:
    """Checks one case; `found` collects the violations."""

    def __init__(self, case: Case) -> None:
        self.found: list[Violation] = []
        self._case = case

    def _fail(
        self,
        law: str,
        start: str,
        end: str,
        claim: str,
        texts: Iterable[str],
        *,
        edit: Edit | None = None,
        damaged: bool = False,
    ) -> None:
        kind, differences = self._case.kind, tuple(texts)
        self.found.append(Violation(law, kind, start, end, claim, differences, edit, damaged))

    def _require(
        self,
        law: str,
        pair: tuple[str, str],
        claim: str,
        expected: JsonValue,
        found: JsonValue,
        *,
        compared: Callable[[JsonValue, JsonValue], Iterator[Difference]] = differences,
        edit: Edit | None = None,
        damaged: bool = False,
    ) -> None:
        """Demand that two values are the same, as they are `compared`."""
        if _json.same(expected, found):
            return
        if texts := lines(compared(expected, found)):
            self._fail(law, *pair, claim, texts, edit=edit, damaged=damaged)

    def _fail_to_convert(
        self, start: str, end: str, claim: str, error: Exception, *, edit: Edit | None = None
    ) -> None:
        """Record that an object does not convert, unless that was intended."""
        if not is_refusal(error):
            self._fail("L5", start, end, claim, [describe(error)], edit=edit)

    @contextmanager
    def _converting(self, start: str, end: str, claim: str) -> Iterator[None]:
        """Turn an error inside into a finding."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - an error of a conversion is a finding
            self._fail_to_convert(start, end, claim, error)


def is_refusal(error: BaseException) -> bool:
    """Return whether the error is intended: by `misfit: error`, or by a hook."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MisfitError | RefusedError):
            return True
        cause = cause.__cause__
    return False


def describe(error: BaseException) -> str:
    """Return an error as a line; while stacks are shown, followed by its traceback."""
    line = f"{type(error).__name__}: {error}"
    return f"{line}\n{''.join(traceback.format_exception(error))}" if _STACKS.get() else line


@contextmanager
def stacks_shown(shown: bool) -> Iterator[None]:
    """Describe errors with tracebacks meanwhile, if `shown`."""
    token = _STACKS.set(shown)
    try:
        yield
    finally:
        _STACKS.reset(token)

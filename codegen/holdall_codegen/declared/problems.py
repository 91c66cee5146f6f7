"""The findings in a declaration, by the codes of docs/declared.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NoReturn

from holdall.errors import Problem, SourceError
from holdall_codegen.model import Location

WARNINGS: Final = frozenset({"no_effect", "unconvertible"})


@dataclass(frozen=True, slots=True)
class DeclarationProblem(Problem):
    """One finding in a declaration. `path` is its place in it: `Foo.bar.changed[0].from_name`."""

    path: str = ""
    line: int = 0
    column: int = 0


class DeclarationError(SourceError):
    """A declaration with mistakes; `problems` has all of them, and the warnings last."""


class Findings:
    """All mistakes and warnings of one declaration."""

    def __init__(self) -> None:
        self._errors: dict[DeclarationProblem, None] = {}
        self._warnings: dict[DeclarationProblem, None] = {}

    def add(
        self, code: str, location: Location, message: str, fix: str, *, error: bool = False
    ) -> None:
        """Record one finding. The codes of WARNINGS are warnings, unless `error` says otherwise."""
        problem = _problem(code, location, message, fix)
        found = self._warnings if code in WARNINGS and not error else self._errors
        found[problem] = None

    def warnings(self) -> tuple[DeclarationProblem, ...]:
        """Return the warnings in the order of the text."""
        return tuple(sorted(self._warnings, key=_place))

    def raise_any(self) -> None:
        """Raise DeclarationError with all errors in the order of the text, if there are any."""
        if self._errors:
            raise DeclarationError([*sorted(self._errors, key=_place), *self.warnings()])


def raise_problem(code: str, location: Location, message: str, fix: str) -> NoReturn:
    """Raise DeclarationError with one finding that is found only after reading a declaration."""
    raise DeclarationError([_problem(code, location, message, fix)])


def _problem(code: str, location: Location, message: str, fix: str) -> DeclarationProblem:
    path = location.pointer
    return DeclarationProblem(
        code,
        str(location),
        f"{path}: {message}" if path else message,
        fix,
        path=path,
        line=location.line,
        column=location.column,
    )


def _place(problem: DeclarationProblem) -> tuple[int, int, str, str]:
    return problem.line, problem.column, problem.path, problem.code

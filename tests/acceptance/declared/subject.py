"""One case under test: its neutral form, the module made of it, and what reading that gave."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from holdall_codegen.declared.model import Declaration
from holdall_codegen.declared.problems import DeclarationError, DeclarationProblem
from holdall_codegen.declared.reading import read_source
from holdall_codegen.declared.types import FunctionRef
from tests.acceptance.declared.cases import Case
from tests.acceptance.declared.declaring import Rendering, render


@dataclass(frozen=True, slots=True)
class Subject:
    """A case, its module, and the declaration or the errors that came of it."""

    case: Case
    rendering: Rendering
    declaration: Declaration | None
    errors: tuple[DeclarationProblem, ...] = ()

    def neutral_name(self, function: FunctionRef) -> str:
        """Return the neutral name of a function; `into` and `default` for implicit ones."""
        return self.rendering.functions.get(function.qualname, function.qualname)


# Yields the differences between an expectation and what is.
Check = Callable[[Subject, object], Iterable[str]]


class Unsupported(Exception):
    """An expectation for which there is no check."""


@dataclass(slots=True)
class Checks:
    """The checks by expectation: `expect.containers`, `samples`."""

    known: dict[str, Check] = field(default_factory=dict)

    def add(self, name: str) -> Callable[[Check], Check]:
        """Register a check under the name of its expectation."""

        def register(check: Check) -> Check:
            self.known[name] = check
            return check

        return register


def examine(case: Case) -> Subject:
    """Render a case and read the result. Raises FormError."""
    rendering = render(case)
    try:
        declaration = read_source(rendering.text, f"{case.id}.py", module=rendering.module)
    except DeclarationError as error:
        found = [item for item in error.problems if isinstance(item, DeclarationProblem)]
        return Subject(case, rendering, None, tuple(found))
    return Subject(case, rendering, declaration)


def compare(where: str, expected: object, found: object) -> Iterable[str]:
    """Yield a difference unless two values are equal."""
    if expected != found or type(expected) is not type(found):
        yield f"{where}: expected {expected!r}, found {found!r}"

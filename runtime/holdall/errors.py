"""Every error that holdall raises: parts as data, text composed once."""

from __future__ import annotations

import copyreg
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Literal

from holdall.types import JsonValue

Direction = Literal["to", "from"]

PLACE: Final = re.compile(r"(.+?):(\d+)(?::(\d+))?")
"""A place in a file: its name, the line, and the column if it is known."""


class HoldallError(Exception):
    """Base of all errors of holdall. `code` is stable and links to docs/errors.md."""

    code: str = "HA000"

    def __reduce__(self) -> tuple[Any, ...]:
        """Let errors be pickled, whatever arguments their classes take."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding: a stable code, where it is, what is wrong, and how to fix it.

    `where` is `file:line[:column]` for sources and a JSON Pointer for documents.
    """

    code: str
    where: str
    message: str
    fix: str
    detail: str = ""

    @property
    def finding(self) -> str:
        """The problem as text, without fix and detail."""
        where = f" {self.where}:" if self.where else ""
        return f"{self.code}{where} {self.message}"

    def __str__(self) -> str:
        text = f"{self.finding}\n    fix: {self.fix}"
        if self.detail:
            text += "\n\n" + "\n".join(f"    {line}" for line in self.detail.splitlines())
        return text


def problem_value(problem: Problem) -> dict[str, JsonValue]:
    """Return a problem as JSON; `file`, `line` and `column` where its place is known."""
    value: dict[str, JsonValue] = {"code": problem.code, "where": problem.where}
    if place := PLACE.fullmatch(problem.where):
        value["file"] = place[1]
        value["line"] = int(place[2])
        if place[3]:
            value["column"] = int(place[3])
    value["message"] = problem.message
    value["fix"] = problem.fix
    if problem.detail:
        value["detail"] = problem.detail
    return value


class ProblemsError(HoldallError):
    """Several problems that were found together and are reported together."""

    def __init__(self, problems: Iterable[Problem], *, title: str = "") -> None:
        self.problems: Sequence[Problem] = tuple(problems)
        self.title = title
        super().__init__(*self.problems)

    def __str__(self) -> str:
        lines = [self.title] if self.title else []
        return "\n".join([*lines, *(str(problem) for problem in self.problems)])


class SourceError(ProblemsError):
    """Text that cannot be read: malformed, ambiguous or unsupported."""

    code = "HA100"


class PlanError(ProblemsError):
    """Properties or declarations for which no conversion exists; nothing is generated."""

    code = "HA200"


class HookError(ProblemsError):
    """Hooks that cannot be bound: misspelt, incomplete, superfluous or in conflict."""

    code = "HA300"


class SchemeError(ProblemsError):
    """A scheme that cannot convert: unreachable versions, two hubs, unknown kinds."""

    code = "HA400"


class UnknownKindError(SchemeError):
    """An object or a request names an apiVersion or kind that the scheme does not have."""

    code = "HA401"


class UnknownApiVersion(HoldallError):
    """An apiVersion that a declared kind does not have."""

    code = "HA406"


class NotInstalled(HoldallError):
    """A command or function needs a package of an extra that is not installed."""

    code = "HA407"

    def __init__(self, package: str, extra: str, *others: str) -> None:
        wanted = " ".join(f"'{name}'" for name in (f"holdall[{extra}]", *others))
        super().__init__(f"{package} is not installed\n    fix: pip install {wanted}")


def import_extra(module: str, extra: str) -> Any:
    """Import a module that needs an extra of holdall. Raises NotInstalled."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or "holdall").partition(".")[0]
        if missing == "holdall":
            raise
        raise NotInstalled(missing, extra) from error


class WorkerLost(HoldallError):
    """A process ended before its work was done, or could not start because of `error`."""

    code = "HA415"

    def __init__(self, error: Exception | None = None) -> None:
        text = "a process ended before its work was done, perhaps for lack of memory"
        if error is not None:
            reason = getattr(error, "strerror", None) or error
            text = f"a process cannot be started: {reason}"
        super().__init__(f"{text}\n    fix: run it again with fewer --jobs")


class InvalidResult(HoldallError):
    """A converted object that the schema of its version refuses, at a JSON Pointer."""

    code = "HA418"

    def __init__(self, flaws: Sequence[tuple[str, str]]) -> None:
        self.path, self.message = flaws[0]
        more = len(flaws) - 1
        if more:
            self.message += f"; {more} more: " + ", ".join(
                f"{path or '/'}: {what}" for path, what in flaws[1:]
            )
        self.fix = (
            "correct the object, or declare what happens to such values: "
            "`holdall plan` lists what the schema may refuse"
        )
        super().__init__(f"{self.path or '/'}: {self.message}")


class DecodeError(HoldallError):
    """A document that does not have the shape of its type.

    `path` is a JSON Pointer from the document's root, `""` for the root itself.
    """

    code = "HA501"

    def __init__(self, message: str, path: str = "") -> None:
        self.message = message
        self.path = path
        super().__init__(message, path)

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class ConversionError(HoldallError):
    """One object could not be converted; do not use its destination.

    `edge` names source and destination version, `path` is a JSON Pointer into the source
    document, `rule` says what failed, `subject` names the object (kind namespace/name). `code` is
    that of the cause if it has one, such as HA505 for a hook.
    Source: docs/errors.md, "Converting".
    """

    code = "HA502"

    def __init__(
        self,
        rule: str,
        *,
        edge: tuple[str, str] | None = None,
        direction: Direction | None = None,
        path: str = "",
        subject: str = "",
        code: str = "",
    ) -> None:
        self.rule = rule
        self.code = code or type(self).code
        self.edge = edge
        self.direction = direction
        self.path = path
        self.subject = subject
        super().__init__(rule)

    def __str__(self) -> str:
        edge = f"{self.edge[0]} -> {self.edge[1]} " if self.edge else ""
        subject = f"{self.subject}: " if self.subject else ""
        return f"{subject}{edge}{self.path or '/'}: {self.rule}"


class ValueProblem(HoldallError):
    """Base of the errors of one property while its object is converted.

    `source` is the object that was being converted, from which its path is found.
    """

    def __init__(self, message: str, source: object = None) -> None:
        self.message = message
        self.source = source
        super().__init__(message)


class BagError(ValueProblem):
    """A property bag that cannot be read or written as asked.

    `entry` is the origin and key of the entry that cannot be used, if there is just one.
    """

    code = "HA503"

    def __init__(
        self, message: str, source: object = None, entry: tuple[str, str] | None = None
    ) -> None:
        self.entry = entry
        super().__init__(message, source)


class RefusedError(ValueError):
    """Raise this in a function of a two-way hook to refuse an object, and say why."""


class MisfitError(ValueProblem):
    """A value that the other version cannot hold, where `misfit: error` is declared.

    `name` is the wire name of the property.
    """

    code = "HA504"

    def __init__(self, message: str, source: object, name: str) -> None:
        self.name = name
        super().__init__(message, source)


class FunctionFailure(ValueProblem):
    """A user's function for a value raised an exception, or returned what its type cannot hold.

    `name` is the wire name of the property, "" until it is known.
    """

    code = "HA506"

    def __init__(self, message: str, source: object = None, name: str = "") -> None:
        self.name = name
        super().__init__(message, source)

    def at(self, source: object, name: str) -> FunctionFailure:
        """Return the failure with its property; a property that it already has stays."""
        return self if self.name else FunctionFailure(self.message, source, name)


class TrackedValueError(ValueProblem):
    """A tracked value that does not fit its property."""

    code = "HA507"


class NoConverter(ValueProblem):
    """An object of a skipped type, which only a hook could convert, and there is none."""

    code = "HA508"


class HookFailure(ValueProblem):
    """A hook raised an exception; `hook` names its class, the exception is the cause.

    `place` is `file:line in function` in the hook's file, "" if unknown; `said` is the message
    without it.
    """

    code = "HA505"

    def __init__(self, message: str, source: object, hook: str, place: str = "") -> None:
        self.hook = hook
        self.place = place
        self.said = message
        super().__init__(f"{message} ({place})" if place else message, source)


class InternalError(HoldallError):
    """A bug in holdall. `saved` names the file that keeps the bad output, if any."""

    code = "HA900"

    def __init__(self, message: str, *, saved: str = "") -> None:
        self.saved = saved
        super().__init__(f"{message}; saved as {saved}" if saved else message)

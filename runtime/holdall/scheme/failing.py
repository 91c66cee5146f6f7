"""What a failing conversion raises: where in its document, and on which edge, it failed."""

from __future__ import annotations

from typing import Literal, NamedTuple, NoReturn

from holdall.engine.member_ways import Way, place_of
from holdall.errors import (
    ConversionError,
    DecodeError,
    FunctionFailure,
    HoldallError,
    HookFailure,
    MisfitError,
    ValueProblem,
)
from holdall.objects.base import Object, explain
from holdall.text.pointer import join
from holdall.types import Members


class Step(NamedTuple):
    """One edge of a route, in the direction of the conversion."""

    left: str
    entered: str
    direction: Literal["to", "from"]


def fail_at(
    step: Step | None,
    error: Exception,
    subject: str,
    root: type[Object],
    members: Members,
    way: Way,
) -> NoReturn:
    """Raise an error of a conversion as a ConversionError that says where it is.

    Before the first step the members are those of a document of the type `root`. Unforeseen errors
    are raised again unchanged.
    """
    if step is None:
        if not isinstance(error, (DecodeError, TypeError, ValueError)):
            raise error
        wrong = explain(root, members, error)
        raise ConversionError(wrong.message, path=wrong.path, subject=subject) from error
    if not isinstance(error, (HoldallError, RecursionError)):
        raise error
    rule = "the object is nested too deeply" if isinstance(error, RecursionError) else str(error)
    raise ConversionError(
        rule,
        edge=(step.left, step.entered),
        direction=step.direction,
        path=_path(members, error, way),
        subject=subject,
        code=error.code if isinstance(error, ValueProblem) else "",
    ) from error


def reason(error: Exception) -> str:
    """Return why an object cannot be converted with an entry, without its contents."""
    cause = error.__cause__
    if isinstance(cause, HookFailure):
        raised = cause.__cause__
        if raised is None or isinstance(raised, HoldallError):
            return str(cause)
        place = f" ({cause.place})" if cause.place else ""
        return f"{cause.hook} raised {type(raised).__name__}{place}"
    return error.rule if isinstance(error, ConversionError) else type(error).__name__


def _path(members: Members, error: Exception, way: Way) -> str:
    """Return where in the source the failing object is."""
    if isinstance(error, ValueProblem):
        name = (error.name,) if isinstance(error, (MisfitError, FunctionFailure)) else ()
        place = place_of(getattr(error.source, "members_", None), members, way)
        if place is not None:
            return join(place, *name)
    return error.path if isinstance(error, DecodeError) else ""

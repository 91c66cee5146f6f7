"""The messages of failed reviews: which object, where in it, and why; never its contents.

Source: docs/conform.md, WC-06.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from holdall.errors import ConversionError, DecodeError, HoldallError, HookFailure, ProblemsError
from holdall.text import json as _json

Names: TypeAlias = tuple[object, object, Any]
"""An object's apiVersion, kind and metadata, unchecked; metadata may be sealed."""

MAX_MESSAGE: Final = 1024
"""Maximum bytes of a message."""

_MAX_SUBJECT: Final = 280
_MAX_TARGET: Final = 80
_MAX_PATH: Final = 200
_MAX_CAUSE: Final = 280
_MAX_QUOTE: Final = 160
_MORE: Final = 10
_REASONS: Final[Mapping[int, str]] = {
    400: "BadRequest",
    404: "NotFound",
    405: "MethodNotAllowed",
    408: "Timeout",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}
_UNPRINTABLE: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+"
)


def describe_failure(
    error: BaseException, names: Names, index: int, count: int, desired: str
) -> str:
    """Return why one object failed, in at most MAX_MESSAGE bytes."""
    path, cause = _path_and_cause(error)
    subject = describe_subject(names)
    target = cut(desired, _MAX_TARGET)
    where = cut(path, _MAX_PATH) or "/"
    place = f"object {index} of {count}"
    return f"{subject} ({place}) to {target}: {where}: {cut(cause, _MAX_CAUSE)}"


def describe_subject(names: Names) -> str:
    """Return `apiVersion kind namespace/name` of an object, without missing parts, on one line."""
    words = [value for value in names[:2] if isinstance(value, str) and value]
    parts = _json.named_members(names[2], "namespace", "name").values()
    name = "/".join(value for value in parts if isinstance(value, str) and value)
    words += [name] if name else []
    return cut(" ".join(words) or "an object without apiVersion and kind", _MAX_SUBJECT)


def describe_all(first: str, indexes: Sequence[int]) -> str:
    """Return the message of a review: its first failure, and the indexes of the others."""
    if not indexes:
        return first
    listed = ", ".join(map(str, indexes[:_MORE])) + (", ..." if len(indexes) > _MORE else "")
    return f"{first}; {len(indexes)} more failed: {listed}"


def status_body(code: int, message: str) -> bytes:
    """Return the JSON of a v1 Status: API servers show users its message, but not plain text."""
    return _json.encode(
        {
            "apiVersion": "v1",
            "kind": "Status",
            "metadata": {},
            "status": "Failure",
            "message": cut(message, MAX_MESSAGE),
            "reason": _REASONS.get(code, "Unknown"),
            "code": code,
        }
    )


def _path_and_cause(error: BaseException) -> tuple[str, str]:
    if isinstance(error, ConversionError):
        edge = f"{error.edge[0]} -> {error.edge[1]}: " if error.edge else ""
        hook = error.__cause__
        rule = _hook_cause(hook) if isinstance(hook, HookFailure) else error.rule
        return error.path, f"{edge}{rule}"
    if isinstance(error, DecodeError):
        return error.path, error.message
    if isinstance(error, ProblemsError) and error.problems:
        first = error.problems[0]
        return "", f"{first.code} {first.message} ({first.fix})"
    if isinstance(error, HoldallError):
        return "", str(error)
    # The text of an unknown exception may contain values of the object.
    return "", f"internal error: {type(error).__name__}; this is a bug in holdall"


def _hook_cause(error: HookFailure) -> str:
    """Return the message of a hook's exception, unless it may be a dump of the object."""
    text = error.said
    place = f" ({error.place})" if error.place else ""
    dumped = f"{type(error.source).__name__}(" in text or "{" in text
    if len(text) <= _MAX_QUOTE and "\n" not in text and not dumped:
        return f"{text}{place}"
    raised = error.__cause__
    return f"{error.hook} raised {type(raised).__name__}; its text is not shown{place}"


def cut(text: str, limit: int) -> str:
    """Return a text on one line, in at most `limit` bytes."""
    line = _UNPRINTABLE.sub("?", text)
    data = line.encode()
    if len(data) <= limit:
        return line
    return data[: limit - 3].decode(errors="ignore") + "..."

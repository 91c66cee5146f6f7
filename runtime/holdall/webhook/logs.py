"""Structured logs: one JSON object per line, never the contents of an object.

Messages of exceptions are left out, because they may quote values; their types and tracebacks are
logged.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from holdall.text.json import encode_with
from holdall.types import JsonObject, JsonValue

LOG: Final = logging.getLogger("holdall.webhook")
LEVELS: Final = ("debug", "info", "warning", "error")
_DEEPEST: Final = 20


def facts(**values: JsonValue) -> dict[str, JsonValue]:
    """Return `extra` for a logging call: further members of the line."""
    return {"facts": values}


class LineFormatter(logging.Formatter):
    """Formats a record as one line of JSON: time, level, logger, message, facts, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without a line break."""
        line: JsonObject = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage().rstrip("\n"),
            "pid": record.process,
        }
        found = getattr(record, "facts", None)
        if isinstance(found, dict):
            line.update(found)
        if record.exc_info and record.exc_info[1] is not None:
            line.update(describe_exception(record.exc_info[1]))
        return encode_with(line, {"ensure_ascii": False, "separators": (",", ":")})


def describe_exception(error: BaseException) -> JsonObject:
    """Return the types and places of an exception and its causes, without their messages."""
    stack: list[JsonValue] = [
        f"{frame.filename}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)[-_DEEPEST:]
    ]
    found: JsonObject = {"exception": type(error).__name__, "stack": stack}
    cause = error.__cause__
    if cause is not None:
        found["cause"] = type(cause).__name__
    return found


class LineHandler(logging.Handler):
    """Writes lines to a file descriptor; counts and drops those that cannot be written.

    It has no buffer that a full disk could fill, and raises nothing that could reach a request.
    """

    def __init__(self, descriptor: int, dropped: Callable[[], None]) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._dropped = dropped
        self.setFormatter(LineFormatter())

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        try:
            data = self.format(record).encode("utf-8", "backslashreplace") + b"\n"
            while data:
                data = data[os.write(self._descriptor, data) :]
        except Exception:  # noqa: BLE001 - a log that fails must not fail what it logs
            self._dropped()


def configure_logs(level: str, dropped: Callable[[], None]) -> None:
    """Send the logs of this process as JSON lines to standard error; for `holdall serve` only."""
    root = logging.getLogger()
    root.handlers[:] = [LineHandler(2, dropped)]
    root.setLevel(level.upper())
    # The HTTP server's own messages, about each connection and its start, are noise.
    logging.getLogger("uvicorn").setLevel(max(logging.WARNING, root.level))

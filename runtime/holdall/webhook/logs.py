"""Structured logs: one JSON object per line, never the contents of an object.

What an exception says is left out, because it may quote a value; its type and the lines of code
it passed through are logged.
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
    """Return `extra` for a logging call: members of the line, beside the message."""
    return {"facts": values}


class LineFormatter(logging.Formatter):
    """Formats a record as one line of JSON: time, level, logger, message, facts, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
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
    """Return type and places of an exception, its causes included, without what they say."""
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
    """Writes lines to a file descriptor; what cannot be written is counted and forgotten.

    There is no buffer that a full disk could fill, and no exception that could reach a request.
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
    # What the HTTP server tells of each connection and of its own start is not news.
    logging.getLogger("uvicorn").setLevel(max(logging.WARNING, root.level))

"""The file that keeps the progress of a rewrite."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any, Final

from holdall.databases.refusals import refused
from holdall.databases.rows import Key
from holdall.databases.tables import Place
from holdall.errors import HoldallError
from holdall.text import json as _json
from holdall.text.files import replace_file
from holdall.types import JsonObject, JsonValue, is_json_object

FORMAT: Final = 1
_SECONDS: Final = 1.0

_TICK: Final = datetime.timedelta(microseconds=1)
_FORMS: Final[dict[str, tuple[Any, Callable[[Any], str], Callable[[str], Any]]]] = {
    "bytes": (bytes | bytearray | memoryview, lambda part: bytes(part).hex(), bytes.fromhex),
    "datetime": (datetime.datetime, str, datetime.datetime.fromisoformat),
    "date": (datetime.date, str, datetime.date.fromisoformat),
    "time": (datetime.time, str, datetime.time.fromisoformat),
    "ticks": (datetime.timedelta, lambda part: str(part // _TICK), lambda text: int(text) * _TICK),
    "uuid": (uuid.UUID, str, uuid.UUID),
    "decimal": (decimal.Decimal, str, decimal.Decimal),
    "float": (float, str, float),
    "text": (object, str, str),
}
"""The types of keys, and how their values are written and read."""


class State:
    """The progress of a rewrite: the last key that is done. Without a file nothing is kept.

    `refused` counts the rows that earlier runs left as they are.
    """

    def __init__(self, file: Path | None, place: Place, work: str) -> None:
        self._file = file
        url = place.engine.url.render_as_string(hide_password=True)
        keys: list[JsonValue] = [str(key.name) for key in place.keys]
        where: JsonObject = {"url": url, "column": place.name, "key": keys}
        self._run: JsonObject = {"format": FORMAT, **where, "work": work}
        self.refused = 0
        self._saved = monotonic()
        self._last: Key | None = None
        self._refused = 0

    def load(self) -> Key | None:
        """Return the last key that is done, None at the start.

        Raises DatabaseError for the file of another rewrite, and for anything but a regular file:
        a device may have no end, and must not be replaced.
        """
        if self._file is None or not self._file.exists():
            return None
        if not self._file.is_file():
            text = "this is not a regular file"
            raise refused("HA428", str(self._file), text, "name another file")
        try:
            value = _json.decode(self._file.read_bytes())
            if is_json_object(value) and {**value, **self._run} == value:
                after, refused_rows = value["after"], value["refused"]
                if isinstance(after, list) and isinstance(refused_rows, int):
                    self.refused = refused_rows
                    return tuple(map(_read, after))
        except (HoldallError, KeyError, ValueError, TypeError, ArithmeticError):
            pass
        text = "it does not belong to this rewrite"
        raise refused("HA428", str(self._file), text, "name another file")

    def save(self, after: Key, refused_rows: int) -> None:
        """Record the key that is done; writes only now and then. Raises OSError."""
        self._last, self._refused = after, refused_rows
        if monotonic() - self._saved > _SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the last key now."""
        if self._file is not None and self._last is not None:
            after: list[JsonValue] = [_shown(part) for part in self._last]
            value: JsonObject = {**self._run, "refused": self._refused, "after": after}
            replace_file(self._file, _json.encode(value))
        self._saved = monotonic()

    def remove(self) -> None:
        """Remove the file: the rewrite is done."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def _shown(part: object) -> JsonValue:
    if isinstance(part, str) or type(part) is int:
        return part
    name = next(name for name, (kind, _, _) in _FORMS.items() if isinstance(part, kind))
    return {"type": name, "text": _FORMS[name][1](part)}


def _read(value: JsonValue) -> Any:
    if not is_json_object(value):
        return value
    _, _, read = _FORMS[str(value["type"])]
    return read(str(value["text"]))

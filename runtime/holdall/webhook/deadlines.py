"""The deadline that a request asks for with `?timeout=`, in Go's notation for durations."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qs

_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")
_WHOLE: Final = re.compile(rf"(?:{_PART.pattern})+")


@lru_cache(maxsize=64)
def seconds_asked(query: bytes) -> float | None:
    """Return the seconds of `timeout` in a query string; None if there is none that can be read.

    Zero is not a deadline, as for the API server. Source: webhook contract, WC-77.
    """
    if len(query) > 1024:
        return None
    values = parse_qs(query.decode("latin-1"), encoding="utf-8", errors="replace").get("timeout")
    if not values or not _WHOLE.fullmatch(values[-1]):
        return None
    parts = _PART.findall(values[-1])
    return sum(float(number) * _UNITS[unit] for number, unit in parts) or None

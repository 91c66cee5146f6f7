"""Texts that are durations, and the numbers that they became: the unit is in a name."""

from __future__ import annotations

from holdall_codegen.model import Property, Scalar
from holdall_codegen.propose.words import words

_UNITS = {
    word: unit
    for unit, spelt in {
        "hours": "h hour hours",
        "minutes": "min mins minute minutes",
        "seconds": "s sec secs second seconds",
        "milliseconds": "ms milli millis millisecond milliseconds",
        "microseconds": "us micros microsecond microseconds",
        "nanoseconds": "ns nanos nanosecond nanoseconds",
    }.items()
    for word in spelt.split()
}


def duration_unit(older: Property, newer: Property) -> str:
    """Return the unit of time that a number has by its name, if the other property is a text."""
    for text, number in ((older, newer), (newer, older)):
        if _kind(text) == "string" and _kind(number) in ("integer", "number"):
            return _UNITS.get(words(number.name)[-1], "")
    return ""


def _kind(item: Property) -> str:
    return item.type.kind if isinstance(item.type, Scalar) and not item.type.enum else ""

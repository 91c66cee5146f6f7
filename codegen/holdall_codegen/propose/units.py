"""Units in the names of numbers, such as `timeoutSeconds` and `storageGi`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from holdall_codegen.model import Property, Scalar, Type, Union
from holdall_codegen.propose.words import words


def _spelt(units: Mapping[str, str]) -> dict[str, str]:
    return {word: unit for unit, spelt in units.items() for word in spelt.split()}


_TIME: Final = _spelt(
    {
        "hours": "h hour hours",
        "minutes": "min mins minute minutes",
        "seconds": "s sec secs second seconds",
        "milliseconds": "ms milli millis millisecond milliseconds",
        "microseconds": "us micros microsecond microseconds",
        "nanoseconds": "ns nanos nanosecond nanoseconds",
    }
)
_SIZE: Final = _spelt(
    {
        "": "byte bytes",
        "Ki": "ki kib kibibyte kibibytes",
        "Mi": "mi mib mebibyte mebibytes",
        "Gi": "gi gib gibibyte gibibytes",
        "Ti": "ti tib tebibyte tebibytes",
    }
)
# MB may mean 1000 or 1024.
_UNCLEAR: Final = _spelt(
    {
        "KB": "kb kilobyte kilobytes",
        "MB": "mb megabyte megabytes",
        "GB": "gb gigabyte gigabytes",
        "TB": "tb terabyte terabytes",
    }
)
_UNITS: Final = {**_TIME, **_SIZE, **_UNCLEAR}


@dataclass(frozen=True, slots=True)
class Measure:
    """The unit to declare: as `duration` or `unit`; with neither, no declaration converts."""

    duration: str | None = None
    unit: str | None = None

    @property
    def is_known(self) -> bool:
        return self != UNKNOWN


UNKNOWN: Final = Measure()


def measure(older: Property, newer: Property) -> Measure:
    """Return the unit in the name of a number, if the other property is a string or quantity."""
    for text, number in ((older, newer), (newer, older)):
        word = _unit_word(number.name)
        if not _is_number(number.type):
            continue
        if _is_text(text.type) and word in _TIME:
            return Measure(duration=_TIME[word])
        if (_is_text(text.type) and _SIZE.get(word)) or (_is_quantity(text.type) and word in _SIZE):
            return Measure(unit=_SIZE[word])
    return UNKNOWN


def is_another_unit(older: Property, newer: Property) -> bool:
    """Tell whether a number has another unit there: no declaration converts it."""
    units = _UNITS.get(_unit_word(older.name)), _UNITS.get(_unit_word(newer.name))
    if _is_number(older.type) and _is_number(newer.type):
        return None not in units and units[0] != units[1]
    for text, number in ((older, newer), (newer, older)):
        if _is_quantity(text.type) and _is_number(number.type):
            return _unit_word(number.name) in {**_TIME, **_UNCLEAR}
    return False


def _unit_word(name: str) -> str:
    found = words(name)
    return "".join(found[-2:] if found[-1] == "b" else found[-1:])


def _is_number(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.kind in ("integer", "number") and not type_.enum


def _is_text(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.kind == "string" and not type_.enum


def _is_quantity(type_: Type) -> bool:
    """Tell whether a type is that of quantities: an integer or a string."""
    return isinstance(type_, Union) and {*type_.members} == {"integer", "string"}

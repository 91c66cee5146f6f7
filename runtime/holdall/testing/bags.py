"""Assertions about property bags, with differences by JSON path; they need no test framework."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from holdall.explain.audit import Finding, audit
from holdall.objects.base import Object
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue, is_json_object

Expected: TypeAlias = Mapping[str, Mapping[str, Any]]
"""A bag, or bags by the path of their holder."""
Document: TypeAlias = Mapping[str, Any]
Bag: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Origin version, then property, then its JSON value: `{"v1": {"poolQuota": 100}}`."""

_Entries: TypeAlias = dict[tuple[str, str, str], JsonValue]
"""Entries by holder, origin and property."""


def assert_bags(obj: Document | Object, expected: Expected) -> None:
    """Raise AssertionError unless the bags of an object hold exactly what is expected.

    Shape: the bag of each holder by its path, `{"": {...}, "/spec": {"v1": {"size": 2}}}`, or the
    bag itself where only one object has one. Paths are those of `holdall.audit`. The object is an
    API document, a stored document, an API type or a storage twin.
    """
    __tracebackhide__ = True
    findings = audit(obj)
    found: _Entries = {(f.path, f.origin, f.property): f.value for f in findings}
    if all(path == "" or path.startswith("/") for path in expected):
        wanted = dict(_flat(expected))
    else:
        holders = sorted({finding.path for finding in findings})
        if len(holders) > 1:
            places = ", ".join(path or '""' for path in holders)
            raise AssertionError(
                f"several objects have bags ({places}): expect them by path, "
                '{"": {...}, "/spec": {...}}'
            )
        # Without any bag the expected entries are missing, wherever their holder would be.
        wanted = dict(_flat({holders[0] if holders else "": expected}))
    differences = list(_differences(found, wanted))
    if differences:
        lines = "\n".join(f"  {line}" for line in differences)
        raise AssertionError(f"the property bags are not as expected:\n{lines}")


def assert_no_residue(obj: Document | Object) -> None:
    """Raise AssertionError if any property bag of an object holds anything."""
    __tracebackhide__ = True
    findings = audit(obj)
    if findings:
        lines = "\n".join(f"  {_shown(finding)}" for finding in findings)
        raise AssertionError(f"the property bags are not empty:\n{lines}")


def _shown(finding: Finding) -> str:
    where = _where(finding.path, finding.origin, finding.property)
    why = f" ({finding.why})" if finding.why else ""
    return f"{where}: {_text(finding.value)}{why}"


def _flat(bags: Mapping[str, Bag]) -> Iterator[tuple[tuple[str, str, str], JsonValue]]:
    for path, bag in bags.items():
        for origin, entries in bag.items():
            for key, value in entries.items():
                yield (path, origin, key), value


def _differences(found: _Entries, wanted: _Entries) -> Iterator[str]:
    for entry in sorted(found.keys() | wanted.keys()):
        where = _where(*entry)
        if entry not in found:
            yield f"{where}: missing, expected {_text(wanted[entry])}"
        elif entry not in wanted:
            yield f"{where}: unexpected, found {_text(found[entry])}"
        else:
            yield from _value_differences(where, "", found[entry], wanted[entry])


def _value_differences(where: str, path: str, found: JsonValue, wanted: JsonValue) -> Iterator[str]:
    if is_json_object(found) and is_json_object(wanted):
        for key in sorted(found.keys() | wanted.keys()):
            at = join(path, key)
            if key not in found:
                yield f"{where}{at}: missing, expected {_text(wanted[key])}"
            elif key not in wanted:
                yield f"{where}{at}: unexpected, found {_text(found[key])}"
            else:
                yield from _value_differences(where, at, found[key], wanted[key])
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for index, (one, other) in enumerate(zip(found, wanted, strict=True)):
            yield from _value_differences(where, join(path, index), one, other)
    elif not _json.same(found, wanted):
        yield f"{where}{path}: found {_text(found)}, expected {_text(wanted)}"


def _where(path: str, origin: str, key: str) -> str:
    return f"{path or '/'} {origin}/{key}" if origin or key else path


def _text(value: JsonValue) -> str:
    return _json.encode(value).decode()

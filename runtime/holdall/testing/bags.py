"""Assertions about property bags, with differences by JSON path; they need no test framework."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from holdall.explain.audit import audit
from holdall.objects.base import Object
from holdall.testing.laws.differences import MISSING, Missing, differences, shown
from holdall.text.pointer import join
from holdall.types import JsonValue

Expected: TypeAlias = Mapping[str, Mapping[str, Any]]
"""A bag, or bags by the path of their holder."""
Document: TypeAlias = Mapping[str, Any]
Bag: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Origin version, then property, then its JSON value: `{"v1": {"poolQuota": 100}}`."""

_Entries: TypeAlias = dict[tuple[str, str, str], JsonValue]
"""Entries by holder, origin and property."""


def assert_bags(obj: Document | Object, expected: Expected) -> None:
    """Raise AssertionError unless the bags of an object hold exactly what is expected.

    Shape: the bags by the paths of their holders, `{"": {...}, "/spec": {"v1": {"size": 2}}}`, or
    the bag itself if only one object has one. Paths are those of `holdall.audit`. The object is an
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
        # Without any bag, the expected entries are missing, whatever their holder.
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
        lines = "\n".join(
            f"  {_where(it.path, it.origin, it.property)}: {shown(it.value)}"
            f"{f' ({it.why})' if it.why else ''}"
            for it in findings
        )
        raise AssertionError(f"the property bags are not empty:\n{lines}")


def _flat(bags: Mapping[str, Bag]) -> Iterator[tuple[tuple[str, str, str], JsonValue]]:
    for path, bag in bags.items():
        for origin, entries in bag.items():
            for key, value in entries.items():
                yield (path, origin, key), value


def _differences(found: _Entries, wanted: _Entries) -> Iterator[str]:
    for entry in sorted(found.keys() | wanted.keys()):
        for it in differences(wanted.get(entry, MISSING), found.get(entry, MISSING)):
            where = _where(*entry) + join("", *it.path)
            if isinstance(it.found, Missing):
                yield f"{where}: missing, expected {shown(it.expected)}"
            elif isinstance(it.expected, Missing):
                yield f"{where}: unexpected, found {shown(it.found)}"
            else:
                yield f"{where}: found {shown(it.found)}, expected {shown(it.expected)}"


def _where(path: str, origin: str, key: str) -> str:
    return f"{path or '/'} {origin}/{key}" if origin or key else path

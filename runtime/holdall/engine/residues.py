"""Residues: what a pair of functions does not bring back, written as differences of JSON objects.

A residue is a list of differences between what would come back by itself and what was there:
`{"at": [path], "was": …, "is": …}`; a side that is left out is absent. Only what differs is kept,
so an edit elsewhere does not touch it. A difference inside a list is that of a whole element,
which is found again wherever it went. Source: property-conversion contract, sections 5.6 and 5.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from holdall.errors import DecodeError
from holdall.text import json as _json
from holdall.types import JsonObject

Difference: TypeAlias = dict[str, Any]
Place: TypeAlias = tuple[Any, Any]
"""A container and the key or index in it."""

_KEYS = frozenset({"at", "was", "is"})


def differences(base: JsonObject, wanted: JsonObject) -> list[Difference]:
    """Return what turns `base` into `wanted`; the values are shared with both."""
    found: list[Difference] = []
    _in_object(base, wanted, [], found)
    if len(found) > 1:
        # The members of an object have no order, so the residue must not depend on it.
        found.sort(key=lambda difference: _json.canonical(difference["at"]))
    return found


def equal(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are the same, as `json.same` does, faster for larger ones."""
    if one != other:
        return False
    # Python takes True for 1 and 1 for 1.0.
    return one is other or _json.canonical(one) == _json.canonical(other)


def read_differences(value: Any, names: frozenset[str]) -> list[Difference]:
    """Return the residue that a bag entry holds. Raises DecodeError if it is none.

    It may speak of the members `names` only.
    """
    if type(value) is not list:
        raise DecodeError("expected a list of differences")
    for index, item in enumerate(value):
        if not _is_difference(item, names):
            raise DecodeError("expected {at, was, is} of a member the hook claims", f"/{index}")
    return value


def places(target: JsonObject, difference: Difference) -> Iterator[Place]:
    """Yield where `difference` can be made: where there still is what was there, nearest first."""
    yield from _places(target, difference["at"], difference)


def make(place: Place, difference: Difference) -> None:
    """Make a difference at one place; the value is copied."""
    container, key = place
    if "is" in difference:
        container[key] = _json.copy(difference["is"])
    else:
        del container[key]


def _is_difference(item: Any, names: frozenset[str]) -> bool:
    if type(item) is not dict or not item.keys() <= _KEYS or len(item) < 2:
        return False
    at = item.get("at")
    if type(at) is not list or not at or type(at[0]) is not str or at[0] not in names:
        return False
    if any(type(token) not in (str, int) for token in at):
        return False
    return type(at[-1]) is str or {"was", "is"} <= item.keys()


def _in_object(base: Any, wanted: Any, at: list[Any], found: list[Difference]) -> None:
    for name, value in base.items():
        if name not in wanted:
            found.append({"at": [*at, name], "was": value})
        elif value is not wanted[name]:
            _in_value(value, wanted[name], [*at, name], found)
    for name, value in wanted.items():
        if name not in base:
            found.append({"at": [*at, name], "is": value})


def _in_value(base: Any, wanted: Any, at: list[Any], found: list[Difference]) -> None:
    kind = type(base)
    if kind is dict and type(wanted) is dict:
        _in_object(base, wanted, at, found)
    elif kind is list and type(wanted) is list and len(base) == len(wanted):
        for index, (one, other) in enumerate(zip(base, wanted, strict=True)):
            if one is other:
                continue
            here = [*at, index]
            inner: list[Difference] = []
            _in_value(one, other, here, inner)
            deeper = all(int in map(type, item["at"][len(here) :]) for item in inner)
            found.extend(inner if deeper else [{"at": here, "was": one, "is": other}])
    elif not _json.same(base, wanted):
        found.append({"at": at, "was": base, "is": wanted})


def _places(value: Any, at: list[Any], difference: Difference) -> Iterator[Place]:
    token, rest = at[0], at[1:]
    if type(value) is dict and type(token) is str:
        if rest:
            if token in value:
                yield from _places(value[token], rest, difference)
        elif (token in value) == ("was" in difference) and (
            token not in value or _json.same(value[token], difference["was"])
        ):
            yield value, token
    elif type(value) is list and type(token) is int:
        for index in sorted(range(len(value)), key=lambda index: abs(index - token)):
            if rest:
                yield from _places(value[index], rest, difference)
            elif _json.same(value[index], difference["was"]):
                yield value, index

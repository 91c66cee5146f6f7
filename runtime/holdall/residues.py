"""Residues: what a pair of functions does not bring back, written as differences of JSON objects.

A residue is a list of differences between what would come back by itself and what was there:
`{"at": [path], "was": …, "is": …}`; a side that is left out is absent. Only what differs is kept,
so an edit elsewhere does not touch it. A difference inside a list is that of a whole element,
which is found again wherever it went. Source: property-conversion contract, sections 5.6 and 5.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from holdall import json as _json
from holdall.errors import DecodeError
from holdall.types import JsonObject

Difference: TypeAlias = dict[str, Any]
Place: TypeAlias = tuple[Any, Any]
"""A container and the key or index in it."""

_KEYS = frozenset({"at", "was", "is"})


def differences(base: JsonObject, wanted: JsonObject) -> list[Difference]:
    """Return what turns `base` into `wanted`; the values are shared with both."""
    return list(_in_object(base, wanted, ()))


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
    if type(at) is not list or not at or at[0] not in names:
        return False
    if any(type(token) not in (str, int) for token in at):
        return False
    return type(at[-1]) is str or {"was", "is"} <= item.keys()


def _in_object(base: Any, wanted: Any, at: tuple[Any, ...]) -> Iterator[Difference]:
    for name in dict.fromkeys((*base, *wanted)):
        here = (*at, name)
        if name not in wanted:
            yield {"at": [*here], "was": base[name]}
        elif name not in base:
            yield {"at": [*here], "is": wanted[name]}
        else:
            yield from _in_value(base[name], wanted[name], here)


def _in_value(base: Any, wanted: Any, at: tuple[Any, ...]) -> Iterator[Difference]:
    if _json.same(base, wanted):
        return
    if type(base) is dict and type(wanted) is dict:
        yield from _in_object(base, wanted, at)
    elif type(base) is list and type(wanted) is list and len(base) == len(wanted):
        for index, (one, other) in enumerate(zip(base, wanted, strict=True)):
            here = (*at, index)
            inner = list(_in_value(one, other, here))
            deeper = all(int in map(type, item["at"][len(here) :]) for item in inner)
            yield from inner if deeper else [{"at": [*here], "was": one, "is": other}]
    else:
        yield {"at": [*at], "was": base, "is": wanted}


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

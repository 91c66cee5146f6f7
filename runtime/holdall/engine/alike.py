"""Values that differ only in the origins of bags in them.

The bag of a nested object keeps what a version cannot show of it, under its version of origin. If
partners are linked over that version, the same value may be under either origin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdall.errors import HoldallError
from holdall.objects.bag_forms import Form
from holdall.text import json as _json


def become_same(act: Callable[[Any], Any], form: Form, one: Any, other: Any) -> bool:
    """Return whether `act` gives the same result for two values, which `form` writes."""
    try:
        return _json.same(form.write(act(one)), form.write(act(other)))
    except HoldallError:
        return False


def are_alike(form: Form, alike: Callable[[Any, Any], bool], one: Any, other: Any) -> bool:
    """Return whether two lists or maps have the same or alike elements in all places."""
    if type(one) is not type(other) or len(one) != len(other):
        return False
    if type(one) is dict:
        if one.keys() != other.keys():
            return False
        pairs = [(item, other[key]) for key, item in one.items()]
    else:
        pairs = list(zip(one, other, strict=True))
    return all(
        item is there
        or (
            item is not None
            and there is not None
            and (_json.same(form.write(item), form.write(there)) or alike(item, there))
        )
        for item, there in pairs
    )

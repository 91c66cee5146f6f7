"""Entries that only keep a status: one that a version shows nothing of would be none there."""

from __future__ import annotations

from typing import Any

from holdall.objects.shapes import holders_of
from holdall.objects.stored_forms import bare_value
from holdall.objects.views import HIDDEN
from holdall.plan.misfits import misfit
from holdall.text import json as _json
from holdall.text.json_path import Name, format_path
from holdall.types import JsonValue, Members


def held_status(
    source: tuple[Any, Members], destination: tuple[Any, Members], found: list[JsonValue]
) -> list[JsonValue]:
    """Return what keeps a status of which the version entered can show nothing: one of its values.

    Converting back would give them all again, but an empty status is the same as none.
    """
    shown = destination[1]["status"]
    if type(shown) is dict and not HIDDEN.issuperset(shown):
        return []  # as most are
    if _status(*destination) != {}:
        return []
    left = _status(*source)
    if not left or any(
        isinstance(entry, dict) and entry.get("root") == "status" for entry in found
    ):
        return []
    name, value = next(iter(left.items()))
    entry: dict[str, JsonValue] = {
        "jsonPath": format_path([Name(name)]),
        "value": _json.copy(value),
        "root": "status",
    }
    held: Any = holders_of(source[0])["status"].value.type
    if misfit(held, source[0].VERSION, name, value) is not None:
        entry["unfit"] = True
    return [entry]


def _status(cls: Any, members: Members) -> Members | None:
    """Return the members of a declared status; None if there is none, or it is not an object."""
    value, held = members.get("status"), holders_of(cls).get("status")
    if held is None or held.value.type is None or value is None:
        return None
    status = bare_value(held.value, value)
    return status if type(status) is dict else None

"""The place of tracked values in the schema of a CRD, without which servers would prune them.

Source: declared versions, section 5.1.
"""

from __future__ import annotations

from typing import Final

from holdall.plan.tracking import CHANGED_VALUES
from holdall.types import JsonObject, JsonValue, items, members

_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_ABOUT: Final = "Values that other versions have and this one cannot hold. Written by conversions."


def add_changed_values(schema: JsonObject) -> None:
    """Give the status of a kind's schema its place for tracked values; a missing status is added.

    `schema` is changed; its status is an object, or opaque. Required members of the status are
    required only beside something else than tracked values: these stand there before the owner of
    the status writes it.
    """
    properties = members(schema, "properties")
    status: JsonObject = members(properties, "status") or {"type": "object"}
    required = items(status, "required")
    status["type"] = "object"
    status["properties"] = {**members(status, "properties"), CHANGED_VALUES: _changed_values()}
    if required:
        del status["required"]
        status["anyOf"] = [
            {"required": required},
            {"required": [CHANGED_VALUES], "maxProperties": 1},
        ]
    properties["status"] = status


def _changed_values() -> JsonObject:
    return {
        "type": "object",
        "description": _ABOUT,
        "nullable": True,
        "properties": {
            "upgrades": _section("downgradedValue"),
            "downgrades": _section("upgradedValue"),
        },
    }


def _section(became: str) -> JsonValue:
    anything: JsonObject = {_PRESERVE: True, "nullable": True}
    entry: JsonObject = {
        "type": "object",
        "properties": {
            "jsonPath": {"type": "string"},
            "fieldName": {"type": "string"},
            "value": anything,
            "absent": {"type": "boolean"},
            became: {**anything},
            "guards": {"type": "array", "items": {"type": "string"}},
            "root": {"type": "string"},
            "unfit": {"type": "boolean"},
        },
    }
    return {
        "type": "object",
        "nullable": True,
        "additionalProperties": {"type": "array", "items": entry},
    }

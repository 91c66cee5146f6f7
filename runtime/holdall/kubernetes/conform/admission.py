"""What an API server takes as it is, told once for all objects that hold a value."""

from __future__ import annotations

from holdall.kubernetes.conform.validity import is_valid, parts_of
from holdall.types import JsonObject, JsonValue, is_json_object, members


class Admission:
    """What an API server takes as it is: valid, with all defaults.

    Values that were taken are known, and not looked at again where others hold them. They must not
    be changed.
    """

    def __init__(self) -> None:
        self._taken: dict[tuple[int, int], tuple[JsonValue, JsonValue]] = {}

    def takes(self, value: JsonValue, schema: JsonValue) -> bool:
        """Return whether an API server takes a value as it is, as far as anybody can tell."""
        if not isinstance(value, dict | list) or not is_json_object(schema):
            return is_valid(value, schema)
        key = id(value), id(schema)
        if key in self._taken:
            return True
        taken = (
            is_valid(value, schema, deep=False)
            and not _lacks_defaults(value, schema)
            and all(self.takes(item, inner) for _, item, inner in parts_of(value, schema))
        )
        if taken:
            self._taken[key] = value, schema  # while they are here, nothing else has their ids
        return taken


def _lacks_defaults(value: JsonValue, schema: JsonObject) -> bool:
    if not is_json_object(value):
        return False
    absent = (own for key, own in members(schema, "properties").items() if value.get(key) is None)
    nulls = (own for _, item, own in parts_of(value, schema) if item is None)
    return any(is_json_object(own) and "default" in own for own in (*absent, *nulls))

"""Which values an API server accepts unchanged, with results shared by all objects."""

from __future__ import annotations

from holdall.kubernetes.conform.validity import is_valid, parts_of
from holdall.types import JsonObject, JsonValue, is_json_object, members


class Admission:
    """Decides which values an API server accepts unchanged: valid ones, with all defaults.

    Accepted values are remembered, and not checked again in other objects. Do not change them.
    """

    def __init__(self) -> None:
        self._taken: dict[tuple[int, int], tuple[JsonValue, JsonValue]] = {}

    def takes(self, value: JsonValue, schema: JsonValue) -> bool:
        """Return whether an API server accepts a value unchanged, as far as can be judged here."""
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
            self._taken[key] = value, schema  # keeping them reserves their ids
        return taken


def _lacks_defaults(value: JsonValue, schema: JsonObject) -> bool:
    if not is_json_object(value):
        return False
    absent = (own for key, own in members(schema, "properties").items() if value.get(key) is None)
    nulls = (own for _, item, own in parts_of(value, schema) if item is None)
    return any(is_json_object(own) and "default" in own for own in (*absent, *nulls))

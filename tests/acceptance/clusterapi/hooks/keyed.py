"""Maps that are lists of named objects in the newer version."""

from collections.abc import Mapping
from typing import Any

from holdall import Members, TwoWay


class Keyed(TwoWay):
    """A map whose keys are the names in a list: R-FD, and with the name of its values R-ARGS."""

    def __init__(
        self, name: str, *, value: str = "", filled: Mapping[str, Any] | None = None
    ) -> None:
        self.older = self.newer = (name,)
        self._name, self._value, self._filled = name, value, filled or {}

    def to_newer(self, older: Members) -> Members:
        return {
            name: [self._element(key, item) for key, item in sorted(values.items())]
            for name, values in older.items()
            if values
        }

    def to_older(self, newer: Members) -> Members:
        return {name: dict(map(self._entry, values)) for name, values in newer.items() if values}

    def _element(self, key: str, item: Any) -> Members:
        members = {self._value: item or ""} if self._value else {**self._filled, **(item or {})}
        return {**members, "name": key}

    def _entry(self, element: Members | None) -> tuple[str, Any]:
        element = element or {}
        rest = {name: one for name, one in element.items() if name != "name"}
        return element.get("name") or "", rest.get(self._value, "") if self._value else rest

"""Members that a newer object always has."""

from typing import Any

from holdall import Members, TwoWay


class Filled(TwoWay):
    """A member that is a value in the older version, so that absence is zero (R-BOOLPTR)."""

    def __init__(self, name: str, zero: Any) -> None:
        self.older = self.newer = (name,)
        self._name, self._zero = name, zero

    def to_newer(self, older: Members) -> Members:
        return {self._name: older.get(self._name) or self._zero}

    def to_older(self, newer: Members) -> Members:
        return newer

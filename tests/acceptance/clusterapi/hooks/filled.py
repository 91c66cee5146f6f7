"""Members that a newer object always has."""

from typing import Any

from holdall import Completing, Members, TwoWay
from hooks.forms import NAMESPACE, namespace
from hooks.paths import put


class Filled(TwoWay):
    """A member that is a value in the older version, so that absence is zero (R-BOOLPTR)."""

    def __init__(self, name: str, zero: Any) -> None:
        self.older = self.newer = (name,)
        self._name, self._zero = name, zero

    def to_newer(self, older: Members) -> Members:
        return {self._name: older.get(self._name) or self._zero}

    def to_older(self, newer: Members) -> Members:
        return newer


class Always(Completing):
    """Objects that an older spec always has, with the namespace if they are `namespaced`."""

    older = newer = ("spec",)

    def __init__(self, *paths: str, namespaced: bool = False) -> None:
        self._paths = [path.split("/") for path in paths]
        self.given = (NAMESPACE,) if namespaced else ()

    def complete_newer(self, older: Members, newer: Members) -> Members:
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        for path in self._paths:
            put(older, path, namespace(newer))
        return older

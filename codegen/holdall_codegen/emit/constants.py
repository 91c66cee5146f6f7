"""Names of the module-level constants of a storage module."""

from __future__ import annotations

from collections.abc import Hashable


class Constants:
    """Gives every key a constant of its own; the first that asks gets the name it wants.

    Names of types and properties run together in constants: `_SPEC_BACK` may be a direction of
    the edge of `Spec`, or its property `back`.
    """

    def __init__(self) -> None:
        self._names: dict[Hashable, str] = {}
        self._taken: set[str] = set()

    def name(self, key: Hashable, wanted: str) -> str:
        """Return the name of `key`; asking again gives the same name."""
        if key not in self._names:
            name = wanted
            while name in self._taken:
                name += "_"
            self._taken.add(name)
            self._names[key] = name
        return self._names[key]

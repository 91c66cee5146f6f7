"""The names that a property has in neighbouring versions, and under which an entry may name it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from holdall.carriers.tracking.pieces import Piecewise
from holdall.engine.edges import Crossing, EdgeEntry
from holdall.objects.shapes import Shaped, shape_of

TwinType = type[Shaped]


class Names:
    """Looks up partners of properties over the edges of a scheme."""

    def __init__(self, edges: Iterable[EdgeEntry]) -> None:
        self._newer: dict[TwinType, list[TwinType]] = {}
        for entry in edges:
            self._newer.setdefault(entry.older, []).append(entry.newer)
        self._aliases: dict[TwinType, dict[str, str]] = {}

    def crossing(self, here: Any, there: TwinType) -> Crossing | None:
        """Return the way from one type to the other, None if there is none."""
        found: Crossing | None = here.crossings_.get(there)
        return found

    def partner(self, here: TwinType, there: TwinType, name: str) -> str | None:
        """Return what a property of one type is called in the other, None without a partner."""
        crossing = self.crossing(here, there)
        return None if crossing is None else crossing.partner(name)

    def piecewise(self, here: TwinType, there: TwinType, name: str) -> Piecewise | None:
        """Return how a property of plain values crosses by element, None if it does not."""
        crossing = self.crossing(here, there)
        found = None if crossing is None else crossing.piecewise.get(name)
        return None if found is None else Piecewise(*found)

    def known(self, cls: TwinType, name: str) -> str:
        """Return the wire name for a name, an attribute or a later name of a property."""
        if name in shape_of(cls).names:
            return name
        aliases = self._aliases.get(cls)
        if aliases is None:
            aliases = self._aliases[cls] = self._find_aliases(cls)
        return aliases.get(name, name)

    def _find_aliases(self, cls: TwinType) -> dict[str, str]:
        aliases: dict[str, str] = {}
        for name, attribute in shape_of(cls).attributes.items():
            aliases.setdefault(attribute, name)
            for later, later_name in self._later(cls, name):
                aliases.setdefault(later_name, name)
                aliases.setdefault(shape_of(later).attributes[later_name], name)
        return aliases

    def _later(self, cls: TwinType, name: str) -> Iterable[tuple[TwinType, str]]:
        work = [(cls, name)]
        while work:
            here, known = work.pop()
            for newer in self._newer.get(here, []):
                partner = self.partner(here, newer, known)
                if partner is not None:
                    yield newer, partner
                    work.append((newer, partner))


def is_required(cls: TwinType, name: str) -> bool:
    """Tell whether the API type of a twin requires a property."""
    api = sys.modules.get(cls.__module__.rpartition(".")[0])
    found = getattr(api, cls.__name__, None)
    if found is None:
        return False
    member = shape_of(found).members.get(name)
    return member is not None and member.required

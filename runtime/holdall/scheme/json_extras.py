"""Converting plain JSON where extras have to be hidden from an API server.

That is the work of the twins, so what ends with such extras is left to them.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdall.carriers import Load, Places, pruned_places
from holdall.carriers.envelope import Bag
from holdall.objects.base import StorageObject
from holdall.scheme.json_route import Crossings, PlainRoute, plain_route
from holdall.types import JsonObject


class GuardedRoute:
    """A route on plain JSON for documents without extras where an API server would prune them.

    `before` are these places in the source, `after` in the result; None for none.
    """

    __slots__ = ("_after", "_before", "_plain")

    def __init__(self, plain: PlainRoute, before: Places | None, after: Places | None) -> None:
        self._plain, self._before, self._after = plain, before, after

    def convert(
        self, members: JsonObject, load: Load | None, *, sealed: bool = False
    ) -> tuple[JsonObject, dict[str, Bag]] | None:
        """Return what `PlainRoute.convert` does, but None where there are such extras."""
        if self._before is not None and self._before.hold_extras(members):
            return None
        made = self._plain.convert(members, load, sealed=sealed)
        if made is None or self._after is None:
            return made
        return None if self._after.hold_extras(made[0]) else made


def guarded_route(
    crossings: Crossings, twins: Sequence[type[StorageObject]]
) -> PlainRoute | GuardedRoute | None:
    """Return the executor of a route on plain JSON; None if it needs objects."""
    plain = plain_route(crossings, twins)
    before, after = pruned_places(twins[0]), pruned_places(twins[-1])
    if plain is None or (before is None and after is None):
        return plain
    return GuardedRoute(plain, before, after)

"""Defaults that API servers filled in, at any version, which do not distinguish objects.

An object that was read at another version has that version's defaults, as other members, in its
bag, or converted by its edges. So it is compared at that version.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from holdall.engine.member_ways import crossed
from holdall.errors import HoldallError
from holdall.objects.implied import has_defaults, without_defaults
from holdall.objects.shapes import object_shape


def without_any_defaults(cls: Any, members: dict[str, Any]) -> dict[str, Any]:
    """Return an object without members that any version's server fills in.

    An object that cannot be converted stays unchanged.
    """
    return _without(members, (cls,))


def has_any_defaults(cls: Any) -> bool:
    """Return whether some version's server fills in something in objects of a type."""
    return has_defaults(cls) or bool(_peers_with_defaults((cls,)))


def _without(members: dict[str, Any], way: tuple[Any, ...]) -> dict[str, Any]:
    cls = way[-1]
    bare: dict[str, Any] = without_defaults(members, object_shape(cls), None)
    for peer in _peers_with_defaults(way):
        try:
            there = crossed(cls, peer, bare)
            found = _without(there, (*way, peer))
            bare = bare if found is there else crossed(peer, cls, found)
        except HoldallError:
            continue
    return bare


@cache
def _peers_with_defaults(way: tuple[Any, ...]) -> list[Any]:
    """Return the neighbours of a way's last type that have defaults, or lead to types with some."""
    onward = [(*way, peer) for peer in way[-1].crossings_ if peer not in way]
    return [one[-1] for one in onward if has_defaults(one[-1]) or _peers_with_defaults(one)]

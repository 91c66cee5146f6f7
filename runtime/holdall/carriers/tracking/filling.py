"""Defaults that a conversion to a version has filled in, which nobody has seen there."""

from __future__ import annotations

from typing import Any

from holdall.engine.member_ways import crossed
from holdall.errors import HoldallError
from holdall.objects.bag import BAG_MEMBER
from holdall.objects.shapes import members_of
from holdall.types import Members


def filled_in(cls: Any, before: str, members: Members) -> frozenset[str]:
    """Return the members of an object that the conversion from the version `before` creates.

    That version does not have them, and would not keep them.
    """
    own = {name: value for name, value in members.items() if name != BAG_MEMBER}
    for peer, crossing in cls.crossings_.items():
        if before == peer.VERSION:
            alone = [one for one in own if one in members_of(cls) and crossing.partner(one) is None]
            try:
                made = crossed(cls, peer, own) if alone else None
            except HoldallError:
                break
            if type(made) is dict:
                kept = made.get(BAG_MEMBER, {}).get(cls.VERSION, {})
                return frozenset(alone).difference(kept)
    return frozenset()

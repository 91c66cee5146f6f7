"""Upgrades in spite of deprecations: a member of a list up to v20220601, then a flag."""

from __future__ import annotations

from typing import Final, cast

from generated.batch.v20220601.storage import AssignablePoolSpec, PoolSpec
from generated.batch.v20230501 import storage as v20230501
from holdall import BagView, claims, is_null, override, set_null

IGNORE_DEPRECATIONS: Final = "IgnoreDeprecations"


class ForceUpgrade(AssignablePoolSpec):
    """`forceUpgrade: true` is the member `IgnoreDeprecations` of `controlPlaneOverrides`.

    The list may have other members, which v20230501 cannot show: the whole list is kept for the
    way back, where the live flag decides about its own member only. The flag has more ways to be
    off than a list has to lack a member (absent, null, false): how it was off is kept, and is
    good for as long as the member is missing.
    """

    @override
    @claims(
        reads=["controlPlaneOverrides", "bag:forceUpgrade"],
        writes=["forceUpgrade", "bag:controlPlaneOverrides"],
    )
    def assign_properties_to(
        self, source: PoolSpec, destination: v20230501.PoolSpec, bag: BagView
    ) -> None:
        overrides = source.control_plane_overrides
        if overrides is not None and IGNORE_DEPRECATIONS in overrides:
            destination.force_upgrade = True
        elif is_null(source, "controlPlaneOverrides"):
            set_null(destination, "forceUpgrade")
        elif "forceUpgrade" in bag:
            _turn_off(destination, bag)
        if overrides is not None and overrides != [IGNORE_DEPRECATIONS]:
            bag.put("controlPlaneOverrides", list(overrides))

    @override
    @claims(
        reads=["forceUpgrade", "bag:controlPlaneOverrides"],
        writes=["controlPlaneOverrides", "bag:forceUpgrade"],
    )
    def assign_properties_from(
        self, source: v20230501.PoolSpec, destination: PoolSpec, bag: BagView
    ) -> None:
        kept = bag.get("controlPlaneOverrides")
        overrides = cast(list[str], kept) if isinstance(kept, list) else None
        if source.force_upgrade is True:
            destination.control_plane_overrides = _with_member(overrides)
            return
        destination.control_plane_overrides = _without_member(overrides)
        is_off = is_null(source, "forceUpgrade")
        if is_off and overrides is None:
            set_null(destination, "controlPlaneOverrides")
        elif is_off or source.force_upgrade is not None:
            bag.put("forceUpgrade", source.force_upgrade)


def _turn_off(spec: v20230501.PoolSpec, bag: BagView) -> None:
    flag = bag.get("forceUpgrade")
    if flag is None:
        set_null(spec, "forceUpgrade")
    else:
        spec.force_upgrade = cast(bool, flag)


def _with_member(overrides: list[str] | None) -> list[str]:
    if overrides is None:
        return [IGNORE_DEPRECATIONS]
    return overrides if IGNORE_DEPRECATIONS in overrides else [*overrides, IGNORE_DEPRECATIONS]


def _without_member(overrides: list[str] | None) -> list[str] | None:
    if overrides is None:
        return None
    return [name for name in overrides if name != IGNORE_DEPRECATIONS]

"""The class of the classes of views."""

from __future__ import annotations

from typing import Any, Final

from typing_extensions import dataclass_transform

UNNOTED: Final = 0
"""The lineage of types on whose objects there may be bags that nobody notes."""
ALONE: Final = 1
"""The lineage of types whose objects become no others."""
EVERYWHERE: Final = frozenset({-1})
"""Stands for all lineages."""
NOWHERE: Final = frozenset[int]()


@dataclass_transform(kw_only_default=True)
class ViewType(type):
    """Makes the classes of views: their instances have members, and no attributes of their own."""

    declared_: dict[str, Any]
    """The members by attribute: each a `holdall.objects.views.Member`."""

    named_: dict[str, Any]
    """The same by wire name."""

    crossings_: dict[type, Any]
    """The directions of edges that lead away from the type, by the type they lead to."""

    lineage_: int
    """What types have in common whose objects become each other."""

    is_converted_alone_: bool
    """Whether conversions of single values convert objects of the type."""

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        version: str = "",
        pruned: bool = False,
        api_version: str = "",
        kind: str = "",
        head: dict[str, Any] | None = None,
        may_say: dict[str, Any] | None = None,
        others: dict[str, list[Any]] | None = None,
    ) -> ViewType:
        namespace.setdefault("__slots__", ())
        if version:
            namespace.update(
                VERSION=version, RECORDS_VERSION="original_version" in namespace, PRUNED=pruned
            )
        if kind:
            usual = {"apiVersion": api_version, "kind": kind}
            namespace.update(
                API_VERSION=api_version,
                KIND=kind,
                HEAD=usual if head is None else head,
                MAY_SAY=may_say or {},
                OTHERS=others or {},
            )
        made = super().__new__(cls, name, bases, namespace)
        made.crossings_ = {}
        made.lineage_ = ALONE
        made.is_converted_alone_ = False
        found = [item for item in namespace.values() if hasattr(item, "levels")]
        made.declared_ = {item.attribute: item for item in found}
        made.named_ = {item.name: item for item in found}
        return made

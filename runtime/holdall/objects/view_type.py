"""The metaclass of views."""

from __future__ import annotations

from typing import Any, Final

from typing_extensions import dataclass_transform

UNNOTED: Final = 0
"""The lineage of types whose objects may have bags that are not tracked."""
ALONE: Final = 1
"""The lineage of types whose objects do not become others."""
EVERYWHERE: Final = frozenset({-1})
"""All lineages."""
NOWHERE: Final = frozenset[int]()


@dataclass_transform(kw_only_default=True)
class ViewType(type):
    """The metaclass of views, whose instances have members, and no attributes of their own."""

    declared_: dict[str, Any]
    """The members by attribute: each a `holdall.objects.views.Member`."""

    named_: dict[str, Any]
    """The same by wire name."""

    crossings_: dict[type, Any]
    """The crossings from the type, by destination type."""

    lineage_: int
    """The number shared by types whose objects become each other."""

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

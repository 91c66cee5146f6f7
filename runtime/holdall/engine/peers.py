"""Objects to their peers in the next version or in the one before: alone, in lists, in maps."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from holdall.objects.base import StorageObject, new

D = TypeVar("D", bound=StorageObject)
D_contra = TypeVar("D_contra", contravariant=True)
O = TypeVar("O", bound=StorageObject)  # noqa: E741 - the older side


class _Newer(Protocol[D_contra]):
    def assign_properties_to(self, destination: D_contra) -> None: ...


def converted_to(source: _Newer[D] | None, newer: type[D]) -> D | None:
    """Return `source` converted to its newer peer; None stays None."""
    if source is None:
        return None
    destination = new(newer)
    source.assign_properties_to(destination)
    return destination


def each_to(sources: list[Any] | None, newer: type[D]) -> list[D] | None:
    """Return a list of objects converted to their newer peers; None and null elements stay."""
    if sources is None:
        return None
    converted: list[Any] = []
    for source in sources:
        if source is None:
            converted.append(None)
        else:
            destination = new(newer)
            source.assign_properties_to(destination)
            converted.append(destination)
    return converted


def values_to(sources: dict[str, Any] | None, newer: type[D]) -> dict[str, D] | None:
    """Return a map of objects converted to their newer peers; None and null values stay."""
    if sources is None:
        return None
    return {key: converted_to(source, newer) for key, source in sources.items()}  # type: ignore[misc]


def converted_from(source: StorageObject | None, older: type[O]) -> O | None:
    """Return `source` converted to its older peer; None stays None."""
    if source is None:
        return None
    destination: Any = new(older)
    destination.assign_properties_from(source)
    return destination  # type: ignore[no-any-return]


def each_from(sources: list[Any] | None, older: type[O]) -> list[O] | None:
    """Return a list of objects converted to their older peers; None and null elements stay."""
    if sources is None:
        return None
    converted: list[Any] = []
    for source in sources:
        if source is None:
            converted.append(None)
        else:
            destination: Any = new(older)
            destination.assign_properties_from(source)
            converted.append(destination)
    return converted


def values_from(sources: dict[str, Any] | None, older: type[O]) -> dict[str, O] | None:
    """Return a map of objects converted to their older peers; None and null values stay."""
    if sources is None:
        return None
    return {key: converted_from(source, older) for key, source in sources.items()}  # type: ignore[misc]

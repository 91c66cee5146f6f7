"""What generated readers and writers of API types call for values that are not single scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdall.objects.base import Object, WrongKind
from holdall.objects.shapes import members_of


def json_list(value: Any) -> list[Any]:
    """Return a value that has to be a JSON list."""
    if type(value) is not list:
        raise WrongKind("list", value)
    return value


def json_object(value: Any) -> dict[str, Any]:
    """Return a value that has to be a JSON object."""
    if type(value) is not dict:
        raise WrongKind("object", value)
    return value


def over_list(value: Any, act: Callable[[Any], Any]) -> list[Any]:
    """Apply `act` to every element of a JSON list; null elements are kept."""
    return [None if item is None else act(item) for item in json_list(value)]


def over_map(value: Any, act: Callable[[Any], Any]) -> dict[str, Any]:
    """Apply `act` to every value of a JSON object; null values are kept."""
    return {key: None if item is None else act(item) for key, item in json_object(value).items()}


def unread_members(cls: type[Object], members: dict[str, Any]) -> dict[str, Any]:
    """Return the members that a type does not declare, and the declared ones that are null."""
    declared = members_of(cls)
    return {name: value for name, value in members.items() if value is None or name not in declared}


def write_each(
    objects: list[Any],
) -> list[Any]:
    """Return the JSON of a list of objects; null elements are kept."""
    return [None if item is None else item.write_members() for item in objects]


def write_values(
    objects: dict[str, Any],
) -> dict[str, Any]:
    """Return the JSON of a map of objects; null values are kept."""
    return {key: None if item is None else item.write_members() for key, item in objects.items()}


def write_nested(value: Any, *lifted: Any) -> Any:
    """Return the JSON of lists and maps of objects at any depth; with `lifted`, of storage twins.

    Their bags go there.
    """
    if value is None:
        return None
    if type(value) is list:
        return [write_nested(item, *lifted) for item in value]
    if type(value) is dict:
        return {key: write_nested(item, *lifted) for key, item in value.items()}
    return value.write_members(*lifted)

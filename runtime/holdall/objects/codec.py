"""What generated readers, writers and converters call for values that are not single scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from holdall.objects.bag import (
    BAG_MEMBER,
    ORIGINAL_VERSION_MEMBER,
    RESERVED,
    USER_KEYS,
    PropertyBag,
)
from holdall.objects.base import Lifted, Object, StorageObject, WrongKind
from holdall.objects.shapes import members_of
from holdall.text import json as _json

T = TypeVar("T")


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


def map_list(values: list[Any] | None, act: Callable[[Any], Any]) -> list[Any] | None:
    """Apply `act` to every element of a list; None and null elements stay."""
    return None if values is None else [None if item is None else act(item) for item in values]


def map_map(values: dict[str, Any] | None, act: Callable[[Any], Any]) -> dict[str, Any] | None:
    """Apply `act` to every value of a map; None and null values stay."""
    if values is None:
        return None
    return {key: None if item is None else act(item) for key, item in values.items()}


def list_reader(act: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """Return the function that reads a JSON list whose elements `act` reads."""
    return lambda value: over_list(value, act)


def map_reader(act: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """Return the function that reads a JSON object whose values `act` reads."""
    return lambda value: over_map(value, act)


def read_each(read: Callable[..., T], value: Any, *stored: bool) -> list[T]:
    """Read a JSON list of objects with their type's `read`; null elements are kept."""
    if type(value) is not list:
        raise WrongKind("list", value)
    return [None if item is None else read(item, *stored) for item in value]  # type: ignore[misc]


def read_values(read: Callable[..., T], value: Any, *stored: bool) -> dict[str, T]:
    """Read a JSON object whose values are objects, with their type's `read`; nulls are kept."""
    if type(value) is not dict:
        raise WrongKind("object", value)
    return {
        key: None if item is None else read(item, *stored)  # type: ignore[misc]
        for key, item in value.items()
    }


def copy_list(value: list[T] | None) -> list[T] | None:
    """Return a copy of a list of scalars; None stays None."""
    return None if value is None else value.copy()


def copy_map(value: dict[str, T] | None) -> dict[str, T] | None:
    """Return a copy of a map of scalars; None stays None."""
    return None if value is None else value.copy()


def copy_json(value: Any) -> Any:
    """Return a deep copy of a JSON value; None stays None."""
    return None if value is None else _json.copy(value)


def stored(value: Any) -> Any:
    """Return objects, or lists and maps of objects, as they stand in a bag."""
    return write_nested(value)


def unread_members(cls: type[Object], members: dict[str, Any]) -> dict[str, Any]:
    """Return the members that a type does not declare, and the declared ones that are null."""
    declared = members_of(cls)
    return {name: value for name, value in members.items() if value is None or name not in declared}


def read_rest(twin: StorageObject, members: dict[str, Any], version: str, stored: bool) -> None:
    """Set extras, bag and original version of a twin from the members it does not declare.

    In API input the reserved names are user data: extras that wait in the bag of `version`.
    """
    extras = unread_members(type(twin), members)
    twin.extra_ = extras
    reserved = RESERVED.intersection(extras)
    if not reserved:
        return
    if not stored:
        kept = {key: extras.pop(name) for key, name in USER_KEYS.items() if name in reserved}
        twin.property_bag = PropertyBag({version: kept})
        return
    if BAG_MEMBER in extras:
        twin.property_bag = PropertyBag.read(extras.pop(BAG_MEMBER))
    if ORIGINAL_VERSION_MEMBER in extras and hasattr(twin, "original_version"):
        recorded: Any = twin
        recorded.original_version = extras.pop(ORIGINAL_VERSION_MEMBER)


def write_bag(
    twin: StorageObject, members: dict[str, Any], version: str, lifted: Lifted | None
) -> None:
    """Write the bag of a twin into its stored form, or hand it over to be lifted to a carrier.

    What is handed over shares its entries with the twin, and is not to be changed.
    """
    bag = twin.property_bag
    if bag is None:
        return
    if lifted is None:
        members[BAG_MEMBER] = bag.write()
        return
    kept = bag.get(version)
    if kept is not None:
        own = ((name, kept[key]) for key, name in USER_KEYS.items() if key in kept)
        members.update((name, _json.copy(value)) for name, value in own)
        bag = PropertyBag({origin: {**entries} for origin, entries in bag.items()})
        bag.drop_all(version, frozenset(USER_KEYS))
    if bag:
        lifted.append((twin, bag))


def write_each(objects: list[Any], *lifted: Lifted | None) -> list[Any]:
    """Return the JSON of a list of objects; null elements are kept."""
    return [None if item is None else item.write_members(*lifted) for item in objects]


def write_values(objects: dict[str, Any], *lifted: Lifted | None) -> dict[str, Any]:
    """Return the JSON of a map of objects; null values are kept."""
    return {
        key: None if item is None else item.write_members(*lifted) for key, item in objects.items()
    }


def write_nested(value: Any, *lifted: Lifted | None) -> Any:
    """Return the JSON of lists and maps of objects at any depth."""
    if value is None:
        return None
    if type(value) is list:
        return [write_nested(item, *lifted) for item in value]
    if type(value) is dict:
        return {key: write_nested(item, *lifted) for key, item in value.items()}
    return value.write_members(*lifted)

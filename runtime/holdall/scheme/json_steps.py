"""The steps that converting JSON consists of: what becomes of one member, or of one container."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from holdall.carriers.envelope import Bag
from holdall.engine.edges import Crossing
from holdall.objects.bag import key_of
from holdall.objects.base import StorageObject
from holdall.objects.readable import Check, object_check
from holdall.text.pointer import join
from holdall.types import JsonObject


class State:
    """What one conversion knows beside the values.

    `kept` are the bags that came with the document, by the identity of their object. `lifted` are
    those that go with its result, each with the address of its object: segments, innermost first.
    `sealed` says that the result is only to be encoded.
    """

    __slots__ = ("kept", "lifted", "sealed")

    def __init__(self, kept: dict[int, Bag]) -> None:
        self.kept = kept
        self.sealed = False
        self.lifted: list[tuple[Bag, list[str]]] = []


Convert: TypeAlias = Callable[[Any, State], Any]
"""Returns what becomes of a value. Raises UnknownStep."""
Step: TypeAlias = Callable[[Any, JsonObject, State, Bag], None]
"""Puts what becomes of a member into a destination, or into the bag. Raises UnknownStep."""


class UnknownStep(Exception):
    """This executor does not do that."""


def check_only(check: Check) -> Step:
    """Return the step of a member that is left to the hook, or to nobody."""

    def step(value: Any, destination: JsonObject, state: State, bag: Bag) -> None:
        if not check(value):
            raise UnknownStep

    return step


def rename(target: str, check: Check | None) -> Step:
    """Return the step of a member that goes on under another name."""

    def step(value: Any, destination: JsonObject, state: State, bag: Bag) -> None:
        if check is not None and not check(value):
            raise UnknownStep
        destination[target] = value

    return step


def convert_member(target: str, convert: Convert) -> Step:
    """Return the step of a member whose value has to be converted."""
    segment = join("", target)

    def step(value: Any, destination: JsonObject, state: State, bag: Bag) -> None:
        before = len(state.lifted)
        destination[target] = convert(value, state)
        if len(state.lifted) != before:
            for _, names in state.lifted[before:]:
                names.append(segment)

    return step


def stash(crossing: Crossing, name: str, check: Check | None) -> Step:
    """Return the step of a member that the other version has no place for."""
    origin: Final = crossing.source
    key: Final = key_of(name) if name not in crossing.source_members else name

    def step(value: Any, destination: JsonObject, state: State, bag: Bag) -> None:
        if check is not None and not check(value):
            raise UnknownStep
        bag.setdefault(origin, {})[key] = value

    return step


def same_object(cls: type[StorageObject]) -> Convert:
    """Return what passes an object on that stays as it is."""
    check = object_check(cls)

    def convert(value: Any, state: State) -> Any:
        if not check(value):
            raise UnknownStep
        return value

    return convert


def over_list(item: Convert) -> Convert:
    """Return what converts each element of a list."""

    def convert(value: Any, state: State) -> Any:
        if value is None:
            return None
        if type(value) is not list:
            raise UnknownStep
        before = len(state.lifted)
        converted = [item(element, state) for element in value]
        if len(state.lifted) != before:
            raise UnknownStep  # only the twins know how elements of a list are addressed
        return converted

    return convert


def over_map(item: Convert) -> Convert:
    """Return what converts each value of a map."""

    def convert(value: Any, state: State) -> Any:
        if value is None:
            return None
        if type(value) is not dict:
            raise UnknownStep
        converted = {}
        for key, element in value.items():
            before = len(state.lifted)
            converted[key] = item(element, state)
            for _, names in state.lifted[before:]:
                names.append(join("", key))
        return converted

    return convert

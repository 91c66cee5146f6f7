"""What two-way hooks may know beside the members that they convert: settings, and the object.

A hook names what it needs in `given`: `settings:NAME` is a setting of the project, and
`object:namespace` or `object:name` is what the metadata of the converted object says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar, Token
from types import MappingProxyType
from typing import Any, Final

from holdall.types import JsonValue

Members = dict[str, Any]
SETTING: Final = "settings:"
_OF_OBJECT: Final = ("object:name", "object:namespace")
_OBJECT: Final[ContextVar[Mapping[str, JsonValue]]] = ContextVar(
    "object", default=MappingProxyType({})
)


class Surroundings:
    """While it is entered, hooks are given facts of one object, from its metadata."""

    __slots__ = ("_known", "_token")

    def __init__(self, metadata: Any) -> None:
        self._known: dict[str, JsonValue] = {}
        for name in _OF_OBJECT if type(metadata) is dict else ():
            value = metadata.get(name.partition(":")[2])
            if isinstance(value, str):
                self._known[name] = value

    def __enter__(self) -> Surroundings:
        self._token: Token[Mapping[str, JsonValue]] = _OBJECT.set(self._known)
        return self

    def __exit__(self, *_: object) -> None:
        _OBJECT.reset(self._token)


class Informed:
    """A function that gets what is given among its members, and does not return it.

    `settings` are those of the project whose types it is used for.
    """

    __slots__ = ("_function", "_given", "settings")

    def __init__(self, function: Callable[[Members], Members], given: Sequence[str]) -> None:
        self._function, self._given = function, given
        self.settings: Mapping[str, JsonValue] = {}

    def __call__(self, members: Members) -> Members:
        known = _OBJECT.get()
        for name in self._given:
            if name in known:
                members[name] = known[name]
            elif name.startswith(SETTING):
                members[name] = self.settings[name.removeprefix(SETTING)]
        made = self._function(members)
        if type(made) is dict:
            made = {name: value for name, value in made.items() if name not in self._given}
        return made

    def missing(self, settings: Mapping[str, JsonValue]) -> list[str]:
        """Return the names of settings that it needs and that are not there."""
        names = [name.removeprefix(SETTING) for name in self._given if name.startswith(SETTING)]
        return [name for name in names if name not in settings]

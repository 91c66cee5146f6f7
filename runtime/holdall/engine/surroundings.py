"""What two-way hooks may know beside the members that they convert: settings, and the object.

A hook names what it needs in `given`: `settings:NAME` is a setting of the project, and
`object:namespace` or `object:name` is what the metadata of the converted object says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar, Token
from typing import Any, Final

from holdall.text import json as _json
from holdall.types import JsonValue, Members

SETTING: Final = "settings:"


class Surroundings:
    """While it is entered, hooks are given facts of one object, from its metadata.

    Few hooks ask, so metadata that is sealed is decoded when one does.
    """

    __slots__ = ("_known", "_metadata", "_token")

    def __init__(self, metadata: Any) -> None:
        self._metadata = metadata
        self._known: dict[str, JsonValue] | None = None

    @property
    def known(self) -> Mapping[str, JsonValue]:
        """What hooks are given of the object, by the names under which they ask for it."""
        if self._known is None:
            named = _json.named_members(self._metadata, "name", "namespace")
            self._known = {
                f"object:{name}": value for name, value in named.items() if isinstance(value, str)
            }
        return self._known

    def __enter__(self) -> Surroundings:
        self._token: Token[Surroundings] = _OBJECT.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _OBJECT.reset(self._token)


_OBJECT: Final[ContextVar[Surroundings]] = ContextVar("object")


def known_of_object() -> Mapping[str, JsonValue]:
    """Return what hooks are given of the object that is converted."""
    entered = _OBJECT.get(None)
    return {} if entered is None else entered.known


class Informed:
    """A function that gets what is given among its members, and does not return it.

    `settings` are those of the project whose types it is used for.
    """

    def __init__(self, function: Callable[[Members], Members], given: Sequence[str]) -> None:
        self.function, self._given = function, given
        self.settings: Mapping[str, JsonValue] = {}

    def around(self, function: Callable[[Members], Members]) -> Informed:
        """Return another function that gets the same."""
        other = Informed(function, self._given)
        other.settings = self.settings
        return other

    def __call__(self, members: Members) -> Members:
        known = known_of_object() if self._given else {}
        for name in self._given:
            if name in known:
                members[name] = known[name]
            elif name.startswith(SETTING):
                # The function may change what it gets.
                members[name] = _json.copy(self.settings[name.removeprefix(SETTING)])
        made = self.function(members)
        if type(made) is dict:
            made = {name: value for name, value in made.items() if name not in self._given}
        return made

    def missing(self, settings: Mapping[str, JsonValue]) -> list[str]:
        """Return the names of settings that it needs and that are not there."""
        names = [name.removeprefix(SETTING) for name in self._given if name.startswith(SETTING)]
        return [name for name in names if name not in settings]

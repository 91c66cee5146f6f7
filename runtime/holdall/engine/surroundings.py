"""Facts for two-way hooks beside the members that they convert: settings, and the object's name.

A hook names what it needs in `given`: `settings:NAME` is a setting of the project, and
`object:namespace` or `object:name` come from the metadata of the converted object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar, Token
from typing import Any, Final

from holdall.text import json as _json
from holdall.types import JsonValue, Members

SETTING: Final = "settings:"


class Surroundings:
    """While it is active, hooks get facts about one object, from its metadata.

    Few hooks need them, so sealed metadata is only decoded then.
    """

    __slots__ = ("_known", "_metadata", "_token")

    def __init__(self, metadata: Any) -> None:
        self._metadata = metadata
        self._known: dict[str, JsonValue] | None = None

    @property
    def known(self) -> Mapping[str, JsonValue]:
        """The facts about the object, by their names in `given`."""
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
    """Return the facts about the converted object for hooks."""
    entered = _OBJECT.get(None)
    return {} if entered is None else entered.known


class Informed:
    """A function that gets the given facts among its members, and does not return them.

    `settings` are those of the project of the types that it converts.
    """

    def __init__(self, function: Callable[[Members], Members], given: Sequence[str]) -> None:
        self.function, self._given = function, given
        self.settings: Mapping[str, JsonValue] = {}

    def around(self, function: Callable[[Members], Members]) -> Informed:
        """Wrap another function with the same facts."""
        other = Informed(function, self._given)
        other.settings = self.settings
        return other

    def __call__(self, members: Members) -> Members:
        known = known_of_object() if self._given else {}
        for name in self._given:
            if name in known:
                members[name] = known[name]
            elif name.startswith(SETTING):
                # The function may change its argument.
                members[name] = _json.copy(self.settings[name.removeprefix(SETTING)])
        made = self.function(members)
        if type(made) is dict:
            made = {name: value for name, value in made.items() if name not in self._given}
        return made

    def missing(self, settings: Mapping[str, JsonValue]) -> list[str]:
        """Return the names of settings that it needs but that are missing."""
        names = [name.removeprefix(SETTING) for name in self._given if name.startswith(SETTING)]
        return [name for name in names if name not in settings]

"""Tracing objects through a function: which returned objects are given ones, or copies of them.

A changed copy is recognised by its keys: however a dict is copied, Python keeps the key objects, so
each object is given with its own key strings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from holdall.types import Members


class Traced:
    """Containers that were given to a function, each with its original."""

    def __init__(self) -> None:
        self._originals: dict[int, tuple[Any, Any]] = {}
        self._keys: dict[int, tuple[str, int]] = {}

    def give(self, container: Any, original: Any) -> None:
        """Record the container given for an original."""
        self._originals[id(container)] = container, original

    def give_object(self, members: Members, original: Any) -> None:
        """Record an object, with unique key strings."""
        self.give(members, original)
        items = [*members.items()]
        members.clear()
        for name, value in items:
            key = "".join((name[:1], name[1:]))
            members[key] = value
            if key is not name:  # some strings are singletons, such as the empty one
                self._keys[id(key)] = key, id(members)

    def note_copies(self, made: Any) -> None:
        """Record which of a function's objects are changed copies, if that is certain.

        It is not if the function also returned the object itself, or several copies of it.
        """
        claims: dict[int, list[Any]] = {}
        for one in _objects_in(made):
            if id(one) in self._originals:
                claims.setdefault(id(one), []).append(None)
                continue
            owners = {self._keys[id(key)][1] for key in one if id(key) in self._keys}
            if len(owners) == 1:
                claims.setdefault(owners.pop(), []).append(one)
        for owner, copies in claims.items():
            if len(copies) == 1 and copies[0] is not None:
                self.give(copies[0], self._originals[owner][1])

    def original(self, made: Any) -> Any:
        """Return the original of a container in a function's result, None if it is unknown."""
        return self._originals.get(id(made), (None, None))[1]


def _objects_in(value: Any) -> Iterator[Members]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if type(one) is dict:
            yield one
            waiting.extend(one.values())
        elif type(one) is list:
            waiting.extend(one)

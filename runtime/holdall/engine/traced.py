"""Which of the objects that a function was given are those that it returned, or copies of them.

A copy that was changed is known by its keys: Python takes them over as they are, whichever way a
dict is copied, so each object is given with texts of its own as keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from holdall.types import Members


class Traced:
    """Containers that a function was given, each with what it stands for."""

    def __init__(self) -> None:
        self._originals: dict[int, tuple[Any, Any]] = {}
        self._keys: dict[int, tuple[str, int]] = {}

    def give(self, container: Any, original: Any) -> None:
        """Note what is given for an original."""
        self._originals[id(container)] = container, original

    def give_object(self, members: Members, original: Any) -> None:
        """Note an object; its keys become such that no other one has."""
        self.give(members, original)
        items = [*members.items()]
        members.clear()
        for name, value in items:
            key = "".join((name[:1], name[1:]))
            members[key] = value
            if key is not name:  # Python may have one text only, as of the empty one
                self._keys[id(key)] = key, id(members)

    def note_copies(self, made: Any) -> None:
        """Note which objects that a function made are changed copies, where that is certain.

        Not if it also returned the object itself, or several copies of it.
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
        """Return what something that a function made stands for, None if that is not known."""
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

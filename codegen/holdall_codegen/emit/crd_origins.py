"""Where the parts of an emitted CRD come from, so that problems in it name the user's own lines."""

from __future__ import annotations

from collections.abc import Callable

from holdall_codegen.model import Location


class Places:
    """Sources of the parts of one CRD, by JSON Pointer; a part without one takes its parent's."""

    def __init__(self, default: str) -> None:
        self._places: dict[str, Callable[[str], str]] = {"": lambda _: default}

    def put(self, pointer: str, location: Location | str) -> None:
        """Say where one part, and what is below it, comes from: nothing if that is not known."""
        where = str(location)
        if isinstance(location, str) or location.file:
            self._places[pointer] = lambda _: where

    def graft(self, pointer: str, where: Callable[[str], str]) -> None:
        """Say that everything below a part comes from one document.

        `where` takes the pointer from that part on and returns `file:line:column`.
        """
        self._places[pointer] = where

    def where(self, pointer: str) -> str:
        """Return `file:line[:column]` of a part, or of the nearest thing around it."""
        at = pointer
        while at not in self._places:
            at = at.rpartition("/")[0]
        return self._places[at](pointer.removeprefix(at))

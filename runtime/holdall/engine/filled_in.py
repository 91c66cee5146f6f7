"""The note in a residue about defaults that the server of a distant version filled in.

The hook's edge cannot tell them from edits, because its own versions do not have them. So the last
item of a residue may be a note, `{"shown": members, "became": members}`: what the other side
showed, and what that became. The hook converts what was shown. What was filled in comes back as
differences marked as `filled`. Source: docs/conversions.md, "Residue and agreement".
"""

from __future__ import annotations

from typing import Any, Final

from holdall.engine.residues import Difference, residue
from holdall.engine.shown_elements import Shapes
from holdall.errors import DecodeError
from holdall.text import json as _json
from holdall.types import Members

_NOTE_KEYS: Final = frozenset({"shown", "became"})
_ABSENT: Final = object()


def without_note(kept: Any) -> tuple[Any, Any]:
    """Return the differences in a bag entry, and its note, None if there is none."""
    if type(kept) is list and kept and type(kept[-1]) is dict and "shown" in kept[-1]:
        return kept[:-1], kept[-1]
    return kept, None


def with_note(kept: list[Difference], shown: Members, became: Members) -> list[Any]:
    """Return differences for a bag entry, with a note of what was filled in."""
    return [*kept, {"shown": shown, "became": became}]


def before_filling(note: Any, live: Members, names: frozenset[str]) -> Members | None:
    """Return live members as they were shown, None if everything filled in was edited.

    Raises DecodeError if it is not a note of members with these names.
    """
    if note.keys() != _NOTE_KEYS or not all(
        type(members) is dict and members.keys() <= names for members in note.values()
    ):
        raise DecodeError("expected {shown, became} of members the hook claims", "/-1")
    shown, became = note["shown"], note["became"]
    before = live.copy()
    for name in {**shown, **became}:
        was, value = shown.get(name, _ABSENT), became.get(name, _ABSENT)
        if not _same(value, was) and _same(value, live.get(name, _ABSENT)):
            before.pop(name, None)
            if was is not _ABSENT:
                before[name] = was
    return None if _json.same(before, live) else before


def filled_again(note: Any, live: Members) -> Members | None:
    """Return live members with filled-in values that were deleted since, None if none were."""
    deleted = {
        name: value
        for name, value in note["became"].items()
        if not _same(value, was := note["shown"].get(name, _ABSENT))
        and (live.get(name, _ABSENT) is was or _same(live.get(name), was))
    }
    return {**live, **deleted} if deleted else None


def filled_in(shown: Members, live: Members, shapes: Shapes) -> list[Difference]:
    """Return what was filled in, as it is kept."""
    return [{**difference, "filled": True} for difference in residue(shown, live, shapes)]


def _same(one: Any, other: Any) -> bool:
    return one is other or (_ABSENT not in (one, other) and _json.equal(one, other))

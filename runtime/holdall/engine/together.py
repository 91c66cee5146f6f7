"""What several two-way steps make of an object at once: all is copied and checked once.

A step that has to decide something is left out: what it kept does not fit what is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from holdall.engine.residues import Difference, make, places, residue
from holdall.engine.two_way_ends import End
from holdall.engine.two_way_steps import Crossed, TwoWayStep, units_of
from holdall.errors import DecodeError, RefusedError
from holdall.text import json as _json
from holdall.types import Members

Part: TypeAlias = tuple[TwoWayStep, Members, list[Difference]]
"""A step, the members that it reads, which are of their types, and what was kept for it."""


def together(entered: End, parts: Sequence[Part]) -> list[Crossed | None] | None:
    """Return what each step makes, None for those that are left out.

    No two make the same member. None if not all of that is of the types of the other side, whose
    `entered` end is that of all.
    """
    made = _made(parts)
    members: Members = {}
    for part in made:
        members.update(part or {})
    if not entered.holds(members):
        return None
    found: list[Crossed | None] = []
    for (step, own, kept), part, there in zip(parts, made, _json.copy(made), strict=True):
        if kept:
            found.append(None if part is None else _returning(step, own, part, there))
            continue
        try:
            seen = step.inverse(there)
        except RefusedError:
            seen = {}
        lost = [] if _json.same(seen, own) else residue(step.left.stored(seen), own)
        found.append((part, lost, True))
    return found


def _returning(step: TwoWayStep, own: Members, made: Members, given: Members) -> Crossed | None:
    """Return what a step made with what was kept for it, if the members that are there follow."""
    try:
        seen = step.left.copied(step.inverse(given))
    except Exception:  # noqa: BLE001 - it happens again, where it is known what to do
        return None
    return (made, [], True) if _json.same(seen, own) else None


def _made(parts: Sequence[Part]) -> list[Any]:
    """Return what each step makes, with what was kept for it; None if that does not fit."""
    made: list[Any] = []
    given = _json.copy([own for _, own, _ in parts])
    for (step, _, kept), here in zip(parts, given, strict=True):
        try:
            part: Any = step.act(here)
        except Exception:
            if not kept:
                raise
            part = None  # it happens again, where it is known what to do
        else:
            if type(part) is not dict or not part.keys() <= step.writes:
                part = step.entered.copied(part)  # it says what is wrong
        made.append(part)
    try:
        checked: Any = _json.copy_checked(made)
    except DecodeError:
        checked = [
            None if part is None else step.entered.copied(part)
            for (step, _, _), part in zip(parts, made, strict=True)
        ]
    for index, (_, _, kept) in enumerate(parts):
        if kept and checked[index] is not None and not _put_back(checked[index], kept):
            checked[index] = None
    return [*checked]


def _put_back(made: Members, kept: list[Difference]) -> bool:
    """Add what was kept to what a step made; tell whether all of that has a place."""
    found = [*zip(kept, places(made, kept), strict=True)]
    if any(path is None for _, path in found):
        return False
    for unit in units_of(found):
        for difference, path in unit:
            make(made, path, difference)  # type: ignore[arg-type]  # it has one
    return True

"""Moves between nesting levels, interpreted on plain JSON (section 2, step 3)."""

from __future__ import annotations

from typing import Any

from holdall_codegen.plan.model import PlannedEdge, PlannedMove
from tests.laws.json_form import ABSENT, BAG, CREATED, Json, clone, drop, entry, put_state, set_bag

Path = tuple[str, ...]


class Moves:
    """The moves of one edge in one direction."""

    def __init__(self, edge: PlannedEdge, up: bool) -> None:
        self._edge = edge
        self._up = up
        ends = edge.older.version, edge.newer.version
        self._origin, self._arrival = ends if up else ends[::-1]

    def take_out(self, source: Json) -> list[tuple[str, str, Any]]:
        """Remove every moved value, and the parents that were only made for them.

        The deepest go first, since an object that moves may hold others that do. Return, per move
        in the order of `in_order`, its name on this side and on the other, and the value's state.
        """
        taken: dict[Path, Any] = {}
        paths = [self._paths(move)[0] for move in self._edge.moves]
        parents = {path[:depth] for path in paths for depth in range(1, len(path))}
        for path in sorted(parents.union(paths), key=lambda item: (-len(item), item)):
            if path in parents:
                self._unmake(source, path)
            if path in paths:
                taken[path] = _take(source, path)
        both = map(self._paths, self.in_order())
        return [("/".join(path), "/".join(partner), taken[path]) for path, partner in both]

    def in_order(self) -> list[PlannedMove]:
        """Return the moves, those that end higher up first."""
        return sorted(self._edge.moves, key=lambda move: len(self._paths(move)[1]))

    def put_in(self, target: Json, move: PlannedMove, value: Any) -> None:
        """Give the moved property its state, with the parents that it needs."""
        path = self._paths(move)[1]
        members = target
        for name in path[:-1]:
            child = members.get(name, ABSENT)
            if not isinstance(child, dict):
                if value is ABSENT:
                    return
                state = "absent" if child is ABSENT else "null"
                child = members[name] = {BAG: {self._origin: {CREATED: state}}}
            members = child
        put_state(members, path[-1], value)

    def _paths(self, move: PlannedMove) -> tuple[Path, Path]:
        return (move.older, move.newer) if self._up else (move.newer, move.older)

    def _unmake(self, source: Json, path: Path) -> None:
        holder = value_at(source, path[:-1])
        parent = holder.get(path[-1]) if isinstance(holder, dict) else None
        if not isinstance(holder, dict) or not isinstance(parent, dict):
            return
        bag = clone(parent.get(BAG, {}))
        state = entry(bag, self._arrival, CREATED)
        if state is ABSENT:
            return
        drop(bag, self._arrival, CREATED)
        set_bag(parent, bag)
        if not parent:
            put_state(holder, path[-1], None if state == "null" else ABSENT)


def value_at(source: Json, path: Path) -> Any:
    """Return the value that a path leads to, ABSENT if there is none."""
    value: Any = source
    for name in path:
        value = value.get(name, ABSENT) if isinstance(value, dict) else ABSENT
    return value


def _take(source: Json, path: Path) -> Any:
    holder = value_at(source, path[:-1])
    return holder.pop(path[-1], ABSENT) if isinstance(holder, dict) else ABSENT

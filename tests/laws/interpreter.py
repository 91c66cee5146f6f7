"""A slow, independent interpreter of the plan: plain JSON in, plain JSON out.

It is written from docs/conversions.md and docs/bags.md, and shares no code with the runtime. It
knows no hooks: what a plan leaves to a hook stays absent.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from holdall.plan.plans import LinkEnd, TypeRef
from holdall_codegen.plan.model import Conversion, GroupPlan, PlannedEdge
from tests.laws.interpreter_distant import DistantEntries
from tests.laws.interpreter_links import LinkWalker
from tests.laws.interpreter_measures import MisfitError
from tests.laws.interpreter_moves import Moves
from tests.laws.interpreter_values import ValueConverter, is_exact
from tests.laws.json_form import (
    ABSENT,
    ORIGINAL,
    RESERVED,
    Bag,
    Json,
    clone,
    drop,
    entry,
    note,
    noted,
    put,
    put_state,
    set_bag,
    take_bag,
)


class Interpreter:
    """Converts storage documents of one group by its plan."""

    def __init__(self, plan: GroupPlan) -> None:
        self.plan = plan
        self.edges = {(edge.older, edge.newer): edge for edge in plan.edges}
        self.values = ValueConverter(plan, self.cross)
        self.links = LinkWalker(plan.links, self.values)
        self.distant = DistantEntries(plan, self.values)

    def convert(self, kind: str, versions: Sequence[str], document: Json) -> Json:
        """Return a document of a kind at the end of a walk over neighbouring versions.

        `document` has the storage form of the first version, with apiVersion and kind.
        """
        planned = next(item for item in self.plan.kinds if item.name == kind)
        members = {key: document[key] for key in document if key not in ("apiVersion", "kind")}
        refs = [TypeRef(version, planned.types[version]) for version in versions]
        for start, end in itertools.pairwise(refs):
            members = self.cross(start, end, members)
        group = self.plan.api_group
        api_version = f"{group}/{versions[-1]}" if group else versions[-1]
        return {"apiVersion": api_version, "kind": kind, **members}

    def cross(self, start: TypeRef, end: TypeRef, source: Json) -> Json:
        """Return an object on the other side of one edge. `source` is not changed."""
        up = (start, end) in self.edges
        edge = self.edges[(start, end) if up else (end, start)]
        return _Crossing(self, edge, up).run(clone(source))


class _Crossing:
    """One object on its way over one edge."""

    def __init__(self, interpreter: Interpreter, edge: PlannedEdge, up: bool) -> None:
        self.edge = edge
        self.up = up
        self.values = interpreter.values
        self.links = interpreter.links
        self.distant = interpreter.distant
        self.start, self.end = (edge.older, edge.newer) if up else (edge.newer, edge.older)
        self.source_type = interpreter.plan.type(self.start)
        self.target_type = interpreter.plan.type(self.end)

    def run(self, source: Json) -> Json:
        bag = take_bag(source)
        whole = clone(source)
        original = source.pop(ORIGINAL, ABSENT) if self.source_type.records_version else ABSENT
        moves = Moves(self.edge, self.up)
        moved = moves.take_out(source)
        target: Json = {}
        self._assign(source, target, bag)
        self._stash(source, bag)
        self._pass_extras(source, target, bag)
        for move, (key, partner, live) in zip(moves.in_order(), moved, strict=True):
            names = (key, partner)
            value = self._through(move.conversion, names, live, bag, move.misfit_is_error)
            moves.put_in(target, move, value)
        if self.target_type.records_version:
            put_state(target, ORIGINAL, original)
        self.distant.judge(self.edge, self.up, whole, target, bag)
        set_bag(target, bag)
        return target

    def _assign(self, source: Json, target: Json, bag: Bag) -> None:
        pairs = {(pair.newer if self.up else pair.older): pair for pair in self.edge.pairs}
        alone = self.edge.only_newer if self.up else self.edge.only_older
        for member in self.target_type.members:
            value: Any = ABSENT
            if member.name in pairs:
                pair = pairs[member.name]
                own = pair.older if self.up else pair.newer
                value = self._through(
                    pair.conversion,
                    (own, member.name),
                    source.get(own, ABSENT),
                    bag,
                    pair.misfit_is_error,
                )
            elif member.name in alone:
                value = self.links.pull(LinkEnd(self.end, member.name), bag)
            put_state(target, member.name, value)

    def _through(
        self,
        conversion: Conversion,
        names: tuple[str, str],
        live: Any,
        bag: Bag,
        strict: bool,
    ) -> Any:
        """Return the other side's value of a live one, with what the bag knows of both."""
        if is_exact(conversion):
            return self.values.apply(conversion, live, self.up)
        source_name, target_name = names
        kept = entry(bag, self.end.version, target_name)
        became = noted(bag, self.end.version, target_name)
        drop(bag, self.end.version, target_name)
        drop(bag, self.start.version, source_name)
        value = ABSENT
        if kept is not ABSENT and self.values.agrees(conversion, kept, live, self.up, became):
            value = kept
        elif kept is not ABSENT:
            value = self.values.merge(conversion, kept, live, self.up)
        is_kept = value is not ABSENT
        if not is_kept:
            value = self.values.apply(conversion, live, self.up, strict=strict)
        returned = self.values.apply(conversion, value, not self.up)
        if not self.values.comes_back(conversion, returned, live, self.up):
            put(bag, self.start.version, source_name, live)
            if is_kept and not self.values.agrees(conversion, live, value, not self.up):
                note(bag, self.start.version, source_name, value)
        return value

    def _stash(self, source: Json, bag: Bag) -> None:
        for name in sorted(self.edge.only_older if self.up else self.edge.only_newer):
            put(bag, self.start.version, name, source.get(name, ABSENT))

    def _pass_extras(self, source: Json, target: Json, bag: Bag) -> None:
        origin, arrival = self.start.version, self.end.version
        for name, value in source.items():
            if self.source_type.has(name):
                continue
            if self.target_type.has(name) or name in RESERVED:
                put(bag, origin, name, value)
            else:
                target[name] = value
        for name, value in list(bag.get(arrival, {}).items()):
            if self.source_type.has(name) and not self.target_type.has(name):
                target[name] = value
                drop(bag, arrival, name)


__all__ = ["Interpreter", "MisfitError"]

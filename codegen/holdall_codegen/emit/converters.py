"""Emitting the converters of an edge as functions on members: one statement for each difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from holdall.plan.plans import LinkEnd, TypeRef
from holdall_codegen.emit.edges import EdgeTables
from holdall_codegen.emit.lines import Call, Expression, quoted, union
from holdall_codegen.plan.model import (
    Conversion,
    Each,
    PlannedPair,
    PlannedType,
    is_reversible,
    passed,
)
from holdall_codegen.plan.python_names import snake_case

_ALL_DIFFER: Final = "Every property differs."


class EdgeEmitter(EdgeTables):
    """Writes everything about one edge into the module of its older type."""

    def reserve(self) -> None:
        """Reserve the names of the converters."""
        self._function(to=True)
        self._function(to=False)

    # --- methods of the twin ---

    def methods(self, peers: Sequence[TypeRef]) -> None:
        """Write what assigns the properties of a twin, by the converters of its edges."""
        names = [self.class_name(peer) for peer in peers]
        versions = " or ".join(dict.fromkeys(peer.version for peer in peers))
        for verb, parameter in (("to", "destination"), ("from", "source")):
            self.out.line()
            head = Call(f"def assign_properties_{verb}(", ["self", union(parameter, names)])
            with self.out.function(head, " -> None:"):
                self.out.docstring(f"Assign every property {verb} the {versions} peer.")
                ends = "self, destination" if verb == "to" else "source, self"
                self.out.line(f"h.assign({ends})")

    # --- converters ---

    def converters(self) -> None:
        """Write both directions as functions, unless the runtime's own are enough."""
        if self._is_leaf():
            return
        self._members_converter(to=True)
        self._members_converter(to=False)

    def _members_converter(self, *, to: bool) -> None:
        out = self.out
        crossing = self._to if to else self._back
        form = self._owner(to=to).type.form
        members = "h.Members" if form == "object" else "Any"
        head = Call(f"def {self._function(to=to)}(", [f"old: {members}", "way: h.Way"])
        out.apart()
        with out.function(head, f" -> {members}:"):
            out.docstring(self._same_doc())
            if self.edge.skipped:
                out.line(f"h.require_hook({crossing}, old)")
            if form != "object":
                out.line(f"old = h.{form}_members(old, way)")
            if self._looks_at_each():
                self._one_by_one(crossing, to=to)
            else:
                self._differences(crossing, to=to)

    def _return(self, head: str, crossing: str, *, to: bool) -> None:
        form = self._owner(to=not to).type.form
        value = Call(head, [crossing, "old", "new", "way"])
        self.out.expression(
            "return ", value if form == "object" else Call(f"h.close_{form}(", [value])
        )

    def _differences(self, crossing: str, *, to: bool) -> None:
        """Write the body of a converter in which no value can lose anything."""
        out, edge = self.out, self.edge
        own, other = self._versions(to=to)
        out.expression("new = ", Call("h.start(", ["old", crossing]))
        for name in edge.left_older if to else edge.left_newer:
            out.noted("", Call("new.pop(", [quoted(name), "None"]), "left to the hook")
        self._forget_version(to=to)
        for name in edge.only_older if to else edge.only_newer:
            with out.block(f"if {quoted(name)} in new:"):
                items = ["new", quoted(own), quoted(name)]
                out.noted("", Call("h.stash(", items), self._lacking(name, to=not to))
        renamed = [ends for ends in self._ends(to=to) if ends[0] != ends[1]]
        crossed = {old for old, _, _ in renamed} & {new for _, new, _ in renamed}
        for name in sorted(crossed):
            note = f"it has another name in {other}"
            out.noted("", Call("new.pop(", [quoted(name), "None"]), note)
        for old_name, new_name, pair in self._ends(to=to):
            if old_name == new_name and not passed(pair.conversion):
                continue
            if old_name == new_name:
                self._passed_on(pair, old_name, "old", to=to)
                continue
            kept = old_name in crossed
            value = f"old[{quoted(old_name)}]" if kept else f"new.pop({quoted(old_name)})"
            with out.block(f"if {quoted(old_name)} in old:"):
                self._straight_line(pair, value, old_name, new_name, to=to)
        pulled = edge.only_newer if to else edge.only_older
        if pulled:
            with out.block("if h.BAG in old:"):
                for name in pulled:
                    items = ["new", "old", crossing, quoted(name)]
                    end = LinkEnd(self._owner(to=not to).ref, name)
                    if end in self._linked:
                        items.append(self._linked_name(end))
                        note = "kept, or known from another version"
                        out.noted("", Call("h.pull_linked(", items), note)
                    else:
                        out.noted("", Call("h.pull(", items), self._lacking(name, to=to))
        self._return("h.finish(", crossing, to=to)

    def _one_by_one(self, crossing: str, *, to: bool) -> None:
        """Write the body of a converter in which values may lose something."""
        out, edge = self.out, self.edge
        source, target = self._owner(to=to), self._owner(to=not to)
        direction = "to" if to else "back"
        rest, moves = "old", f"{self._moves_name()}.{direction}"
        if any(len(move.older if to else move.newer) > 1 for move in edge.moves):
            rest = "rest"
            out.line(f"rest = {moves}.leave(old, way)")
        out.expression("new = ", Call("h.start(", [rest, crossing]))
        opened = Call("h.open_bag(", ["new", rest, crossing])
        if hooked := self._left_to_hook(to=to):
            out.noted("bag = ", opened, f"left to the hook: {', '.join(hooked)}")
        else:
            out.expression("bag = ", opened)
        self._forget_version(to=to)
        pairs = {new: (old, pair) for old, new, pair in self._ends(to=to)}
        alone = edge.only_newer if to else edge.only_older
        for member in target.members:
            if member.name in pairs:
                old_name, pair = pairs[member.name]
                self._assign(pair, old_name, member.name, rest, to=to)
            elif member.name in alone:
                self._take(target, member.name, to=to)
        for name in edge.only_older if to else edge.only_newer:
            self._keep(source, name, rest, to=to)
        if edge.union is not None:
            lone = edge.union.only_older if to else edge.union.only_newer
            notes = [_renamed(edge.union.names.items(), to=to)] if edge.union.names else []
            notes += [f"{self._versions(to=not to)[0]} has no {', '.join(lone)}"] if lone else []
            note = "; ".join(notes) or "a kept variant comes back"
            out.noted("", Call(f"{self._union_name()}.{direction}(", ["bag"]), note)
        if edge.moves:
            ways = [("/".join(move.older), "/".join(move.newer)) for move in edge.moves]
            carried = Call(f"{moves}.carry(", ["old", "bag", "way"])
            out.noted("moved = ", carried, _renamed(ways, to=to))
        out.line(f"h.end(bag, {rest}, new)")
        if edge.moves:
            out.line(f"{moves}.enter(new, moved, way)")
        self._return("h.complete(", crossing, to=to)

    def _assign(self, pair: PlannedPair, old: str, new: str, rest: str, *, to: bool) -> None:
        if is_reversible(pair.conversion):
            if old == new:
                if passed(pair.conversion):
                    self._passed_on(pair, old, rest, to=to)
                return
            with self.out.block(f"if {quoted(old)} in {rest}:"):
                self._straight_line(pair, f"{rest}[{quoted(old)}]", old, new, to=to)
            return
        direction = "to" if to else "back"
        converted = Call(f"{self._pair_name(pair)}.{direction}(", ["bag"])
        name = "" if old == new else f" to {new}"
        note = f"{_why(pair)}{name}; what is lost stays as residue"
        # Without a bag, nothing comes of an absent value.
        with self.out.block(f"if {quoted(old)} in {rest} or bag:"):
            self.out.noted("", converted, note)

    def _passed_on(self, pair: PlannedPair, name: str, rest: str, *, to: bool) -> None:
        """Write how the objects in a property convert that has the same name in both versions."""
        old = f"{rest}[{quoted(name)}]"
        steps = passed(pair.conversion)
        if isinstance(pair.conversion, Each):
            condition = f"{quoted(name)} in {rest}"
            value = self._straight(pair.conversion, old, to=to)
        else:
            condition = f"{rest}.get({quoted(name)}) is not None"
            crossing = self._crossing_of(steps, to=to)
            value = Call(f"{crossing}.convert_inner(", [old, "way"])
        with self.out.block(f"if {condition}:"):
            self.out.expression(f"new[{quoted(name)}] = ", value)

    def _straight_line(
        self, pair: PlannedPair, value: str, old: str, new: str, *, to: bool
    ) -> None:
        expression = self._straight(pair.conversion, value, to=to)
        self.out.noted(f"new[{quoted(new)}] = ", expression, _why(pair))

    def _take(self, owner: PlannedType, name: str, *, to: bool) -> None:
        """Write how a property without a partner gets its value."""
        end = LinkEnd(owner.ref, name)
        linked = [self._linked_name(end)] if end in self._linked else []
        if self._default(end) is not None:
            value: Expression = Call(f"{self._default_name(end)}.pull(", ["bag", *linked])
            note = "kept, known from another version, or default" if linked else "kept, or default"
        elif linked:
            value = Call(f"{linked[0]}.pull(", ["bag"])
            note = "kept, or known from another version"
        else:
            items = ["bag", "new", quoted(name)]
            self.out.noted("", Call("h.take(", items), self._lacking(name, to=to))
            return
        self.out.noted("", Call("h.put(", ["new", quoted(name), value]), note)

    def _keep(self, owner: PlannedType, name: str, rest: str, *, to: bool) -> None:
        """Write what happens to a property without a partner."""
        end = LinkEnd(owner.ref, name)
        kept = Call("h.keep(", ["bag", rest, quoted(name)])
        if self._default(end) is not None:
            value = f"{rest}.get({quoted(name)})"
            kept = Call(f"{self._default_name(end)}.stash(", [value, "bag"])
        self.out.noted("", kept, self._lacking(name, to=not to))

    def _left_to_hook(self, *, to: bool) -> list[str]:
        """Return the properties of the source that only a hook converts."""
        if self.edge.union is not None:
            return []
        moved = {(move.older if to else move.newer)[0] for move in self.edge.moves}
        left = self.edge.left_older if to else self.edge.left_newer
        return [name for name in left if name not in moved]

    def _forget_version(self, *, to: bool) -> None:
        if self._owner(to=to).records_version and not self._owner(to=not to).records_version:
            self.out.line("new.pop(h.ORIGINAL_VERSION, None)")

    def _same_doc(self) -> str:
        pairs = [pair for pair in self.edge.pairs if is_reversible(pair.conversion)]
        same = [
            pair.older for pair in pairs if pair.older == pair.newer and not passed(pair.conversion)
        ]
        return f"The same in both: {', '.join(sorted(same))}." if same else _ALL_DIFFER

    def _lacking(self, name: str, *, to: bool) -> str:
        """Return why a property has no partner at the other end, which is the source if `to`."""
        owner = self._owner(to=to)
        if name in owner.head:
            return f"{owner.ref.version} says its version there"
        if owner.has(name):
            return f"{name} of {owner.ref.version} is a different property"
        return f"{owner.ref.version} has no {name}"

    def _versions(self, *, to: bool) -> tuple[str, str]:
        older, newer = self.edge.older.version, self.edge.newer.version
        return (older, newer) if to else (newer, older)

    def _straight(self, conversion: Conversion, value: str, *, to: bool) -> Expression:
        """Return the expression for a value that cannot lose anything."""
        steps = passed(conversion)
        if not steps:
            return value
        depth = 0
        kinds = []
        while isinstance(conversion, Each):
            kinds.append(conversion.container)
            conversion = conversion.inner
            depth += 1
        crossing = self._crossing_of(steps, to=to)
        if depth == 0:
            return Call("h.convert(", [crossing, value, "way"])
        if depth == 1:
            helper = "h.convert_each(" if kinds[0] == "list" else "h.convert_values("
            return Call(helper, [crossing, value, "way"])
        return Call("h.convert_deep(", [crossing, value, "way", str(depth)])

    def _crossing_of(self, steps: Sequence[TypeRef], *, to: bool) -> str:
        hops = steps if to else steps[::-1]
        if len(steps) == 2:
            key = "to" if to else "back"
            wanted = f"_{snake_case(steps[0].name).upper()}_{key.upper()}"
            return self._constants.name((steps[0], steps[1], key), wanted)
        wanted = f"_{snake_case(hops[0].name).upper()}_STEPS"
        name = self._constants.name(("steps", *hops), wanted)
        self.several_steps[name] = tuple(hops)
        return name


def _renamed(ways: Iterable[tuple[str, str]], *, to: bool) -> str:
    """Return what becomes what, given the older name and the newer one of each."""
    return ", ".join(f"{old} to {new}" if to else f"{new} to {old}" for old, new in ways)


def _why(pair: PlannedPair) -> str:
    first, *_ = pair.reason.splitlines() or [""]
    return first if len(first) <= 60 else f"{first[:57]}..."

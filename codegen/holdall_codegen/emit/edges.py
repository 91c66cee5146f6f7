"""Emitting the converters of an edge, its hook protocol, and the tables they use."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

from holdall_codegen.config.model import DefaultFacts, Function
from holdall_codegen.emit.codec import quoted
from holdall_codegen.emit.constants import Constants
from holdall_codegen.emit.conversions import (
    ClassName,
    checked_form,
    json_literal,
    lone_variants,
    name_map,
    straight,
    table,
)
from holdall_codegen.emit.lines import Call, CodeLines, Expression, Keyword
from holdall_codegen.model import ListOf, MapOf, Ref, Type, referenced_type
from holdall_codegen.plan.model import (
    Conversion,
    Each,
    GroupPlan,
    LinkEnd,
    Member,
    PlannedEdge,
    PlannedMove,
    PlannedPair,
    PlannedType,
    TypeRef,
    Variants,
    is_reversible,
)
from holdall_codegen.plan.python_names import snake_case

Side = Literal["older", "newer"]


class EdgeEmitter:
    """Writes everything about one edge into the module of its older type."""

    def __init__(
        self,
        out: CodeLines,
        group: GroupPlan,
        edge: PlannedEdge,
        names: ClassName,
        constants: Constants,
    ) -> None:
        self.out = out
        self.group = group
        self.edge = edge
        self.class_name = names
        self.older = group.type(edge.older)
        self.newer = group.type(edge.newer)
        self._constants = constants
        self._prefix = "_" + snake_case(edge.older.name).upper() + edge.suffix.upper()
        self._to = self._constant("to", "TO")
        self._back = self._constant("back", "BACK")
        self._linked = {end for link in group.links for end in (link.older, link.newer)}

    # --- converters ---

    def converters(self) -> None:
        """Write both directions, as methods of the older twin."""
        suffix = self.edge.suffix
        name = "assign_properties" if not suffix else "_assign_properties"
        self._converter(f"{name}_to{suffix}", to=True)
        self.out.line()
        self._converter(f"{name}_from{suffix}", to=False)

    def _converter(self, method: str, *, to: bool) -> None:
        out = self.out
        parameter = "destination" if to else "source"
        source, destination = ("self", "destination") if to else ("source", "self")
        crossing = self._to if to else self._back
        peer = f"{parameter}: {self.class_name(self.edge.newer)}"
        with out.function(Call(f"def {method}(", ["self", peer]), " -> None:"):
            verb = "to" if to else "from"
            out.docstring(f"Assign every property {verb} the {self.edge.newer.version} peer.")
            if self.edge.skipped:
                out.line(f"{crossing}.require_hook({source})")
            uses_bag = self._uses_bag()
            rest, moves = source, f"{self._moves_name()}.{'to' if to else 'back'}"
            if any(len(move.older if to else move.newer) > 1 for move in self.edge.moves):
                rest = "rest"
                out.line(f"rest = {moves}.leave({source})")
            if uses_bag:
                out.line(f"bag = {crossing}.open({rest}, {destination})")
            self._assignments(rest, destination, to=to)
            self._stashes(rest, to=to)
            if self.edge.union is not None:
                way = "to" if to else "back"
                out.line(f"{self._union_name()}.{way}({source}, {destination}, bag)")
            if self.edge.moves:
                out.line(f"moved = {moves}.carry({source}, bag)")
            self._original_version(source, destination, to=to)
            if uses_bag:
                out.line(f"{destination}.property_bag = {crossing}.close(bag)")
            if self.edge.moves:
                out.line(f"{moves}.enter({destination}, moved)")
            if not uses_bag:
                with out.block(f"if {source}.extra_ or {source}.property_bag is not None:"):
                    out.line(f"{crossing}.carry({source}, {destination})")
                with out.block("else:"):
                    out.line(f"{destination}.extra_ = {{}}")
                    out.line(f"{destination}.property_bag = None")
            with out.block(f"if {crossing}.hook is not None:"):
                out.line(f"{crossing}.hook({source}, {destination})")

    def _uses_bag(self) -> bool:
        edge = self.edge
        lossy = any(not is_reversible(pair.conversion) for pair in edge.pairs)
        alone = edge.only_older or edge.only_newer
        return bool(alone or edge.moves or lossy or edge.union is not None)

    def _is_plain(self) -> bool:
        """Tell whether the runtime can do without the twins: see `Scheme.edge`."""
        edge = self.edge
        ends = [LinkEnd(edge.older, name) for name in edge.only_older]
        ends.extend(LinkEnd(edge.newer, name) for name in edge.only_newer)
        linked = any(end in self._linked for end in ends)
        declared = edge.defaults or edge.skipped or self.older.type.form != "object"
        return not (edge.moves or linked or declared) and all(map(_is_straight, edge.pairs))

    def _assignments(self, source: str, destination: str, *, to: bool) -> None:
        target = self.newer if to else self.older
        pairs = {(pair.newer if to else pair.older): pair for pair in self.edge.pairs}
        alone = self.edge.only_newer if to else self.edge.only_older
        for member in target.members:
            place = f"{destination}.{member.attribute} = "
            if member.name in pairs:
                self.out.expression(place, self._paired(pairs[member.name], source, to=to))
            elif member.name in alone:
                self.out.expression(place, self._pulled(target, member))
            else:
                self.out.line(f"{place}None")

    def _paired(self, pair: PlannedPair, source: str, *, to: bool) -> Expression:
        owner, name = (self.older, pair.older) if to else (self.newer, pair.newer)
        value = f"{source}.{owner.member(name).attribute}"
        if is_reversible(pair.conversion):
            return straight(pair.conversion, value, self.class_name, to=to)
        return Call(f"{self._pair_name(pair)}.{'to' if to else 'back'}(", [value, "bag"])

    def _pulled(self, owner: PlannedType, member: Member) -> Expression:
        end = LinkEnd(owner.ref, member.name)
        if end in self._linked:
            return Call(f"{self._linked_name(end)}.pull(", ["bag"])
        if self._default(end) is not None:
            return Call(f"{self._default_name(end)}.pull(", ["bag"])
        items: list[Expression] = [quoted(owner.ref.version), quoted(member.name)]
        reader = self._reader(owner.ref.version, member.property.type)
        if reader:
            items.append(reader)
        return Call("bag.pull(", items)

    def _reader(self, version: str, type_: Type) -> Expression:
        """Return the function that reads a value of a type from a bag entry, none for scalars."""
        match type_:
            case Ref():
                return f"{self.class_name(TypeRef(version, type_.type_name))}.from_dict"
            case ListOf() | MapOf() if not referenced_type(type_):
                return "h.json_list" if isinstance(type_, ListOf) else "h.json_object"
            case ListOf(item=inner) | MapOf(value=inner):
                kind = "list" if isinstance(type_, ListOf) else "map"
                return Call(f"h.{kind}_reader(", [self._reader(version, inner)])
            case _:
                return ""

    def _stashes(self, source: str, *, to: bool) -> None:
        owner = self.older if to else self.newer
        for name in self.edge.only_older if to else self.edge.only_newer:
            member = owner.member(name)
            value = f"{source}.{member.attribute}"
            end = LinkEnd(owner.ref, name)
            if end not in self._linked and self._default(end) is not None:
                self.out.line(f"{self._default_name(end)}.stash({value}, bag)")
                continue
            items = [
                quoted(owner.ref.version),
                quoted(name),
                self._stored(member.property.type, value),
            ]
            self.out.expression("", Call("bag.stash(", items))

    def _stored(self, type_: Type, value: str) -> Expression:
        return Call("h.stored(", [value]) if referenced_type(type_) else value

    def _original_version(self, source: str, destination: str, *, to: bool) -> None:
        before, after = (self.older, self.newer) if to else (self.newer, self.older)
        if after.records_version:
            value = f"{source}.original_version" if before.records_version else "None"
            self.out.line(f"{destination}.original_version = {value}")

    # --- protocol ---

    def protocol(self) -> None:
        """Write the hook protocol."""
        out, edge = self.out, self.edge
        older, newer = edge.older.name, self.class_name(edge.newer)
        with out.block(f"class {edge.protocol}(Protocol):"):
            out.docstring(self._protocol_doc())
            for verb, source, destination in (("to", older, newer), ("from", newer, older)):
                out.line()
                out.line("@abstractmethod")
                items: list[Expression] = [
                    "self",
                    f"source: {source}",
                    f"destination: {destination}",
                    "bag: h.BagView",
                ]
                out.expression("", Call(f"def assign_properties_{verb}(", items), " -> None: ...")

    def _protocol_doc(self) -> str:
        edge = self.edge
        lines = [
            f"What a hook implements to cover what {edge.older.name} of {edge.older.version} and"
            f" {edge.newer.version} do not share."
        ]
        sides = (
            (edge.older.version, edge.newer.version, edge.only_older, edge.must_claim_older),
            (edge.newer.version, edge.older.version, edge.only_newer, edge.must_claim_newer),
        )
        details = []
        for version, other, alone, claimed in sides:
            if alone:
                details.append(f"Only in {version}: {', '.join(alone)}.")
            if claimed:
                details.append(f"Left to the hook in {version}: {', '.join(claimed)}.")
            del other
        return "\n".join([*lines, "", *details] if details else lines)

    # --- tables ---

    def tables(self) -> None:
        """Write the edge and the tables of its lossy pairs, moves and links."""
        edge = self.edge
        head, items = self._edge_head()
        renamed = [
            f"{quoted(pair.older)}: {quoted(pair.newer)}"
            for pair in sorted(edge.pairs, key=lambda item: item.older)
            if pair.older != pair.newer
        ]
        if renamed:
            items.append(Keyword("renamed", Call("{", renamed, "}")))
        for name in ("only_older", "only_newer", "left_older", "left_newer"):
            self._names(items, name, getattr(edge, name))
        for name in ("must_claim_older", "must_claim_newer"):
            self._names(items, name, getattr(edge, name))
        items.extend(self._edge_items())
        self.out.expression(f"{self._to}, {self._back} = ", Call(head, items))
        for pair in edge.pairs:
            if not is_reversible(pair.conversion):
                self._pair_table(pair)
        if edge.moves:
            items = [self._to, *map(self._move_table, edge.moves)]
            moves = Call("h.Moves(", items)
            self.out.expression(f"{self._moves_name()} = ", moves)
        for owner, alone in ((self.older, edge.only_older), (self.newer, edge.only_newer)):
            for name in alone:
                end = LinkEnd(owner.ref, name)
                if end in self._linked:
                    ends = [quoted(owner.ref.version), self.class_name(owner.ref), quoted(name)]
                    self.out.expression(
                        f"{self._linked_name(end)} = ", Call("SCHEME.linked(", ends)
                    )

        for default in edge.defaults:
            self._default_table(default)
        if edge.union is not None:
            items = [self._end(edge.older), self._end(edge.newer)]
            if edge.union.names:
                items.append(Keyword("units", name_map(edge.union.names)))
            items.extend(lone_variants(edge.union))
            self.out.expression(f"{self._union_name()} = ", Call("h.UnionEdge(", items))

    def _edge_head(self) -> tuple[str, list[Expression]]:
        """Return what registers the edge, and its first arguments."""
        edge = self.edge
        return "SCHEME.edge(", [edge.protocol, self._end(edge.older), self._end(edge.newer)]

    def _edge_items(self) -> list[Expression]:
        """Return what else the runtime has to know of the edge."""
        return [Keyword("plain", "True")] if self._is_plain() else []

    def _default_table(self, default: DefaultFacts) -> None:
        owner = self.older if default.side == "older" else self.newer
        member = owner.member(default.name)
        given: Expression
        if isinstance(default.default, Function):
            given = Call("h.function(", [quoted(default.default.path)])
        else:
            given = json_literal(default.default.value)
        items: list[Expression] = [
            quoted(owner.ref.version),
            quoted(default.name),
            checked_form(member.property.type, owner.ref.version, self.class_name),
            given,
        ]
        if default.of_parent:
            items.append(Keyword("of_parent", "True"))
        if default.always:
            items.append(Keyword("always", "True"))
        name = self._default_name(LinkEnd(owner.ref, default.name))
        self.out.expression(f"{name} = ", Call("h.Defaulted(", items))

    def _default(self, end: LinkEnd) -> DefaultFacts | None:
        side: Side = "older" if end.type == self.edge.older else "newer"
        return self.edge.default_of(side, end.name)

    def _end(self, ref: TypeRef) -> Expression:
        return Call("(", [quoted(ref.version), self.class_name(ref)])

    def _names(self, items: list[Expression], keyword: str, names: Sequence[str]) -> None:
        if names:
            items.append(Keyword(keyword, Call("(", [quoted(name) for name in names])))

    def _pair_table(self, pair: PlannedPair) -> None:
        items: list[Expression] = [
            self._to,
            quoted(pair.older),
            quoted(pair.newer),
            table(pair.conversion, self.class_name),
        ]
        if pair.misfit_is_error:
            items.append(Keyword("misfit_is_error", "True"))
        if pair.always:
            items.append(Keyword("always", "True"))
        if _has_elements_of_names(pair.conversion):
            items.append(Keyword("piecewise", "True"))
        self.out.expression(f"{self._pair_name(pair)} = ", Call("h.Pair(", items))

    def _move_table(self, move: PlannedMove) -> Expression:
        items: list[Expression] = []
        for side, path, types in (
            (self.edge.older, move.older, move.older_types),
            (self.edge.newer, move.newer, move.newer_types),
        ):
            steps: list[Expression] = [
                Call("(", [self.class_name(ref), quoted(name)])
                for ref, name in zip(types, path, strict=True)
            ]
            items.append(Call("h.MovePath(", [quoted(side.version), *steps]))
        items.append(table(move.conversion, self.class_name))
        if move.misfit_is_error:
            items.append(Keyword("misfit_is_error", "True"))
        return Call("h.Move(", items)

    def _constant(self, key: Hashable, wanted: str) -> str:
        names = self.edge.older, self.edge.newer, key
        return self._constants.name(names, f"{self._prefix}_{wanted.upper()}")

    def _pair_name(self, pair: PlannedPair) -> str:
        return self._constant(("pair", pair.older), self.older.member(pair.older).attribute)

    def _union_name(self) -> str:
        return self._constant("union", "VARIANTS")

    def _default_name(self, end: LinkEnd) -> str:
        attribute = self.group.type(end.type).member(end.name).attribute
        return self._constant(("default", end), attribute)

    def _moves_name(self) -> str:
        return self._constant("moves", "MOVES")

    def _linked_name(self, end: LinkEnd) -> str:
        module = self.group.version(end.type.version).module
        attribute = self.group.type(end.type).member(end.name).attribute
        suffix = "" if end.type == self.edge.older else f"_{module}"
        return self._constant(end, f"LINKED_{attribute}{suffix}")


def _is_straight(pair: PlannedPair) -> bool:
    return is_reversible(pair.conversion)


def dispatchers(out: CodeLines, edges: Sequence[PlannedEdge], names: ClassName) -> None:
    """Write the methods of a type with several newer peers: they choose by the peer's type."""
    peers = " | ".join(names(edge.newer) for edge in edges)
    for verb, parameter in (("to", "destination"), ("from", "source")):
        head = Call(f"def assign_properties_{verb}(", ["self", f"{parameter}: {peers}"])
        with out.function(head, " -> None:"):
            out.docstring(f"Assign every property {verb} one of the newer peers, by its type.")
            for edge in edges[:-1]:
                with out.block(f"if isinstance({parameter}, {names(edge.newer)}):"):
                    out.line(f"return self._assign_properties_{verb}{edge.suffix}({parameter})")
            out.line(f"return self._assign_properties_{verb}{edges[-1].suffix}({parameter})")
        out.line()


def _has_elements_of_names(conversion: Conversion) -> bool:
    """Tell whether a property is a collection of enums, whose values are kept by element."""
    if not isinstance(conversion, Each):
        return False
    while isinstance(conversion, Each):
        conversion = conversion.inner
    return isinstance(conversion, Variants)

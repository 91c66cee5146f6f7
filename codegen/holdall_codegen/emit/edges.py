"""Emitting the hook protocol of an edge, and the tables that its converters use."""

from __future__ import annotations

from collections.abc import Hashable, Set

from holdall.plan.plans import LinkEnd, Side, TypeRef
from holdall_codegen.config.model import DefaultFacts, Function
from holdall_codegen.emit.conversions import TypeNames, form, lone_variants, table
from holdall_codegen.emit.lines import (
    Call,
    CodeLines,
    Expression,
    Keyword,
    keywords,
    literal,
    quoted,
    texts,
)
from holdall_codegen.plan.model import (
    Conversion,
    Each,
    GroupPlan,
    PlannedEdge,
    PlannedMove,
    PlannedPair,
    PlannedType,
    Variants,
    is_reversible,
    passed,
)
from holdall_codegen.plan.python_names import free_name, snake_case


class Constants:
    """Gives every key a constant of its own; the first one gets the wanted name.

    Names of types and properties may clash in constants: `_SPEC_BACK` may be a direction of the
    edge of `Spec`, or its property `back`.
    """

    def __init__(self) -> None:
        self._names: dict[Hashable, str] = {}
        self._taken: set[str] = set()

    def name(self, key: Hashable, wanted: str) -> str:
        """Return the name of `key`; asking again gives the same name."""
        if key not in self._names:
            self._names[key] = free_name(wanted, self._taken)
            self._taken.add(self._names[key])
        return self._names[key]


class EdgeTables:
    """Writes the tables and the hook protocol of an edge into the module of its older type.

    `several_steps` are the names of ways of objects over several edges, with their types.
    """

    def __init__(
        self,
        out: CodeLines,
        group: GroupPlan,
        edge: PlannedEdge,
        names: TypeNames,
        constants: Constants,
        linked: Set[LinkEnd],
    ) -> None:
        self.out = out
        self.group = group
        self.edge = edge
        self.class_name = names
        self.older = group.type(edge.older)
        self.newer = group.type(edge.newer)
        self.several_steps: dict[str, tuple[TypeRef, ...]] = {}
        self._constants = constants
        self._prefix = "_" + snake_case(edge.older.name).upper() + edge.suffix.upper()
        self._to = self._constant("to", "TO")
        self._back = self._constant("back", "BACK")
        self._linked = linked

    # --- protocol ---

    def protocol(self) -> None:
        """Write the hook protocol."""
        out, edge = self.out, self.edge
        older, newer = edge.older.name, self.class_name(edge.newer)
        with out.function(Call(f"class {edge.protocol}(", ["Protocol"]), ":"):
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
            f"The hook for what {edge.older.name} of {edge.older.version} and"
            f" {edge.newer.version} do not share."
        ]
        sides = (
            (edge.older.version, edge.only_older, edge.must_claim_older, self.newer),
            (edge.newer.version, edge.only_newer, edge.must_claim_newer, self.older),
        )
        details, other = [], set()
        for version, alone, claimed, far in sides:
            if only := [name for name in alone if not far.has(name)]:
                details.append(f"Only in {version}: {', '.join(only)}.")
            if claimed:
                details.append(f"Left to the hook in {version}: {', '.join(claimed)}.")
            other |= {*alone} - {*only}
        if other:
            details.append(f"Not the same in both: {', '.join(sorted(other))}.")
        return "\n".join([*lines, "", *details] if details else lines)

    # --- tables ---

    def tables(self) -> None:
        """Write the edge and the tables of its lossy pairs, moves and links."""
        edge = self.edge
        ends = [self.class_name(ref) for ref in (edge.older, edge.newer)]
        items: list[Expression] = [edge.protocol, *ends]
        ends_of = sorted((pair.older, pair.newer) for pair in edge.pairs)
        if renamed := {old: new for old, new in ends_of if old != new}:
            items.append(Keyword("renamed", literal({**renamed})))
        for name in ("only", "left", "must_claim"):
            for side in ("older", "newer"):
                names = getattr(edge, f"{name}_{side}")
                items += keywords(**{f"{name}_{side}": texts(names) if names else None})
        items.extend(self._edge_items())
        self.out.expression(f"{self._to}, {self._back} = ", Call("SCHEME.edge(", items))
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
                items.append(Keyword("units", literal({**edge.union.names})))
            items.extend(lone_variants(edge.union))
            self.out.expression(f"{self._union_name()} = ", Call("h.UnionEdge(", items))

    def _edge_items(self) -> list[Expression]:
        items: list[Expression] = []
        if not self._is_leaf():
            functions = [self._function(to=True), self._function(to=False)]
            items.append(Keyword("convert", Call("(", functions)))
        if self.is_alike():
            items.append(Keyword("alike", "True"))
        if self._looks_at_each():
            for side, to in (("older", True), ("newer", False)):
                same = {
                    old
                    for old, new, pair in self._ends(to=to)
                    if old == new and is_reversible(pair.conversion)
                }
                members = self._owner(to=to).members
                apart = [member.name for member in members if member.name not in same]
                items += keywords(**{f"apart_{side}": texts(apart) if apart else None})
        return items

    def _default_table(self, default: DefaultFacts) -> None:
        owner = self.older if default.side == "older" else self.newer
        member = owner.member(default.name)
        given: Expression
        if isinstance(default.default, Function):
            given = Call("h.function(", [quoted(default.default.path)])
        else:
            given = literal(default.default.value)
        items: list[Expression] = [
            quoted(owner.ref.version),
            quoted(default.name),
            form(member.property.type, owner.ref.version, self.class_name, checked=True),
            given,
        ]
        items += keywords(
            of_parent=default.of_parent, always=default.always, null=default.json_nulls
        )
        name = self._default_name(LinkEnd(owner.ref, default.name))
        self.out.expression(f"{name} = ", Call("h.Defaulted(", items))

    def _default(self, end: LinkEnd) -> DefaultFacts | None:
        side: Side = "older" if end.type == self.edge.older else "newer"
        return self.edge.default_of(side, end.name)

    def _end(self, ref: TypeRef) -> Expression:
        return Call("(", [quoted(ref.version), self.class_name(ref)])

    def _pair_table(self, pair: PlannedPair) -> None:
        items: list[Expression] = [
            self._to,
            quoted(pair.older),
            quoted(pair.newer),
            table(pair.conversion, self.class_name),
        ]
        items += keywords(
            misfit_is_error=pair.misfit_is_error,
            always=pair.always,
            piecewise=_has_elements_of_names(pair.conversion),
        )
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
        return Call("h.Move(", [*items, *keywords(misfit_is_error=move.misfit_is_error)])

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

    # --- what is known of the edge ---

    def _looks_at_each(self) -> bool:
        """Tell whether values may lose something, or come from elsewhere."""
        edge = self.edge
        return bool(
            edge.moves
            or edge.defaults
            or edge.union is not None
            or not all(is_reversible(pair.conversion) for pair in edge.pairs)
        )

    def is_alike(self) -> bool:
        """Tell whether the edge only converts inner objects, each by one edge."""
        edge = self.edge
        alone = edge.only_older or edge.only_newer or edge.left_older or edge.left_newer
        return not (
            alone
            or edge.skipped
            or self._looks_at_each()
            or self.older.type.form != "object"
            or any(pair.older != pair.newer for pair in edge.pairs)
            or any(len(passed(pair.conversion)) > 2 for pair in edge.pairs)
            or self.older.records_version != self.newer.records_version
        )

    def _is_leaf(self) -> bool:
        return self.is_alike() and not any(passed(pair.conversion) for pair in self.edge.pairs)

    def _owner(self, *, to: bool) -> PlannedType:
        return self.older if to else self.newer

    def _ends(self, *, to: bool) -> list[tuple[str, str, PlannedPair]]:
        """Return the names of partners at the source and at the destination."""
        ends = [
            (pair.older, pair.newer, pair) if to else (pair.newer, pair.older, pair)
            for pair in self.edge.pairs
        ]
        return sorted(ends, key=lambda item: item[1])

    def _function(self, *, to: bool) -> str:
        verb = "to" if to else "from"
        wanted = f"_{snake_case(self.edge.older.name)}_{verb}{self.edge.suffix}"
        return self._constants.name((self.edge.older, self.edge.newer, f"function {verb}"), wanted)


def _has_elements_of_names(conversion: Conversion) -> bool:
    """Tell whether a property is a collection of enums, whose values are kept by element."""
    if not isinstance(conversion, Each):
        return False
    while isinstance(conversion, Each):
        conversion = conversion.inner
    return isinstance(conversion, Variants)

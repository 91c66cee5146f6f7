"""Pairing the properties of one edge: by wire name, by declared renames and moves, else the bag.

Source: docs/conversions.md, "Which properties are paired". Nothing is guessed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from holdall.errors import Problem
from holdall.objects.wire_forms import UNIT
from holdall.plan.plans import Side, TypeRef
from holdall.suggest import nearest
from holdall_codegen.config.model import DefaultFacts, PropertyFacts, VariantFacts
from holdall_codegen.model import NOWHERE, Property, Ref, Type
from holdall_codegen.plan import model as plan
from holdall_codegen.plan.facts import NO_FACTS, Facts, Options
from holdall_codegen.plan.model import SIDES, Decision, Fate, PlannedMove, PlannedPair, Refused
from holdall_codegen.plan.offers import fixes
from holdall_codegen.plan.values import ValuePlanner, unknown_values

EVERY = "*"
"""The name for all properties in a declaration, unless a property has this name."""
_VARIANT = "a variant that the other version lacks"
NOT_SAME, REFUSED, STASHED = "declared not_same", "refused", "strategy: stash"
"""Reasons why a property has no partner although the other type may have one of its name."""


@dataclass(slots=True)
class Matched:
    """What happened to the properties of two types, before protocols and links are known."""

    pairs: list[PlannedPair] = field(default_factory=list)
    moves: list[PlannedMove] = field(default_factory=list)
    only_older: dict[str, str] = field(default_factory=dict)
    only_newer: dict[str, str] = field(default_factory=dict)
    left_older: dict[str, str] = field(default_factory=dict)
    left_newer: dict[str, str] = field(default_factory=dict)
    not_same: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    skip: bool = False
    decisions: list[Decision] = field(default_factory=list)
    defaults: list[DefaultFacts] = field(default_factory=list)
    union: VariantFacts | None = None
    version_at: str | None = None
    _paired: set[tuple[Side, str]] = field(default_factory=set)

    def pair(self, planned: PlannedPair) -> None:
        """Add a pair."""
        self.pairs.append(planned)
        self._paired |= {("older", planned.older), ("newer", planned.newer)}

    def alone(self, side: Side) -> dict[str, str]:
        """Return the properties of a side without a partner, each with the reason."""
        return self.only_older if side == "older" else self.only_newer

    def left(self, side: Side) -> dict[str, str]:
        """Return the properties of a side that are left to something else, each with the reason."""
        return self.left_older if side == "older" else self.left_newer

    @property
    def names(self) -> set[str]:
        """The properties of both sides, except those that are only in moves or refused."""
        alone = {name for side in SIDES for name in (*self.alone(side), *self.left(side))}
        return {name for pair in self.pairs for name in (pair.older, pair.newer)} | alone

    def is_free(self, side: Side, name: str) -> bool:
        """Tell whether a property has no partner, and no declaration says so."""
        said = (NOT_SAME, REFUSED, STASHED)
        is_alone = name in self.alone(side) and self.alone(side)[name] not in said
        return is_alone and name != self.version_at

    def partner(self, side: Side, name: str) -> str:
        """Return the partner of a property of a side, as a path; "" if there is none."""
        ends = {pair.older: pair.newer for pair in self.pairs}
        ends |= {"/".join(move.older): "/".join(move.newer) for move in self.moves}
        if side == "newer":
            ends = {newer: older for older, newer in ends.items()}
        return ends.get(name, "")

    def is_taken(self, side: Side, name: str) -> bool:
        """Tell whether the fate of a property is decided."""
        taken = name in self.left(side) or name in self.alone(side)
        return taken or (side, name) in self._paired


class Matcher:
    """Pairs the properties of one older and one newer type."""

    def __init__(
        self,
        older: TypeRef,
        newer: TypeRef,
        facts: Facts,
        values: ValuePlanner,
        problems: list[Problem],
        version_at: str | None = None,
    ) -> None:
        self._older_ref, self._newer_ref = older, newer
        self._facts = facts
        self._values = values
        self._problems = problems
        self._older, self._newer = (
            {item.name: item for item in values.group.type(ref).properties}
            for ref in (older, newer)
        )
        self._sides: dict[Side, dict[str, Property]] = {"older": self._older, "newer": self._newer}
        self._declared = self._declarations()
        self.result = Matched(version_at=version_at)

    def match(self) -> Matched:
        """Return what happens to every property of both types."""
        result = self.result
        ends = self._older_ref, self._newer_ref
        entries = self._facts.of_type(ends[0].version, ends[1].version, ends[0].name)
        if any(entry.skip for entry in entries):
            result.skip = True
            result.left_older = dict.fromkeys(self._older, "the type is skipped on this edge")
            result.left_newer = dict.fromkeys(self._newer, "the type is skipped on this edge")
            return self._decided()
        for entry in entries:
            result.defaults.extend(entry.defaults)
            if entry.union is not None:
                self._leave_variants(entry.union)
        self._match_moves()
        self._match_renames()
        self._match_names()
        for side, items in self._sides.items():
            for name in items:
                if not result.is_taken(side, name):
                    result.alone(side)[name] = self._why_alone(name, side)
        self._add_defaults()
        return self._decided()

    # --- declarations ---

    def _declarations(self) -> dict[str, PropertyFacts]:
        declared: dict[str, PropertyFacts] = {}
        older, newer = self._older_ref, self._newer_ref
        for facts in self._facts.of_properties(older.version, newer.version, older.name):
            name, *deeper = facts.path
            if not deeper and (name in self._older or name == EVERY):
                declared[name] = facts
        return declared

    def _leave_variants(self, union: VariantFacts) -> None:
        """Leave variants of one side only to the edge of the union, which has their fallbacks."""
        result = self.result
        result.union = union
        for lone, side in zip((union.only_older, union.only_newer), self._sides, strict=True):
            result.left(side).update({it: _VARIANT for it in lone if it in self._sides[side]})

    def _match_moves(self) -> None:
        older, newer = self._older_ref, self._newer_ref
        for facts in self._facts.of_properties(older.version, newer.version, older.name):
            if facts.move is None or facts.path[0] not in self._older:
                continue
            source = self._resolve(older, facts.path)
            target = self._resolve(newer, facts.move)
            if isinstance(source, str) or isinstance(target, str):
                text = str(source if isinstance(source, str) else target)
                self._leads_nowhere(facts, text)
                continue
            self._facts.use(facts)
            converted = self._converted(source[0], target[0], facts)
            if converted is None:
                continue
            self.result.moves.append(
                PlannedMove(
                    older=facts.path,
                    newer=facts.move,
                    older_types=source[1],
                    newer_types=target[1],
                    conversion=converted,
                    reason="declared move",
                    misfit_is_error=facts.misfit == "error",
                )
            )
            if len(facts.path) == 1:
                self._take(facts.path[0], "older", facts, "moved")
            if len(facts.move) == 1:
                self._take(facts.move[0], "newer", facts, "moved")

    def _match_renames(self) -> None:
        for name, facts in self._declared.items():
            if facts.rename is None or name not in self._older:
                continue
            target = facts.rename
            if target not in self._newer:
                text = f"{self._newer_ref} has no property {target!r}"
                text += nearest(target, sorted(self._newer))
                self._leads_nowhere(facts, text)
                continue
            self._facts.use(facts)
            if self.result.is_taken("newer", target):
                self._problem(
                    facts, f"two declarations make {self._newer_ref} {target} the partner"
                )
            else:
                self._pair(name, target, facts, "declared rename")

    def _match_names(self) -> None:
        for name in self._older:
            if name not in self._newer or self.result.is_taken("older", name):
                continue
            facts = self._declared.get(name, NO_FACTS)
            if facts.rename is not None:
                facts = NO_FACTS  # its target is missing in this type
            if self.result.is_taken("newer", name):
                continue
            if facts.not_same:
                self._facts.use(facts)
                self.result.not_same.add(name)
            elif name == self.result.version_at:
                continue  # each version has its own value
            else:
                if facts is NO_FACTS:
                    facts = self._for_all(name)
                if facts is not NO_FACTS:
                    self._facts.use(facts)
                self._pair(name, name, facts, "same wire name")

    def _for_all(self, name: str) -> PropertyFacts:
        """Return the facts for all properties, if this one needs them to convert."""
        facts = self._declared.get(EVERY, NO_FACTS)
        types = self._older[name].type, self._newer[name].type
        if facts is NO_FACTS or not isinstance(self._tried(*types, NO_FACTS), Refused):
            return NO_FACTS
        if facts.strategy is None and isinstance(self._tried(*types, facts), Refused):
            return NO_FACTS
        return facts

    def _tried(self, older: Type, newer: Type, facts: PropertyFacts) -> plan.Conversion | Refused:
        return self._values.aside().choose(older, newer, Options(facts))

    def _add_defaults(self) -> None:
        older, newer = self._older_ref, self._newer_ref
        for facts in self._facts.of_properties(older.version, newer.version, older.name):
            if facts.default is None:
                continue
            name = facts.path[0]
            side: Side = "older" if name in self._older else "newer"
            if name not in self._sides[side]:
                continue
            self._facts.use(facts)
            if name in self.result.alone(side):
                default = DefaultFacts(side, name, facts.default, facts.location)
                self.result.defaults.append(default)
            else:
                self._problem(facts, f"default has no effect here: {name} has a partner")

    # --- pairs ---

    def _pair(self, older: str, newer: str, facts: PropertyFacts, reason: str) -> None:
        result = self.result
        if facts.strategy == "hook":
            result.left_older[older] = result.left_newer[newer] = "strategy: hook"
            return
        if facts.strategy == "stash":
            result.only_older[older] = result.only_newer[newer] = STASHED
            return
        converted = self._converted(self._older[older], self._newer[newer], facts)
        if converted is None:
            result.only_older[older] = result.only_newer[newer] = REFUSED
            result.refused[older] = newer
            return
        always = facts.retyped is not None and facts.retyped.always
        strict = facts.misfit == "error"
        result.pair(PlannedPair(older, newer, converted, reason, strict, always))

    def _converted(
        self, older: Property, newer: Property, facts: PropertyFacts
    ) -> plan.Conversion | None:
        """Return the conversion of two partners; None after adding a problem, if there is none."""
        options = Options(facts)
        converted: plan.Conversion | Refused
        if facts.retyped is not None:
            converted = self._values.retyped(older, newer, facts.retyped, options)
        else:
            converted = self._values.choose(older.type, newer.type, options)
        if isinstance(converted, Refused):
            self._refuse(older, newer, converted, facts)
            return None
        for option in options.unused():
            self._problem(facts, f"{option} has no effect here: the types do not need it")
        for message in unknown_values(older.type, newer.type, facts):
            self._problem(facts, message)
        return converted

    def _take(self, name: str, side: Side, facts: PropertyFacts, reason: str) -> None:
        if self.result.is_taken(side, name):
            self._problem(facts, f"two declarations are about {name}")
        self.result.left(side)[name] = reason

    def _resolve(
        self, ref: TypeRef, path: tuple[str, ...]
    ) -> tuple[Property, tuple[TypeRef, ...]] | str:
        refs = [ref]
        found: Property | None = None
        for depth, name in enumerate(path):
            holder = self._values.group.type(refs[-1])
            found = holder.property(name)
            if found is None:
                members = [item.name for item in holder.properties]
                return f"{refs[-1]} has no property {name!r}{nearest(name, members)}"
            if depth < len(path) - 1:
                if not isinstance(found.type, Ref):
                    return (
                        f"{refs[-1]} {name} is not a single object: a move cannot pass through it"
                    )
                refs.append(TypeRef(ref.version, found.type.type_name))
        return (found, tuple(refs)) if found is not None else "the path is empty"

    # --- reports ---

    def _why_alone(self, name: str, side: Side) -> str:
        if name in self.result.not_same:
            return NOT_SAME
        far: Side = "newer" if side == "older" else "older"
        other = self._newer_ref if side == "older" else self._older_ref
        if name == self.result.version_at:
            return f"{other} says its version there"
        if name not in self._sides[far]:
            return f"{other} has no such property"
        partner = self.result.partner(far, name)
        return f"{other} {name} {f'is {partner} here' if partner else 'has another partner'}"

    def _decided(self) -> Matched:
        result = self.result
        for pair in result.pairs:
            fate = _fate(pair)
            if result.union is not None and pair.older == UNIT:
                fate = "converted"
            self._decide("older", pair.older, fate, pair.reason, pair.newer)
            self._decide("newer", pair.newer, fate, pair.reason, pair.older)
        for move in result.moves:
            older, newer = "/".join(move.older), "/".join(move.newer)
            held = self._values.group.type(move.older_types[-1]).property(move.older[-1])
            self._decide("older", older, "moved", move.reason, newer, held)
            held = self._values.group.type(move.newer_types[-1]).property(move.newer[-1])
            self._decide("newer", newer, "moved", move.reason, older, held)
        for side in self._sides:
            kept: Fate = "stashed" if side == "older" else "pulled"
            for name, reason in result.alone(side).items():
                self._decide(side, name, kept, reason)
            for name, reason in result.left(side).items():
                if reason != "moved":
                    fate = kept if reason == _VARIANT else "claimed by a hook"
                    self._decide(side, name, fate, reason)
        return result

    def _decide(
        self,
        side: Side,
        name: str,
        fate: Fate,
        reason: str,
        partner: str = "",
        held: Property | None = None,
    ) -> None:
        """Note what happens to a property; `held` is that of a path into other types."""
        found = held or self._sides[side].get(name)
        location = found.location if found else NOWHERE
        self.result.decisions.append(Decision(side, name, fate, reason, partner, location))

    def _refuse(
        self, older: Property, newer: Property, refused: Refused, declared: PropertyFacts
    ) -> None:
        ends = f"{self._older_ref} {older.name}", f"{self._newer_ref} {newer.name}"
        self._problems.append(
            Problem(
                "HA201",
                str(older.location),
                f"{ends[0]} -> {ends[1]} ({newer.location}): {refused.why}",
                fixes(self._values, older.type, newer.type, declared),
            )
        )

    def _leads_nowhere(self, facts: PropertyFacts, text: str) -> None:
        if not self._facts.leads_nowhere(facts, text):
            self._facts.use(facts)
            self._problem(facts, text)

    def _problem(self, facts: PropertyFacts, message: str) -> None:
        self._problems.append(
            Problem("HA213", str(facts.location), message, "correct or remove it")
        )


def _fate(pair: PlannedPair) -> Fate:
    match pair.conversion:
        case plan.Recurse() | plan.Each():
            fate: Fate = "recursed"
        case plan.Same() | plan.Copy():
            fate = "copied"
        case _:
            fate = "converted"
    if pair.older != pair.newer and fate == "copied":
        return "renamed"
    return fate

"""The declared facts of a configuration, looked up by edge, type and property.

Every declaration must have an effect: one that was never used once the plan is complete is a
problem.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from holdall.errors import Problem
from holdall.plan.plans import TypeRef
from holdall.suggest import nearest
from holdall_codegen.config.fact_keys import TypeKeys
from holdall_codegen.config.model import EdgeFacts, GroupConfig, PropertyFacts, TypeFacts
from holdall_codegen.model import NOWHERE, Group

NO_FACTS = PropertyFacts(path=(), location=NOWHERE)
_OPTIONS = (
    *("values", "variants", "wrap", "reference", "duration", "unit", "keyed", "lenient"),
    "hides_zero",
)


@dataclass(slots=True)
class Options:
    """The value options of one pair, marked as used by conversions."""

    facts: PropertyFacts
    used: set[str] = field(default_factory=set)

    def without(self, option: str) -> Options:
        """Return the options that remain below the depth at which one was used."""
        self.used.add(option)
        absent: Any = getattr(NO_FACTS, option)
        return Options(replace(self.facts, **{option: absent}), self.used)

    def unused(self) -> list[str]:
        """Return the options that are declared but were not used."""
        return [
            name
            for name in _OPTIONS
            if getattr(self.facts, name) != getattr(NO_FACTS, name) and name not in self.used
        ]


class Facts:
    """All declared facts of one group, with a record of which were used."""

    def __init__(self, config: GroupConfig, group: Group) -> None:
        self._edges = {(edge.older, edge.newer): edge for edge in config.facts}
        self._group = group
        self._used_properties: set[int] = set()
        self._of_patterns = {
            id(facts)
            for edge in config.facts
            for entry in edge.types
            if "*" in entry.pattern
            for facts in entry.properties
        }
        self._led_nowhere: dict[int, str] = {}

    def of_type(self, older: str, newer: str, name: str) -> list[TypeFacts]:
        """Return the entries that apply to an older type: patterns first, then its own name."""
        edge = self._edges.get((older, newer))
        if edge is None:
            return []
        found = [entry for entry in edge.types if entry.matches(name)]
        return sorted(found, key=lambda entry: entry.pattern == name)

    def of_properties(self, older: str, newer: str, name: str) -> list[PropertyFacts]:
        """Return the property entries that apply to an older type, one for each path.

        An entry under the type's own name overrides one under a pattern.
        """
        found = {
            facts.path: facts
            for entry in self.of_type(older, newer, name)
            for facts in entry.properties
        }
        return list(found.values())

    def use(self, facts: PropertyFacts) -> None:
        """Note that a declaration had an effect."""
        self._used_properties.add(id(facts))

    def leads_nowhere(self, facts: PropertyFacts, why: str) -> bool:
        """Note that paths of a declaration lead nowhere in one type; return whether that is fine.

        The paths of a pattern need to exist in only one of its types.
        """
        self._led_nowhere[id(facts)] = why
        return id(facts) in self._of_patterns

    def unused(
        self, pairs: Iterable[tuple[TypeRef, TypeRef]], neighbours: Collection[tuple[str, str]]
    ) -> Iterator[Problem]:
        """Yield a problem for every declaration that had no effect between the paired types.

        Between versions that are not `neighbours`, a declaration is about a skip link.
        """
        found = [*pairs]
        for edge in self._edges.values():
            names = sorted(self._group.version(edge.older).types)
            for entry in edge.types:
                matched = [name for name in names if entry.matches(name)]
                if not matched:
                    hint = nearest(entry.pattern, names)
                    yield Problem(
                        "HA210",
                        str(entry.location),
                        f"{edge.older} has no type {entry.pattern!r}{hint}",
                        "name a type of the older version, or remove the entry",
                    )
                    continue
                for facts in entry.properties:
                    if id(facts) not in self._used_properties:
                        is_gap = (edge.older, edge.newer) not in neighbours
                        yield self._unused_property(edge, entry, facts, matched, found, is_gap)

    def _unused_property(
        self,
        edge: EdgeFacts,
        entry: TypeFacts,
        facts: PropertyFacts,
        matched: list[str],
        pairs: list[tuple[TypeRef, TypeRef]],
        is_gap: bool,
    ) -> Problem:
        partners = [
            newer
            for older, newer in pairs
            if (older.version, newer.version) == (edge.older, edge.newer) and older.name in matched
        ]
        members = self._members(edge.older, matched)
        if facts.path[0] not in members and facts.path != ("*",):
            theirs = self._members(edge.newer, [ref.name for ref in partners])
            types = self._group.version(edge.older).types
            others = [name for name, type_ in types.items() if type_.property(facts.path[0])]
            return _unknown_property(edge, entry, facts, members, theirs, others)
        if is_gap and not partners:
            why, fix = _why_no_link(edge, facts)
        else:
            why, fix = self._why_unused(edge, facts, matched, partners)
        return Problem(
            "HA212",
            str(facts.location),
            f"the declaration for {entry.pattern}/{'/'.join(facts.path)} has no effect between"
            f" {edge.older} and {edge.newer}: {why}",
            fix,
        )

    def _why_unused(
        self,
        edge: EdgeFacts,
        facts: PropertyFacts,
        matched: list[str],
        partners: list[TypeRef],
    ) -> tuple[str, str]:
        """Return why a declaration for types of an edge had no effect, and a fix."""
        if id(facts) in self._led_nowhere:
            return self._led_nowhere[id(facts)], "correct or remove it"
        if not partners:
            return f"no type of {edge.newer} is the type's partner", "remove it"
        name = facts.path[0]
        if name == "*":
            return "it would fix no refused property", "remove it"
        older = self._group.version(edge.older).types
        holders = [type_ for type_ in matched if older[type_].property(name) is not None]
        acting = [
            one
            for type_ in holders
            for one in self.of_properties(edge.older, edge.newer, type_)
            if one.path == facts.path
        ]
        if acting and not any(facts is one for one in acting):
            return f"the declaration at {acting[0].location} overrides it", "remove it"
        types = self._group.version(edge.newer).types
        lacking = [ref for ref in partners if types[ref.name].property(name) is None]
        if len(lacking) == len(partners):
            members = [item.name for item in types[lacking[0].name].properties]
            fix = "name its partner with `rename` or `move`, or remove the declaration"
            if facts.strategy == "hook":
                ends = f"{matched[0]} {edge.older}..{edge.newer}"
                fix = (
                    "name its partner with `rename`, or remove the declaration: a hook may claim"
                    f" it without a partner (`holdall hooks scaffold {ends}`)"
                )
            return f"{lacking[0]} has no property {name!r}{nearest(name, members)}", fix
        return f"another declaration gives {name} another partner", "remove one of the two"

    def _members(self, version: str, names: Iterable[str]) -> list[str]:
        types = self._group.version(version).types
        return sorted({item.name for name in names for item in types[name].properties})


def _why_no_link(edge: EdgeFacts, facts: PropertyFacts) -> tuple[str, str]:
    """Return why a declaration for versions without an edge made no link, and a fix."""
    if facts.move is not None:
        return (
            "they are not neighbours, and a value moves over one edge only",
            "remove it: the bag keeps the value of each; or add the property to a version between"
            " them, and declare the move there",
        )
    name = facts.rename or facts.path[-1]
    return (
        f"they are not neighbours, and {name} is not missing between them and back in {edge.newer}",
        f"name with `rename` what {edge.newer} has again, or remove the declaration",
    )


def _unknown_property(
    edge: EdgeFacts,
    entry: TypeFacts,
    facts: PropertyFacts,
    older: list[str],
    newer: list[str],
    others: list[str],
) -> Problem:
    name = facts.path[0]
    lacks = f"{edge.older} {entry.pattern} has no property {name!r}"
    fix = "use the wire name of a property of the older type, or remove the entry"
    if facts.default is not None:
        lacks += f", nor has its partner in {edge.newer}{nearest(name, [*older, *newer])}"
        fix = "use the wire name of a property of one of the two, or remove the entry"
    elif name in newer:
        lacks += f"; {edge.newer} has it"
        fix = (
            f"write OLDER: {{rename: {name}}}, its name in {edge.older} first, or remove the entry"
        )
    elif others:
        lacks += f"; {', '.join(others[:3])} {'has' if len(others) == 1 else 'have'} it"
        fix = f"declare it under a type that has it, such as {others[0]}, or remove the entry"
    else:
        lacks += nearest(name, [*older, *(TypeKeys.table() if name.startswith("$") else ())])
    return Problem("HA211", str(facts.location), lacks, fix)

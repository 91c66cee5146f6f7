"""A proposal: a declaration that could be made, why, and the line that makes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from holdall.plan.plans import TypeRef
from holdall.types import JsonObject, JsonValue
from holdall_codegen.config.model import EdgeFacts, GroupConfig, PropertyFacts, TypeFacts
from holdall_codegen.config.names import flow, join_path, yaml_scalar
from holdall_codegen.model import NOWHERE

About = Literal["rename", "move", "values", "fix", "code"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What could be declared about one property of the older type of an edge.

    `about` says why: a guess (`rename`, `move`, `values`), a pair that is refused without it
    (`fix`), or a pair that only code can convert (`code`), for which no declaration exists.
    `holders` and `target_holders` are the types along both paths, those of the edge first.
    """

    about: About
    facts: PropertyFacts
    holders: tuple[TypeRef, ...]
    target_holders: tuple[TypeRef, ...]
    why: str
    score: float = 1.0

    @property
    def edge(self) -> tuple[str, str]:
        return self.holders[0].version, self.target_holders[0].version

    @property
    def type(self) -> str:
        return self.holders[0].name

    @property
    def target(self) -> tuple[str, ...]:
        """The path of the partner, from the newer type of the edge."""
        if self.facts.move is not None:
            return self.facts.move
        return self.facts.path if self.facts.rename is None else (self.facts.rename,)

    @property
    def property_path(self) -> str:
        """The path of the property as holdall.yaml spells it."""
        return join_path(self.facts.path)

    @property
    def is_declarable(self) -> bool:
        """Tell whether a line in holdall.yaml is enough."""
        return self.about != "code"

    @property
    def line(self) -> str:
        """The line for holdall.yaml, with the keys that lead to it."""
        keys = (" -> ".join(self.edge), yaml_scalar(self.type), yaml_scalar(self.property_path))
        return f"between: {': '.join(keys)}: {flow(self.value())}"

    @property
    def reason(self) -> str:
        """The text of its comment; a stash converts nothing."""
        if self.facts.strategy == "stash":
            return f"doubtful: {self.why}; the other version never shows it"
        return f"a guess from the types: {self.why}"

    @property
    def question(self) -> str:
        """The question to ask before it is declared."""
        what = f"{self.holders[0]} {self.property_path}"
        target = join_path(self.target)
        match self.about:
            case "values":
                return f"were the values of {what} renamed: {flow({**self.facts.values})}?"
            case "fix":
                return f"{what}: {self.why}; declare {flow(self.value())}?"
            case _:
                return f"is {what} now {target} of {self.target_holders[0]}?"

    def as_json(self) -> JsonObject:
        """Return the proposal as a JSON value."""
        return {
            "about": self.about,
            "between": " -> ".join(self.edge),
            "type": self.type,
            "property": self.property_path,
            "partner": join_path(self.target),
            "why": self.why,
            **({} if self.about == "code" else {"declare": self.value()}),
        }

    def value(self) -> JsonValue:
        """Return what is written for the property in holdall.yaml."""
        options = self.facts.options()
        if [*options] == ["rename"]:
            return options["rename"]
        return options


def declared(config: GroupConfig, proposals: Iterable[Proposal]) -> GroupConfig:
    """Return a configuration with proposals declared."""
    edges = {(edge.older, edge.newer): edge for edge in config.facts}
    for item in proposals:
        edge = edges.get(item.edge) or EdgeFacts(*item.edge, NOWHERE)
        types = {entry.pattern: entry for entry in edge.types}
        entry = types.get(item.type) or TypeFacts(item.type, NOWHERE)
        types[item.type] = replace(entry, properties=(*entry.properties, item.facts))
        edges[item.edge] = replace(edge, types=tuple(types.values()))
    return replace(config, facts=tuple(edges.values()))

"""The key `accept_refusals` of a group: what its schemas may refuse of each other's objects, and
why that does no harm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from holdall.suggest import nearest
from holdall_codegen.breaking.rules import RULES
from holdall_codegen.config.names import PAIR, TEXT
from holdall_codegen.config.node import WRONG_TYPE, Node
from holdall_codegen.config.tables import Form, Keys, Schema, read
from holdall_codegen.model import Location

_Text: TypeAlias = Annotated[str, Form(TEXT, "a text", r"\S")]


class AcceptedKeys(Keys, kw_only=True):
    """What a schema may refuse, narrowed by the way of the objects, and by type and property.

    rule (required): The rule, by its [name](breaking.md#rules).
    way (all): From where to where objects are converted, as the finding says it: `v2 -> v1`.
    type (all): The type that the finding names.
    property (all): The property of that type, as `pools/*/size`, and all below it.
    reason (required): Why no one is hurt.
    """

    rule: Annotated[_Text, Schema({"enum": [*RULES]})] | None
    way: Annotated[str, Form(PAIR, "a pair of versions, as v2 -> v1")] = ""
    type: _Text = ""
    property: _Text = ""
    reason: _Text | None


@dataclass(frozen=True, slots=True)
class Accepted:
    """What may be refused by `rule`, on a `way`, of a property of a type and all below it; what is
    empty stands for all."""

    rule: str
    location: Location
    way: str = ""
    type: str = ""
    property: str = ""

    def covers(self, rule: str, way: str, type_: str, name: str) -> bool:
        """Tell whether it is about a finding."""
        return (
            rule == self.rule
            and self.way in ("", way)
            and self.type in ("", type_)
            and f"{name}/".startswith(f"{self.property}/" if self.property else "")
        )


def read_accepted(node: Node) -> tuple[Accepted, ...]:
    """Read the key; what is malformed is reported."""
    entries = node.items("accept_refusals")
    return tuple(found for item in entries if (found := _read_entry(item)))


def _read_entry(node: Node) -> Accepted | None:
    entry, at = read(AcceptedKeys, node, "an entry of accept_refusals")
    if entry.rule and entry.rule not in RULES:
        message = f'there is no rule "{entry.rule}"{nearest(entry.rule, RULES)}'
        at["rule"].report(WRONG_TYPE, message, "docs/breaking.md lists the rules")
    if entry.rule is None or entry.reason is None:
        return None
    pair = PAIR.fullmatch(entry.way)
    way = " -> ".join(pair.groups()) if pair else ""
    return Accepted(entry.rule, node.location, way, entry.type, entry.property)

"""The key `accept_refusals` of a group: what its schemas may refuse of each other's objects, and
why that does no harm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from holdall_codegen.breaking.ignoring import Text, check_rule, is_within
from holdall_codegen.breaking.rules import RULES
from holdall_codegen.config.names import PAIR
from holdall_codegen.config.node import Node
from holdall_codegen.config.tables import Form, Keys, Schema
from holdall_codegen.model import NOWHERE, Location


class Accepted(Keys, kw_only=True):
    """What a schema may refuse, narrowed by the way of the objects, and by type and property.

    rule (required): The rule, by its [name](breaking.md#rules).
    way (all): From where to where objects are converted, as the finding says it: `v2 -> v1`.
    type (all): The type that the finding names.
    property (all): The property of that type, as `pools/*/size`, and all below it; `~1` is a
        slash in a name.
    reason (required): Why no one is hurt.
    """

    rule: Annotated[Text, Schema({"enum": [*RULES]})]
    way: Annotated[str, Form(PAIR, "a pair of versions, as v2 -> v1")] = ""
    type: Text = ""
    property: Text = ""
    reason: Text
    location: Location = NOWHERE

    def check(self, node: Node, at: Mapping[str, Node]) -> None:
        check_rule(self.rule, at)

    def covers(self, rule: str, way: tuple[str, str], type_: str, name: str) -> bool:
        """Tell whether it is about a finding."""
        pair = PAIR.fullmatch(self.way)
        return (
            rule == self.rule
            and (pair is None or pair.groups() == way)
            and self.type in ("", type_)
            and is_within(name, self.property)
        )

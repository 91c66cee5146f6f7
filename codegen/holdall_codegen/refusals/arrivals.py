"""What arrives at a place of the target: facts of the source, as the conversion leaves them.

Nothing is known of some values, such as the results of functions; so they may violate whatever the
target demands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from holdall.text import json
from holdall.types import JsonValue
from holdall_codegen.breaking.schema_facts import Facts
from holdall_codegen.config.model import Constant, Implicit
from holdall_codegen.plan import model as plan
from holdall_codegen.read.nodes import Node

ANYTHING: Final = Facts()
_QUANTITY: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
"""The pattern of quantities in CRDs that are made from Go types."""
_SHORT: Final = ("int8", "int16", "uint8", "uint16")
_WIDER: Final[Mapping[str, tuple[str, ...]]] = {
    "uri": ("uri-reference", "iri", "iri-reference"),
    "uri-reference": ("iri-reference",),
    "iri": ("iri-reference",),
    "email": ("idn-email",),
    "hostname": ("idn-hostname",),
}
"""Formats of strings, each with the formats that it implies, by their RFCs."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A value of the source on its way to one place of the target.

    `nodes` are its schema, None if it is not known. `is_given` says that every source object has
    it. Conversions are read from the older side, `forward` is the way to the newer one.
    """

    nodes: Sequence[Node] | None
    conversion: plan.Conversion
    forward: bool
    is_given: bool = True

    def by(self, conversion: plan.Conversion, nodes: Sequence[Node] | None) -> Arrival:
        """Return another value on the same way, with its conversion."""
        return replace(self, nodes=nodes or None, conversion=conversion)

    def turned(self, conversion: plan.Conversion) -> Arrival:
        """Return the same value on the opposite way through a conversion."""
        return replace(self, conversion=conversion, forward=not self.forward)


def always_arrives(conversion: plan.Conversion, *, forward: bool) -> bool:
    """Tell whether every value arrives at the other end; otherwise some stay in the bag."""
    match conversion:
        case plan.Flipped(inner=inner):
            return always_arrives(inner, forward=not forward)
        case plan.Wrap(inner=inner):
            return forward and always_arrives(inner, forward=forward)
        case plan.Reference() | plan.Keyed():
            return forward
        case plan.Measure():
            return not forward
        case plan.Kinds(older=older, newer=newer):
            start, end = (older, newer) if forward else (newer, older)
            known = {*end, *(["integer"] if "number" in end else [])}
            return {*start} <= known
        case plan.Opened():
            return not forward
        case plan.Computed(may_raise=may_raise):
            return not may_raise
        case plan.Chain(first=first, second=second):
            return all(always_arrives(item, forward=forward) for item in (first, second))
        case _:
            return True


def renamed(
    facts: Facts, conversion: plan.RenamedValues | plan.Variants, *, forward: bool
) -> Facts:
    """Return the facts of an enum whose values are renamed."""
    if facts.enum is None:
        return facts
    names = _names(conversion, forward=forward)
    texts = {
        json.canonical(old).decode(): json.canonical(new).decode() for old, new in names.items()
    }
    return replace(facts, enum=frozenset(texts.get(text, text) for text in facts.enum))


def _names(conversion: plan.RenamedValues | plan.Variants, *, forward: bool) -> Mapping[str, str]:
    if isinstance(conversion, plan.RenamedValues):
        pairs = conversion.names if forward else [(new, old) for old, new in conversion.names]
        return dict(pairs)
    facts = conversion.facts
    given = facts.names if forward else {new: old for old, new in facts.names.items()}
    lone = facts.only_older if forward else facts.only_newer
    return {**given, **{name: to for name, to in lone.items() if isinstance(to, str)}}


def computed(conversion: plan.Computed, facts: Facts, *, forward: bool) -> Facts | None:
    """Return the facts of a constant or an implicit conversion; None for a function."""
    step = conversion.upgrade if forward else conversion.downgrade
    if isinstance(step, Constant):
        return constant(step.value)
    return facts if isinstance(step, Implicit) else None


def measured(conversion: plan.Measure, after: Facts, *, forward: bool) -> Facts:
    """Return the facts of a number or string with a unit; strings are those of Kubernetes."""
    if forward or conversion.lens != "quantity":
        return ANYTHING
    return replace(ANYTHING, patterns=after.patterns & {_QUANTITY})


def constant(value: JsonValue) -> Facts:
    """Return the facts of one value; an object has just its own members."""
    members = frozenset(value if isinstance(value, dict) else ())
    return replace(ANYTHING, enum=frozenset({json.canonical(value).decode()}), required=members)


def without(facts: Facts, lost: frozenset[str]) -> Facts:
    """Return the facts of an object that lost members, or has them under other names.

    What was known about these no longer holds, though the target may say the same.
    """
    if not lost:
        return facts
    word = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(lost)))})(?![\w-])")

    def kept(said: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
        return {name: texts for name, texts in said.items() if not any(map(word.search, texts))}

    return replace(
        facts,
        rules=frozenset(rule for rule in facts.rules if not word.search(rule)),
        unions=kept(facts.unions),
        others=kept(facts.others),
        bounds={name: bound for name, bound in facts.bounds.items() if name != "minProperties"},
    )


def as_list(facts: Facts, values: Facts) -> Facts:
    """Return the facts of the list that a map becomes."""
    names = {"minProperties": "minItems", "maxProperties": "maxItems"}
    bounds = {names[name]: bound for name, bound in values.bounds.items() if name in names}
    return _whole(facts, bounds)


def as_map(values: Facts) -> Facts:
    """Return the facts of the map that a list becomes: equal keys become one."""
    most = values.bounds.get("maxItems")
    least = (1, False) if "minItems" in values.bounds else None
    bounds = {"maxProperties": most, "minProperties": least}
    return replace(ANYTHING, bounds={name: bound for name, bound in bounds.items() if bound})


def wrapped(facts: Facts) -> Facts:
    """Return the facts of the list that a single value becomes."""
    return _whole(facts, {"minItems": (1, False), "maxItems": (1, False)})


def _whole(target: Facts, bounds: Mapping[str, tuple[float, bool]]) -> Facts:
    """Return the facts of a list of different elements."""
    return replace(
        ANYTHING, bounds=bounds, unique=True, merged=target.merged, map_keys=target.map_keys
    )


def demands_format(before: Facts, after: Facts) -> bool:
    """Tell whether a format refuses anything: of the formats of numbers only `int32` may, and a
    wider format of strings refuses nothing."""
    if after.format in _WIDER.get(before.format, ()):
        return False
    is_text = after.kinds is None or "string" in after.kinds
    return is_text or (after.format == "int32" and before.format not in _SHORT)


def without_transitions(facts: Facts) -> Facts:
    """Return facts without transition rules, which judge updates."""
    return replace(facts, rules=frozenset(rule for rule in facts.rules if "oldSelf" not in rule))

"""Measures: a text with a unit of its own on one side, a number of a declared unit on the other."""

from __future__ import annotations

from holdall_codegen.model import Scalar, Type
from holdall_codegen.plan.facts import Options
from holdall_codegen.plan.model import Flipped, Measure


def measured(older: Type, newer: Type, options: Options) -> Measure | Flipped | None:
    """Return the conversion of a text and a number whose unit is declared, if they are such."""
    unit = options.facts.duration
    if unit is None:
        return None
    for text, number, is_turned in ((older, newer, False), (newer, older, True)):
        if _is_text(text) and isinstance(number, Scalar) and number.kind in ("integer", "number"):
            options.used.add("duration")
            measure = Measure("duration", unit, number.kind)
            return Flipped(measure) if is_turned else measure
    return None


def _is_text(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.kind == "string"

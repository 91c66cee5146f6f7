"""Measures: a text with a unit of its own on one side, a number of a declared unit on the other."""

from __future__ import annotations

from typing import Literal

from holdall_codegen.model import Scalar, Type, Union
from holdall_codegen.plan.facts import Options
from holdall_codegen.plan.model import Flipped, Measure


def measured(older: Type, newer: Type, options: Options) -> Measure | Flipped | None:
    """Return the conversion of a text and a number whose unit is declared, if they are such."""
    for text, number, is_turned in ((older, newer, False), (newer, older, True)):
        if isinstance(number, Scalar) and number.kind in ("integer", "number"):
            found = _of(text, "int32" if number.format == "int32" else number.kind, options)
            if found is not None:
                return Flipped(found) if is_turned else found
    return None


def _of(
    text: Type, kind: Literal["int32", "integer", "number"], options: Options
) -> Measure | None:
    is_text = isinstance(text, Scalar) and text.kind == "string"
    if options.facts.duration is not None and is_text:
        options.used.add("duration")
        return Measure("duration", options.facts.duration, kind)
    # Quantities are integers or texts in the schemas of Kubernetes' own types.
    is_quantity = is_text or (isinstance(text, Union) and "string" in text.members)
    if options.facts.unit is not None and is_quantity:
        options.used.add("unit")
        return Measure("quantity", options.facts.unit, kind)
    return None

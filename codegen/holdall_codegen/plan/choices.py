"""What choosing the conversion of two types gives: a conversion, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from holdall_codegen.plan import model as plan


@dataclass(frozen=True, slots=True)
class Refused:
    """No row of the table covers a pair."""

    why: str


def flip(conversion: plan.Conversion) -> plan.Conversion:
    """Return a conversion seen from the other side."""
    match conversion:
        case plan.Flipped(inner=inner):
            return inner
        case plan.Same() | plan.Copy():
            return conversion
        case _:
            return plan.Flipped(conversion)

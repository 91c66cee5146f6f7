"""The declarations about the conversion of a property, without what follows from schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from holdall_codegen.config.model import (
    Constant,
    DefaultFacts,
    Fallback,
    Function,
    Step,
    VariantFacts,
)
from holdall_codegen.plan.model import (
    Chain,
    Computed,
    Conversion,
    Each,
    Flipped,
    HidesZero,
    Keyed,
    Measure,
    PlannedEdge,
    PlannedMove,
    PlannedPair,
    Reference,
    RenamedValues,
    Through,
    Variants,
    Wrap,
)

Key = tuple[str, str]
"""A side, `older` or `newer`, and the wire name or path of a property of it."""


def declared_in(edge: PlannedEdge) -> dict[Key, str]:
    """Return what is declared about each property of an edge, as text for comparison."""
    found: dict[Key, str] = {}
    for pair in edge.pairs:
        found["older", pair.older] = ", ".join(_of_pair(pair))
    for move in edge.moves:
        found["older", "/".join(move.older)] = ", ".join(_of_pair(move))
    for default in edge.defaults:
        found[default.side, default.name] = _of_default(default)
    if edge.union is not None:
        found["older", ""] = _of_variants(edge.union)
    if edge.skipped:
        found["older", ""] = "left to a hook"
    return {key: text for key, text in found.items() if text}


def declared_about(conversion: Conversion) -> str:
    """Return what is declared about a conversion, as text for comparison."""
    return ", ".join(_of_conversion(conversion))


def _of_pair(pair: PlannedPair | PlannedMove) -> Iterator[str]:
    yield from _of_conversion(pair.conversion)
    if pair.misfit_is_error:
        yield "a misfit is an error"
    if isinstance(pair, PlannedPair) and pair.always:
        yield "always kept"


def _of_conversion(conversion: Conversion) -> Iterator[str]:
    match conversion:
        case RenamedValues(names=names):
            yield f"values {_mapping(dict(names))}"
        case Wrap(inner=inner):
            yield "wrapped"
            yield from _of_conversion(inner)
        case Keyed(key=key, value=value, inner=inner, lenient=lenient):
            yield f"keyed by {key}" + (f" with {value}" if value else "")
            if lenient:
                yield "with a lenient list"
            yield from _of_conversion(inner)
        case HidesZero(side=side, inner=inner):
            apart = {"both": "without zero in both", "nulls": "without nulls that move"}
            yield apart.get(side, f"without zero in the {side}")
            yield from _of_conversion(inner)
        case Reference(member=member):
            yield f"a reference by {member}"
        case Measure(lens=lens, unit=unit):
            yield f"a {lens} in {unit}"
        case Computed(upgrade=upgrade, downgrade=downgrade, may_raise=may_raise):
            yield f"upgraded {_step(upgrade)}, downgraded {_step(downgrade)}"
            if may_raise:
                yield "a function may raise"
        case Variants(facts=facts):
            yield _of_variants(facts)
        case Through():
            yield "by a hook"
        case Each(inner=inner) | Flipped(inner=inner):
            yield from _of_conversion(inner)
        case Chain(first=first, second=second):
            yield from _of_conversion(first)
            yield from _of_conversion(second)
        case _:
            return


def _of_variants(facts: VariantFacts) -> str:
    parts = [f"values {_mapping(facts.names)}"] if facts.names else []
    for side, lone in (("older", facts.only_older), ("newer", facts.only_newer)):
        if lone:
            shown = {name: _fallback(to) for name, to in lone.items()}
            parts.append(f"only {side} {_mapping(shown)}")
    return ", ".join(parts)


def _of_default(default: DefaultFacts) -> str:
    given = default.default
    return f"default {_fallback(given)}{' of the parent' if default.of_parent else ''}" + (
        ", always kept" if default.always else ""
    )


def _step(step: Step) -> str:
    match step:
        case Function(path=path):
            return f"by {path}"
        case Constant(value=value):
            return f"to {value!r}"
        case _:
            return "as the table says"


def _fallback(value: Fallback) -> str:
    match value:
        case Function(path=path):
            return f"by {path}"
        case Constant(value=made):
            return repr(made)
        case str():
            return value
        case _:
            return "an error"


def _mapping(names: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{old}: {new}" for old, new in sorted(names.items())) + "}"

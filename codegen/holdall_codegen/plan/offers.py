"""What can be declared about a pair that does not convert; each option was tried."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from holdall.plan.plans import TypeRef
from holdall_codegen.config.model import PropertyFacts
from holdall_codegen.config.names import flow, yaml_scalar
from holdall_codegen.model import NOWHERE, ListOf, MapOf, Ref, Type, is_text, referenced_type
from holdall_codegen.plan.values import ValuePlanner

_SHOWN = 4
"""How many options for a pair are listed: any string of a large object may be a reference."""


def fixes(
    values: ValuePlanner, older: Type, newer: Type, declared: PropertyFacts, rename: str = ""
) -> str:
    """Return the options for a pair, in addition to a rename or move that is declared already.

    `rename` is a name that must be declared with each.
    """
    if declared.retyped is not None:
        return "name both upgrade_with and downgrade_with"
    found = [*islice(_options(values, older, newer), _SHOWN)]
    if declared.move is not None:
        found.append("remove the move")
    else:
        found.append("strategy: hook")
        if rename:
            return " | ".join(
                (*(f"rename: {yaml_scalar(rename)}, {it}" for it in found), "not_same")
            )
        if declared.rename is None:
            found += ["strategy: stash", "not_same"]
        else:
            found.append("remove the rename")
    return " | ".join(found)


def _options(values: ValuePlanner, older: Type, newer: Type) -> Iterator[str]:
    """Yield minimal sets of options that convert a pair."""
    for facts in _candidates(values, older, newer):
        if values.fits(older, newer, facts):
            said = facts.options().items()
            yield ", ".join(f"{option}: {flow(value)}" for option, value in said)


def _candidates(values: ValuePlanner, older: Type, newer: Type) -> Iterator[PropertyFacts]:
    texts = (*_texts(values, values.older, older), *_texts(values, values.newer, newer))
    for wrap, member in product((True, False), (None, *dict.fromkeys(texts))):
        yield PropertyFacts((), NOWHERE, wrap=wrap, reference=member)
    yield PropertyFacts((), NOWHERE, duration="seconds")
    yield PropertyFacts((), NOWHERE, unit="Mi")
    for names in _keys(values, older, newer):
        yield PropertyFacts((), NOWHERE, keyed=names)


def _keys(values: ValuePlanner, older: Type, newer: Type) -> Iterator[tuple[str, str]]:
    """Yield the members of a list's objects that may be keys and values of a map."""
    ends = (values.older, older, newer), (values.newer, newer, older)
    for version, end, other in ends:
        if isinstance(end, ListOf) and isinstance(end.item, Ref) and isinstance(other, MapOf):
            element = values.group.type(TypeRef(version, end.item.type_name))
            members = [item.name for item in element.properties]
            for key in _texts(values, version, end):
                yield from ((key, name) for name in ("", *members) if name != key)


def _texts(values: ValuePlanner, version: str, end: Type) -> Iterator[str]:
    """Yield the members of an object that may hold a string."""
    if name := referenced_type(end):
        for item in values.group.type(TypeRef(version, name)).properties:
            if is_text(item.type):
                yield item.name

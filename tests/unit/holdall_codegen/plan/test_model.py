"""The plan of a type: its members, by their names."""

from __future__ import annotations

from holdall.plan.plans import TypeRef
from holdall_codegen.model import ObjectType, Opaque, Property
from holdall_codegen.plan.model import Member, PlannedType
from tests.support.work import Compared, steps_of


def test_a_member_is_found_at_once() -> None:
    """Not by a look at all others: edges ask for each of them."""
    names = [Compared(f"p{number}") for number in range(1000)]
    members = tuple(Member(name, Property(name, Opaque()), f"p_{name}") for name in names)
    planned = PlannedType(TypeRef("v1", "Wide"), ObjectType("Wide", ()), members)
    found: list[object] = []
    assert steps_of(lambda: found.append(planned.member("p999"))) < 30
    assert found == [members[-1]]
    assert steps_of(lambda: found.append(planned.has("q"))) < 30
    assert found[1:] == [False]

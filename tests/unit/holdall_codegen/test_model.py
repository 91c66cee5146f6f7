"""The model: properties of a type, by their names."""

from __future__ import annotations

from holdall_codegen.model import ObjectType, Opaque, Property
from tests.support.work import Compared, steps_of


def test_a_property_is_found_at_once() -> None:
    """Not by a look at all others: types of thousands of properties ask for each of them."""
    names = [Compared(f"p{number}") for number in range(1000)]
    type_ = ObjectType("Wide", tuple(Property(name, Opaque()) for name in names))
    found: list[object] = []
    assert steps_of(lambda: found.extend(map(type_.property, ("p999", "q")))) < 30
    assert found == [type_.properties[-1], None]

"""What two objects share is found, wherever in them it is."""

from __future__ import annotations

from typing import Any

import pytest

from generated.batch.v20240701 import storage
from holdall.testing.laws.sharing import bags_within, containers, shared_places

SHARED: list[Any] = ["x"]
PLACES: dict[str, Any] = {
    "/extra": {"extra": SHARED},
    "/spec/extra/within": {"spec": {"extra": {"within": SHARED}}},
    "/$propertyBag/v20230501/gone": {"$propertyBag": {"v20230501": {"gone": SHARED}}},
    "/spec/$propertyBag/v20230501/gone": {
        "spec": {"$propertyBag": {"v20230501": {"gone": SHARED}}}
    },
}


@pytest.mark.parametrize("place", PLACES)
def test_a_list_that_is_in_both_is_found(place: str) -> None:
    """In what no type declares and in bags, too; at any depth."""
    twin = storage.Pool.view_({**PLACES[place], "metadata": {"name": "x"}})
    assert not containers(twin).isdisjoint(containers(SHARED))
    assert shared_places(twin, containers(SHARED)) == [place]
    other = storage.Pool.view_({"metadata": {"name": "x"}})
    assert containers(twin).isdisjoint(containers(other))


def test_bags_are_found_where_they_are() -> None:
    """Each with its object."""
    bag = {"v20230501": {"gone": 1}}
    twin = storage.Pool.view_({"spec": {"$propertyBag": bag}, "extra": {"$propertyBag": bag}})
    assert [(type(holder).__name__, dict(found)) for holder, found in bags_within(twin)] == [
        ("PoolSpec", bag)
    ]

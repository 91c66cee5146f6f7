"""Crossing an edge: nulls, extras and reserved names find their place, foreign entries pass."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.engine.edges import Crossing
from holdall.text.json import copy
from tests.unit.twins import edge, twin

Older = twin("v1", "Older", {"name": str, "old": str, "hooked": str})
Newer = twin("v2", "Newer", {"title": str, "new": str})


def crossings() -> tuple[Crossing, Crossing]:
    return edge(
        Older,
        Newer,
        renamed={"name": "title"},
        only_older=("old",),
        only_newer=("new",),
        left_older=("hooked",),
    )


def up(document: dict[str, Any]) -> dict[str, Any]:
    """Convert as generated code does, and write what came out."""
    source, destination = Older.from_dict(copy(document)), Newer()
    crossing = crossings()[0]
    bag = crossing.open(source, destination)
    destination.title = source.name
    destination.new = bag.pull("v2", "new")
    bag.stash("v1", "old", source.old)
    destination.property_bag = crossing.close(bag)
    assert source.to_dict() == document
    written: dict[str, Any] = destination.to_dict()
    return written


def down(document: dict[str, Any]) -> dict[str, Any]:
    source, destination = Newer.from_dict(copy(document)), Older()
    crossing = crossings()[1]
    bag = crossing.open(source, destination)
    destination.name = source.title
    destination.old = bag.pull("v1", "old")
    bag.stash("v2", "new", source.new)
    destination.property_bag = crossing.close(bag)
    assert source.to_dict() == document
    written: dict[str, Any] = destination.to_dict()
    return written


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({}, {}),
        ({"name": "x"}, {"title": "x"}),
        ({"name": None}, {"title": None}),
        ({"old": "o"}, {"$propertyBag": {"v1": {"old": "o"}}}),
        ({"old": None}, {"$propertyBag": {"v1": {"old": None}}}),
        ({"old": ""}, {"$propertyBag": {"v1": {"old": ""}}}),
        # Extras keep their name where it is free, an extra null too.
        ({"extra": {"a": 1}}, {"extra": {"a": 1}}),
        ({"extra": None}, {"extra": None}),
        # Where it is declared they are stashed, and come back as extras.
        ({"new": 5}, {"$propertyBag": {"v1": {"new": 5}}}),
        ({"new": None}, {"$propertyBag": {"v1": {"new": None}}}),
        ({"title": "t", "name": "n"}, {"title": "n", "$propertyBag": {"v1": {"title": "t"}}}),
        # Foreign entries pass.
        (
            {"$propertyBag": {"v9": {"name": None}, "v1": {"gone": [1]}}},
            {"$propertyBag": {"v9": {"name": None}, "v1": {"gone": [1]}}},
        ),
        ({"$propertyBag": {"v2": {"new": "n"}}}, {"new": "n"}),
        ({"$propertyBag": {"v2": {"new": None}}}, {"new": None}),
    ],
    ids=str,
)
def test_there_and_back(older: dict[str, Any], newer: dict[str, Any]) -> None:
    """Every state has one form on the other side, and comes back from it."""
    assert up(older) == newer
    assert down(newer) == older


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ({"old": 5}, {"$propertyBag": {"v2": {"old": 5}}}),
        ({"name": 5}, {"$propertyBag": {"v2": {"name": 5}}}),
        ({"new": "n"}, {"$propertyBag": {"v2": {"new": "n"}}}),
    ],
)
def test_back_and_there(newer: dict[str, Any], older: dict[str, Any]) -> None:
    """The same holds from the newer side."""
    assert down(newer) == older
    assert up(older) == newer


def test_an_absent_property_erases_its_entry() -> None:
    """A value that was deleted is not resurrected by an older entry."""
    assert up({"$propertyBag": {"v1": {"old": "stale"}}}) == {}


def test_a_live_property_overwrites_its_entry() -> None:
    """The live value wins over an entry of its own name and origin."""
    bag = {"v1": {"old": "stale"}, "v2": {"title": "stale"}}
    assert up({"old": "o", "name": "n", "$propertyBag": bag}) == {
        "title": "n",
        "$propertyBag": {"v1": {"old": "o"}},
    }


def test_a_value_set_over_a_null_wins() -> None:
    """A null that was read is forgotten once a value is set."""
    source, destination = Older.from_dict({"name": None, "old": None}), Newer()
    source.name, source.old = "x", "y"
    crossing = crossings()[0]
    bag = crossing.open(source, destination)
    destination.title = source.name
    bag.stash("v1", "old", source.old)
    destination.property_bag = crossing.close(bag)
    assert destination.to_dict() == {"title": "x", "$propertyBag": {"v1": {"old": "y"}}}


def test_what_is_left_to_a_hook_is_not_carried() -> None:
    """The null of a property that a hook handles is the hook's to carry."""
    assert up({"hooked": None}) == {}


def test_earlier_content_of_the_destination_does_not_matter() -> None:
    """Extras and bag of a used destination are replaced."""
    source, destination = Older(), Newer.from_dict({"x": 1, "$propertyBag": {"v1": {"a": 1}}})
    destination.title = destination.new = None
    crossings()[0].carry(source, destination)
    assert destination.to_dict() == {}


def test_nothing_is_shared() -> None:
    """Extras and bag of the destination are copies."""
    source = Older.from_dict({"x": [1], "$propertyBag": {"v9": {"a": [1]}}})
    destination = Newer()
    crossings()[0].carry(source, destination)
    destination.extra_["x"].append(2)
    assert destination.property_bag is not None
    destination.property_bag["v9"]["a"].append(2)
    assert source.to_dict() == {"x": [1], "$propertyBag": {"v9": {"a": [1]}}}


def test_reserved_names_in_api_input_are_user_data() -> None:
    """In API input `$propertyBag` waits in the bag of its version and comes out as it went in."""
    members = {"$propertyBag": "mine", "$created": None, "name": "x"}
    source = Older.read_members(copy(members), False)
    assert source.property_bag == {"v1": {"$propertyBag": "mine", "$$created": None}}
    lifted: list[Any] = []
    assert source.write_members(lifted) == members
    assert lifted == []
    destination = Newer()
    crossings()[0].carry(source, destination)
    assert destination.property_bag == source.property_bag

"""The property bag: entries by origin and key, four states, nothing shared."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.engine.members import take
from holdall.errors import BagError, DecodeError
from holdall.objects.bag import PropertyBag
from tests.unit.twins import open_bag, twin

Part = twin("v1", "Part", {"names": list[str], "nick": str})
Thing = twin("v1", "Thing", {"name": str, "nick": str, "part": Part})
Other = twin("v2", "Other", {"name": str})


def test_two_shapes_of_one_name_coexist() -> None:
    """An entry is found by origin and key together."""
    bag = PropertyBag()
    bag.put("v1", "tier", "gold")
    bag.put("v3", "tier", {"name": "gold"})
    assert bag == {"v1": {"tier": "gold"}, "v3": {"tier": {"name": "gold"}}}
    assert list(bag.entries()) == [("v1", "tier", "gold"), ("v3", "tier", {"name": "gold"})]


@pytest.mark.parametrize("value", [0, False, "", [], {}, "x", 1.5])
def test_empty_and_zero_are_kept(value: Any) -> None:
    """Only absence has no entry."""
    bag = PropertyBag()
    bag.put("v1", "a", value)
    assert bag == {"v1": {"a": value}}
    assert bag.has("v1", "a")


def test_null_is_kept() -> None:
    """None put is an explicit null."""
    bag = PropertyBag()
    bag.put("v1", "a", None)
    assert bag.has("v1", "a")
    assert bag.take("v1", "a", "default") is None
    assert bag == {}


def test_no_origin_stays_empty() -> None:
    """Taking, dropping or dropping all of the last entries removes their origin."""
    bag = PropertyBag({"v1": {"a": 1}, "v2": {"b": 2, "c": 3}})
    assert bag.take("v1", "a") == 1
    assert bag.take("v1", "a", "none") == "none"
    bag.drop("v1", "a")
    bag.drop_all("v1", frozenset({"a"}))
    bag.drop_all("v2", frozenset({"b", "x"}))
    assert bag == {"v2": {"c": 3}}
    bag.drop_all("v2", frozenset({"c"}))
    assert bag == {}


@pytest.mark.parametrize("mark", ["$absent", "$unfit", "$gone", "$beside"])
def test_a_damaged_mark_does_not_go_with_the_entries_that_it_names(mark: str) -> None:
    """It is reported, and kept for repair."""
    bag = PropertyBag({"v1": {"a": 1, "b": 2, mark: {"a": [1]}}})
    bag.drop("v1", "a")
    bag.drop_all("v1", frozenset({"a"}))
    assert bag == {"v1": {"b": 2, mark: {"a": [1]}}}


def test_a_clone_shares_nothing() -> None:
    """It is a deep copy."""
    bag = PropertyBag({"v1": {"a": [1]}})
    clone = PropertyBag.clone(bag)
    bag["v1"]["a"].append(2)  # type: ignore[union-attr]
    assert clone == {"v1": {"a": [1]}}
    assert PropertyBag.clone(None) == {}


def test_reading_drops_what_is_empty() -> None:
    """An empty bag is none, and empty origins vanish."""
    assert PropertyBag.read({}) is None
    assert PropertyBag.read({"v1": {}}) is None
    assert PropertyBag.read({"v1": {}, "v2": {"a": None}}) == {"v2": {"a": None}}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "/$propertyBag: expected object, found list"),
        (None, "/$propertyBag: expected object, found null"),
        ({"v1": 5}, "/$propertyBag/v1: expected object, found integer"),
        ({"a/b": None}, "/$propertyBag/a~1b: expected object, found null"),
        (
            {"v1": {"$unused": 1, "$shown": 1, "$gone": 1, "$became": 1, "$beside": 1}},
            "/$propertyBag/v1/$became: expected object, found integer",
        ),
    ],
)
def test_a_wrong_bag_is_a_located_error(value: Any, message: str) -> None:
    """A bag or an origin that is no object is refused with its place."""
    with pytest.raises(DecodeError) as caught:
        PropertyBag.read(value)
    assert str(caught.value) == message


def test_pulling_consumes_the_entry() -> None:
    """What is pulled leaves the bag; a null becomes one of the property."""
    destination = Thing()
    bag = open_bag(Other(), destination, {"v1": {"name": "x", "nick": None}, "v0": {"name": "y"}})
    for name in ("name", "nick", "nick"):
        take(bag, destination.members_, name)
    assert destination.members_ == {"name": "x", "nick": None}
    assert bag == {"v0": {"name": "y"}}


def test_a_wrong_entry_is_an_error_and_stays() -> None:
    """Nothing is consumed of a bag whose entry cannot be read, and the error names the place."""
    source, entries = Other(), {"v1": {"part": {"names": 1, "nick": 7}}}
    bag = open_bag(source, Thing(), entries)
    with pytest.raises(BagError) as caught:
        take(bag, {}, "part")
    assert str(caught.value) == "bag entry v1/part/names: expected list, found integer"
    assert caught.value.source is source
    assert bag == entries


def test_a_note_is_that_of_one_bag() -> None:
    """Values are shared by a bag and its copy; what is noted in one is not in the other."""
    bag = PropertyBag({"v2": {"a": 0, "b": 1, "$became": {"a": 2}}})
    copied = PropertyBag.own(bag)
    copied.note_became("v2", "b", 3)
    assert copied == {"v2": {"a": 0, "b": 1, "$became": {"a": 2, "b": 3}}}
    assert bag == {"v2": {"a": 0, "b": 1, "$became": {"a": 2}}}


def test_a_damaged_mark_stays_as_it_is() -> None:
    """It names nothing that could be forgotten, and a repair finds it."""
    bag = PropertyBag({"v2": {"a": 0, "$became": []}})
    assert bag.take("v2", "a") == 0
    assert bag == {"v2": {"$became": []}}


def test_an_entry_is_taken_from_a_bag_on_its_way() -> None:
    """That is a plain dictionary, as it was decoded."""
    bag: Any = {"v1": {"a": 1, "b": 2, "$gone": ["a"]}}
    assert PropertyBag.take(bag, "v1", "a") == 1
    assert PropertyBag.take(bag, "v1", "a", "none") == "none"
    assert bag == {"v1": {"b": 2}}

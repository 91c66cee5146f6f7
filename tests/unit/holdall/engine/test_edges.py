"""Crossing an edge: nulls, extras and reserved names find their place, foreign entries pass."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from holdall.engine.member_ways import Way
from holdall.engine.members import BAG, convert, convert_each, finish, inner, pull, start, stash
from holdall.objects.bag import WaitingBag
from holdall.text.json import copy
from tests.unit.twins import edge, twin

Older = twin("v1", "Older", {"name": str, "old": str, "hooked": str})
Newer = twin("v2", "Newer", {"title": str, "new": str})


TO, BACK = edge(
    Older,
    Newer,
    renamed={"name": "title"},
    only_older=("old",),
    only_newer=("new",),
    left_older=("hooked",),
)


def up(document: dict[str, Any]) -> dict[str, Any]:
    """Convert as generated code does, and return what came out."""
    old, way = copy(document), Way()
    new = start(old, TO)
    new.pop("hooked", None)
    if "old" in new:
        stash(new, "v1", "old")
    if "name" in old:
        new["title"] = new.pop("name")
    if BAG in old:
        pull(new, old, TO, "new")
    new = finish(TO, old, new, way)
    assert old == document
    return new


def down(document: dict[str, Any]) -> dict[str, Any]:
    old, way = copy(document), Way()
    new = start(old, BACK)
    if "new" in new:
        stash(new, "v2", "new")
    if "title" in old:
        new["name"] = new.pop("title")
    if BAG in old:
        pull(new, old, BACK, "old")
    new = finish(BACK, old, new, way)
    assert old == document
    return new


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


def test_entries_of_a_wrong_kind_are_found_in_the_same_order_in_all_processes() -> None:
    """They are set aside one after the other, and a member that carries bags is not sorted."""
    names = [f"list{number}" for number in range(9)]
    to, _ = edge(*(twin(version, "Lists", dict.fromkeys(names, list[str])) for version in "ab"))
    found = to.wrong_kinds({"b": dict.fromkeys(reversed(names), 5)})
    assert [name for name, _ in found] == names


def test_a_value_set_over_a_null_wins() -> None:
    """A null that was read is forgotten once a value is set."""
    source = Older.from_dict({"name": None, "old": None})
    source.name, source.old = "x", "y"
    assert up(source.to_dict()) == {"title": "x", "$propertyBag": {"v1": {"old": "y"}}}


def test_what_is_left_to_a_hook_is_not_carried() -> None:
    """The null of a property that a hook handles is the hook's to carry."""
    assert up({"hooked": None}) == {}


def test_a_bag_is_shared_until_something_changes_in_it() -> None:
    """Undeclared members and bags are the source's; what changes in a bag does not reach it."""
    waiting = {"v2": {"new": "n", "$$value": 1}, "v9": {"a": [1]}}
    far = {"v9": {"a": [1]}}
    document = {"x": [1], BAG: far}
    new = finish(TO, document, start(document, TO), Way())
    assert new == document and new[BAG] is document[BAG]
    assert up({"old": "o", BAG: far})[BAG] == {"v1": {"old": "o"}, **far}
    assert up({BAG: {"v2": {"new": "n"}, **far}}) == {"new": "n", BAG: far}
    made = up({"old": "o", BAG: waiting})
    assert made == {"new": "n", BAG: {"v1": {"old": "o"}, "v2": {"$$value": 1}, **far}}
    assert up({BAG: {"v2": {"title": "stale"}, **far}})[BAG] == far


def test_a_hook_has_a_bag_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """It changes it where it is, and what it was made of stays as it was."""

    def hook(old: Any, new: Any, way: Way) -> None:
        Newer.view_(new).property_bag.put("v9", "b", 2)

    document = {BAG: {"v9": {"a": 1}}}
    monkeypatch.setattr(TO, "bound", hook)
    assert up(document)[BAG] == {"v9": {"a": 1, "b": 2}}
    assert document == {BAG: {"v9": {"a": 1}}}


def test_a_judge_sees_the_whole_object(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move has taken something out of it, which is live all the same."""
    document, way = {BAG: {"v9": {"a": 1}}}, Way()
    judge = Mock()
    monkeypatch.setattr(TO, "judge", judge)
    way.wholes[id(document)] = document, {**copy(document), "moved": 1}
    new = start(document, TO)
    assert finish(TO, document, new, way) is new
    judge.concerns.assert_called_once_with(new)
    (source, destination), _ = judge.call_args
    assert source.members_["moved"] == 1 and destination.members_ is new


def test_a_bag_of_tracked_values_is_not_shared() -> None:
    """What waits in it waits for one edge: on the next one it would be looked at again."""
    waiting = WaitingBag({"v9": {"a": 1}})
    waiting.untaken = set()
    document: dict[str, Any] = {BAG: waiting}
    assert type(start(document, TO)[BAG]) is not WaitingBag


def test_reserved_names_in_api_input_are_user_data() -> None:
    """In API input `$propertyBag` waits in the bag of its version and comes out as it went in."""
    members = {"$propertyBag": "mine", "$created": None, "name": "x"}
    source = Older.read_members(copy(members), False)
    assert source.property_bag == {"v1": {"$propertyBag": "mine", "$$created": None}}
    lifted: list[Any] = []
    assert source.write_members(lifted) == members
    assert lifted == []
    assert up(source.members_)["$propertyBag"] == source.property_bag


def test_an_object_in_which_nothing_differs_is_passed_over() -> None:
    """It stays itself; one with a bag, a renamed member or an undeclared one of a name is made."""
    one, other = twin("v1", "One", {"a": str, "b": str}), twin("v2", "Other", {"a": str, "c": str})
    crossing, _ = edge(one, other, only_older=("b",), only_newer=("c",))
    crossing.convert = lambda old, way: {"made": old}
    crossing.convert_inner = inner(crossing)
    alike: list[dict[str, Any]] = [{}, {"a": "x"}, {"a": None, "more": {}}]
    for same in alike:
        assert convert(crossing, same, Way()) is same
    items: list[Any] = [{"a": "x"}, None, {"b": None}, {"c": "x"}, {BAG: {}}]
    found = convert_each(crossing, items, Way())
    assert found[:2] == items[:2] and found[0] is items[0]
    assert found[2:] == [{"made": item} for item in items[2:]]


def test_what_a_hook_or_other_names_concern_is_not_passed_over() -> None:
    """A hook may make something of nothing, and what is left to one must not be lost."""
    left: dict[str, Any] = {"left_older": ("old",), "only_older": ("hooked",)}
    for facts in ({}, left):
        crossing, _ = edge(Older, Newer, **facts)
        assert crossing.touched is None
    crossing, _ = edge(Older, Newer, only_older=("old",))
    crossing.bound = lambda old, new, way: None
    crossing.prepare(same=False)
    assert crossing.touched is None

"""Storage twins: views of JSON members, written without what only they have."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from holdall.errors import BagError, DecodeError
from holdall.objects.bag import PropertyBag
from holdall.objects.shapes import objects_within
from holdall.objects.stored_forms import Lifted
from holdall.objects.views import (
    SOURCE,
    Member,
    StorageObject,
    StorageRoot,
    StorageTuple,
    StorageUnion,
)
from tests.support.work import steps_of


class Range(StorageTuple, version="v2"):
    """A union's payload that is a list on the wire."""

    n0: Member[int] = Member("0")
    n1: Member[int] = Member("1")


class Mode(StorageUnion, version="v2"):
    """A bare name, or a payload."""

    unit: Member[str] = Member("$unit")
    between: Member[Range] = Member("between", Range)


class Site(StorageObject, version="v2"):
    """An object that holds unions at several depths."""

    mode: Member[Mode] = Member("mode", Mode)
    modes: Member[list[Mode]] = Member("modes", list, Mode)


class Depot(StorageObject, version="v2"):
    """An object with a bag, whose site no one has looked into yet."""

    site: Member[Site] = Member("site", Site)
    range: Member[Range] = Member("range", Range)


class Yard(StorageRoot, version="v2", api_version="a/v2", kind="Yard"):
    """A kind."""


@pytest.mark.parametrize("document", [[1], "text", None])
def test_what_is_not_an_object_is_not_of_a_kind(document: Any) -> None:
    with pytest.raises(DecodeError, match="expected object, found "):
        Yard.from_dict(document)


def test_many_extras_cost_each_the_same() -> None:
    def replaced(count: int) -> Site:
        site = Site.view_({f"x{number}": number for number in range(count)})
        site.extra_ = {"y": 1}
        return site

    assert replaced(9).members_ == {"y": 1}
    assert steps_of(lambda: replaced(4000)) < 11 * steps_of(lambda: replaced(400))


def test_unions_stay_closed_where_bags_are_lifted() -> None:
    """Finding the objects with bags opens unions and tuples in the twin, not in what is written."""
    wire: Any = {
        "site": {"mode": "plain", "modes": [{"between": [1, 2]}, "plain"]},
        "range": [3, 4],
    }
    bag = PropertyBag({"v1": {"note": "n"}})
    depot = Depot.view_({**copy.deepcopy(wire), "$propertyBag": bag})
    lifted: Lifted = []
    assert depot.write_members(lifted) == wire
    assert [(type(obj), held) for obj, held in lifted] == [(Depot, bag)]
    assert [path for path, _ in objects_within(depot)] == [
        *("", "/site", "/site/mode", "/site/modes/0", "/site/modes/0/between", "/site/modes/1"),
        "/range",
    ]
    assert depot.write_members([]) == depot.api_members_() == wire


@pytest.mark.parametrize("name", ["$propertyBag", "$originalVersion"])
def test_what_holdall_keeps_is_not_an_extra(name: str) -> None:
    kept: dict[str, Any] = {"$propertyBag": {"v1": {"note": "n"}}, "$originalVersion": "v1", "x": 1}
    site = Site.view_(copy.deepcopy(kept))
    with pytest.raises(BagError, match="not an extra of a storage twin; set the attribute"):
        site.extra_[name] = 5
    with pytest.raises(BagError, match="is not an extra"):
        site.extra_ = {"y": 2, name: {}}
    assert site.members_ == kept


def test_what_a_source_gives_is_a_copy_that_it_shows_once() -> None:
    """Of bags and of containers that no type declares, too."""
    given: dict[str, Any] = {"$propertyBag": {"v1": {"note": ["n"]}}, "x": [1]}
    members = copy.deepcopy(given)
    site: Any = Site.view_(members, SOURCE)
    bag = site.property_bag
    assert bag == given["$propertyBag"]
    assert site.property_bag is bag
    bag["v1"]["note"].append("other")
    site.extra_["x"].append(2)
    edited = {"$propertyBag": {"v1": {"note": ["n", "other"]}}, "x": [1, 2]}
    assert site.to_dict() == edited
    assert members == given
    site.property_bag = None
    assert site.property_bag is None


def test_an_object_of_a_source_that_is_written_stays_as_it_was() -> None:
    members = {"site": {"x": 1}}
    depot = Depot.view_(members, SOURCE)
    site: Any = depot.site
    site.extra_["x"] = 2
    assert depot.to_dict() == {"site": {"x": 2}}
    assert members == {"site": {"x": 1}}

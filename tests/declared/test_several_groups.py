"""A declaration with resources of several API groups, which share objects."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.errors import UnknownKindError
from tests.support.declared import Declared, Declaring
from tests.support.objects import resource
from tests.support.reviews import review_of

TEXT = """
VERSIONS = Versions(Version("v1alpha1"), Version("v1"), tracking=Tracking(carrier="annotation"))


@obj
class Address:
    street: str
    floor: Annotated[int, added("v1")]


@resource(group="sleep.example.org")
class HotelSpec:
    address: Address


@resource(group="eat.example.org")
class BakerySpec:
    address: Address
"""
GROUPS = {"Hotel": "sleep.example.org", "Bakery": "eat.example.org"}


@pytest.fixture(scope="module")
def guide(declared: Declaring) -> Declared:
    return declared(TEXT)


def place(kind: str, version: str, **address: Any) -> dict[str, Any]:
    return resource(
        f"{GROUPS[kind]}/{version}", kind, "p", spec={"address": {"street": "s", **address}}
    )


@pytest.mark.parametrize("kind", GROUPS)
def test_each_kind_is_of_its_group(guide: Declared, kind: str) -> None:
    """In documents, types, enums, tracked values and CRDs."""
    group = GROUPS[kind]
    new = place(kind, "v1", floor=2)
    old = guide.convert(new, to="v1alpha1")
    assert old["apiVersion"] == f"{group}/v1alpha1"
    assert list(old["metadata"]["annotations"]) == [f"{group}/changed-values"]
    assert guide.convert(old, to=f"{group}/v1") == new
    typed = getattr(guide.api("v1"), kind).from_dict(new)
    assert guide.convert(typed, to="v1alpha1").api_version == f"{group}/v1alpha1"
    known = getattr(guide.kinds, kind)
    assert known.Version.V1.as_api_version_str() == f"{group}/v1"
    crd = known.merged_crd(known.Version.V1)
    assert crd["spec"]["group"] == group
    assert crd["metadata"]["name"].endswith(f".{group}")


@pytest.mark.parametrize("kind", GROUPS)
def test_reviews_know_the_group(guide: Declared, kind: str) -> None:
    """The kind's own answer."""
    known = getattr(guide.kinds, kind)
    for group in GROUPS.values():
        review = review_of([place(kind, "v1", floor=2)], f"{group}/v1alpha1")
        result = known.try_convert(review)["response"]["result"]
        assert (result["status"] == "Success") == (group == GROUPS[kind])


def test_a_kind_of_another_group_is_unknown(guide: Declared) -> None:
    """Groups of one declaration are not mixed up."""
    mixed = {**place("Hotel", "v1"), "apiVersion": "eat.example.org/v1"}
    with pytest.raises(UnknownKindError, match=r'did you mean "sleep\.example\.org/v1"'):
        guide.convert(mixed, to="v1alpha1")
    with pytest.raises(UnknownKindError):
        guide.convert(place("Hotel", "v1"), to="eat.example.org/v1alpha1")

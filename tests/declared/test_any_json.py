"""The null of any JSON is a value: functions get and make it, and it is the default of its type."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.declared import Declared, Declaring
from tests.support.objects import resource

SHELF = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking())


def shown(value: object) -> str:
    return "nothing" if value is None else str(value)


def read(text: str) -> Json:
    return None if text == "nothing" else text


def nothing() -> Json:
    return None


@obj
class Box:
    size: int
    content: Json


@resource(group="shelves.example.com")
class ShelfSpec:
    label: str
    content: Annotated[Json, changed("v2", from_type=str, upgrade_with=read, downgrade_with=shown)]
    stuck: Annotated[U8, changed("v2", from_type=Json)]
    loose: Annotated[U8, changed("v2", from_type="str | None")]
    more: Annotated[Json, added("v2")]
    made: Annotated[Json, added("v2", default=nothing)]
    box: Annotated[Box, added("v2")]
    gone: Annotated[Json, removed("v2", default=nothing)]
"""


@pytest.fixture(scope="module")
def shelves(declared: Declaring) -> Declared:
    return declared(SHELF)


def shelf(version: str, **spec: Any) -> dict[str, Any]:
    return resource(f"shelves.example.com/{version}", "Shelf", "a", spec=spec)


def test_functions_get_and_make_nulls(shelves: Declared) -> None:
    old = shelves.convert(shelf("v2", content=None), to="v1")
    assert old["spec"]["content"] == "nothing"
    new = shelves.convert(shelf("v1", content="nothing"), to="v2")
    assert new["spec"]["content"] is None
    assert shelves.convert(new, to="v1")["spec"]["content"] == "nothing"


def test_a_null_does_not_arrive_where_its_type_has_none(shelves: Declared) -> None:
    """Without a function the other side has the default of its type, and the null returns."""
    start = shelf("v1", stuck=None)
    new = shelves.convert(start, to="v2")
    assert new["spec"]["stuck"] == 0
    assert shelves.convert(new, to="v1")["spec"]["stuck"] is None


def test_null_is_the_default(shelves: Declared) -> None:
    """What appears is complete, so that it can be read as its type."""
    start = shelf("v1", label="x", content="y", stuck=None, loose="z", gone=None)
    new = shelves.convert(start, to="v2")
    assert new["spec"].items() >= {"more": None, "made": None, "box": BOX}.items()
    kind, version = shelves.kinds.Shelf, shelves.kinds.ShelfVersion
    typed = kind.convert(shelves.api("v1").Shelf.from_dict(start), version.V2)
    assert typed.to_dict() == new
    assert shelves.convert(new, to="v1") == start


BOX = {"size": 0, "content": None}


@pytest.mark.parametrize("more", [{}, {"more": None}, {"more": 1}], ids=["none", "null", "value"])
def test_what_is_not_the_default_is_kept(shelves: Declared, more: Any) -> None:
    start = shelf("v2", **more, made=None, box=BOX)
    old = shelves.convert(start, to="v1")
    assert ("status" in old) is (more != {"more": None})
    assert shelves.convert(old, to="v2") == start


def test_a_null_where_none_may_be_returns_as_it_was(shelves: Declared) -> None:
    """Such an object may be stored: it is converted, and comes back."""
    start = shelf("v2", loose=None, more=None, made=None, box=BOX)
    assert shelves.convert(shelves.convert(start, to="v1"), to="v2") == start


def test_untracked_nulls_are_defaults_as_well(declared: Declaring) -> None:
    shelves = declared(SHELF.replace(", tracking=Tracking()", ""))
    assert shelves.convert(shelf("v1"), to="v2")["spec"]["more"] is None


ITEM = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking())


def as_text(content: object) -> str:
    return "Seen"


@union
class Content:
    Empty: Unit
    Seen: Unit
    Open: Annotated[Json, added("v2", fallback="Empty")]
    Maybe: Annotated[U8 | None, added("v2", fallback="Seen")]
    Made: Annotated[Json, added("v2", downgrade_with=as_text)]
    Small: Annotated[U8, added("v2", fallback="Empty")]
    Gone: Annotated[Json, removed("v2", fallback="Empty")]


@resource(group="shelves.example.com")
class ShelfSpec:
    content: Content
"""


@pytest.fixture(scope="module")
def items(declared: Declaring) -> Declared:
    return declared(ITEM)


@pytest.mark.parametrize(
    ("version", "variant", "instead"),
    [
        ("v2", "Open", "Empty"),
        ("v2", "Maybe", "Seen"),
        ("v2", "Made", "Seen"),
        ("v1", "Gone", "Empty"),
        ("v2", "Small", {}),  # which has no null: nothing takes the place of what is no variant
    ],
)
def test_a_null_is_the_payload_of_a_variant(
    items: Declared, version: str, variant: str, instead: Any
) -> None:
    start = shelf(version, content={variant: None})
    there = items.convert(start, to={"v1": "v2", "v2": "v1"}[version])
    assert there["spec"]["content"] == instead
    assert items.convert(there, to=version) == start
    there["spec"]["content"] = "Seen" if instead == "Empty" else "Empty"
    edited = items.convert(there, to=version)
    assert edited["spec"] == there["spec"]

"""Enums with other names in another version, wherever a declared type holds them."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.errors import ConversionError
from tests.support.declared import Declared, Declaring
from tests.support.objects import resource

PAINTS = """
from typing import Generic, TypeVar

T = TypeVar("T")
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking(carrier="CARRIER"))


@union
class Color:
    Red: Annotated[Unit, changed("v2", from_name="Crimson")]
    Blue: Unit
    Teal: Annotated[Unit, added("v2", fallback="Blue")]
    Gold: Annotated[Unit, added("v2", fallback=FAIL)]


@obj
class Stack(Generic[T]):
    top: T
    rest: list[T]


@union
class Coat(Generic[T]):
    Bare: Unit
    Single: T
    Double: tuple[T, T]
    Mixed: Annotated[tuple[int, list[T], dict[str, Color]], changed("v2", from_name="Blend")]


@resource(group="paints.example.com", status=Stack[Color])
class WallSpec:
    wall: Coat[Color]
    stack: Stack[Color]
    deep: list[Stack[Stack[Color]]]
"""
# Of the member `wall`, in both versions.
WALLS: list[tuple[Any, Any]] = [
    ({"Single": "Crimson"}, {"Single": "Red"}),
    ({"Double": ["Crimson", "Blue"]}, {"Double": ["Red", "Blue"]}),
    (
        {"Blend": [3, ["Blue", "Crimson"], {"a": "Crimson"}]},
        {"Mixed": [3, ["Blue", "Red"], {"a": "Red"}]},
    ),
    ("Bare", "Bare"),
]


BRUSHES = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking())


@union
class Color:
    Red: Annotated[Unit, changed("v2", from_name="Crimson")]
    Blue: Unit
    Teal: Annotated[Unit, added("v2", fallback="Blue")]


@obj
class Handle:
    color: Color


@union
class Tip:
    Flat: Unit
    Dyed: Annotated[tuple[U16, Color], changed("v2", from_type=tuple[U8, Color])]


@resource(group="brushes.example.com")
class BrushSpec:
    color: Annotated[Color | None, changed("v2", from_type=Color)]
    colors: Annotated[list[Color | None], changed("v2", from_type=list[Color])]
    name: Annotated[str, changed("v2", from_type=Color)]
    tip: Tip
    size: Annotated[Color, changed("v2", from_type=int)]
    handle: Annotated[Handle, changed("v2", from_type=int)]
"""


@pytest.fixture(scope="module", params=["status", "annotation", "bag"])
def paints(request: pytest.FixtureRequest, declared: Declaring) -> Declared:
    return declared(PAINTS.replace("CARRIER", request.param))


def wall(version: str, /, **spec: Any) -> dict[str, Any]:
    return resource(f"paints.example.com/{version}", "Wall", "w", spec=spec)


@pytest.mark.parametrize(("old", "new"), WALLS)
def test_names_change_in_tuples_and_in_generic_classes(
    paints: Declared, old: Any, new: Any
) -> None:
    """As they do in fields, lists and dicts."""
    start = wall("v1", wall=old, stack={"top": "Crimson", "rest": ["Crimson", "Blue"]})
    there = paints.convert(start, to="v2")
    assert there["spec"]["wall"] == new
    assert there["spec"]["stack"] == {"top": "Red", "rest": ["Red", "Blue"]}
    assert paints.convert(there, to="v1") == start


def test_the_fallback_takes_the_place_and_the_name_returns(paints: Declared) -> None:
    """A name that the older version lacks is kept like any other."""
    stack = {"top": "Teal", "rest": ["Blue", "Teal"]}
    deep = [{"top": stack, "rest": []}]
    start = wall("v2", wall={"Double": ["Teal", "Red"]}, stack=stack, deep=deep)
    there = paints.convert(start, to="v1")
    blue = {"top": "Blue", "rest": ["Blue", "Blue"]}
    assert there["spec"] == {
        "wall": {"Double": ["Blue", "Crimson"]},
        "stack": blue,
        "deep": [{"top": blue, "rest": []}],
    }
    assert paints.convert(there, to="v2") == start


@pytest.mark.parametrize("coat", [{"Single": "Gold"}, {"Double": ["Red", "Gold"]}])
def test_a_name_without_a_fallback_is_an_error(paints: Declared, coat: Any) -> None:
    with pytest.raises(ConversionError, match="no such variant"):
        paints.convert(wall("v2", wall=coat), to="v1")


def test_a_status_may_be_of_a_generic_class(declared: Declaring) -> None:
    paints = declared(PAINTS.replace("CARRIER", "annotation"))
    start = wall("v1") | {"status": {"top": "Crimson", "rest": []}}
    assert paints.convert(start, to="v2")["status"] == {"top": "Red", "rest": []}


def test_names_change_where_the_type_around_them_does(declared: Declaring) -> None:
    """A type that converts by itself has the enum on both sides; as text it keeps its name."""
    brushes = declared(BRUSHES)
    spec = {"color": "Crimson", "colors": ["Crimson", "Blue"], "name": "Crimson"}
    start = resource(
        "brushes.example.com/v1", "Brush", "b", spec=spec | {"tip": {"Dyed": [7, "Crimson"]}}
    )
    there = brushes.convert(start, to="v2")
    assert there["spec"] == {
        "color": "Red",
        "colors": ["Red", "Blue"],
        "name": "Crimson",
        "tip": {"Dyed": [7, "Red"]},
    }
    assert brushes.convert(there, to="v1") == start


def test_what_has_no_default_is_absent(declared: Declaring) -> None:
    """Between types that do not convert, the default takes the place of the value, if there is
    one: no variant of the enum is marked."""
    brushes = declared(BRUSHES)
    start = resource("brushes.example.com/v1", "Brush", "b", spec={"size": 3, "handle": 4})
    there = brushes.convert(start, to="v2")
    assert there["spec"] == {}
    assert brushes.convert(there, to="v1") == start
    there["spec"] = {"size": "Red", "handle": {"color": "Teal"}}
    assert brushes.convert(there, to="v1")["spec"] == {"size": 0, "handle": 0}

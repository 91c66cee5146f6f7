"""Tracked values of a property that a version on the way has gained with a default since then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.declared import Declared, declare
from tests.support.objects import resource

GROUP = "post.example.com"
BOXES = """
VERSIONS = Versions(
    Version("v1"), Version("v2"), Version("v3"), tracking=Tracking(carrier="CARRIER")
)


def seven() -> int:
    return 7


def text() -> str:
    return "7"


def of_box(box: Any) -> int:
    return len(box["name"])


def read(number: str) -> int:
    return int(number)


def same(number: int) -> int:
    return number


def low(number: int) -> int:
    return number % 100


@obj
class Part:
    name: str
    size: SIZE


@resource(group="post.example.com")
class BoxSpec:
    name: str
    size: SIZE
    parts: list[Part]
    table: dict[str, Part]
"""
ADDED = "Annotated[U32, added('{}', default=seven)]"
FROM_TEXT = "changed('v3', from_type=str, upgrade_with=read, downgrade_with=str)"
FROM_LOW = "changed('v3', from_type=U8, upgrade_with=same, downgrade_with=low)"
PAIRS: dict[str, tuple[str, str, str, str]] = {
    "added before": ("v3", "v1", ADDED.format("v3"), ADDED.format("v2")),
    "added before, by a function of the parent": (
        "v3",
        "v1",
        ADDED.format("v3"),
        "Annotated[U32, added('v2', default_from=of_box)]",
    ),
    "added before, with another type": (
        "v3",
        "v1",
        ADDED.format("v3"),
        f"Annotated[U32, added('v2', default=text), {FROM_TEXT}]",
    ),
    "added before, with a type that holds less": (
        "v3",
        "v1",
        ADDED.format("v3"),
        f"Annotated[U32, added('v2', default=seven), {FROM_LOW}]",
    ),
    "removed later": (
        "v1",
        "v3",
        "Annotated[U32, removed('v2', default=seven)]",
        "Annotated[U32, removed('v3', default=seven)]",
    ),
}


def boxes(root: Path, size: str, carrier: str) -> Declared:
    return declare(
        root, "from typing import Any\n" + BOXES.replace("SIZE", size).replace("CARRIER", carrier)
    )


def box(version: str, size: Any) -> dict[str, Any]:
    part = {"name": "p", "size": size}
    spec = {"name": "four", "size": size, "parts": [part], "table": {"k": part}}
    return resource(f"{GROUP}/{version}", "Box", "b", spec=spec)


@pytest.fixture(scope="module", params=PAIRS.items(), ids=lambda pair: pair[0])
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, str, Declared, Declared]:
    """Where a size was set and where the box was stored; the declarations before and after."""
    _, (origin, stored, before, after) = request.param
    folder = tmp_path_factory.mktemp("boxes")
    old, new = boxes(folder / "old", before, "status"), boxes(folder / "new", after, "annotation")
    return origin, stored, old, new


@pytest.mark.parametrize("size", [300, 5])
def test_the_default_that_the_way_fills_in_is_no_edit(
    pair: tuple[str, str, Declared, Declared], size: int
) -> None:
    """Nobody has seen it: what was stored comes back, and nothing is reported."""
    origin, stored, old, new = pair
    kept = old.convert(box(origin, size), to=stored)
    report: list[Any] = []
    back = new.convert(kept, to=origin, report=report)
    assert (back, report) == (box(origin, size), [])
    again = new.convert(back, to=stored)
    assert new.convert(again, to=origin) == back


def test_what_a_client_sets_on_the_way_is_one(
    pair: tuple[str, str, Declared, Declared],
) -> None:
    """It wins, and the report says so."""
    origin, stored, old, new = pair
    seen = new.convert(old.convert(box(origin, 300), to=stored), to="v2")
    is_text = isinstance(seen["spec"]["size"], str)
    seen["spec"]["size"] = "9" if is_text else 9
    report: list[Any] = []
    back = new.convert(new.convert(seen, to=stored), to=origin, report=report)
    assert back["spec"]["size"] == 9
    assert [one.address.partition(":")[0] for one in report] == ["$.size"]

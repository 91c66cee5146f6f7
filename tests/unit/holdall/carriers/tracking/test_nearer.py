"""Tracked values of a property that a version nearer to the object has gained since then."""

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
def test_it_comes_back(pair: tuple[str, str, Declared, Declared], size: int) -> None:
    """What was stored comes back instead of defaults, and nothing is reported."""
    origin, stored, old, new = pair
    kept = old.convert(box(origin, size), to=stored)
    report: list[Any] = []
    back = new.convert(kept, to=origin, report=report)
    assert (back, report) == (box(origin, size), [])
    again = new.convert(back, to=stored)
    assert new.convert(again, to=origin) == back


@pytest.mark.parametrize("size", [300, 5])
def test_the_nearer_version_shows_it(pair: tuple[str, str, Declared, Declared], size: int) -> None:
    """It shows what it would show of the object itself, and no later step loses anything."""
    origin, stored, old, new = pair
    report: list[Any] = []
    seen = new.convert(old.convert(box(origin, size), to=stored), to="v2", report=report)
    assert seen["spec"] == new.convert(box(origin, size), to="v2")["spec"]
    assert new.convert(seen, to=origin, report=report) == box(origin, size)
    assert new.convert(new.convert(seen, to=stored), to=origin, report=report) == box(origin, size)
    assert report == []


def test_what_a_client_sets_there_wins(pair: tuple[str, str, Declared, Declared]) -> None:
    """The other sizes come back."""
    origin, stored, old, new = pair
    seen = new.convert(old.convert(box(origin, 300), to=stored), to="v2")
    is_text = isinstance(seen["spec"]["size"], str)
    seen["spec"]["size"] = "9" if is_text else 9
    report: list[Any] = []
    back = new.convert(new.convert(seen, to=stored), to=origin, report=report)
    expected = box(origin, 300)
    expected["spec"]["size"] = 9
    assert (back, report) == (expected, [])


SHELVES = """
VERSIONS = Versions(VERSION_LIST, tracking=Tracking(carrier="CARRIER"))


@obj
class Book:
    title: str
    pages: Annotated[U16, added("v4")]


@obj
class Board:
    length: U16
    books: Annotated[list[Book], added("SINCE")]
    note: Annotated[str | None, added("SINCE")]


@resource(group="post.example.com")
class ShelfSpec:
    boards: list[Board]
    first: Annotated[Board | None, added("SINCE")RENAMED]
"""


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
@pytest.mark.parametrize("to", ["v2", "v3"])
def test_several_versions_may_have_come_between(tmp_path: Path, carrier: str, to: str) -> None:
    """What they cannot hold of a value stays an entry; elements are found by their index."""

    def shelves(folder: str, versions: str, since: str, renamed: str = "") -> Declared:
        named = ", ".join(f'Version("{name}")' for name in versions.split())
        text = SHELVES.replace("VERSION_LIST", named).replace("SINCE", since)
        text = text.replace("RENAMED", renamed).replace("CARRIER", carrier)
        return declare(tmp_path / folder, text)

    old = shelves("old", "v1 v4", "v4")
    new = shelves("new", "v1 v2 v3 v4", "v2", ", changed('v4', from_name='top')")
    book = {"title": "Dune", "pages": 600}
    boards = [{"length": 1, "books": [book], "note": "old"}, {"length": 2, "books": []}]
    spec = {"boards": boards, "first": {"length": 3, "books": [book, book]}}
    shelf = resource(f"{GROUP}/v4", "Shelf", "s", spec=spec)
    kept = old.convert(shelf, to="v1")
    report: list[Any] = []
    seen = new.convert(kept, to=to, report=report)
    assert seen["spec"] == new.convert(shelf, to=to)["spec"]
    assert new.convert(seen, to="v4", report=report) == shelf
    assert new.convert(kept, to="v4", report=report) == shelf
    assert report == []


LABELS = """
VERSIONS = Versions(VERSION_LIST, tracking=Tracking(carrier="CARRIER"))


def read(text: str) -> int:
    return int(text) if text.isdecimal() else 0


@resource(group="post.example.com")
class LabelSpec:
    text: Annotated[
        str, changed("SINCE", from_type=U32, upgrade_with="builtins:str", downgrade_with=read)
    ]
"""


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
def test_a_change_may_have_come_to_a_nearer_version(tmp_path: Path, carrier: str) -> None:
    """What was kept beside a number is used in the first version that has the text."""

    def labels(folder: str, versions: str, since: str) -> Declared:
        named = ", ".join(f'Version("{name}")' for name in versions.split())
        text = LABELS.replace("VERSION_LIST", named).replace("SINCE", since)
        return declare(tmp_path / folder, text.replace("CARRIER", carrier))

    old = labels("old", "v1 v4", "v4")
    new = labels("new", "v1 v2 v3 v4", "v2")
    label = resource(f"{GROUP}/v4", "Label", "s", spec={"text": "seven"})
    kept = old.convert(label, to="v1")
    report: list[Any] = []
    for version in ("v2", "v3"):
        seen = new.convert(kept, to=version, report=report)
        assert seen["spec"] == label["spec"]
        assert new.convert(seen, to="v4", report=report) == label
    assert new.convert(kept, to="v4", report=report) == label
    assert report == []
    edited = {**kept, "spec": {"text": 5}}
    assert new.convert(edited, to="v4")["spec"] == {"text": "5"}


EDITED = """
VERSIONS = Versions(
    Version("v1"), Version("v2"), Version("v3"), tracking=Tracking(carrier="CARRIER")
)


def up(text: str) -> int:
    return len(text)


def down(number: int) -> str:
    return "x" * number


@union
class Mode:
    A: Annotated[Unit, default_variant]
    B: Unit
    C: Annotated[Unit, removed("v2", fallback="B")]


@obj
class Part:
    name: str
    size: Annotated[
        U32,
        changed("v2", from_name="length", from_type=str, upgrade_with=up, downgrade_with=down),
        changed("v3", from_name="width"),
    ]


@resource(group="post.example.com")
class BoxSpec:
    mode: Mode
    part: Part
    parts: list[Part]
    table: dict[str, Part]
"""


def spec(mode: str, size: dict[str, Any]) -> dict[str, Any]:
    part = {"name": "p", **size}
    return {"mode": mode, "part": part, "parts": [part], "table": {"k": part}}


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
@pytest.mark.parametrize("edits", [True, False])
def test_an_entry_that_an_edit_overrode_is_not_waiting_for_the_former_value(
    carrier: str, edits: bool, tmp_path: Path
) -> None:
    """A client shows the former value again, at another version, after a conversion."""
    post = declare(tmp_path, EDITED.replace("CARRIER", carrier))
    first = spec("C", {"length": "abc"})
    new = post.convert(resource(f"{GROUP}/v1", "Box", "b", spec=first), to="v3")
    assert new["spec"] == spec("B", {"size": 3})
    if edits:
        new["spec"] = spec("A", {"size": 5})
    middle = post.convert(new, to="v2")
    middle["spec"] = spec("B", {"width": 3})
    old = post.convert(middle, to="v1")
    assert old["spec"] == (spec("B", {"length": "xxx"}) if edits else first)

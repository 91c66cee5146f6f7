"""Tracked values that cannot be used are found at once, whatever the number of the others."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from holdall.carriers.tracking import entries
from holdall.objects.tolerance import Unused
from holdall.review.reviewer import Reviewer
from holdall.text.json_path import Segment, parse_path
from tests.support.declared import Declared, declare
from tests.support.objects import resource
from tests.support.reviews import body_of, converted

GROUP = "post.example.com"
BOXES = f"""
VERSIONS = Versions(
    Version("v1"), Version("v2"), Version("v3"), tracking=Tracking(on_bad_value="BAD")
)


def cut(number: int) -> int:
    return min(number, 65535)


def checked(text: str) -> int:
    return int(text)


def no_level() -> str:
    return "0"


@obj
class Part:
    name: str
    width: Annotated[U32, changed("v2", from_type=U16, downgrade_with=cut)]
    color: Annotated[str | None, added("v2")]


@resource(group="{GROUP}")
class BoxSpec:
    parts: list[Part]
    level: Annotated[
        U32,
        added("v2", default=no_level),
        changed("v3", from_type=str, upgrade_with=checked, downgrade_with=str),
    ]
"""
COUNT = 40


@pytest.fixture(scope="module", params=["error", "tolerant"])
def boxes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Declared:
    return declare(tmp_path_factory.mktemp(request.param), BOXES.replace("BAD", request.param))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each path was read."""
    counts = Counter[str]()

    def counted(text: str) -> tuple[Segment, ...]:
        counts[text] += 1
        return parse_path(text)

    monkeypatch.setattr(entries, "parse_path", counted)
    return counts


def kept_in(document: Any) -> list[Any]:
    found: list[Any] = document["status"]["changedValues"]["upgrades"]["v2"]
    return found


def damaged(boxes: Declared, wrong: set[int]) -> tuple[Any, dict[str, Any]]:
    """Return a box at v1 with wrong colors of some parts, and the spec that shows without them."""
    parts: list[dict[str, Any]] = [
        {"name": f"p{at}", "width": 70_000 + at, "color": "red"} for at in range(COUNT)
    ]
    spec = {"parts": parts, "level": "3"}
    old: Any = boxes.convert(resource(f"{GROUP}/v2", "Box", "b", spec=spec), to="v1")
    for entry in kept_in(old):
        if entry["jsonPath"] in {path_of(at) for at in wrong}:
            entry["value"] = {"not": "text"}
    for at in wrong:
        parts[at] = {name: value for name, value in parts[at].items() if name != "color"}
    return old, {"parts": parts, "level": "3"}


def path_of(at: int) -> str:
    return f"$.parts[?@.name=='p{at}'].color"


@pytest.mark.parametrize("wrong", [{0}, {3, 7, 8, 21}, {*range(COUNT)}], ids=len)
def test_only_what_cannot_be_used_is_set_aside(
    boxes: Declared, read: Counter[str], wrong: set[int]
) -> None:
    """Each path is read once, and no other entry goes with those."""
    old, shown = damaged(boxes, wrong)
    report: list[Any] = []
    text = json.dumps(old).encode()
    new = json.loads(boxes.scheme.convert_bytes(text, to="v2", tolerant=True, report=report))
    assert new["spec"] == shown
    assert {*read.values()} == {1}
    assert len(report) == len(wrong)
    if isinstance(report[0], Unused):
        kept = kept_in(old)
        assert {one.key for one in report} == {path_of(at) for at in wrong}
        assert all(
            kept[int(one.address.rpartition("/")[2])]["jsonPath"] == one.key for one in report
        )
        back = kept_in(boxes.convert(new, to="v1"))
        assert sorted(map(json.dumps, back)) == sorted(map(json.dumps, kept))
    else:
        assert "status" not in new


def test_what_fails_later_is_searched_among_the_others(boxes: Declared, read: Counter[str]) -> None:
    """Each entry is reported at its own place; paths are read once strictly and once tolerantly."""
    old, shown = damaged(boxes, {5, 9})
    kept = kept_in(old)
    names = [entry["jsonPath"] for entry in kept]
    kept[names.index("$.level")]["value"] = "many"
    wrong = [path_of(5), path_of(9), "$.level"]
    reviewed = Reviewer([boxes.scheme]).review(body_of([old], f"{GROUP}/v3"))
    (found,) = converted(reviewed.body)
    assert found["spec"] == {**shown, "level": 0}
    assert {*read.values()} == {2}
    unused: list[Any] = [entry for one in reviewed.unused for entry in one.entries]
    places = {entry.address.rpartition("/")[2]: entry.key for entry in unused}
    if "tolerant" in str(boxes.root):
        wrong = wrong[2:]
    assert places == {str(names.index(path)): path for path in wrong}

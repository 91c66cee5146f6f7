"""Entries that were tracked under an earlier declaration, given back under the one of today."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.declared import Declared, declare
from tests.support.objects import resource

_BOX = """
VERSIONS = Versions(
    Version("v1"), Version("v2"), Version("v3"), tracking=Tracking(carrier="{carrier}")
)


def cut(number: int) -> int:
    return min(number, 65535)


def text(number: int) -> str:
    return str(number)


def number(text: str) -> int:
    return len(text)


def short(number: int) -> str:
    if number > 9:
        raise ValueError(number)
    return str(number)


@resource(group="b.example.com")
class BoxSpec:
    width: {width}
"""
_ADDED = 'Annotated[U32, added("v2")]'
_CUT = 'Annotated[U32, changed("v2", from_type=U16, downgrade_with=cut)]'
_TEXT = 'Annotated[U32, changed("v2", from_type=str, upgrade_with=number, downgrade_with=text)]'
_SHORT = _TEXT.replace("=text", "=short")
_RENAMED = 'Annotated[U32, changed("v2", from_name="size")]'


def boxes(root: Path, carrier: str, width: str) -> Declared:
    return declare(root, _BOX.replace("{carrier}", carrier).replace("{width}", width))


def hidden(root: Path, carrier: str) -> Any:
    """Return a box of v1, which had no width when it was written."""
    start = resource("b.example.com/v2", "Box", "b", spec={"width": 70000})
    return boxes(root / "old", carrier, _ADDED).convert(start, to="v1")


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
@pytest.mark.parametrize("width", ["U32", _RENAMED, _CUT, _TEXT])
def test_what_a_version_gained_shows_what_was_kept(
    tmp_path: Path, carrier: str, width: str
) -> None:
    """Whatever carries it."""
    today, old = boxes(tmp_path / "new", carrier, width), hidden(tmp_path, carrier)
    for to in ("v2", "v3"):
        report: list[Any] = []
        new = today.convert(old, to=to, report=report)
        assert (new["spec"], new.get("status"), report) == ({"width": 70000}, None, [])


@pytest.mark.parametrize("carrier", ["status", "annotation"])
@pytest.mark.parametrize(("width", "live"), [("U32", 5), (_CUT, 5), (_TEXT, "abcde")])
def test_what_was_written_since_a_version_gained_it_wins(
    tmp_path: Path, carrier: str, width: str, live: Any
) -> None:
    today, old = boxes(tmp_path / "new", carrier, width), hidden(tmp_path, carrier)
    old["spec"]["width"] = live
    report: list[Any] = []
    assert today.convert(old, to="v2", report=report)["spec"] == {"width": 5}
    assert [str(one).partition(":")[0] for one in report] == ["$.width"]


def test_what_nothing_can_show_is_reported(tmp_path: Path) -> None:
    today, old = boxes(tmp_path / "new", "status", _SHORT), hidden(tmp_path, "status")
    report: list[Any] = []
    assert today.convert(old, to="v2", report=report)["spec"] == {}
    assert [one.address for one in report] == [
        "$.width: its function fails on it, and nothing shows it"
    ]

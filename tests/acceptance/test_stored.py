"""Objects that releases have stored, read by the code of today: see `stored`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.stored import FOLDER, SCHEMES, read_back

RELEASES = sorted(FOLDER.glob("*.jsonl"))


def lines(release: Path) -> list[Any]:
    return [json.loads(line) for line in release.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_what_a_release_has_stored_comes_back(release: Path) -> None:
    """Exactly, and without a word in the report."""
    for line in lines(release):
        made = line["made"]
        for stored in line["stored"].values():
            assert read_back(stored, made["apiVersion"].rpartition("/")[2]) == (made, [])


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_what_a_release_has_stored_passes_through(release: Path) -> None:
    """Read at a third version, and written back, it is what it was."""
    for line in lines(release):
        made = line["made"]
        for at, stored in line["stored"].items():
            for other in line["stored"]:
                there, told = read_back(stored, other)
                back, more = read_back(there, at)
                again = read_back(back, made["apiVersion"].rpartition("/")[2])
                assert (again, told, more) == ((made, []), [], [])


def test_every_way_to_keep_values_is_there() -> None:
    """Both annotations, compressed ones, the field, tracked values, residues, lists."""
    text = "".join(release.read_text(encoding="utf-8") for release in RELEASES)
    for part in (
        "holdall.dev/bag",
        "holdall.dev/status-bag",
        "zlib:",
        '"$propertyBag": {"spec"',
        '"changedValues"',
        "residue:",
        "residues",
        "lists",
    ):
        assert part in text
    kinds = {line["made"]["kind"] for release in RELEASES for line in lines(release)}
    assert kinds == {kind.name for scheme in SCHEMES.schemes for kind in scheme.kinds}

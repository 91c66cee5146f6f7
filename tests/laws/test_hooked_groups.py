"""Laws on a few drawn groups with hooks; `hooked_groups.py` plays as many as one likes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.laws.hooked_groups import Drawing, check_group

KINDS = ("Hide", "HideUp", "Nulls", "Refuse", "Lower", "Split", "Join", "Invent", "Always")


@pytest.mark.parametrize("number", range(6))
def test_laws_hold(number: int, tmp_path: Path) -> None:
    """Whatever hooks, defaults and moves meet."""
    found = check_group(f"0-{number}", tmp_path).findings
    assert found == {}


def test_all_kinds_of_hooks_are_drawn() -> None:
    """And each on both types, but for those that are about the spec alone."""
    drawn = set()
    for number in range(3000):
        for (type_, _), parts in Drawing(Random(number)).draw().parts.items():
            drawn |= {(type_, part.partition("(")[0]) for part in parts}
    assert drawn == {("ThingSpec", kind) for kind in KINDS} | {("Box", kind) for kind in KINDS[:7]}

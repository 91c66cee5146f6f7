"""A few drawn groups with a property that moves; `moved_groups.py` plays as many as one likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.laws.moved_groups import check_group


@pytest.mark.parametrize("number", range(12))
def test_what_moves_is_treated_as_what_stays(number: int, tmp_path: Path) -> None:
    """Whatever clients write, and servers fill in."""
    assert check_group(f"0-{number}", tmp_path) == []

"""A few drawn groups, declared and with hooks; `paired_groups.py` plays as many as one likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.laws.paired_groups import check_group


@pytest.mark.parametrize("number", [*range(7), 59])
def test_declarations_hooks_and_odd_names_show_the_same(number: int, tmp_path: Path) -> None:
    """Whatever clients write, and servers fill in and prune."""
    assert check_group(f"0-{number}", tmp_path) == []

"""`holdall laws --against`: the older state, as it was with its hooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.cli.laws_against import _generated
from tests.support.small_project import CONFIG, HOOK, write_hook, write_project


@pytest.mark.parametrize("place", ["hooks/order.py", "hooks.py"])
def test_the_hooks_of_an_older_state_come_along(tmp_path: Path, place: str) -> None:
    """Hooks are looked for beside generated code, in a package or a single module."""
    write_project(tmp_path, config=CONFIG)
    if place == "hooks.py":
        (tmp_path / place).write_text(HOOK)
    else:
        write_hook(tmp_path)
    with _generated(tmp_path) as ((folder, _), packages):
        assert packages == ["generated.shop"]
        assert (folder / place).read_text() == HOOK

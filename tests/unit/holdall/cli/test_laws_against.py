"""`holdall laws --against`: the older state, as it was with its hooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.cli.laws_against import _generated
from holdall.errors import SchemeError
from holdall.testing.laws.evolution import stored_yesterday
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


def test_an_older_state_that_cannot_be_loaded(tmp_path: Path) -> None:
    """Its hooks may import what is not installed any more: that is told, and is not a defect."""
    write_project(tmp_path, config=CONFIG)
    (tmp_path / "hooks.py").write_text("import gone_since")
    with _generated(tmp_path) as (paths, packages), pytest.raises(SchemeError) as error:
        list(stored_yesterday(paths, packages, 1, 0))
    assert "HA710 generated.shop: the older state cannot be loaded" in str(error.value)
    assert "hooks.py:1: the module hooks cannot be loaded" in str(error.value)

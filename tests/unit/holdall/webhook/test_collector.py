"""The garbage collector of servers and filters."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from holdall.webhook.collector import spared_collector
from tests.support.commands import python


@pytest.mark.parametrize("young", [700, 50_000, 0])
def test_the_collector_is_spared_and_then_as_it_was(young: int, project_root: Path) -> None:
    """It is never asked to work more than before, and one that is off stays off."""
    in_a_process_of_its_own(f"check_thresholds({young})", project_root)


def check_thresholds(young: int) -> None:
    before = gc.get_threshold()
    gc.set_threshold(young, *before[1:])
    with pytest.raises(KeyError), spared_collector():
        inside, *older = gc.get_threshold()
        assert inside == (young and max(young, 20_000))
        assert (*older,) == before[1:]
        assert gc.get_freeze_count() > 0
        raise KeyError
    assert gc.get_threshold() == (young, *before[1:])
    assert gc.get_freeze_count() == 0


def test_one_inside_another_does_nothing(project_root: Path) -> None:
    """It would look through all that is loaded once more."""
    in_a_process_of_its_own("check_one_inside_another()", project_root)


def check_one_inside_another() -> None:
    with spared_collector():
        gc.set_threshold(30_000)
        before = gc.get_freeze_count()
        made = [[] for _ in range(5_000)]  # type: list[list[int]]
        with spared_collector():
            assert gc.get_freeze_count() < before + len(made)
        assert (gc.get_threshold()[0], gc.get_freeze_count()) == (30_000, before)
    assert gc.get_freeze_count() == 0


def test_what_a_caller_spares_the_collector_stays_so(project_root: Path) -> None:
    """As with a server's workers that were forked after `gc.freeze()`."""
    in_a_process_of_its_own("check_what_is_spared()", project_root)


def check_what_is_spared() -> None:
    gc.freeze()
    before = gc.get_freeze_count()
    with spared_collector():
        pass
    assert gc.get_freeze_count() >= before


def in_a_process_of_its_own(call: str, project_root: Path) -> None:
    """Call a function of this module where there is no garbage of ten thousand tests."""
    code = f"from tests.unit.holdall.webhook import test_collector as it; it.{call}"
    done = python("-c", code, cwd=project_root)
    assert done.returncode == 0, done.stderr

"""The garbage collector of servers and filters."""

from __future__ import annotations

import gc

import pytest

from holdall.webhook.collector import spared_collector


@pytest.mark.parametrize("young", [700, 50_000, 0])
def test_the_collector_is_spared_and_then_as_it_was(young: int) -> None:
    """It is never asked to work more than before, and one that is off stays off."""
    before = gc.get_threshold()
    gc.set_threshold(young, *before[1:])
    try:
        with pytest.raises(KeyError), spared_collector():
            inside, *older = gc.get_threshold()
            assert inside == (young and max(young, 20_000))
            assert (*older,) == before[1:]
            assert gc.get_freeze_count() > 0
            raise KeyError
        assert gc.get_threshold() == (young, *before[1:])
        assert gc.get_freeze_count() == 0
    finally:
        gc.set_threshold(*before)

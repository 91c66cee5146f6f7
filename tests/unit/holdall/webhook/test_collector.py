"""The garbage collector of servers and filters."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from holdall.webhook.collector import spared_collector


@pytest.fixture
def thawed() -> Iterator[None]:
    """Nothing is spared by anybody, which the tests themselves are otherwise."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.usefixtures("thawed")
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


@pytest.mark.usefixtures("thawed")
def test_what_a_caller_spares_the_collector_stays_so() -> None:
    """As with a server's workers that were forked after `gc.freeze()`."""
    gc.freeze()
    before = gc.get_freeze_count()
    with spared_collector():
        pass
    assert gc.get_freeze_count() >= before

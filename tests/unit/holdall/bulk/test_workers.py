"""The same work on several processes."""

from __future__ import annotations

import gc
from collections.abc import Callable

from holdall.bulk.workers import in_order


def test_a_process_spares_the_collector() -> None:
    """For as long as it works: what it loaded cannot be garbage."""
    (young, frozen) = next(in_order(asking, (), [0], 2))
    assert young >= 20_000 and frozen > 0


def asking() -> Callable[[int], tuple[int, int]]:
    """Return what tells how the collector of a process is set."""
    return lambda _: (gc.get_threshold()[0], gc.get_freeze_count())

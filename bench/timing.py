"""Timing: interleaved rounds, medians of ratios, so that a noisy machine does not decide."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable
from time import process_time


def per_call(act: Callable[[], object], seconds: float = 0.1) -> float:
    """Return the seconds one call takes, over about `seconds` of calls."""
    count = 1
    while True:
        start = process_time()
        for _ in range(count):
            act()
        spent = process_time() - start
        if spent > seconds / 2:
            return spent / count
        count = max(count * 2, int(count * seconds / max(spent, 1e-9) * 0.7))


def rounds(acts: dict[str, Callable[[], object]], count: int = 15) -> dict[str, list[float]]:
    """Return the seconds per call of each act, in `count` interleaved rounds."""
    for act in acts.values():
        act()
    gc.collect()
    results: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(count):
        for name, act in acts.items():
            results[name].append(per_call(act))
    return results


def median_ratio(one: list[float], other: list[float]) -> float:
    """Return the median of the ratios round by round."""
    return statistics.median(a / b for a, b in zip(one, other, strict=True))


def median(values: list[float]) -> float:
    """Return the median."""
    return statistics.median(values)

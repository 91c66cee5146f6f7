"""The server's counters, as plain numbers: cheap to increment, and summed over workers.

They are independent of the metrics library, whose counters are slower than a small conversion, and
need a disk to be shared between processes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from holdall.review.reviewer import Degradation, Reviewed, Tally
from holdall.text.json import decode, encode
from holdall.types import JsonObject

SECONDS: Final = (5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.5, 1, 5)
"""Upper bounds of the duration buckets; the API server's target is 50 ms for one object."""
SIZES: Final = tuple(float(1 << power) for power in range(9, 27))
"""Upper bounds of the size buckets: 512 bytes to 64 MiB."""

REQUESTS: Final = "requests"
SHED: Final = "shed"
BAG_BYTES: Final = "bag_bytes"
DEGRADATIONS: Final = "degradations"
DROPPED: Final = "dropped_entries"
UNUSED: Final = "unused_entries"
LOGS_DROPPED: Final = "logs_dropped"
CERTIFICATE_READS: Final = "certificate_reads"
CERTIFICATE_SWAPS: Final = "certificate_swaps"
CERTIFICATE_ERRORS: Final = "certificate_errors"


class Histogram:
    """Counts of values by upper bound, and their sum."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        """Count one value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    def add(self, counts: Iterable[int], total: float) -> None:
        """Add the counts of another histogram with the same bounds."""
        self.counts = [a + b for a, b in zip(self.counts, counts, strict=True)]
        self.sum += total


class Counts:
    """The numbers of one process, or the sum over several.

    `totals` are counters by name, `codes` answers by HTTP status, `objects` converted objects.
    `certificate_end` is when the served certificate expires, in seconds since 1970; 0 if there
    is none. Only the event loop's thread changes them.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Start over."""
        self.objects: Counter[Tally] = Counter()
        self.codes: Counter[int] = Counter()
        self.totals: Counter[str] = Counter()
        self.histograms: dict[str, Histogram] = {
            "review_seconds": Histogram(SECONDS),
            "request_bytes": Histogram(SIZES),
            "response_bytes": Histogram(SIZES),
        }
        self._seconds, self._request, self._response = self.histograms.values()
        self.certificate_end = 0.0

    def count_review(self, reviewed: Reviewed, request: int, seconds: float) -> None:
        """Count one answered review: bytes of its request, seconds of its conversion."""
        objects = self.objects
        for tally, number in reviewed.outcomes.items():
            objects[tally] = objects.get(tally, 0) + number
        self.codes[reviewed.status] += 1
        self._seconds.observe(seconds)
        self._request.observe(request)
        self._response.observe(len(reviewed.body))
        if reviewed.bag_bytes:
            self.totals[BAG_BYTES] += reviewed.bag_bytes
        if reviewed.degradations:
            self.totals[DEGRADATIONS] += Degradation.count(reviewed.degradations)
        if reviewed.dropped:
            self.totals[DROPPED] += Degradation.count(reviewed.dropped)
        if reviewed.unused:
            self.totals[UNUSED] += Degradation.count(reviewed.unused)

    def to_bytes(self) -> bytes:
        """Return all numbers as JSON, for another process."""
        value: JsonObject = {
            "objects": [
                [tally.kind, tally.source, tally.target, tally.outcome, number]
                for tally, number in self.objects.items()
            ],
            "codes": [[code, number] for code, number in self.codes.items()],
            "totals": dict(self.totals),
            "histograms": {
                name: [list(histogram.counts), histogram.sum]
                for name, histogram in self.histograms.items()
            },
            "certificate_end": self.certificate_end,
        }
        return encode(value)

    def add_bytes(self, data: bytes) -> None:
        """Add the numbers that another process wrote with `to_bytes`."""
        # This class wrote it, so its shape needs no check.
        value: Any = decode(data)
        for *names, number in value["objects"]:
            self.objects[Tally(*names)] += number
        for code, number in value["codes"]:
            self.codes[code] += number
        self.totals.update(value["totals"])
        for name, (counts, total) in value["histograms"].items():
            self.histograms[name].add(counts, total)
        ends = [end for end in (self.certificate_end, value["certificate_end"]) if end]
        self.certificate_end = min(ends, default=0.0)

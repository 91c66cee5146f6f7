"""The server's metrics for Prometheus; the only module that knows prometheus_client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from holdall.webhook import counts as names
from holdall.webhook.counts import Counts, Histogram

_PREFIX: Final = "holdall_webhook_"
_TOTALS: Final = {
    names.SHED: "Requests answered 503 because of overload or draining.",
    names.BAG_BYTES: "Bytes of property bags written into carriers.",
    names.DEGRADATIONS: "Bag entries that no carrier had room for.",
    names.DROPPED: "Bag entries whose object was gone, or that belonged to another kind.",
    names.UNUSED: "Bag entries, and carriers, that could not be used and were kept.",
    names.LOGS_DROPPED: "Log records that could not be written.",
    names.CERTIFICATE_READS: "Readings of the certificate and key files.",
    names.CERTIFICATE_SWAPS: "Certificates put into service after a change.",
    names.CERTIFICATE_ERRORS: "Changed certificates that were refused; the old one stayed.",
}
_HISTOGRAMS: Final = {
    "review_seconds": "Seconds to convert one review, without reading and writing it.",
    "request_bytes": "Bytes of a review's request body.",
    "response_bytes": "Bytes of a review's reply body, before compression.",
}


class WebhookCollector(Collector):
    """Shows what `read` returns to a registry of prometheus_client."""

    def __init__(self, read: Callable[[], Counts]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        """Yield all metric families, each read now."""
        counts = self._read()
        objects = CounterMetricFamily(
            f"{_PREFIX}objects",
            "Objects by kind, source and target apiVersion, and outcome; a quarantined one has"
            " values of a wrong kind.",
            labels=("kind", "from", "to", "outcome"),
        )
        for tally, number in counts.objects.items():
            objects.add_metric((tally.kind, tally.source, tally.target, tally.outcome), number)
        yield objects
        answers = CounterMetricFamily(
            f"{_PREFIX}{names.REQUESTS}", "Answers to reviews by HTTP status.", labels=("code",)
        )
        for code, number in counts.codes.items():
            answers.add_metric((str(code),), number)
        yield answers
        for name, text in _TOTALS.items():
            yield CounterMetricFamily(f"{_PREFIX}{name}", text, value=counts.totals[name])
        for name, text in _HISTOGRAMS.items():
            yield _histogram(f"{_PREFIX}{name}", text, counts.histograms[name])
        if counts.certificate_end:
            yield GaugeMetricFamily(
                f"{_PREFIX}certificate_expiry_timestamp_seconds",
                "When the served certificate expires, in seconds since 1970.",
                value=counts.certificate_end,
            )


def expose(read: Callable[[], Counts], accept: str) -> tuple[bytes, str]:
    """Return all metrics and their media type, in the format that `accept` asks for."""
    registry = CollectorRegistry()
    registry.register(WebhookCollector(read))
    encoder, media_type = choose_encoder(accept)
    return encoder(registry), media_type


def _histogram(name: str, text: str, histogram: Histogram) -> Metric:
    buckets: list[tuple[str, float]] = []
    seen = 0
    bounds = (*(str(float(bound)) for bound in histogram.bounds), "+Inf")
    for bound, number in zip(bounds, histogram.counts, strict=True):
        seen += number
        buckets.append((bound, seen))
    return HistogramMetricFamily(name, text, buckets=buckets, sum_value=histogram.sum)

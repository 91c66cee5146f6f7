"""The small parts of the server: durations, shared counts, logs, traces."""

from __future__ import annotations

import json
import logging
import os
from itertools import pairwise, product
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.review.reviewer import Outcome, Reviewed, Tally
from holdall.scheme.entries import Kind, Version
from holdall.scheme.projects import load_schemes
from holdall.scheme.scheme import Scheme
from holdall.version import VERSION
from holdall.webhook.app import Webhook
from holdall.webhook.bodies import seconds_asked
from holdall.webhook.counts import SECONDS, Counts, Histogram
from holdall.webhook.launch import share_counts, size_of_counts
from holdall.webhook.logs import LineHandler, facts
from holdall.webhook.metrics import expose
from holdall.webhook.slots import Slots
from holdall.webhook.traces import Tracing, find_tracing
from tests.support.reviews import body_of

# --- deadlines ---


@pytest.mark.parametrize(
    ("query", "seconds"),
    [
        (b"timeout=30s", 30.0),
        (b"a=b&timeout=1m30s", 90.0),
        (b"timeout=1h1.5m", 3690.0),
        (b"timeout=250ms", 0.25),
        (b"timeout=.5s", 0.5),
        (b"timeout=1%C2%B5s", 1e-6),
        (b"timeout=0s", None),
        (b"timeout=30", None),
        (b"timeout=-1s", None),
        (b"timeout=soon", None),
        (b"timeout=", None),
        (b"time=30s", None),
        (b"", None),
        (b"timeout=\xff", None),
    ],
)
def test_durations_are_those_of_go(query: bytes, seconds: float | None) -> None:
    """What Go's time.ParseDuration takes is taken; anything else is no deadline."""
    assert seconds_asked(query) == pytest.approx(seconds)


# --- counts ---

GOOD = Tally("Thing", "example.com/v1", "example.com/v2", "converted")


def some_counts(number: int) -> Counts:
    counts = Counts()
    for _ in range(number):
        counts.count_review(Reviewed(200, b"xy", outcomes={GOOD: 3}, bag_bytes=5), 100, 0.002)
    counts.certificate_end = 1000.0 + number
    return counts


def test_counts_are_summed_as_bytes() -> None:
    """Counts that travel add up; of ends of certificates the nearest counts."""
    total = Counts()
    for number in (2, 3):
        total.add_bytes(some_counts(number).to_bytes())
    assert total.to_bytes() == some_counts(5).to_bytes().replace(b"1005", b"1002")


@given(st.lists(st.floats(0, 10)))
def test_buckets_hold_what_is_below_their_bound(values: list[float]) -> None:
    """A histogram counts as its definition says: each value in the first bound not below it."""
    histogram = Histogram(SECONDS)
    for value in values:
        histogram.observe(value)
    bounds = (-1.0, *SECONDS, float("inf"))
    assert histogram.counts == [
        sum(low < value <= high for value in values) for low, high in pairwise(bounds)
    ]


def test_buckets_are_shown_cumulative() -> None:
    """Prometheus wants counts up to each bound, and one for all."""
    text = expose(lambda: some_counts(2), "")[0].decode()
    assert 'holdall_webhook_review_seconds_bucket{le="0.001"} 0.0\n' in text
    assert 'holdall_webhook_review_seconds_bucket{le="0.0025"} 2.0\n' in text
    assert 'holdall_webhook_review_seconds_bucket{le="+Inf"} 2.0\n' in text
    assert 'holdall_webhook_response_bytes_bucket{le="512.0"} 2.0\n' in text


def test_open_metrics_are_served_on_demand() -> None:
    """The format is chosen by the Accept header."""
    body, media_type = expose(Counts, "application/openmetrics-text; version=1.0.0")
    assert media_type.startswith("application/openmetrics-text")
    assert body.endswith(b"# EOF\n")


def test_a_successor_goes_on_from_what_was_left() -> None:
    """A worker that is replaced loses no counts, and each worker shows those of all."""
    slots = Slots(2, size=4096)
    slots.write(0, some_counts(2).to_bytes())
    slots.write(1, some_counts(3).to_bytes())
    webhook = Webhook(())
    webhook.counts.codes[500] += 1  # from before the fork
    share_counts(webhook, slots, 0)
    webhook.counts.codes[200] += 1
    assert webhook.counts.codes == {200: 3}
    assert webhook.read_counts().codes == {200: 6}


@pytest.mark.parametrize("torn", range(0, 60, 7))
def test_a_writer_that_dies_leaves_the_former_state(torn: int) -> None:
    """Whichever part of a writing is missing, a reader gets a whole state, never a mixture."""
    slots = Slots(2, size=64)
    for text in (b"first state", b"second state, which is longer"):
        slots.write(1, text)
    before = bytes(slots._memory)
    slots.write(1, b"third")
    after = bytes(slots._memory)
    changed = [at for at in range(len(before)) if before[at] != after[at]]
    for at in changed[torn % len(changed) :]:
        slots._memory[at] = before[at]
    assert slots.read(1) in (b"second state, which is longer", b"third")
    assert slots.read(0) == b""
    slots.write(1, b"fourth")
    assert slots.read(1) == b"fourth"


def test_what_does_not_fit_keeps_the_former_state() -> None:
    """Too many counts are no reason to fail."""
    slots = Slots(1, size=64)
    assert slots.write(0, b"fits")
    assert not slots.write(0, b"x" * 64)
    assert slots.read(0) == b"fits"


def test_the_counts_of_a_large_project_fit() -> None:
    """Of a thousand kinds in three versions, whatever happens to their objects."""
    names = ("v1", "v2", "v3")
    types: dict[str, str] = dict.fromkeys(names, "T")
    edges = tuple(pairwise(names))
    kinds = [Kind(f"KindNumber{at}", types, edges, "annotation") for at in range(1000)]
    versions = tuple(Version(name, module=name) for name in names)
    scheme = Scheme(
        release=VERSION,
        package="p",
        hooks="h",
        group="large.example.com",
        versions=versions,
        hub="v3",
        kinds=tuple(kinds),
    )
    counts = some_counts(3)
    for kind in kinds:
        for source, target in product(names, names):
            ends = f"large.example.com/{source}", f"large.example.com/{target}"
            for outcome in get_args(Outcome):
                counts.objects[Tally(kind.name, *ends, outcome)] = 10**12
    assert Slots(1, size_of_counts([scheme])).write(0, counts.to_bytes())


# --- logs ---


def logged(act: object, tmp_path: Path) -> list[str]:
    """Return the lines that a handler writes while `act` logs."""
    path = tmp_path / "log"
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
    log = logging.Logger("test")
    log.addHandler(LineHandler(descriptor, lambda: pytest.fail("a line was dropped")))
    act(log)  # type: ignore[operator]
    os.close(descriptor)
    return path.read_text(encoding="utf-8").splitlines()


def test_a_line_has_facts_and_no_contents(tmp_path: Path) -> None:
    """Of an exception there are type, place and cause, not what it says."""

    def act(log: logging.Logger) -> None:
        try:
            try:
                raise KeyError("secret")
            except KeyError as error:
                raise ValueError("secret") from error
        except ValueError:
            log.exception("it failed at\n%s", "noon", extra=facts(uid="u", count=3))

    (line,) = logged(act, tmp_path)
    said = json.loads(line)
    assert said["message"] == "it failed at\nnoon"
    assert (said["uid"], said["count"], said["level"]) == ("u", 3, "error")
    assert (said["exception"], said["cause"]) == ("ValueError", "KeyError")
    assert "test_parts.py" in said["stack"][0]
    assert "secret" not in line


def test_lone_surrogates_in_a_message_are_logged(tmp_path: Path) -> None:
    """A name of a file that is no Unicode is no reason to lose a line, or more."""
    dropped: list[int] = []
    descriptor = os.open(tmp_path / "log", os.O_CREAT | os.O_WRONLY)
    handler = LineHandler(descriptor, lambda: dropped.append(1))
    handler.emit(logging.LogRecord("n", 20, "f", 1, "bad \udcff name", None, None))
    handler.emit(logging.LogRecord("n", 20, "f", 1, "good", None, None))
    os.close(descriptor)
    handler.emit(logging.LogRecord("n", 20, "f", 1, "nowhere to go", None, None))
    written = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["message"] for line in written] == ["bad \udcff name", "good"]
    assert dropped == [1]


# --- traces ---


def test_without_a_provider_there_is_no_tracing() -> None:
    """The host program sets up OpenTelemetry, or there is no cost."""
    assert not find_tracing(())


def test_a_review_is_a_span_with_the_documented_names(things: Path) -> None:
    """Attributes and events as the declared-versions contract names them; the caller is parent."""
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    exporter = memory.InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    webhook = Webhook(load_schemes(things))
    webhook.load()
    tracing = Tracing(provider.get_tracer("test"), webhook.schemes)
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "secret-a"}}
    body = body_of([thing, thing, {**thing, "apiVersion": "example.com/v2"}], "example.com/v2")
    parent = b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    tracing.record({b"traceparent": parent}, lambda: webhook._reviewer.review(body))
    tracing.record({}, lambda: webhook._reviewer.review(b"{"))
    good, bad = exporter.get_finished_spans()
    prefix = "k8s.crd.conversion."
    assert dict(good.attributes) == {
        f"{prefix}desired_api_version": "v2",
        f"{prefix}kind": "Thing",
        f"{prefix}converted_object_count": 3,
    }
    assert format(good.context.trace_id, "x") == "af7651916cd43dd8448eb211c80319c"
    steps = {
        event.attributes[f"{prefix}api_version"]: event.attributes[f"{prefix}steps"]
        for event in good.events
    }
    assert steps == {"v1": 1, "v2": 0}
    assert bad.status.status_code.name == "ERROR"

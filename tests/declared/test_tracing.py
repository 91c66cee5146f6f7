"""Traces of `try_convert`: a span per review, an event per object, only where it was asked for."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from holdall.review.reviewer import Reviewer
from holdall.webhook.traces import find_tracing
from tests.support.declared import Declared, Declaring, declare
from tests.support.objects import resource
from tests.support.reviews import review_of

trace = pytest.importorskip("opentelemetry.sdk.trace")
export = pytest.importorskip("opentelemetry.sdk.trace.export")
memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
api = pytest.importorskip("opentelemetry.trace")

TEXT = """
VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"){})


@resource(group="t.example.com")
class TrainSpec:
    cars: int
    bell: Annotated[bool, added("v1")]
"""
PREFIX = "k8s.crd.conversion."


@pytest.fixture(scope="module")
def traced(declared: Declaring) -> Declared:
    return declared(TEXT.format(", tracing=True"))


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An exporter that keeps spans; the process has a provider for the time of the test."""
    exporter = memory.InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    monkeypatch.setattr(api, "get_tracer_provider", lambda: provider)
    yield exporter
    provider.shutdown()


def review(*objects: Any, desired: str = "t.example.com/v1") -> dict[str, Any]:
    return review_of([*objects], desired)


def train(version: str, **spec: Any) -> dict[str, Any]:
    return resource(f"t.example.com/{version}", "Train", metadata={}, spec={"cars": 1, **spec})


def test_a_review_is_a_span_and_each_object_an_event(traced: Declared, spans: Any) -> None:
    """With the listed attributes: versions without their group, and the kind of the CRD."""
    sent = review(train("v1alpha1"), train("v1beta1"), train("v1", bell=True))
    answer = traced.kinds.Train.try_convert(sent)
    assert len(answer["response"]["convertedObjects"]) == 3
    (span,) = spans.get_finished_spans()
    assert dict(span.attributes) == {
        f"{PREFIX}kind": "Train",
        f"{PREFIX}desired_api_version": "v1",
        f"{PREFIX}converted_object_count": 3,
    }
    assert [dict(event.attributes) for event in span.events] == [
        {
            f"{PREFIX}kind": "Train",
            f"{PREFIX}api_version": version,
            f"{PREFIX}desired_api_version": "v1",
            f"{PREFIX}steps": steps,
        }
        for version, steps in (("v1alpha1", 2), ("v1beta1", 1), ("v1", 0))
    ]
    assert span.status.status_code is api.StatusCode.UNSET


def test_a_failed_object_fails_the_span_without_a_count(traced: Declared, spans: Any) -> None:
    """The objects before it are events; the review itself was valid."""
    answer = traced.kinds.Train.try_convert(review(train("v1alpha1"), train("v7")))
    (span,) = spans.get_finished_spans()
    assert f"{PREFIX}converted_object_count" not in span.attributes
    assert [event.name for event in span.events] == ["object converted"]
    assert span.status.status_code is api.StatusCode.ERROR
    assert span.status.description == answer["response"]["result"]["message"]


@pytest.mark.parametrize(
    "sent", [{}, b"{", review(desired="t.example.com/v9"), {"request": {"uid": 1}}]
)
def test_an_invalid_review_is_a_warning(traced: Declared, spans: Any, sent: Any) -> None:
    """Nothing is known of it but the kind that it was sent to."""
    answer = traced.kinds.Train.try_convert(sent)
    (span,) = spans.get_finished_spans()
    assert dict(span.attributes) == {f"{PREFIX}kind": "Train"}
    (event,) = span.events
    message = answer["response"]["result"]["message"]
    assert (event.name, dict(event.attributes)) == (
        "invalid review",
        {"level": "warning", "message": message},
    )


def test_without_the_option_there_is_no_span(declared: Declaring, spans: Any) -> None:
    """Even where OpenTelemetry is set up."""
    plain = declared(TEXT.format(""))
    plain.kinds.Train.try_convert(review(train("v1alpha1")))
    assert spans.get_finished_spans() == ()


def test_the_import_path_can_be_replaced(declared: Declaring, spans: Any) -> None:
    """A path that leads nowhere is as good as no OpenTelemetry: the reply is the same."""
    text = TEXT.format(', tracing=True, imports={"otel": "no_such_vendor.otel"}')
    other = declared(text)
    assert other.kinds.Train.TRACING == "no_such_vendor.otel"
    answer = other.kinds.Train.try_convert(review(train("v1alpha1")))
    assert answer["response"]["result"] == {"status": "Success"}
    assert spans.get_finished_spans() == ()


def test_replies_are_the_same_with_and_without_a_provider(traced: Declared, spans: Any) -> None:
    """Tracing looks on."""
    sent = review(train("v1alpha1"), train("v1", bell=True), desired="t.example.com/v1beta1")
    with_spans = traced.kinds.Train.try_convert(sent)
    assert len(spans.get_finished_spans()) == 1
    untraced = type("Untraced", (traced.kinds.Train,), {"TRACING": ""})
    assert untraced.try_convert(sent) == with_spans  # type: ignore[attr-defined]


def test_nothing_of_opentelemetry_is_imported_without_the_option() -> None:
    """Reviews of kinds that are not traced cost nothing, not even an import."""
    code = (
        "import sys, holdall.review.declared; print(any('opentelemetry' in m for m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


VENDORED = {
    "trace": "from opentelemetry.trace import ProxyTracerProvider, NoOpTracerProvider, Status\n"
    "from opentelemetry.trace import StatusCode\nPROVIDER = None\n"
    "def get_tracer_provider():\n    return PROVIDER\n",
    "propagate": "CALLS = []\ndef extract(carrier):\n    CALLS.append(carrier)\n",
}


def test_everything_of_opentelemetry_comes_from_the_import_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Traces of `try_convert` and of the webhook, of what succeeds and of what fails, where the
    usual name leads nowhere."""
    folder = tmp_path / "vendored_otel_api"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    for name, text in VENDORED.items():
        (folder / f"{name}.py").write_text(text)
    text = TEXT.format(', tracing=True, imports={"otel": "vendored_otel_api"}')
    trains = declare(tmp_path, text)
    vendored: Any = importlib.import_module("vendored_otel_api.trace")
    propagate: Any = importlib.import_module("vendored_otel_api.propagate")
    exporter = memory.InMemorySpanExporter()
    vendored.PROVIDER = trace.TracerProvider()
    vendored.PROVIDER.add_span_processor(export.SimpleSpanProcessor(exporter))
    for name in [name for name in sys.modules if name.startswith("opentelemetry.")]:
        if name.rpartition(".")[2] in ("trace", "propagate"):
            monkeypatch.setitem(sys.modules, name, None)

    trains.kinds.Train.try_convert(review(train("v1alpha1")))
    trains.kinds.Train.try_convert(review(train("v7")))
    (tracing,) = find_tracing([trains.scheme])
    reviewer = Reviewer([trains.scheme])
    for sent in (review(train("v1alpha1")), review(train("v7")), {}):
        body = json.dumps(sent).encode()
        tracing.record({b"traceparent": b"x"}, partial(reviewer.review, body))
    ends = [span.status.status_code.name for span in exporter.get_finished_spans()]
    assert ends == ["UNSET", "ERROR", "UNSET", "ERROR", "ERROR"]
    assert propagate.CALLS == [{"traceparent": "x"}] * 3

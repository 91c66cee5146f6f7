"""Traces of the webhook's reviews: a span per review, an event per kind of conversion."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from holdall.errors import HoldallError
from holdall.review.reviewer import Reviewed, Tally
from holdall.review.tracer import (
    API_VERSION,
    COUNT,
    DESIRED,
    KIND,
    OPENTELEMETRY,
    STEPS,
    fail,
    find_tracer,
    version_of,
)
from holdall.scheme.scheme import Scheme
from holdall.webhook.answers import Headers

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

_NAME: Final = "holdall.webhook"


class Recorder(Protocol):
    """What records reviews."""

    def record(self, headers: Headers, act: Callable[[], Reviewed]) -> Reviewed: ...


class Tracing:
    """Records reviews as spans of one tracer; `api` is the import path of OpenTelemetry's API."""

    def __init__(self, tracer: Tracer, schemes: Iterable[Scheme], api: str = OPENTELEMETRY) -> None:
        self._tracer = tracer
        self._schemes = tuple(schemes)
        self._api = api
        self._steps: dict[Tally, int] = {}

    def record(self, headers: Headers, act: Callable[[], Reviewed]) -> Reviewed:
        """Run a review within a span whose parent is the caller's, if it names one."""
        propagate: Any = importlib.import_module(f"{self._api}.propagate")
        carrier = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in headers.items()
        }
        context = propagate.extract(carrier)
        with self._tracer.start_as_current_span("convert", context=context) as span:
            reviewed = act()
            if span.is_recording():
                self._describe(span, reviewed)
            return reviewed

    def _describe(self, span: Span, reviewed: Reviewed) -> None:
        desired = version_of(reviewed.desired)
        span.set_attribute(DESIRED, desired)
        kinds = sorted({tally.kind for tally in reviewed.outcomes})
        if kinds:
            span.set_attribute(KIND, ",".join(kinds))
        if reviewed.status != 200:
            fail(span, "invalid review", self._api)
        elif reviewed.message:
            fail(span, reviewed.message, self._api)
        else:
            span.set_attribute(COUNT, reviewed.objects)
        for tally, number in reviewed.outcomes.items():
            span.add_event(
                f"object {tally.outcome}",
                {
                    COUNT: number,
                    KIND: tally.kind,
                    API_VERSION: version_of(tally.source),
                    DESIRED: desired,
                    STEPS: self._steps_of(tally),
                },
            )

    def _steps_of(self, tally: Tally) -> int:
        """Return the number of edges between two apiVersions of a kind; 0 if there is no way."""
        found = self._steps.get(tally)
        if found is None:
            found = self._steps[tally] = _count_steps(self._schemes, tally)
        return found


class _Several:
    """Records reviews with several tracings, one inside the other."""

    def __init__(self, parts: Sequence[Recorder]) -> None:
        self._parts = parts

    def record(self, headers: Headers, act: Callable[[], Reviewed]) -> Reviewed:
        for part in self._parts:
            act = partial(part.record, headers, act)
        return act()


def find_tracing(schemes: Iterable[Scheme]) -> Recorder | None:
    """Return the tracing of this process; None if OpenTelemetry is absent or not set up.

    Groups may say that its API is imported from elsewhere.
    """
    known = tuple(schemes)
    found: list[Recorder] = []
    for api in sorted({scheme.otel for scheme in known} or {OPENTELEMETRY}):
        tracer = find_tracer(_NAME, api)
        if tracer is not None:
            own = (scheme for scheme in known if scheme.otel == api)
            found.append(Tracing(tracer, own, api))
    return None if not found else found[0] if len(found) == 1 else _Several(found)


def _count_steps(schemes: Iterable[Scheme], tally: Tally) -> int:
    group = tally.source.rpartition("/")[0]
    for scheme in schemes:
        if group in map(scheme.group_of, scheme.kinds):
            try:
                return len(scheme.route(tally.source, tally.kind, tally.target).versions) - 1
            except HoldallError:
                continue
    return 0

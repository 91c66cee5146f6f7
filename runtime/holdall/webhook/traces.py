"""Traces of the webhook's reviews: a span per review, an event per kind of conversion."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

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


class Tracing:
    """Records reviews as spans of one tracer; `api` is the import path of OpenTelemetry's API."""

    def __init__(self, tracer: Tracer, schemes: Iterable[Scheme], api: str = OPENTELEMETRY) -> None:
        self._tracer = tracer
        self._schemes = tuple(schemes)
        self._api = api
        self._steps_of = cache(self._count_steps)

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

    def _count_steps(self, tally: Tally) -> int:
        """Return the number of edges between two apiVersions of a kind; 0 if there is no route."""
        group = tally.source.rpartition("/")[0]
        for scheme in self._schemes:
            if group in map(scheme.group_of, scheme.kinds):
                try:
                    return len(scheme.route(tally.source, tally.kind, tally.target).versions) - 1
                except HoldallError:
                    continue
        return 0


def find_tracing(schemes: Iterable[Scheme]) -> list[Tracing]:
    """Return the tracings of this process; none if OpenTelemetry is absent or not set up.

    Groups may configure where its API is imported from.
    """
    known = tuple(schemes)
    found = []
    for api in sorted({scheme.otel for scheme in known} or {OPENTELEMETRY}):
        tracer = find_tracer(_NAME, api)
        if tracer is not None:
            own = (scheme for scheme in known if scheme.otel == api)
            found.append(Tracing(tracer, own, api))
    return found

"""Traces of the webhook's reviews: a span per review, an event per kind of conversion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from holdall.errors import HoldallError
from holdall.scheme import Scheme
from holdall.traces.tracer import API_VERSION, COUNT, DESIRED, KIND, STEPS, find_tracer, version_of
from holdall.webhook.answers import Headers
from holdall.webhook.review import Reviewed, Tally

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

_NAME: Final = "holdall.webhook"


class Tracing:
    """Records reviews as spans of one tracer."""

    def __init__(self, tracer: Tracer, schemes: Iterable[Scheme]) -> None:
        self._tracer = tracer
        self._schemes = tuple(schemes)
        self._steps: dict[Tally, int] = {}

    def record(self, headers: Headers, act: Callable[[], Reviewed]) -> Reviewed:
        """Run a review within a span whose parent is the caller's, if it names one."""
        from opentelemetry.propagate import extract

        carrier = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in headers.items()
        }
        with self._tracer.start_as_current_span("convert", context=extract(carrier)) as span:
            reviewed = act()
            if span.is_recording():
                self._describe(span, reviewed)
            return reviewed

    def _describe(self, span: Span, reviewed: Reviewed) -> None:
        from opentelemetry.trace import Status, StatusCode

        desired = version_of(reviewed.desired)
        span.set_attribute(DESIRED, desired)
        kinds = sorted({tally.kind for tally in reviewed.outcomes})
        if kinds:
            span.set_attribute(KIND, ",".join(kinds))
        if reviewed.status != 200:
            span.set_status(Status(StatusCode.ERROR, "invalid review"))
        elif reviewed.message:
            span.set_status(Status(StatusCode.ERROR, reviewed.message))
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


def find_tracing(schemes: Iterable[Scheme]) -> Tracing | None:
    """Return the tracing of this process; None if OpenTelemetry is absent or not set up."""
    tracer = find_tracer(_NAME)
    return None if tracer is None else Tracing(tracer, schemes)


def _count_steps(schemes: Iterable[Scheme], tally: Tally) -> int:
    group = tally.source.rpartition("/")[0]
    for scheme in schemes:
        if group in map(scheme.group_of, scheme.kinds):
            try:
                return len(scheme.route(tally.source, tally.kind, tally.target).versions) - 1
            except HoldallError:
                continue
    return 0

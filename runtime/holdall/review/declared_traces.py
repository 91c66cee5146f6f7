"""Traces of a declared kind's reviews: a span per review, an event per converted object.

Source: docs/declared.md, "Reviews".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from holdall.review.tracer import API_VERSION, COUNT, DESIRED, KIND, STEPS, fail, find_tracer
from holdall.types import JsonObject

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from holdall.scheme.kinds import DeclaredKind, KindVersion

_NAME: Final = "holdall.declared"


class ReviewTrace:
    """The span of one review. `api` is the import path of OpenTelemetry's API."""

    def __init__(self, span: Span, kind: type[DeclaredKind], api: str) -> None:
        self._span = span
        self._kind = kind
        self._api = api
        self._desired: KindVersion | None = None
        span.set_attribute(KIND, kind.NAME)

    def asks_for(self, desired: KindVersion) -> None:
        """Note that the review is valid, and which version it asks for."""
        self._desired = desired
        self._span.set_attribute(DESIRED, desired.value)

    def converted(self, source: KindVersion, desired: KindVersion) -> None:
        """Note one converted object."""
        scheme = self._kind.SCHEME
        steps = 0
        if source != desired:
            route = scheme.route(source.as_api_version_str(), self._kind.NAME, desired.value)
            steps = len(route.versions) - 1
        attributes: dict[str, str | int] = {
            API_VERSION: source.value,
            DESIRED: desired.value,
            STEPS: steps,
            KIND: self._kind.NAME,
        }
        self._span.add_event("object converted", attributes)

    def ends(self, answer: JsonObject) -> None:
        """Note the reply: the number of objects, or why it failed."""
        response: Any = answer["response"]
        result = response["result"]
        if result["status"] == "Success":
            self._span.set_attribute(COUNT, len(response["convertedObjects"]))
            return
        message = result["message"]
        if self._desired is None:
            self._span.add_event("invalid review", {"level": "warning", "message": message})
        fail(self._span, message, self._api)


@contextmanager
def traced(kind: type[DeclaredKind], api: str) -> Iterator[ReviewTrace | None]:
    """Run a review within a span; None if there is nothing to trace with.

    `api` is the import path of OpenTelemetry's API, empty if reviews are not traced.
    """
    tracer = find_tracer(_NAME, api) if api else None
    if tracer is None:
        yield None
        return
    with tracer.start_as_current_span("convert") as span:
        yield ReviewTrace(span, kind, api)

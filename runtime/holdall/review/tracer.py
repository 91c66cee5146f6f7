"""What traces of conversions share: how to find a tracer, and names of attributes.

Without OpenTelemetry's API, or without a tracer provider set up by the host program, there is no
tracer and no cost. Attributes: docs/declared.md, "Reviews".
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

_PREFIX: Final = "k8s.crd.conversion."
COUNT: Final = f"{_PREFIX}converted_object_count"
DESIRED: Final = f"{_PREFIX}desired_api_version"
API_VERSION: Final = f"{_PREFIX}api_version"
STEPS: Final = f"{_PREFIX}steps"
KIND: Final = f"{_PREFIX}kind"


OPENTELEMETRY: Final = "opentelemetry"


def fail(span: Span, message: str, api: str) -> None:
    """Mark a span as failed. `api` is the import path of OpenTelemetry's API."""
    trace: Any = importlib.import_module(f"{api}.trace")
    span.set_status(trace.Status(trace.StatusCode.ERROR, message))


def find_tracer(name: str, api: str = OPENTELEMETRY) -> Tracer | None:
    """Return the tracer of this process with a name; None if OpenTelemetry is absent or not set up.

    `api` is the import path of its API.
    """
    try:
        trace: Any = importlib.import_module(f"{api}.trace")
    except ModuleNotFoundError:
        return None
    provider = trace.get_tracer_provider()
    if isinstance(provider, (trace.ProxyTracerProvider, trace.NoOpTracerProvider)):
        return None
    tracer: Tracer = provider.get_tracer(name)
    return tracer


def version_of(api_version: str) -> str:
    """Return the version alone: `v1` of `example.com/v1`."""
    return api_version.rpartition("/")[2]

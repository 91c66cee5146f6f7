"""Traces of conversions with OpenTelemetry, which is an extra: without it there is no cost."""

"""Errors about tracked values where dropping them would lose data."""

from __future__ import annotations

from holdall.errors import ValueProblem


class TrackedValueError(ValueProblem):
    """A tracked value that does not fit its property. Source: declared versions, section 5.4."""

    code = "HA507"

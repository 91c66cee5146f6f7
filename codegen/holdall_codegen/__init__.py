"""The generator: read sources into a model, plan what becomes of every property, emit Python."""

from __future__ import annotations

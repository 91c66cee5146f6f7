"""The generator: read sources into a model, plan what happens to every property, emit Python."""

from __future__ import annotations

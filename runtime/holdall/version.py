"""The version of holdall, from the distribution's metadata."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("holdall")
except PackageNotFoundError:
    VERSION = "0.0.0"

"""The version of holdall; the distribution takes it from here."""

from __future__ import annotations

VERSION = "0.2.0"

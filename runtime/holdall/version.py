"""The version of holdall; the distribution takes it from here."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec

VERSION = "0.2.0"


def described() -> str:
    """Return the version, and whether the modules that a conversion runs are compiled."""
    engine = find_spec("holdall.engine.members")
    is_compiled = engine is not None and str(engine.origin).endswith((*EXTENSION_SUFFIXES,))
    return f"{VERSION} (compiled)" if is_compiled else VERSION

"""The version of holdall; the distribution takes it from here."""

from __future__ import annotations

from importlib.util import find_spec

VERSION = "0.2.0"


def described() -> str:
    """Return the version, and whether the modules that a conversion runs are compiled."""
    engine = find_spec("holdall.engine.members")
    is_compiled = engine is not None and not str(engine.origin).endswith(".py")
    return f"{VERSION} (compiled)" if is_compiled else VERSION

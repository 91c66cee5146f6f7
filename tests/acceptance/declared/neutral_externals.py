"""The opaque types of the neutral form: every name is a type, of which nothing is known."""

from __future__ import annotations


def __getattr__(name: str) -> type[object]:
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})

"""What a process keeps: the tables of holdall's modules, and those of objects, by their sizes."""

from __future__ import annotations

import sys
from collections.abc import Iterator


def sizes_of_tables(*holders: object) -> dict[str, int]:
    """Return how many entries each table has: of modules, of cached functions, of the holders."""
    found: dict[str, int] = {}
    modules = [(name, it) for name, it in sys.modules.items() if name.split(".")[0] == "holdall"]
    for place, holder in (*modules, *((type(it).__name__, it) for it in holders)):
        found.update((f"{place}.{name}", size) for name, size in _sizes(holder))
    return found


def _sizes(holder: object) -> Iterator[tuple[str, int]]:
    for name, value in [*vars(holder).items()]:
        if isinstance(value, (dict, list, set)):
            yield name, len(value)
        elif hasattr(value, "cache_info"):
            yield name, value.cache_info().currsize

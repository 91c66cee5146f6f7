"""Making something once per type, even if types are recursive and several threads ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import RLock
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class PerType(Generic[T]):
    """Makes something for a type, or a pair of types, at first use.

    `make` yields it before it handles nested types, which may be the same one, and then completes
    it. Meanwhile only the thread that makes it gets it; if that fails, nothing is kept.
    """

    def __init__(self, make: Callable[[Any], Iterator[T]]) -> None:
        self._make = make
        self._done: dict[Any, T] = {}
        self._begun: dict[Any, T] = {}
        self._lock = RLock()

    def of(self, cls: Any) -> T:
        """Return the thing of a type."""
        return self._done[cls] if cls in self._done else self._made(cls)

    def _made(self, cls: Any) -> T:
        with self._lock:
            if cls in self._begun:
                return self._begun[cls]
            is_outermost = not self._begun
            try:
                making = self._make(cls)
                found = self._begun[cls] = next(making)
                for _ in making:
                    pass
                if is_outermost:
                    self._done.update(self._begun)
            finally:
                if is_outermost:
                    self._begun.clear()
        return found

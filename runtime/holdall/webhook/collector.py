"""The garbage collector in holdall's own processes: servers and commands, not callers'."""

from __future__ import annotations

import gc
from contextlib import AbstractContextManager
from typing import ClassVar, Final

_YOUNG: Final = 20_000
"""Allocations before a collection of the youngest generation. Python's default of 700 would collect
hundreds of times during the conversion of a large document, which is freed without collection."""

_ITS_OWN: Final = 1_000
"""Objects that an interpreter may freeze by itself: Python 3.12 starts with a few hundred."""


def spared_collector() -> AbstractContextManager[None]:
    """Exempt from garbage collection what cannot be garbage: loaded code, and current documents.

    Enter it once everything is loaded. Leaving it restores the former state, unless the caller has
    frozen objects, too, which cannot be told from those added here. Inside another one it does
    nothing. A process may enter it without ever leaving it.
    """
    return _Spared()


class _Spared:
    """Not a generator, because garbage collection of a generator would leave the context."""

    _now: ClassVar[_Spared | None] = None
    _before: tuple[int, ...] = ()
    _is_ours = False

    def __enter__(self) -> None:
        if _Spared._now is not None:
            return
        _Spared._now = self
        young, *older = self._before = gc.get_threshold()
        self._is_ours = gc.get_freeze_count() < _ITS_OWN
        gc.collect()
        gc.freeze()
        gc.set_threshold(max(young, _YOUNG) if young else 0, *older)

    def __exit__(self, *_: object) -> None:
        if _Spared._now is self:
            _Spared._now = None
            gc.set_threshold(*self._before)
            if self._is_ours:
                gc.unfreeze()

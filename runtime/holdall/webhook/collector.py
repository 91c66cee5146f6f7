"""The garbage collector in processes of our own: servers and commands, never a caller's."""

from __future__ import annotations

import gc
from contextlib import AbstractContextManager
from typing import ClassVar, Final

_YOUNG: Final = 20_000
"""Objects that wait for a look at the youngest. 700, Python's choice, are soon made: a document of
many parts is looked at hundreds of times while it is converted, and is freed without any look."""

_ITS_OWN: Final = 1_000
"""Objects that an interpreter may freeze by itself: Python 3.12 begins with some hundreds."""


def spared_collector() -> AbstractContextManager[None]:
    """Spare the collector what cannot be garbage: what was loaded, and a document at work.

    Enter it once everything is loaded. On leaving all is as it was, unless the caller spares
    the collector something as well: what that was cannot be told from what was added. Inside
    another one it does nothing. A process may enter it without ever leaving it.
    """
    return _Spared()


class _Spared:
    """No generator: to let go of one is to leave it."""

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

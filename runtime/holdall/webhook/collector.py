"""The garbage collector in processes of our own: servers and commands, never a caller's."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_YOUNG: Final = 20_000
"""Objects that wait for a look at the youngest. 700, Python's choice, are soon made: a document of
many parts is looked at hundreds of times while it is converted, and is freed without any look."""

_ITS_OWN: Final = 1_000
"""Objects that an interpreter may freeze by itself: Python 3.12 begins with some hundreds."""


@contextmanager
def spared_collector() -> Iterator[None]:
    """Spare the collector what cannot be garbage: what was loaded, and a document at work.

    Enter it once everything is loaded. On leaving all is as it was, unless the caller spares
    the collector something as well: what that was cannot be told from what was added.
    """
    young, *older = gc.get_threshold()
    is_ours = gc.get_freeze_count() < _ITS_OWN
    gc.collect()
    gc.freeze()
    gc.set_threshold(max(young, _YOUNG) if young else 0, *older)
    try:
        yield
    finally:
        gc.set_threshold(young, *older)
        if is_ours:
            gc.unfreeze()

"""Errors of conversions as texts: a line, or on request with the stack that raised them."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_STACKS: Final = ContextVar("_STACKS", default=False)


def describe(error: BaseException) -> str:
    """Return an error as a line; while stacks are shown, its own follows."""
    line = f"{type(error).__name__}: {error}"
    return f"{line}\n{''.join(traceback.format_exception(error))}" if _STACKS.get() else line


@contextmanager
def stacks_shown(shown: bool) -> Iterator[None]:
    """Let errors be described with their stacks, if they are to be shown."""
    token = _STACKS.set(shown)
    try:
        yield
    finally:
        _STACKS.reset(token)

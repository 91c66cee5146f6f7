"""What every problem has, whoever reports it: a code, what is wrong, and a fix."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final

from holdall.errors import Problem

_unfit: Final[list[str]] = []
_made = Problem.__init__


@wraps(_made)
def _init(self: Problem, *args: Any, **kwargs: Any) -> None:
    _made(self, *args, **kwargs)
    if not (self.code and self.message and self.fix):
        _unfit.append(str(self))


Problem.__init__ = _init  # type: ignore[method-assign]


@contextmanager
def every_problem_has_a_fix() -> Iterator[None]:
    """Fail if a problem without one was made meanwhile, even if nothing shows it."""
    yield
    found = "; ".join(_unfit)
    _unfit.clear()
    if found:
        raise AssertionError(f"without a fix: {found}")

"""The same work on several processes, with the results in the order of what was given."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Final, TypeVar

from holdall.errors import HoldallError
from holdall.text.files import keep_for_results
from holdall.webhook.collector import spared_collector

T = TypeVar("T")
R = TypeVar("R")

_AHEAD: Final = 2
"""Pieces of work that wait for each process: enough to keep it busy, few enough for memory."""


class WorkerLost(HoldallError):
    """A process ended before its work was done."""

    code = "HA415"


class _Context(SpawnContext):
    """Begins processes from scratch, and knows which they are: others begin some, too."""

    def __init__(self) -> None:
        self.begun: list[SpawnProcess] = []

    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]
        process = SpawnProcess(*arguments, **options)
        self.begun.append(process)
        return process


def in_order(
    make: Callable[..., Callable[[T], R]], arguments: tuple[Any, ...], work: Iterable[T], jobs: int
) -> Iterator[R]:
    """Yield `make(*arguments)(piece)` for every piece of work, in order.

    With one job it is done here; with more each process makes the function for itself. Raises what
    `make` raises, and WorkerLost if a process is killed.
    """
    if jobs == 1:
        done = make(*arguments)
        with spared_collector():
            yield from map(done, work)
        return
    # The first one is made here: what it raises is told by this process, and nothing was begun.
    make(*arguments)
    context = _Context()
    start = (list(sys.path), make, arguments)
    pool = ProcessPoolExecutor(jobs, context, _begin, start)
    waiting: deque[Future[Any]] = deque()
    try:
        for piece in work:
            waiting.append(_submitted(pool, piece, waiting))
            if len(waiting) > jobs * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        # The pool ends those that it knew when one was lost, and waits for all of them: for ever
        # for one that was just being started.
        for process in {*active_children()}.intersection(context.begun):
            process.kill()
        text = "a process ended before its work was done, perhaps for lack of memory"
        raise WorkerLost(f"{text}\n    fix: run it again with fewer --jobs") from error
    finally:
        pool.shutdown(cancel_futures=True)


def _submitted(
    pool: ProcessPoolExecutor, piece: object, waiting: Iterable[Future[Any]]
) -> Future[Any]:
    """Give a piece of work to the pool, which starts processes for the first ones.

    Raises BrokenProcessPool if one of them was lost.
    """
    try:
        with _interrupts_held():
            return pool.submit(_run, piece)
    except (OSError, ValueError):
        # It has closed what a process that was being started should have got.
        for future in waiting:
            if future.done():
                future.result()
        raise


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Interrupts reach this process afterwards, and what it starts meanwhile never.

    A terminal interrupts all of them, and a process that is still starting would show a stack.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_work: Callable[[Any], Any] | None = None


def _begin(path: list[str], make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the run
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.path[:] = path
    keep_for_results()
    _work = make(*arguments)
    spared_collector().__enter__()


def _end_with_parent() -> None:
    """A parent that was killed tells nobody: its children would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run(piece: Any) -> Any:
    if _work is None:
        raise RuntimeError("the process was not prepared")
    return _work(piece)

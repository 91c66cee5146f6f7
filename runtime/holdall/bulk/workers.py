"""The same work on several processes, with the results in the order of what was given."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedRWPair
from multiprocessing import get_context, parent_process
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, TypeAlias

from holdall.errors import HoldallError
from holdall.text.files import keep_for_results
from holdall.webhook.collector import spared_collector

Work: TypeAlias = Callable[[Any, Any], Any]
"""What is done, with what a process has made for itself and with a piece of work."""
InOrder: TypeAlias = Callable[[Work, Iterable[Any]], Iterator[Any]]
"""What yields the result for each piece of work, in order. Raises what is raised by the work, and
WorkerLost if a process is killed."""
_Channel: TypeAlias = BufferedRWPair

_AHEAD: Final = 2
"""Pieces of work that wait for each process: enough to keep it busy, few enough for memory."""
_THREADS: Final = Path("/proc/self/task")


class WorkerLost(HoldallError):
    """A process ended before its work was done."""

    code = "HA415"


@contextmanager
def workers(jobs: int, make: Callable[..., Any], *arguments: Any) -> Iterator[InOrder]:
    """Start processes that work with what `make(*arguments)` gives; one job is done in this one.

    It is made here first: what `make` raises is told by this process, and nothing was begun.
    """
    made = make(*arguments)
    with spared_collector():
        if jobs == 1:
            yield lambda work, pieces: map(partial(work, made), pieces)
            return
        # Of a process with threads a fork would have what these have locked.
        is_forked = _THREADS.is_dir() and len([*_THREADS.iterdir()]) == 1
        context: Any = get_context("fork" if is_forked else "spawn")
        start = ((lambda: made), ()) if is_forked else (make, arguments)
        processes: list[Any] = []
        idle: SimpleQueue[_Channel] = SimpleQueue()
        # Each waits for one process: none of these waits for what is read and written here.
        threads = ThreadPoolExecutor(jobs)
        try:
            for _ in range(jobs):
                ours, theirs = socket.socketpair()
                idle.put(ours.makefile("rwb"))
                processes.append(context.Process(target=_serve, args=(theirs, [*sys.path], *start)))
                with _interrupts_held():
                    processes[-1].start()
                ours.close()
                theirs.close()
            yield partial(_in_order, threads, idle, jobs * _AHEAD)
        except BaseException:
            for process in processes:
                process.kill()
            raise
        finally:
            threads.shutdown(cancel_futures=True)
            while not idle.empty():
                with suppress(OSError), idle.get() as channel:
                    _send(channel, None)
            for process in processes:
                process.join()


def _in_order(
    threads: ThreadPoolExecutor,
    idle: SimpleQueue[_Channel],
    ahead: int,
    work: Work,
    pieces: Iterable[Any],
) -> Iterator[Any]:
    waiting: deque[Future[Any]] = deque()
    for piece in pieces:
        waiting.append(threads.submit(_ask, idle, (work, piece)))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _ask(idle: SimpleQueue[_Channel], task: tuple[Work, Any]) -> Any:
    """Return what a process makes of a piece of work. Raises what it raises, and WorkerLost."""
    channel = idle.get()
    try:
        _send(channel, task)
        result, error = pickle.load(channel)
    except (OSError, EOFError, pickle.UnpicklingError) as lost:
        text = "a process ended before its work was done, perhaps for lack of memory"
        raise WorkerLost(f"{text}\n    fix: run it again with fewer --jobs") from lost
    finally:
        idle.put(channel)
    if error is not None:
        raise error
    return result


def _send(channel: _Channel, value: Any) -> None:
    # A long text is neither copied nor cut, and read into the place where it stays.
    pickle.dump(value, channel, pickle.HIGHEST_PROTOCOL)
    channel.flush()


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


def _serve(
    own: socket.socket, path: list[str], make: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    """Work until there is nothing left, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the run
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.path[:] = path
    keep_for_results()
    made = make(*arguments)
    with spared_collector(), own.makefile("rwb") as channel:
        while (task := pickle.load(channel)) is not None:
            work, piece = task
            result = error = None
            try:
                result = work(made, piece)
            except Exception as raised:  # noqa: BLE001 - the parent raises it
                error = raised
            _send(channel, (result, error))


def _end_with_parent() -> None:
    """A parent that was killed tells nobody: its children would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

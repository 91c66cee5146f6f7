"""The same work on several processes, with results in the order of the input."""

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
from multiprocessing.resource_tracker import ensure_running
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, TypeAlias

from holdall.errors import WorkerLost
from holdall.text.files import keep_for_results
from holdall.webhook.collector import spared_collector

Work: TypeAlias = Callable[[Any, Any], Any]
"""The work, given what the process has made for itself, and a piece of input."""
InOrder: TypeAlias = Callable[[Work, Iterable[Any]], Iterator[Any]]
"""Yields the result of each piece, in order. Raises what the work raises, and WorkerLost if a
process is killed."""

_AHEAD: Final = 2
"""Pieces for each process: the current one, and one to continue with."""
_RESULT: Final = 2**20
"""Bytes of results that can be buffered until this process reads them."""
_THREADS: Final = Path("/proc/self/task")


@contextmanager
def workers(jobs: int, make: Callable[..., Any], *arguments: Any) -> Iterator[InOrder]:
    """Start processes that work with the result of `make(*arguments)`; a single job needs none.

    `make` runs here first, so that its errors are raised here, before any work. Forks start at
    once, while there are no threads; other processes call `make` again, so each starts only when
    all running ones have work.
    """
    _keep_memory()
    made = make(*arguments)
    with spared_collector():
        if jobs == 1:
            yield lambda work, pieces: map(partial(work, made), pieces)
            return
        # A fork of a process with threads would inherit their locks.
        is_forked = _THREADS.is_dir() and len([*_THREADS.iterdir()]) == 1
        context: Any = get_context("fork" if is_forked else "spawn")
        if not is_forked and hasattr(signal, "pthread_sigmask"):
            ensure_running()  # otherwise the first start does it, and unblocks interrupts
        team = _Team(jobs, context, ((lambda: made), ()) if is_forked else (make, arguments))
        try:
            for _ in range(jobs if is_forked else 0):
                team.start_one()
            yield team.in_order
        except BaseException:
            team.kill()
            raise
        finally:
            team.end()


class _Team:
    """The processes of a run, at most one per job."""

    def __init__(self, jobs: int, context: Any, start: tuple[Any, Any]) -> None:
        self._jobs = jobs
        self._context = context
        self._start = start
        self._threads = ThreadPoolExecutor(jobs * _AHEAD)
        self._processes: list[Any] = []
        self._channels: list[_Channel] = []

    def start_one(self) -> _Channel:
        """Start one more process, and return its channel."""
        ours, theirs = socket.socketpair()
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _RESULT)
        channel = _Channel(ours)
        self._channels.append(channel)
        arguments = (theirs, [*sys.path], *self._start)
        process = self._context.Process(target=_serve, args=arguments)
        with theirs, _interrupts_held():
            try:
                process.start()
            except OSError as error:
                raise WorkerLost(error) from error
            self._processes.append(process)
        return channel

    def in_order(self, work: Work, pieces: Iterable[Any]) -> Iterator[Any]:
        """Yield the results; start a process when all running ones have work."""
        free: SimpleQueue[_Channel] = SimpleQueue()
        for channel in self._channels * _AHEAD:
            free.put(channel)

        def ask(piece: Any) -> Any:
            channel = free.get()
            try:
                return channel.ask((work, piece))
            finally:
                free.put(channel)

        waiting: deque[Future[Any]] = deque()
        for piece in pieces:
            if len(waiting) >= len(self._channels) < self._jobs:
                added = self.start_one()
                for _ in range(_AHEAD):
                    free.put(added)
            waiting.append(self._threads.submit(ask, piece))
            if len(waiting) > len(self._channels) * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def kill(self) -> None:
        """End the processes at once."""
        for process in self._processes:
            process.kill()

    def end(self) -> None:
        """Let the processes end, and wait for them."""
        self._threads.shutdown(cancel_futures=True)
        for channel in self._channels:
            channel.close()
        for process in self._processes:
            process.join()


class _Channel:
    """The connection to a process, used by threads that wait for its results."""

    def __init__(self, own: socket.socket) -> None:
        with own:
            self._file = own.makefile("rwb")
        self._sending = threading.Lock()
        self._receiving = threading.Lock()

    def ask(self, task: tuple[Work, Any]) -> Any:
        """Return the process's result for a piece. Raises what the work raises, and WorkerLost.

        Another thread may send the next piece meanwhile.
        """
        try:
            with self._sending:
                _send(self._file, task)
                self._receiving.acquire()  # results arrive in the order of the pieces
            try:
                result, error = pickle.load(self._file)
            finally:
                self._receiving.release()
        except (OSError, EOFError, pickle.UnpicklingError) as lost:
            raise WorkerLost from lost
        if error is not None:
            raise error
        return result

    def close(self) -> None:
        """Let the process end."""
        with suppress(OSError), self._file:
            _send(self._file, None)


def _send(file: BufferedRWPair, value: Any) -> None:
    # A long text is not copied or split, and is read into its final buffer.
    pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
    file.flush()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Delay interrupts to this process; processes started meanwhile never get them.

    A terminal interrupts all processes, and one that is still starting would print a traceback.
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
    """Work until no piece is left; runs in the worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the run
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.path[:] = path
    keep_for_results()
    _keep_memory()
    made = make(*arguments)
    with spared_collector(), own.makefile("rwb") as file:
        while (task := pickle.load(file)) is not None:
            work, piece = task
            result = error = None
            try:
                result = work(made, piece)
            except Exception as raised:  # noqa: BLE001 - the parent raises it
                error = raised
            _send(file, (result, error))


def _keep_memory() -> None:
    """Keep the memory of a piece in the process for the next one.

    Getting pages from the system costs more than filling them. glibc returns free memory at the end
    of its heap if that is larger than the largest block it has freed.
    """
    bytes(8 * _RESULT)


def _end_with_parent() -> None:
    """End this process with its parent: if that is killed, it would wait for work forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

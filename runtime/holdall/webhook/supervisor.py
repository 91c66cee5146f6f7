"""Several worker processes on one listening socket, and their replacement when they die.

The sockets are opened, and everything is loaded, before the workers are forked: a connection that
waits to be accepted belongs to no worker, so it is not lost with one, and a new worker serves at
once.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from holdall.webhook.logs import LOG, facts

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
_TICK: Final = 1.0
_STEADY: Final = 10.0
_LONGEST_PAUSE: Final = 5.0
_DOUBLINGS: Final = 6
"""Limit of the pause's exponent: a float would overflow if no worker ever lives."""


@dataclass(slots=True)
class _Worker:
    """One place for a worker process; `pid` is 0 while there is none.

    `heard` is the time of its last heartbeat; 0 before it serves.
    """

    index: int
    pid: int = 0
    since: float = 0.0
    deaths: int = 0
    due: float = 0.0
    pipe: int = -1
    heard: float = 0.0


@dataclass
class Supervisor:
    """Keeps a number of workers alive until SIGTERM or SIGINT, then shuts them down.

    `work` runs in each worker: it gets the worker's index, a heartbeat function to call when it
    serves and every second from then on, and a file descriptor that becomes readable when the
    worker must end or the supervisor has died. `ready` is called once, when all workers serve;
    `tick` every second; `leave` when the shutdown begins, to close what only workers need. Workers
    that need more than `patience` seconds to end are killed, and so are those without a heartbeat
    for `silence` seconds: they are stuck, with the connections that the kernel gives them.
    """

    count: int
    work: Callable[[int, Callable[[], None], int], None]
    ready: Callable[[], None]
    tick: Callable[[], None]
    leave: Callable[[], None]
    patience: float
    silence: float
    _ends: int = field(default=0, init=False)
    _announced: bool = field(default=False, init=False)

    def run(self) -> None:
        """Run until a signal ends it and all workers are gone."""
        self._workers = [_Worker(index) for index in range(self.count)]
        self._wake_in, self._wake_out = os.pipe()
        self._life_in, self._life_out = os.pipe()
        for end in (self._wake_in, self._wake_out):
            os.set_blocking(end, False)
        former = signal.set_wakeup_fd(self._wake_out, warn_on_full_buffer=False)
        handlers = {number: signal.signal(number, self._on_signal) for number in _SIGNALS}
        try:
            while not self._ends:
                for worker in self._workers:
                    if not worker.pid and monotonic() >= worker.due:
                        self._start(worker)
                self._wait()
                self._kill_stuck()
                self._reap()
                self.tick()
            self._end()
        finally:
            signal.set_wakeup_fd(former)
            for number, handler in handlers.items():
                signal.signal(number, handler)
            for end in (self._wake_in, self._wake_out, self._life_in, self._life_out):
                if end >= 0:
                    os.close(end)

    def _on_signal(self, number: int, _: object) -> None:
        if number != signal.SIGCHLD:
            self._ends += 1

    def _start(self, worker: _Worker) -> None:
        try:
            pid, reader, writer = _forked()
        except OSError as error:  # lack of resources; the others continue to serve
            _postpone(worker)
            place = facts(worker=worker.index)
            LOG.error("a worker cannot be started yet", extra=place, exc_info=error)
            return
        if pid == 0:
            os.close(reader)
            self._become(worker, writer)  # does not return
        os.close(writer)
        worker.pid, worker.since, worker.pipe, worker.heard = pid, monotonic(), reader, 0.0

    def _become(self, worker: _Worker, writer: int) -> None:
        """Turn this forked process into a worker, without the supervisor's state."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            # A terminal sends SIGINT to all processes; the supervisor tells workers to end.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            for end in (self._wake_in, self._wake_out, self._life_out):
                os.close(end)
            for other in self._workers:
                if other.pipe >= 0:
                    os.close(other.pipe)
            os.set_blocking(writer, False)
            self.work(worker.index, lambda: _tell(writer), self._life_in)
            code = 0
        except BaseException as error:  # noqa: BLE001 - the process ends here
            LOG.error("a worker failed", extra=facts(worker=worker.index), exc_info=error)
        finally:
            sys.stdout.flush()
            os._exit(code)

    def _wait(self) -> None:
        """Sleep until a signal, a heartbeat, or the next tick.

        After too long a sleep, workers do not count as silent: they were suspended as well, with
        the machine or the container.
        """
        pipes = [worker.pipe for worker in self._workers if worker.pipe >= 0]
        due = monotonic() + _TICK
        found, _, _ = select.select([self._wake_in, *pipes], [], [], _TICK)
        late = max(monotonic() - due, 0.0)
        if self._wake_in in found:
            os.read(self._wake_in, 4096)
        for worker in self._workers:
            if worker.heard:
                worker.heard += late
            if worker.pipe in found:
                if os.read(worker.pipe, 4096):
                    worker.heard = monotonic()
                else:
                    self._stop_listening(worker)
        if not self._announced and all(worker.heard for worker in self._workers):
            self._announced = True
            self.ready()

    def _kill_stuck(self) -> None:
        for worker in self._workers:
            if worker.pid and worker.heard and monotonic() - worker.heard > self.silence:
                text = "a worker is stuck in a conversion, and is killed"
                LOG.error(text, extra=facts(worker=worker.index, pid=worker.pid))
                os.kill(worker.pid, signal.SIGKILL)
                worker.heard = 0.0

    def _stop_listening(self, worker: _Worker) -> None:
        if worker.pipe >= 0:
            os.close(worker.pipe)
            worker.pipe = -1

    def _reap(self) -> None:
        for worker in self._workers:
            if not worker.pid:
                continue
            found, status = os.waitpid(worker.pid, os.WNOHANG)
            if not found:
                continue
            steady = monotonic() - worker.since > _STEADY
            worker.deaths = 0 if steady else worker.deaths
            _postpone(worker)
            LOG.error(
                "a worker died and is replaced",
                extra=facts(
                    worker=worker.index, pid=found, status=os.waitstatus_to_exitcode(status)
                ),
            )
            worker.pid = 0
            self._stop_listening(worker)

    def _end(self) -> None:
        """Shut down all workers; pass on further signals; kill those that are too slow.

        Workers are told through the pipe, as if the supervisor had died: a signal could come too
        early for one that has just been forked.
        """
        self.leave()
        os.close(self._life_out)
        self._life_out = -1
        passed_on = 1
        until = monotonic() + self.patience
        while self._collect():
            if self._ends > passed_on:
                passed_on = self._ends
                self._signal_all(signal.SIGTERM)
            if monotonic() > until:
                self._signal_all(signal.SIGKILL)
            if select.select([self._wake_in], [], [], _TICK)[0]:
                os.read(self._wake_in, 4096)

    def _collect(self) -> bool:
        """Record workers that have ended; return whether any is left."""
        for worker in self._workers:
            if worker.pid and os.waitpid(worker.pid, os.WNOHANG)[0]:
                worker.pid = 0
        return any(worker.pid for worker in self._workers)

    def _signal_all(self, number: int) -> None:
        for worker in self._workers:
            if worker.pid:
                os.kill(worker.pid, number)


def _forked() -> tuple[int, int, int]:
    """Fork; return the child's pid, 0 in the child, and both ends of a pipe from the child."""
    reader, writer = os.pipe()
    try:
        return os.fork(), reader, writer
    except OSError:
        os.close(reader)
        os.close(writer)
        raise


def _postpone(worker: _Worker) -> None:
    """Restart a worker at once the first time, then after growing pauses."""
    pause = min(0.1 * 2 ** min(worker.deaths, _DOUBLINGS), _LONGEST_PAUSE) if worker.deaths else 0
    worker.due = monotonic() + pause
    worker.deaths += 1


def _tell(writer: int) -> None:
    """Send the supervisor a heartbeat."""
    with contextlib.suppress(BlockingIOError, BrokenPipeError):
        os.write(
            writer, b"1"
        )  # full: enough heartbeats are unread; broken: the supervisor has died

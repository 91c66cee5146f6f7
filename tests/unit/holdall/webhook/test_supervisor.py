"""Workers that cannot start, that die again and again, and that were suspended."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

from holdall.webhook.supervisor import Supervisor
from tests.support.clock import Clock

SILENCE = 60.0


def nothing(*_: Any) -> None:
    """Do nothing."""


class Kernel:
    """The system calls of a supervisor: time that passes while it sleeps, and no processes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = Clock()
        self.asleep: Iterator[float] = iter(())
        self.killed: list[int] = []
        self.fork: Callable[[], int] = lambda: 77
        self.ended: list[int] = []
        self.pipes: list[int] = []
        self._pipe = os.pipe
        monkeypatch.setattr(os, "pipe", self._piped)
        monkeypatch.setattr("holdall.webhook.supervisor.monotonic", self.clock)
        monkeypatch.setattr("holdall.webhook.supervisor.select.select", self._select)
        monkeypatch.setattr(os, "fork", lambda: self.fork())
        monkeypatch.setattr(os, "kill", lambda pid, _: self.killed.append(pid))
        monkeypatch.setattr(os, "waitpid", self._wait)

    def _select(self, *_: Any) -> tuple[list[int], list[int], list[int]]:
        self.clock.advance(next(self.asleep, 1.0))
        return [], [], []

    def _piped(self) -> tuple[int, int]:
        ends = self._pipe()
        self.pipes += ends
        return ends

    def _wait(self, pid: int, _: int) -> tuple[int, int]:
        return (self.ended.pop(), 0) if self.ended else (0, 0)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    return Kernel(monkeypatch)


class Ended(Exception):
    """The supervisor has run for long enough."""


def run(kernel: Kernel, rounds: int, each: Callable[[Supervisor], None] = nothing) -> Supervisor:
    """Let a supervisor of one worker go round some times."""
    left = iter(range(rounds - 1))

    def tick() -> None:
        each(made)
        if next(left, None) is None:
            raise Ended

    made = Supervisor(1, nothing, nothing, tick, nothing, patience=1, silence=SILENCE)
    with pytest.raises(Ended):
        made.run()
    for worker in made._workers:
        made._stop_listening(worker)
    return made


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def test_workers_that_were_suspended_are_not_stuck(kernel: Kernel) -> None:
    """With the supervisor, by whoever suspends a machine or a container."""

    def speak_once(made: Supervisor) -> None:
        worker = made._workers[0]
        worker.heard = worker.heard or kernel.clock()

    kernel.asleep = iter([1.0, 1.0, 3600.0, 1.0])
    run(kernel, 5, speak_once)
    assert kernel.killed == []
    run(kernel, int(SILENCE) + 3, speak_once)
    assert kernel.killed == [77], "it is silent while the supervisor is awake"


def test_a_worker_that_never_lives_is_tried_for_ever(kernel: Kernel) -> None:
    """The pause stops growing, and no number outgrows what a float holds."""

    def die(_: Supervisor) -> None:
        kernel.ended[:] = [77]

    made = run(kernel, 7000, die)
    assert made._workers[0].deaths > 1024
    assert made._workers[0].due - kernel.clock() <= 5.0


def test_a_worker_that_cannot_be_forked_is_tried_again(
    kernel: Kernel, caplog: pytest.LogCaptureFixture
) -> None:
    """The others serve on; and no pipe stays open for it."""

    def refuse() -> NoReturn:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    kernel.fork = refuse
    made = run(kernel, 3)
    assert made._workers[0].pid == 0
    assert "cannot be started yet" in caplog.text
    assert not any(map(is_open, kernel.pipes))
    kernel.fork = lambda: 77
    assert run(kernel, 2)._workers[0].pid == 77

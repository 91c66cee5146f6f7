"""The same work on several processes."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from holdall.bulk.workers import WorkerLost, in_order


def test_a_process_spares_the_collector() -> None:
    """For as long as it works: what it loaded cannot be garbage."""
    (young, frozen) = next(in_order(asking, (), [0], 2))
    assert young >= 20_000 and frozen > 0


def asking() -> Callable[[int], tuple[int, int]]:
    """Return what tells how the collector of a process is set."""
    return lambda _: (gc.get_threshold()[0], gc.get_freeze_count())


def test_an_interrupt_while_processes_start() -> None:
    """The parent ends the run; a process that is still starting would show where it was."""
    assert [*in_order(doubling, (InterruptedWhenRead(),), [1, 2], 2)] == [2, 4]


LOST_AT_THE_START = """
import time
from multiprocessing import active_children

from holdall.bulk.workers import WorkerLost, in_order


class Fatal:
    '''An argument: when it is written for the next process, those that are there are lost.'''

    def __reduce__(self):
        for process in active_children():
            process.kill()
            process.join()
            time.sleep(1)
        return Fatal, ()


if __name__ == "__main__":
    try:
        print([*in_order(id, (Fatal(),), [1, 2], 2)])
    except WorkerLost as error:
        print(error.code)
"""


def test_a_process_that_is_lost_while_another_one_starts(tmp_path: Path) -> None:
    """The run ends: nothing waits for the one that was started too late to be told."""
    script = tmp_path / "lost.py"
    script.write_text(LOST_AT_THE_START)
    ended = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, timeout=120
    )
    assert (ended.stdout, ended.stderr) == ("HA415\n", "")


def test_processes_of_others_live_on_when_one_is_lost() -> None:
    """What the source of the work has begun meanwhile is not the run's."""
    here, there = Pipe()
    other = get_context("spawn").Process(target=ending_when_told, args=(there,))

    def work() -> Iterator[int]:
        yield 0
        other.start()
        yield 1

    with pytest.raises(WorkerLost):
        list(in_order(ending_with, (), work(), 2))
    here.send(7)
    other.join()
    assert other.exitcode == 7


def ending_when_told(connection: Connection) -> None:
    """Be a process that ends with the exit code that it is told."""
    sys.exit(connection.recv())


def ending_with() -> Callable[[int], None]:
    """Return what ends its process, unless it gets 0."""
    return lambda code: os._exit(code) if code else None


class InterruptedWhenRead:
    """An argument that a process reads before it is prepared, and is interrupted meanwhile."""

    def __reduce__(self) -> tuple[Callable[[], InterruptedWhenRead], tuple[()]]:
        return interrupted, ()


def interrupted() -> InterruptedWhenRead:
    """Return an argument, after an interrupt of the process that reads it."""
    os.kill(os.getpid(), signal.SIGINT)
    return InterruptedWhenRead()


def doubling(_: InterruptedWhenRead) -> Callable[[int], int]:
    """Return what doubles a number."""
    return lambda number: 2 * number

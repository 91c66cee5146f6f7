"""The same work on several processes."""

from __future__ import annotations

import gc
import os
import platform
import signal
import sys
from collections.abc import Callable, Iterator
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from holdall.bulk.workers import workers
from holdall.errors import WorkerLost
from tests.support.commands import python


def test_a_process_spares_the_collector() -> None:
    """For as long as it works: what it loaded cannot be garbage."""
    with workers(2, dict) as in_order:
        ((young, frozen),) = in_order(collector, [0])
    assert young >= 20_000 and frozen > 0


def collector(_made: object, _piece: int) -> tuple[int, int]:
    """Return how the collector of a process is set."""
    return gc.get_threshold()[0], gc.get_freeze_count()


def test_an_interrupt_while_processes_start() -> None:
    """The parent ends the run; a process that is still starting would show where it was."""
    with workers(2, tuple, InterruptedWhenRead()) as in_order:
        assert [*in_order(doubled, [1, 2])] == [2, 4]


SCRIPT = """
import os, resource, sys, threading, time
from multiprocessing import active_children
from multiprocessing.process import BaseProcess

from holdall.bulk.workers import workers
from holdall.errors import WorkerLost


def process_of(made, _piece):
    return made, os.getpid()

def pages(_made, _piece):
    text = bytes(1_000_000)
    found = [text[at : at + 2000] for at in range(0, len(text), 2000)]
    b"".join(found)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def fail(_made, piece):
    raise LookupError(piece)

def die(_made, _piece):
    os._exit(1)

def kill_others():
    for process in active_children():
        process.kill()
        process.join()
        time.sleep(1)

start = BaseProcess.start

def start_late(self):
    kill_others()
    start(self)

if __name__ == "__main__":
    is_forked = sys.argv[1] == "forked"
    if not is_forked:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
"""


def played(tmp_path: Path, way: str, text: str) -> str:
    """Return what a script prints whose processes are forked, or spawned as it has threads."""
    if way == "forked" and not Path("/proc/self/task").exists():
        pytest.skip("it cannot be told here whether a process has threads")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + "".join(f"    {line}\n" for line in text.splitlines()))
    ended = python(str(script), way)
    assert ended.stderr == ""
    return ended.stdout


WAYS = pytest.mark.parametrize("way", ["forked", "spawned"])


@WAYS
def test_processes_work_until_there_is_nothing_left(tmp_path: Path, way: str) -> None:
    """They are the same ones for all pieces, and have ended when the run has."""
    text = """
with workers(2, list, "ab") as in_order:
    first, second = [*in_order(process_of, range(9))], [*in_order(process_of, range(9))]
print({made == ["a", "b"] for made, _ in first + second}, active_children())
print(len({id for _, id in first + second} - {os.getpid()}) <= 2)
"""
    assert played(tmp_path, way, text) == "{True} []\nTrue\n"


def test_a_process_starts_when_there_is_work_for_it(tmp_path: Path) -> None:
    """One that makes everything again takes longer than a tiny file."""
    text = """
with workers(4, list) as in_order:
    for count in (0, 1, 1, 2, 9):
        found = [*in_order(process_of, range(count))]
        print(len(active_children()), end=" ")
"""
    assert played(tmp_path, "spawned", text) == "0 1 1 2 4 "


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="others keep what is free")
@WAYS
def test_a_process_keeps_its_memory(tmp_path: Path, way: str) -> None:
    """A piece of work does not wait for pages that the one before has given back."""
    text = """
with workers(2, list) as in_order:
    found = [*in_order(pages, range(40))]
    print(max(found) - min(found) < 4000)
"""
    assert played(tmp_path, way, text) == "True\n"


@WAYS
def test_what_the_work_raises(tmp_path: Path, way: str) -> None:
    """The run ends with it, in the order of the pieces, and so do the processes."""
    text = """
try:
    with workers(2, list) as in_order:
        for _ in in_order(fail, range(9)):
            pass
except LookupError as error:
    print(error, active_children())
"""
    assert played(tmp_path, way, text) == "0 []\n"


@WAYS
@pytest.mark.parametrize("work", ["die", "process_of"])
def test_a_process_that_is_lost(tmp_path: Path, way: str, work: str) -> None:
    """The run ends: nothing waits for it, nor for one that was started too late to be told."""
    text = f"""
if {work == "process_of"}:
    BaseProcess.start = start_late
try:
    with workers(2, list) as in_order:
        print([*in_order({work}, range(9))])
except WorkerLost as error:
    print(error.code, active_children())
"""
    assert played(tmp_path, way, text) == "HA415 []\n"


@WAYS
def test_a_process_that_cannot_be_started(tmp_path: Path, way: str) -> None:
    """The system refuses one process too many; those before it end."""
    text = """
def start_few(self):
    if active_children():
        raise BlockingIOError(11, "Resource temporarily unavailable")
    start(self)

BaseProcess.start = start_few
try:
    with workers(3, list) as in_order:
        print([*in_order(process_of, range(9))])
except WorkerLost as error:
    print(error, active_children())
"""
    said = "a process cannot be started: Resource temporarily unavailable"
    assert played(tmp_path, way, text) == f"{said}\n    fix: run it again with fewer --jobs []\n"


def test_processes_of_others_live_on_when_one_is_lost() -> None:
    """What the source of the work has begun meanwhile is not the run's."""
    here, there = Pipe()
    other = get_context("spawn").Process(target=ending_when_told, args=(there,))

    def pieces() -> Iterator[int]:
        yield 0
        other.start()
        yield 1

    with pytest.raises(WorkerLost), workers(2, dict) as in_order:
        list(in_order(ending_with, pieces()))
    here.send(7)
    other.join()
    assert other.exitcode == 7


def ending_when_told(connection: Connection) -> None:
    """Be a process that ends with the exit code that it is told."""
    sys.exit(connection.recv())


def ending_with(_made: object, code: int) -> None:
    """End the process, unless the code is 0."""
    if code:
        os._exit(code)


class InterruptedWhenRead:
    """An argument that a process reads before it is prepared, and is interrupted meanwhile."""

    def __iter__(self) -> InterruptedWhenRead:
        return self

    def __next__(self) -> None:
        raise StopIteration

    def __reduce__(self) -> tuple[Callable[[], InterruptedWhenRead], tuple[()]]:
        return interrupted, ()


def interrupted() -> InterruptedWhenRead:
    """Return an argument, after an interrupt of the process that reads it."""
    os.kill(os.getpid(), signal.SIGINT)
    return InterruptedWhenRead()


def doubled(_made: object, number: int) -> int:
    """Return twice a number."""
    return 2 * number

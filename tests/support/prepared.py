"""Commands that start at once: each is forked from a process that has imported holdall.

An interpreter that imports the generator takes longer than most commands take. `write_commands`
makes programs `holdall` and `python` that hand their arguments, folder, environment and streams
to that process, and end with the exit code of what it forks: a process of its own, which no other
command sees. What it is not made for (`python -m`, options) the real interpreter runs. `Forked` is
such a process without a program before it: signals get to the command itself.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import marshal
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import types
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, Final, NoReturn

_CLIENT = """\
#!{python} -IS
# `socket` and `json` would take longer than all the rest.
import _socket, marshal, os, sys
words = sys.argv[1:]
if {name!r} == "python" and words[:1] != ["-c"] and (not words or words[0].startswith("-")):
    os.execv({python!r}, [{python!r}, *words])
asking = _socket.socket(_socket.AF_UNIX)
asking.connect({place!r})
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
asking.sendmsg([b"f"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
asking.sendall(marshal.dumps([{name!r}, words, os.getcwd(), dict(os.environ)]))
asking.shutdown(_socket.SHUT_WR)
asking.recv({width}, _socket.MSG_WAITALL)
code = int(asking.recv({width}, _socket.MSG_WAITALL) or 1)
os._exit(code if code >= 0 else 128 - code)
"""
_WIDTH: Final = 8
"""Digits of the numbers that come back: that of the process, and its exit code."""


@cache
def _place() -> str:
    """Start the process that has imported holdall, and return where it listens.

    It ends when nobody holds the pipe open any more, however this process ends.
    """
    folder = tempfile.TemporaryDirectory(prefix="prepared-")
    place = f"{folder.name}/socket"
    ended, alive = os.pipe()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()
        fds = listener.fileno(), ended
        command = [sys.executable, __file__, *map(str, fds)]
        process = subprocess.Popen(command, pass_fds=fds, cwd=folder.name)
    os.close(ended)

    def end() -> None:
        os.close(alive)
        process.wait()
        folder.cleanup()

    atexit.register(end)
    return place


def write_commands(folder: Path) -> Path:
    """Put `holdall` and `python` into a folder, and return it."""
    place = _place()
    for name in ("holdall", "python"):
        script = folder / name
        text = _CLIENT.format(python=sys.executable, name=name, place=place, width=_WIDTH)
        script.write_text(text)
        script.chmod(0o755)
    return folder


class Forked:
    """A running `python -c`: what `subprocess.Popen` is, as far as tests of servers need it."""

    def __init__(self, words: list[str], environment: dict[str, str], errors: IO[str]) -> None:
        self.returncode: int | None = None
        read, write = os.pipe()
        self.stdout = os.fdopen(read, encoding="utf-8")
        self._asking = socket.socket(socket.AF_UNIX)
        self._asking.connect(_place())
        with Path(os.devnull).open() as nothing:
            streams = [nothing.fileno(), write, errors.fileno()]
            socket.send_fds(self._asking, [b"f"], streams)
        os.close(write)
        told = ["python", ["-c", *words], str(Path.cwd()), environment]
        self._asking.sendall(marshal.dumps(told))
        self._asking.shutdown(socket.SHUT_WR)
        self.pid = int(self._asking.recv(_WIDTH, socket.MSG_WAITALL))

    def poll(self) -> int | None:
        """Return the exit code, None while the process runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Return the exit code. Raises TimeoutExpired."""
        if self.returncode is None:
            if not select.select([self._asking], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("python -c", timeout)
            self.returncode = int(self._asking.recv(_WIDTH, socket.MSG_WAITALL))
            self._asking.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to a process that runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)


def _prepare() -> None:
    """Import what commands import, where it is installed."""
    from holdall.cli.command_table import COMMANDS

    for command in COMMANDS.values():
        if command.extra in ("cli", "codegen", "sql", "webhook"):
            with suppress(ModuleNotFoundError):
                importlib.import_module(command.target.partition(":")[0])
    importlib.import_module("holdall.generated")
    gc.collect()
    gc.freeze()


def _next_command(listener: socket.socket, ended: int) -> list[Any]:
    """Fork a process for each command that comes, and return the command there."""
    while True:
        if ended in select.select([listener.fileno(), ended], [], [])[0]:
            os._exit(0)
        asking, _ = listener.accept()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        with asking:
            if os.fork():
                continue
            listener.close()
            os.close(ended)
            _, streams, _, _ = socket.recv_fds(asking, 1, 3)
            with asking.makefile("rb") as text:
                told: list[Any] = marshal.loads(text.read())
            child = os.fork()
            if not child:
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)
                    os.close(stream)
                return told
            for stream in streams:
                os.close(stream)
            asking.sendall(b"%*d" % (_WIDTH, child))
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            asking.sendall(b"%*d" % (_WIDTH, code))
        os._exit(0)


def _run(name: str, words: list[str], folder: str, environment: dict[str, str]) -> NoReturn:
    """Do what an interpreter does that is started for a command."""
    code: Any = 0
    try:
        _do(name, words, folder, environment)
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - an interpreter prints any
        traceback.print_exc()
        code = 1
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    # The rest of an interpreter's end takes apart all that was prepared, which takes long.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit((code or 0) & 255)


def _do(name: str, words: list[str], folder: str, environment: dict[str, str]) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.stdin = io.TextIOWrapper(io.FileIO(0), "utf-8")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w")), "utf-8")
    sys.stderr = io.TextIOWrapper(
        io.FileIO(2, "w"), "utf-8", "backslashreplace", write_through=True
    )
    if name == "holdall":
        sys.argv = ["holdall", *words]
        sys.path.insert(0, folder)
        runpy.run_module("holdall", run_name="__main__", alter_sys=True)
    elif words[0] == "-c":
        sys.argv = ["-c", *words[2:]]
        sys.path.insert(0, "")
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        exec(compile(words[1], "<string>", "exec"), module.__dict__)
    else:
        sys.argv = words
        sys.path.insert(0, str(Path(words[0]).resolve().parent))
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    del sys.path[0]  # this folder; each command has its own
    _prepare()
    _run(*_next_command(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])))

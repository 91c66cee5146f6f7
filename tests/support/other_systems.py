"""Linux without what other systems lack: in a process that calls it before it imports holdall.

File names, ends of lines and how files are locked stay those of Linux.
"""

from __future__ import annotations

import builtins
import errno
import io
import multiprocessing
import os
import signal
import socket
import sys
from asyncio import unix_events
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final, NoReturn

_NOT_ON_MACOS: Final = "eventfd memfd_create pidfd_open posix_fadvise sched_getaffinity splice"
_NOT_ON_WINDOWS: Final = {
    os: "chown fchmod fchown fork forkpty get_blocking getegid geteuid getgid getpgid getuid "
    "killpg mkfifo nice pread pwrite sendfile set_blocking setsid sysconf uname O_DIRECTORY",
    signal: "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 alarm pthread_kill "
    "pthread_sigmask setitimer sigwait",
    socket: "AF_UNIX SCM_RIGHTS SO_REUSEPORT",
}
_MODULES: Final = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty", "uvloop")


def as_macos() -> None:
    """Take away what macOS lacks, such as `/proc`; processes are spawned, not forked."""
    _drop(os, _NOT_ON_MACOS)
    if hasattr(os, "process_cpu_count"):  # it asks what is gone now
        setattr(os, "process_cpu_count", os.cpu_count)  # noqa: B010 - only newer Pythons have it
    for name in ("lstat", "listdir", "open", "readlink", "scandir", "stat"):
        setattr(os, name, _without_proc(getattr(os, name)))
    builtins.open = io.open = _without_proc(open)
    multiprocessing.set_start_method("spawn", force=True)


def as_windows() -> None:
    """Take away what Windows lacks: forks, many signals, modules, and signals in event loops."""
    as_macos()
    for module, names in _NOT_ON_WINDOWS.items():
        _drop(module, names)
    sys.modules.update(dict.fromkeys(_MODULES))  # type: ignore[arg-type]
    socket.socketpair = _connected  # type: ignore[assignment]
    loop: Any = unix_events._UnixSelectorEventLoop
    loop.add_signal_handler = loop.remove_signal_handler = _unsupported


def _drop(module: ModuleType, names: str) -> None:
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)


def _without_proc(act: Callable[..., Any]) -> Callable[..., Any]:
    def look(path: Any = ".", *arguments: Any, **options: Any) -> Any:
        if str(path).startswith(("/proc/", "/sys/")):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return act(path, *arguments, **options)

    return look


def _connected(*_: Any) -> tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        client = socket.create_connection(listening.getsockname())
        return listening.accept()[0], client


def _unsupported(*_: Any) -> NoReturn:
    raise NotImplementedError

"""The command `holdall`: one module for each group of commands, loaded when it is used."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

__all__ = ["main"]

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 fine, 1 findings, 2 wrong usage or input.

    Without `arguments`, uses those of the process.
    """
    _open_streams()
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return _INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    try:
        import click  # noqa: F401 - all commands need this extra
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.stderr.write(
            "holdall: the command line needs click, which is not installed.\n"
            "    fix: pip install 'holdall[cli]'\n"
        )
        return 2
    from holdall.cli.root import run

    return run(arguments)


def _open_streams() -> None:
    """Open standard streams that are closed; otherwise the next file opened would become one.

    Reading them gives nothing, and writing fails, as in other programs.
    """
    for name, mode in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            file = os.open(os.devnull, mode)
            os.set_inheritable(file, True)
            setattr(sys, name, os.fdopen(file, "r" if name == "stdin" else "w"))

"""Exceptions of hooks as errors with the hook's name and the place in its file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from traceback import walk_tb
from types import FrameType

from holdall.errors import HoldallError, HookFailure

_OWN = "holdall"


def hook_failure(error: BaseException, hook: str, source: object) -> HookFailure:
    """Return the failure of a hook for its exception; `hook` is the name of its class."""
    said = f": {error}" if isinstance(error, HoldallError) else f" raised {describe(error)}"
    return HookFailure(f"{hook}{said}", source, hook, place_of(error))


def describe(error: BaseException) -> str:
    """Return the type of an exception, and its message if there is one."""
    try:
        text = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - users' code; then only the type is shown
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place_of(error: BaseException | None) -> str:
    """Return `file:line in function` of the code outside holdall that raised an exception.

    It is the deepest place in the package that holdall called: a hook's line, not one of a library
    that the hook called. The path begins in the folder from which the package is imported, so it
    reveals nothing about a server. Empty if all code is holdall's.
    """
    while error is not None:
        frames = list(_foreign(error))
        if frames:
            package = _package(frames[0][0])
            frame, line = [it for it in frames if _package(it[0]) == package][-1]
            code = frame.f_code
            return f"{_file(frame)}:{line} in {code.co_qualname.rpartition('<locals>.')[2]}"
        error = error.__cause__
    return ""


def _foreign(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    for frame, line in walk_tb(error.__traceback__):
        if _package(frame) != _OWN:
            yield frame, line


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _file(frame: FrameType) -> str:
    """Return the file of a frame, by its module's name, or without one by the file's name."""
    path = PurePath(frame.f_code.co_filename)
    *folders, last = str(frame.f_globals.get("__name__", "")).split(".")
    if path.name == "__init__.py":
        return "/".join((*folders, last, path.name))
    return "/".join((*folders, path.name)) if path.stem == last else path.name

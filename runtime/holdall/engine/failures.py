"""What a hook raised, as an error that says which hook it was, and where in its file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from traceback import walk_tb
from types import FrameType

from holdall.errors import HoldallError, HookFailure

_OWN = "holdall"


def hook_failure(error: BaseException, hook: str, source: object) -> HookFailure:
    """Return the failure of a hook by what it raised; `hook` is the name of its class."""
    said = f": {error}" if isinstance(error, HoldallError) else f" raised {describe(error)}"
    return HookFailure(f"{hook}{said}", source, hook, place_of(error))


def describe(error: BaseException) -> str:
    """Return the type of an exception, and what it says if it says anything."""
    try:
        text = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - users' code; its type has to do
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place_of(error: BaseException | None) -> str:
    """Return `file:line in function` of the code outside holdall that raised an exception.

    It is the deepest place in the package that holdall called: a hook's line, not that of a library
    which the hook called. The file is below the folder that the package is imported from, so that
    the place says nothing about a server. Empty if all of it is holdall's.
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
    """Return the file of a frame by the name of its module; without one by the file's own name."""
    path = PurePath(frame.f_code.co_filename)
    *folders, last = str(frame.f_globals.get("__name__", "")).split(".")
    if path.name == "__init__.py":
        return "/".join((*folders, last, path.name))
    return "/".join((*folders, path.name)) if path.stem == last else path.name

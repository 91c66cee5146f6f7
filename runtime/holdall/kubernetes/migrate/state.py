"""The progress of a migration between its runs, in a file that is replaced atomically.

Shape: `{"version": 1, "crds": {NAME: {uid, generation, phase, token, done, failed}}}`; `done` are
uids of objects, `token` is where the current page begins.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final, Literal

from holdall.errors import DecodeError, Problem
from holdall.kubernetes.migrate.resources import BAD_STATE, MigrateError, Resource
from holdall.text import json
from holdall.text.files import replace_file
from holdall.types import JsonObject, get

Phase = Literal["objects", "managedFields", "finished"]

_VERSION: Final = 1
_SECONDS: Final = 5.0
"""Seconds between writes: the work that is repeated after a killed run."""


@dataclass(slots=True)
class Progress:
    """The progress of one CRD. `failed` says that the current pass had an error.

    Done objects stay done while the CRD has this generation, because later writes are stored in the
    same version.
    """

    uid: str
    generation: int
    phase: Phase = "objects"
    token: str = ""
    done: set[str] = field(default_factory=set)
    failed: bool = False

    def begin_pass(self) -> None:
        """Start at the first object again if the last pass had errors, which are left to do."""
        if self.failed:
            self.token, self.failed = "", False

    def enter(self, phase: Phase) -> None:
        """Start another phase."""
        self.phase, self.token, self.failed = phase, "", False
        self.done.clear()

    def to_json(self) -> JsonObject:
        """Return the progress as JSON."""
        return {**asdict(self), "done": [*sorted(self.done)]}


@dataclass(slots=True)
class _Saved:
    """The contents of the file, besides its version."""

    crds: dict[str, Progress]


_decode: Final = json.typed_decoder(_Saved)


def _read(data: bytes) -> dict[str, Progress]:
    if get(json.decode(data), "version") != _VERSION:
        raise ValueError(f"its version is not {_VERSION}")
    return _decode(data).crds


class State:
    """The progress of all CRDs; without a file it lasts as long as the process."""

    def __init__(self, file: Path | None = None) -> None:
        """Read the file, if there is one. Raises MigrateError."""
        self.file = file
        self._saved = monotonic()
        self._crds: dict[str, Progress] = {}
        if file is not None and file.exists():
            if not file.is_file():  # a device may have no end, and must not be removed
                raise self._refusal("this is not a regular file", "name another file")
            try:
                self._crds = _read(file.read_bytes())
            except (DecodeError, ValueError, *json.SHAPE_ERRORS) as error:
                message = f"this is not the state of a migration: {error}"
                fix = "name another file, or remove it to start over"
                raise self._refusal(message, fix) from error

    def _refusal(self, message: str, fix: str) -> MigrateError:
        where = self.file.as_posix() if self.file is not None else ""
        return MigrateError([Problem(BAD_STATE, where, message, fix)])

    def progress_of(self, resource: Resource) -> Progress:
        """Return the progress of a CRD; one that was changed starts over.

        Raises MigrateError if the state belongs to another CRD of this name, such as one of another
        cluster.
        """
        found = self._crds.get(resource.name)
        if found is not None and found.uid != resource.uid:
            message = f"it belongs to another {resource.name}, perhaps of another cluster"
            fix = "name another file with --state, or remove this one to start over"
            raise self._refusal(message, fix)
        if found is None or found.generation != resource.generation:
            found = Progress(resource.uid, resource.generation)
            self._crds[resource.name] = found
        return found

    def save(self, *, if_due: bool = False) -> None:
        """Write the file; with `if_due`, only some seconds after the last write. Raises OSError."""
        if self.file is None or (if_due and monotonic() < self._saved + _SECONDS):
            return
        crds: JsonObject = {name: one.to_json() for name, one in self._crds.items()}
        replace_file(self.file, json.encode({"version": _VERSION, "crds": crds}) + b"\n")
        self._saved = monotonic()

    def forget(self) -> None:
        """Remove the file: nothing is left to do."""
        if self.file is not None:
            self.file.unlink(missing_ok=True)

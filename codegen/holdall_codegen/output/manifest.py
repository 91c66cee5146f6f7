"""The record of the files that holdall wrote: only these may it overwrite or remove."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from holdall.errors import DecodeError, Problem, ProblemsError
from holdall.plan.plans import MANIFEST_FILE
from holdall.text import json
from holdall.types import JsonValue, is_json_object

HAND_EDITED: Final = "HA160"
HAND_WRITTEN: Final = "HA161"
CANNOT_WRITE: Final = "HA162"
BAD_MANIFEST: Final = "HA163"


class OutputError(ProblemsError):
    """Generated files that cannot be written: edited by hand, in the way, or without permission.

    `is_unwritable` says that the file system refuses, not the rules of holdall.
    """

    code = "HA160"

    @property
    def is_unwritable(self) -> bool:
        return any(problem.code in (CANNOT_WRITE, BAD_MANIFEST) for problem in self.problems)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files below the output folder that are holdall's own, each with its SHA-256.

    `pending` are the digests of files after the current write: after an interruption each file has
    its old or its pending digest.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    pending: Mapping[str, str] = field(default_factory=dict)

    def owns(self, path: str, digest: str) -> bool:
        """Tell whether a file with this digest is as holdall wrote it."""
        return digest in (self.files.get(path), self.pending.get(path))

    @property
    def paths(self) -> frozenset[str]:
        return frozenset((*self.files, *self.pending))

    def text(self) -> str:
        """Return the text of the manifest file, in code-point order of the paths."""
        members: dict[str, JsonValue] = {"files": dict(sorted(self.files.items()))}
        if self.pending:
            members["pending"] = dict(sorted(self.pending.items()))
        return json.encode_pretty(members)


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def read_manifest(folder: Path, shown: str) -> Manifest:
    """Read the manifest of an output folder; without one, holdall owns nothing.

    `shown` names the folder in messages. Raises OutputError if the manifest cannot be read.
    """
    path = folder / MANIFEST_FILE
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return Manifest()
    except OSError as error:
        raise _broken(shown, error.strerror or str(error)) from error
    try:
        value = json.decode(data)
    except DecodeError as error:
        raise _broken(shown, str(error)) from error
    if not is_json_object(value):
        raise _broken(shown, "it is not a JSON object")
    return Manifest(
        _digests(value.get("files", {}), shown), _digests(value.get("pending", {}), shown)
    )


def _digests(value: JsonValue, shown: str) -> dict[str, str]:
    if not is_json_object(value):
        raise _broken(shown, "files and pending must be objects")
    found: dict[str, str] = {}
    for path, digest in value.items():
        parts = PurePosixPath(path)
        # a path that leads elsewhere would let holdall remove files of the user
        if parts.is_absolute() or ".." in parts.parts or "\\" in path or not parts.parts:
            raise _broken(shown, f"{path!r} is not below the folder")
        if not isinstance(digest, str):
            raise _broken(shown, f"the digest of {path!r} is not a string")
        found[path] = digest
    return found


def _broken(shown: str, reason: str) -> OutputError:
    return OutputError(
        [
            Problem(
                BAD_MANIFEST,
                f"{shown}/{MANIFEST_FILE}",
                f"the record of generated files cannot be read: {reason}",
                f"restore it from version control, or remove the folder {shown} and generate again",
            )
        ]
    )

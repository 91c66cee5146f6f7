"""Whether the files of a generated package are unchanged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

from holdall.errors import DecodeError, Problem
from holdall.plan.plans import MANIFEST_FILE
from holdall.text import json as _json
from holdall.text.files import as_written
from holdall.types import JsonObject, JsonValue, get, is_json_object

NOT_INTACT: Final = "HA826"
_FIX: Final = "generate it again: `holdall generate` lists edited files"


def not_intact(package: str) -> Iterator[Problem]:
    """Yield the files of a group's package that differ from what was generated, or are missing.

    The manifest beside the packages says so. Without it, yields nothing.
    """
    folder = Path(str(import_module(package).__file__)).parent
    manifest = folder.parent / MANIFEST_FILE
    try:
        files = _files(_json.decode(manifest.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):  # the latter in an archive
        return
    except (OSError, DecodeError) as error:
        yield Problem(NOT_INTACT, str(manifest), f"it cannot be read: {error}", _FIX)
        return
    for path, digest in files.items():
        if path.startswith(f"{folder.name}/"):
            place = folder.parent / path
            wrong = _wrong(place, digest)
            if wrong:
                yield Problem(NOT_INTACT, str(place), wrong, _FIX)


def _files(manifest: JsonValue) -> JsonObject:
    files = get(manifest, "files")
    if not is_json_object(files):
        raise DecodeError("expected {files: {path: digest}}")
    return files


def _wrong(place: Path, digest: JsonValue) -> str:
    try:
        data = place.read_bytes()
    except FileNotFoundError:
        return "it was generated, but is missing"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    is_same = hashlib.sha256(as_written(data)).hexdigest() == digest
    return "" if is_same else "it was edited: the plan may not say what it does"

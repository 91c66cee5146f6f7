"""Knowing that nothing changed since the last generation, without reading a single schema.

What was found out is kept in `.holdall_cache`, which is not part of the project: it may be removed
at any time, and a cache that cannot be read or written costs time only.
"""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import holdall
import holdall_codegen
from holdall.errors import DecodeError
from holdall.plan.plans import MANIFEST_FILE
from holdall.text import json
from holdall.types import JsonValue, is_json_object
from holdall.verification import python_files
from holdall_codegen.output.files import unfinished_files
from holdall_codegen.output.manifest import (
    Manifest,
    OutputError,
    digest_of,
    read_manifest,
)
from holdall_codegen.project import CONFIG_FILE, Project

CACHE: Final = ".holdall_cache"
_FILE: Final = "generate.json"


def remember(project: Project, report: JsonValue) -> None:
    """Keep the fingerprint of a generation that had no findings, and what it reported."""
    root = project.root
    patterns = {source.pattern for group in project.config.groups for source in group.sources}
    value: JsonValue = {
        "tool": _tool_digest(),
        "config": _digest(root / CONFIG_FILE),
        "patterns": {pattern: list(_matches(root, pattern)) for pattern in sorted(patterns)},
        "sources": {name: _digest(root / name) for name in sorted(project.sources)},
        "hooks": project.config.hooks,
        "hooks_digest": _hooks_digest(root, project.config.hooks),
        "output": project.output,
        "manifest": _digest(root / project.output / MANIFEST_FILE),
        "report": report,
    }
    folder = root / CACHE
    with suppress(OSError):  # a cache that cannot be kept is a slower next run, nothing else
        folder.mkdir(exist_ok=True)
        # Like other tools' caches it keeps itself out of version control.
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        (folder / _FILE).write_text(json.encode_pretty(value), encoding="utf-8")


def recall(root: Path) -> JsonValue:
    """Return the report of the last generation if nothing has changed since, else None.

    Compared by content: this tool, the configuration, the files that match its patterns and all
    other schemas read, the hooks, and every generated file.
    """
    try:
        value = json.decode((root / CACHE / _FILE).read_bytes())
    except (OSError, DecodeError):
        return None
    if not is_json_object(value):
        return None
    patterns, sources = value.get("patterns"), value.get("sources")
    hooks, output = value.get("hooks"), value.get("output")
    if not (is_json_object(patterns) and is_json_object(sources)):
        return None
    if not (isinstance(hooks, str) and isinstance(output, str)):
        return None
    is_same = (
        value.get("config") == _digest(root / CONFIG_FILE)
        and value.get("manifest") == _digest(root / output / MANIFEST_FILE)
        and value.get("tool") == _tool_digest()
        and all(list(_matches(root, pattern)) == found for pattern, found in patterns.items())
        and all(_digest(root / name) == digest for name, digest in sources.items())
        and value.get("hooks_digest") == _hooks_digest(root, hooks)
        and _is_intact(root / output, output)
    )
    return value.get("report") if is_same else None


def _is_intact(folder: Path, shown: str) -> bool:
    try:
        manifest: Manifest = read_manifest(folder, shown)
    except OutputError:
        return False
    if manifest.pending or unfinished_files(folder):
        return False
    return all(_digest(folder / path) == digest for path, digest in manifest.files.items())


def _digest(path: Path) -> str:
    """Return the digest of a file, empty if it cannot be read."""
    try:
        return digest_of(path.read_bytes())
    except OSError:
        return ""


def _matches(root: Path, pattern: str) -> list[str]:
    # As the reader finds them: Path.glob refuses absolute patterns.
    return sorted(glob.glob(pattern, root_dir=root, recursive=True))  # noqa: PTH207


def _tool_digest() -> str:
    folders = [Path(path) for package in (holdall, holdall_codegen) for path in package.__path__]
    return _digest_all(path for folder in folders for path in sorted(folder.rglob("*.py")))


def _hooks_digest(root: Path, package: str) -> str:
    unreadable: list[OSError] = []
    files = python_files(root.joinpath(*package.split(".")), unreadable.append)
    return _digest_all(file.path for file in files)


def _digest_all(paths: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(f"{path.name}\0{path.parent.name}\0{_digest(path)}\n".encode())
    return total.hexdigest()

"""Writing generated files: only changed ones, each atomically, and only holdall's own."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from holdall.errors import DecodeError, InternalError, Problem, SourceError
from holdall.plan.plans import MANIFEST_FILE
from holdall.text import json
from holdall.text.files import as_written, create_file, replace_file, replace_files
from holdall_codegen.output.manifest import (
    CANNOT_WRITE,
    HAND_EDITED,
    HAND_WRITTEN,
    Manifest,
    OutputError,
    digest_of,
    read_manifest,
)

UNFINISHED: Final = ".holdall-new"
"""The suffix of files while they are written; an interrupted run leaves some behind."""

_REGENERATE: Final = "holdall generate --force"


@dataclass(frozen=True, slots=True)
class Output:
    """What writing would do. Paths are relative to the output folder, sorted.

    `edited` are files changed by hand, which are copied to a file beside them before they are
    overwritten or removed. `conflicts` are the reasons why nothing is written.
    """

    folder: Path
    shown: str
    texts: Mapping[str, str]
    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    edited: tuple[str, ...]
    leftovers: tuple[Path, ...]
    before: Mapping[str, bytes]
    manifest: Manifest
    conflicts: tuple[Problem, ...]

    @property
    def is_current(self) -> bool:
        """Tell whether the files on disk are what would be generated."""
        return not self.written and not self.removed

    def diff(self) -> str:
        """Return what writing would change, as one unified diff; paths from the project's root."""
        parts = []
        for path in sorted((*self.written, *self.removed)):
            new = self.texts.get(path)
            after = None if new is None else new.encode()
            parts.append(unified_diff(f"{self.shown}/{path}", self.before.get(path), after))
        return "".join(parts)


def unified_diff(name: str, before: bytes | None, after: bytes | None) -> str:
    """Return the change of a file as `diff -u` shows it; None is for a missing file."""
    lines = difflib.unified_diff(
        _lines(before),
        _lines(after),
        f"a/{name}" if before is not None else "/dev/null",
        f"b/{name}" if after is not None else "/dev/null",
    )
    return "".join(lines)


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"").decode(errors="backslashreplace").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def inspect_output(
    root: Path, shown: str, files: Mapping[str, str], *, force: bool = False
) -> Output:
    """Compare texts with the files on disk. Nothing is written.

    `shown` is the output folder below `root`; `files` are texts by path below `root`, all inside
    that folder. With `force`, files edited by hand are not a conflict. Raises OutputError if the
    manifest cannot be read or a file is in the folder's place.
    """
    folder = root / shown
    if obstacle := _obstacle(root, shown):
        raise OutputError([obstacle])
    texts = {path.removeprefix(f"{shown}/"): files[path] for path in sorted(files)}
    manifest = read_manifest(folder, shown)
    written, unchanged, removed, edited = [], [], [], []
    conflicts: list[Problem] = []
    before: dict[str, bytes] = {}
    for path in sorted({*texts, *manifest.paths}):
        where = f"{shown}/{path}"
        try:
            data = _read(folder / path)
        except OSError as error:
            conflicts.append(_in_the_way(where, error.strerror or str(error)))
            continue
        text = texts.get(path)
        if data is not None:
            before[path] = data
        if text is None:
            if data is not None:
                removed.append(path)
        elif data == text.encode():
            unchanged.append(path)
            continue
        else:
            written.append(path)
        if data is None or manifest.owns(path, digest_of(data)):
            continue
        if path not in manifest.paths:
            conflicts.append(_hand_written(where))
        elif force:
            edited.append(path)
        else:
            conflicts.append(_hand_edited(where, gone=text is None))
    return Output(
        folder,
        shown,
        texts,
        tuple(written),
        tuple(unchanged),
        tuple(removed),
        tuple(edited),
        unfinished_files(folder),
        before,
        manifest,
        tuple(conflicts),
    )


def unfinished_files(folder: Path) -> tuple[Path, ...]:
    """Return the files that an interrupted run left behind."""
    return tuple(sorted(folder.rglob(f".*{UNFINISHED}"))) if folder.is_dir() else ()


def _read(path: Path) -> bytes | None:
    try:
        return as_written(path.read_bytes())
    except FileNotFoundError:
        return None


def _obstacle(root: Path, shown: str) -> Problem | None:
    """Return the problem of a file where the output folder or a parent of it has to be."""
    place = root
    for part in PurePosixPath(shown).parts:
        place = place / part
        if place.exists() and not place.is_dir():
            name = place.relative_to(root).as_posix()
            return _in_the_way(name, "it is a file, but has to be a folder")
    return None


def _hand_edited(where: str, *, gone: bool) -> Problem:
    message = "it was changed by hand since holdall wrote it"
    if gone:
        message += ", and it is no longer generated"
    copy = f"{PurePosixPath(where).name}.edited"
    fix = f"undo the change, or run `{_REGENERATE}`, which saves it as {copy}"
    return Problem(HAND_EDITED, where, message, fix)


def _hand_written(where: str) -> Problem:
    message = "it is in the way: holdall generates a file of this name, but did not write this one"
    return Problem(HAND_WRITTEN, where, message, "move it out of the output folder, or remove it")


def _in_the_way(where: str, reason: str) -> Problem:
    fix = "clear the path and make it writable, or choose another `output` in holdall.yaml"
    return Problem(CANNOT_WRITE, where, f"it cannot be written: {reason}", fix)


def write_output(output: Output) -> None:
    """Write what changed and remove what is no longer generated.

    Files are replaced atomically, after all new texts are on disk; whenever the process ends, each
    file is old or new, and the next run completes the work. Raises OutputError before
    anything is changed, or when the file system refuses, and InternalError for texts that are
    not Python or JSON.
    """
    if output.conflicts:
        raise OutputError(output.conflicts)
    final = Manifest({path: digest_of(text.encode()) for path, text in output.texts.items()})
    for path in output.written:
        _verify(path, output.texts[path])
    try:
        for leftover in output.leftovers:
            leftover.unlink(missing_ok=True)
        if output.is_current and final == output.manifest:
            return
        _save_edited(output)
        _replace(output, final)
        for path in output.removed:
            (output.folder / path).unlink(missing_ok=True)
        _remove_folders(output)
        replace_file(output.folder / MANIFEST_FILE, final.text().encode(), ending=UNFINISHED)
    except OSError as error:
        where = f"{output.shown}/{_below(output.folder, error.filename)}".rstrip("/.")
        raise OutputError([_in_the_way(where, error.strerror or str(error))]) from error


def _below(folder: Path, name: object) -> str:
    path = Path(str(name)) if name else folder
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else ""


def _verify(path: str, text: str) -> None:
    """Refuse invalid text, which is a bug in the generator, and save it for the bug report."""
    try:
        if path.endswith(".py"):
            compile(text, path, "exec", dont_inherit=True)
        elif path.endswith(".json"):
            json.decode(text)
    except (SyntaxError, ValueError, RecursionError, DecodeError) as error:
        folder = tempfile.mkdtemp(prefix="holdall-bad-output-")
        saved = Path(folder, PurePosixPath(path).name)
        saved.write_text(text, encoding="utf-8", newline="\n")
        message = f"the text generated for {path} is not valid ({error}); nothing was written"
        raise InternalError(message, saved=str(saved)) from error


def _save_edited(output: Output) -> None:
    for path in output.edited:
        file = output.folder / path
        copy, number = file.with_name(f"{file.name}.edited"), 2
        while copy.exists():
            copy, number = file.with_name(f"{file.name}.edited{number}"), number + 1
        create_file(copy, file.read_bytes())


def _replace(output: Output, final: Manifest) -> None:
    output.folder.mkdir(parents=True, exist_ok=True)
    owned = {path: digest_of(data) for path, data in output.before.items()}
    pending = {path: final.files[path] for path in output.written}
    # before the first file is replaced, the record has both states of every file
    texts = [(MANIFEST_FILE, Manifest(owned, pending).text())]
    texts += [(path, output.texts[path]) for path in output.written]
    files = ((output.folder / path, text.encode()) for path, text in texts)
    replace_files(files, ending=UNFINISHED)


def _remove_folders(output: Output) -> None:
    """Remove folders in which only bytecode of removed modules is left."""
    removed: dict[PurePosixPath, set[str]] = {}
    for path in output.removed:
        pure = PurePosixPath(path)
        removed.setdefault(pure.parent, set()).add(pure.stem)
    waiting = sorted(removed, key=lambda pure: len(pure.parts), reverse=True)
    for pure in waiting:
        for place in (pure, *pure.parents):
            if place == PurePosixPath("."):
                break
            if not _remove_folder(output.folder / place, removed.get(place, set())):
                break


def _remove_folder(folder: Path, stems: set[str]) -> bool:
    if not folder.is_dir():
        return True
    cached = folder / "__pycache__"
    bytecode: list[Path] = []
    for entry in folder.iterdir():
        if entry != cached or not entry.is_dir():
            return False
        bytecode = list(cached.iterdir())
    if any(file.suffix != ".pyc" or file.name.split(".")[0] not in stems for file in bytecode):
        return False
    for file in bytecode:
        file.unlink()
    if cached.is_dir():
        cached.rmdir()
    folder.rmdir()
    return True


# --- files that are written once ------------------------------------------------------------------


def write_new(path: Path, text: str, *, folders: bool = True) -> None:
    """Write a new file, with its parent folders unless `folders` is False.

    Raises FileExistsError if it is there, and SourceError if it cannot be written.
    """
    try:
        if folders:
            path.parent.mkdir(parents=True, exist_ok=True)
        create_file(path, text.encode())
    except OSError as error:
        if isinstance(error, FileExistsError) and path.exists():
            raise
        reason = f"it cannot be written: {error.strerror or error}"
        fix = "check the path, its permissions and the free disk space"
        if not path.parent.is_dir():
            fix = f"create the folder {path.parent.as_posix()}, or name another file"
        raise SourceError([Problem(CANNOT_WRITE, path.as_posix(), reason, fix)]) from error

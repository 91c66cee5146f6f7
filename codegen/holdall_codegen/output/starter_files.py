"""The files that a first `holdall.yaml` is written for."""

from __future__ import annotations

from os.path import relpath
from pathlib import Path, PurePosixPath
from typing import Final, Literal, NamedTuple

from holdall.errors import Problem, SourceError
from holdall.text.documents import Document
from holdall.text.loading import load_file

_MARK: Final = b"CustomResourceDefinition"
_SUFFIXES: Final = (".yaml", ".yml", ".json")
Reading = Literal["strict", "kubernetes"]


class Loaded(NamedTuple):
    """What is in files, and what is wrong with those that could not be read and have no CRD."""

    documents: list[Document]
    reading: Reading
    unread: list[Problem]


def load(path: Path) -> Loaded:
    """Return the documents in the order of file names, read as Kubernetes does where strict
    refuses. Raises SourceError for CRDs that cannot be read."""
    files = _below(path) if path.is_dir() else [path]
    readings: tuple[Reading, ...] = ("strict", "kubernetes")
    refused: SourceError | None = None
    for reading in readings:
        problems: list[Problem] = []
        documents: list[Document] = []
        unread: list[Problem] = []
        for file in files:
            try:
                documents += load_file(file, yaml=reading)
            except SourceError as error:
                is_crd = file == path or _MARK in file.read_bytes()
                (problems if is_crd else unread).extend(error.problems)
        if not problems:
            return Loaded(documents, reading, unread)
        refused = refused or SourceError(problems)
    raise refused or SourceError([])


def _below(folder: Path) -> list[Path]:
    """The files at any depth; what is hidden is not looked at."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in _SUFFIXES
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def patterns(crds: Path, root: Path, documents: list[Document], files: set[str]) -> list[str]:
    """One pattern per suffix where all files of the folder belong to the group, else each file.

    The root folder itself is listed file by file: a pattern would take in the configuration.
    """
    folder = PurePosixPath(Path(relpath(crds, root)).as_posix())
    is_whole = crds.is_dir() and files == {document.file for document in documents}
    if is_whole and folder != PurePosixPath("."):
        depth = "**/" if any(Path(file).parent != crds for file in files) else ""
        suffixes = sorted({Path(file).suffix for file in files})
        return [str(folder / f"{depth}*{suffix}") for suffix in suffixes]
    return [Path(relpath(file, root)).as_posix() for file in sorted(files)]

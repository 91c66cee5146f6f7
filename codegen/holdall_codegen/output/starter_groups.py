"""The groups of a first `holdall.yaml`, with comments, for the files that are found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from holdall.errors import Problem, SourceError
from holdall.text.documents import Document, Scalars
from holdall.text.files import path_from
from holdall.text.folders import files_below, unreadable
from holdall.text.loading import load_file
from holdall_codegen.config.names import PACKAGE, yaml_scalar
from holdall_codegen.plan.python_names import natural

_MARK: Final = b"CustomResourceDefinition"
_SUFFIXES: Final = (".yaml", ".yml", ".json")
_NUMBERS: Final = r"[0-9]+(?:\.[0-9]+)*"
_STAGES: Final = {"dev": 0, "preview": 1, "pre": 1, "alpha": 2, "beta": 3, "rc": 4, "": 5}
_NUMBERED: Final = re.compile(
    rf"v?({_NUMBERS})(?:[-.]?({'|'.join(filter(None, _STAGES))})[-.]?({_NUMBERS})?)?", re.IGNORECASE
)
_ORDER: Final = (
    "    # Oldest first. CHECK THIS ORDER: it was guessed from the names (by number, then alpha,",
    "    # beta, stable), and every conversion depends on it.",
)


@dataclass(frozen=True, slots=True)
class StartGroup:
    """A group: its name, the lines about its documents and its sources, its versions, the stored
    one if that is known, and a type for examples."""

    name: str
    head: list[str]
    sources: list[str]
    versions: list[str]
    stored: str
    carrier: str
    example: str

    def lines(self) -> list[str]:
        """Return the lines of the group."""
        versions = self.versions
        example = ["v1", "v2"] if versions != ["v2"] else ["v2", "v3"]
        older, newer = [*versions[-2:], *example[len(versions) :]]
        return [
            f"  {yaml_scalar(self.name)}:",
            f"    # package: {self.name}   # below output; by default the group's name",
            *self.head,
            "    sources:",
            *self.sources,
            *_ORDER,
            "    versions:",
            *(f"      - {yaml_scalar(version)}" for version in versions),
            *self._hub(),
            "    # edges: chain   # or star, around the hub, or pairs such as [[v1, v2], [v2, v3]]",
            f"    # carrier: {self.carrier}: where values travel that a version cannot hold",
            "    # What differs between two versions, as the older one sees it:",
            "    # between:",
            f"    #   {older} -> {newer}:",
            f"    #     {self.example}:",
            "    #       oldName: {rename: newName}",
            "    #       group/member: {move: member}",
            "    #       sameNameOtherMeaning: not_same",
        ]

    def _hub(self) -> list[str]:
        """Return the line of the hub: the storage version, in a comment if it is the newest."""
        newest = self.versions[-1]
        if self.stored and self.stored != newest:
            return [f"    hub: {yaml_scalar(self.stored)}   # the version that the CRDs store"]
        return [f"    # hub: {yaml_scalar(newest)}   # the version to store; by default the newest"]


def order_versions(names: Iterable[str]) -> list[str]:
    """Return names oldest first: by their numbers, and alpha, beta and rc before the stable one.

    This is not the order in which Kubernetes prefers them: v2beta1 is younger than v1. Names of
    another form come first, with their numbers compared as numbers.
    """
    return sorted(names, key=_age)


def _age(name: str) -> tuple[list[int], int, list[int], list[tuple[int, str]], str]:
    match = _NUMBERED.fullmatch(name)
    if match:
        numbers, stage, more = match.groups("")
        return _numbers(numbers), _STAGES[stage.lower()], _numbers(more), [], name
    return [], 0, [], natural(name), name


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(".") if part]


def package_of(text: str) -> str:
    """Return a Python name for a group."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", text) or "group"
    return name if PACKAGE.fullmatch(name) else f"group_{name}"


# --- files -----------------------------------------------------------------------------------


class Loaded(NamedTuple):
    """The contents of files, and the problems of those that could not be read and have no CRD."""

    documents: list[Document]
    reading: Scalars
    unread: list[Problem]


def load(path: Path) -> Loaded:
    """Return the documents in the order of file names, read as Kubernetes does if strict reading
    fails. Raises SourceError for CRDs that cannot be read."""
    files = _below(path) if path.is_dir() else [path]
    readings: tuple[Scalars, ...] = ("strict", "kubernetes")
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
    """Return the files at any depth, without hidden ones. Raises SourceError (HA101)."""
    try:
        return sorted(
            path
            for path in files_below(folder, hidden=False)
            if path.suffix.lower() in _SUFFIXES and path.is_file()
        )
    except OSError as error:
        raise SourceError([unreadable(error)]) from error


def patterns(crds: Path, root: Path, documents: list[Document], files: set[str]) -> list[str]:
    """Return a pattern per suffix if all files of the folder belong to the group, else each file.

    The root folder itself is listed file by file: a pattern would match the configuration.
    """
    folder = PurePosixPath(path_from(crds, root))
    is_whole = crds.is_dir() and files == {document.file for document in documents}
    if is_whole and folder != PurePosixPath("."):
        depth = "**/" if any(Path(file).parent != crds for file in files) else ""
        suffixes = sorted({Path(file).suffix for file in files})
        return [str(folder / f"{depth}*{suffix}") for suffix in suffixes]
    return [path_from(file, root) for file in sorted(files)]

"""The start of a project: a commented `holdall.yaml` from CRDs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os.path import relpath
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from holdall.errors import Problem, SourceError
from holdall.text.documents import Document
from holdall.text.files import create_file
from holdall.text.loading import load_file
from holdall.types import JsonValue, is_json_object
from holdall_codegen.config.names import PACKAGE, VERSION
from holdall_codegen.config.spelling import yaml_scalar

CONFIG_EXISTS: Final = "HA133"
NO_CRD: Final = "HA134"
_MARK: Final = b"CustomResourceDefinition"
_SUFFIXES: Final = (".yaml", ".yml", ".json")
_KUBERNETES: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STAGES: Final = {"alpha": 0, "beta": 1, None: 2}
Reading = Literal["strict", "kubernetes"]


@dataclass(slots=True)
class _Start:
    """What the CRDs of one API group and one set of files say."""

    versions: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)


def write_starter(crds: Path, config: Path) -> None:
    """Write a commented configuration for the CRDs in `crds`, a file or a folder.

    Raises SourceError, and writes nothing, if the configuration exists or no CRD is found.
    """
    text = start_config(crds, config.parent)
    try:
        create_file(config, text.encode())
    except FileExistsError as error:
        fix = "edit it, or move it away and run holdall init again"
        problem = Problem(CONFIG_EXISTS, config.as_posix(), "there is a configuration already", fix)
        raise SourceError([problem]) from error


def start_config(crds: Path, root: Path) -> str:
    """The text of a configuration for the CRDs in `crds`, with paths relative to `root`.

    Each API group becomes a group with its versions oldest first. Raises SourceError for files
    that cannot be read and for anything that holds no CRD.
    """
    documents, reading = _load(crds)
    starts: dict[str, _Start] = {}
    for document in documents:
        _collect(document.value, document.file, starts)
    if not starts:
        fix = "name a file or folder with documents of kind CustomResourceDefinition"
        raise SourceError([Problem(NO_CRD, crds.as_posix(), "there is no CRD in it", fix)])
    lines = [
        "# The configuration of holdall: where schemas come from, in which order their versions",
        "# stand, and what is known of their differences. Commented lines show what else there is.",
        "",
        "# output: generated   # the package for generated code; holdall alone writes there",
        "# hooks: hooks        # the package for hand-written hooks",
        "groups:",
    ]
    names = _group_names(starts)
    for api_group in sorted(starts):
        start = starts[api_group]
        patterns = _patterns(crds, root, documents, start.files)
        is_mixed = any(
            start.files & other.files for name, other in starts.items() if name != api_group
        )
        source = [f"        group: {yaml_scalar(api_group)}"] if is_mixed else []
        if reading == "kubernetes":
            source.append(
                "        yaml: kubernetes   # some values mean different things to readers"
            )
        lines += _group_lines(names[api_group], api_group, start, patterns, source)
    return "\n".join(lines) + "\n"


def order_versions(names: Iterable[str]) -> list[str]:
    """The names oldest first: GA after beta after alpha, then by numbers, as Kubernetes ranks them.

    Names of another form, which Kubernetes ranks last, come first, their numbers compared as
    numbers: for these the order is a guess.
    Source: Kubernetes, versions in CustomResourceDefinitions, version priority.
    """
    return sorted(names, key=_priority)


def _priority(name: str) -> tuple[int, int, int, list[tuple[int, str]], str]:
    match = _KUBERNETES.fullmatch(name)
    if match:
        major, stage, minor = match.groups()
        return 1 + _STAGES[stage], int(major), int(minor or 0), [], name
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    natural = [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
    return 0, 0, 0, natural, name


def _load(crds: Path) -> tuple[list[Document], Reading]:
    """The documents in the order of file names; as Kubernetes reads them where strict refuses."""
    files = _below(crds) if crds.is_dir() else [crds]
    readings: tuple[Reading, ...] = ("strict", "kubernetes")
    refused: SourceError | None = None
    for reading in readings:
        problems: list[Problem] = []
        documents: list[Document] = []
        for file in files:
            try:
                documents += load_file(file, yaml=reading)
            except SourceError as error:
                if file == crds or _MARK in file.read_bytes():
                    problems += error.problems
        if not problems:
            return documents, reading
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


def _patterns(crds: Path, root: Path, documents: list[Document], files: set[str]) -> list[str]:
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


def _collect(value: JsonValue, file: str, starts: dict[str, _Start]) -> None:
    """Add what a document says if it is a CRD, or a List that holds some."""
    if not is_json_object(value):
        return
    items = value.get("items")
    if value.get("kind") in ("List", "CustomResourceDefinitionList") and isinstance(items, list):
        for item in items:
            _collect(item, file, starts)
        return
    spec = value.get("spec")
    if value.get("kind") != "CustomResourceDefinition" or not is_json_object(spec):
        return
    api_group, names, versions = spec.get("group"), spec.get("names"), spec.get("versions")
    if not isinstance(api_group, str) or not isinstance(versions, list):
        return
    entries = [entry for entry in versions if is_json_object(entry)]
    found = {str(entry["name"]): entry for entry in entries if "name" in entry}
    if not found or not all(VERSION.fullmatch(version) for version in found):
        return
    start = starts.setdefault(api_group, _Start())
    start.files.add(file)
    start.versions.update(found)
    start.stored.update(name for name, entry in found.items() if entry.get("storage") is True)
    kind = names.get("kind") if is_json_object(names) else None
    if isinstance(kind, str):
        start.kinds.add(kind)


def _group_names(starts: Mapping[str, _Start]) -> dict[str, str]:
    """A Python name for each API group: its first label, or all of it where two begin alike."""
    firsts = [_package(api_group.split(".")[0]) for api_group in sorted(starts)]
    return {
        api_group: first if firsts.count(first) == 1 else _package(api_group)
        for api_group, first in zip(sorted(starts), firsts, strict=True)
    }


def _package(text: str) -> str:
    name = re.sub(r"[^A-Za-z0-9_]", "_", text) or "group"
    return name if PACKAGE.fullmatch(name) else f"group_{name}"


def _group_lines(
    name: str, api_group: str, start: _Start, patterns: list[str], source: list[str]
) -> list[str]:
    versions = order_versions(start.versions)
    example = ["v1", "v2"] if versions != ["v2"] else ["v2", "v3"]
    older, newer = [*versions[-2:], *example[len(versions) :]]
    kind = min(start.kinds, default="Widget")
    lines = [
        f"  {yaml_scalar(name)}:",
        f"    # package: {name}   # below output; the group's name if it is left out",
        f"    api_group: {yaml_scalar(api_group)}",
        "    sources:",
    ]
    for pattern in patterns:
        lines += [f"      - crds: {yaml_scalar(pattern)}", *source]
    lines += [
        "    # Oldest first. CHECK THIS ORDER: it was guessed from the names (alpha, beta, stable;",
        "    # then by number), and every conversion depends on it.",
        "    versions:",
        *(f"      - {yaml_scalar(version)}" for version in versions),
        *_hub_lines(start, versions),
        "    # edges: chain   # or star, round the hub, or pairs as [[v1, v2], [v2, v3]]",
        "    # carrier: annotation   # or field, or none: where values travel that a version lacks",
        "    # What differs between two versions, from the older one's side:",
        "    # between:",
        f"    #   {older} -> {newer}:",
        f"    #     {kind}Spec:",
        "    #       oldName: {rename: newName}",
        "    #       group/member: {move: member}",
        "    #       sameNameOtherMeaning: not_same",
    ]
    return lines


def _hub_lines(start: _Start, versions: list[str]) -> list[str]:
    """The hub is the storage version; it is stated where it is not the newest one."""
    if len(start.stored) == 1:
        stored = next(iter(start.stored))
        if stored != versions[-1]:
            return [f"    hub: {yaml_scalar(stored)}   # the version that the CRDs store"]
    return [
        f"    # hub: {yaml_scalar(versions[-1])}   # the version to store; by default the newest"
    ]

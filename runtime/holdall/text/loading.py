"""Documents of files: read as JSON or as YAML, as their names say."""

from __future__ import annotations

from pathlib import Path

from holdall.errors import Problem, SourceError
from holdall.text.documents import Document, Scalars
from holdall.types import JsonValue


def load_file(path: Path, *, yaml: Scalars = "strict", shown: str = "") -> list[Document]:
    """Read all documents of a `.json`, `.yaml` or `.yml` file, which messages call `shown`.

    A JSON file has exactly one document; empty YAML documents are skipped. Raises SourceError
    with every problem found in the file.
    """
    file = shown or path.as_posix()
    suffix = path.suffix.lower()
    if suffix not in (".json", ".yaml", ".yml"):
        text = f"the suffix {path.suffix!r} says neither JSON nor YAML"
        raise SourceError([Problem("HA101", file, text, "name the file .json, .yaml or .yml")])
    try:
        data = path.read_bytes()
    except OSError as error:
        text = f"the file cannot be read: {error.strerror or error}"
        raise SourceError([Problem("HA101", file, text, "check the path")]) from error
    # A reader is imported when a file needs it: that of YAML takes its time.
    if suffix == ".json":
        from holdall.text import json

        return [json.load(data, file)]
    from holdall.text import yaml as yaml_reader

    return yaml_reader.load_all(data, file, scalars=yaml)


def absence_of(path: Path) -> str:
    """Say what is at a path instead of a file; empty if a file is there."""
    if path.is_file():
        return ""
    if path.is_dir():
        return "this is a folder"
    if path.is_symlink():
        return f"this is a link to {path.readlink().as_posix()}, which leads to no file"
    return "this is not a file" if path.exists() else "there is no such file"


def load_only(path: Path) -> JsonValue:
    """Read the value of a file that holds one document. Raises SourceError."""
    documents = load_file(path)
    if len(documents) != 1:
        text = f"expected one document, found {len(documents)}"
        raise SourceError([Problem("HA120", path.as_posix(), text, "leave one of them")])
    return documents[0].value

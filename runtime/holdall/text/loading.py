"""Documents of files, read as JSON or YAML by their suffixes."""

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
    # A reader is imported when a file needs it: importing that of YAML takes time.
    if suffix == ".json":
        from holdall.text import json

        return [json.load(data, file)]
    from holdall.text import yaml as yaml_reader

    return yaml_reader.load_all(data, file, scalars=yaml)


def absence_of(path: Path) -> str:
    """Return what is at a path instead of a file; empty if it is a file."""
    if path.is_file():
        return ""
    if path.is_dir():
        return "this is a folder"
    if path.is_symlink():
        return f"this is a broken link to {path.readlink().as_posix()}"
    return "this is not a regular file" if path.exists() else "there is no such file"


def load_only(path: Path) -> JsonValue:
    """Read the value of a file that holds one document. Raises SourceError."""
    documents = load_file(path)
    if len(documents) != 1:
        text = f"expected one document, found {len(documents)}"
        raise SourceError([Problem("HA120", path.as_posix(), text, "keep one of them")])
    return documents[0].value

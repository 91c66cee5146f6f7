"""The start of a project: a commented `holdall.yaml` from CRDs or JSON Schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.text.loading import absence_of
from holdall_codegen.output.new_files import write_new
from holdall_codegen.output.starter_crds import crd_groups
from holdall_codegen.output.starter_files import load
from holdall_codegen.output.starter_schemas import schema_groups

CONFIG_EXISTS: Final = "HA133"
NO_SCHEMA: Final = "HA134"


def write_starter(path: Path, config: Path) -> None:
    """Write a commented configuration for the CRDs or JSON Schemas in a file or a folder.

    Raises SourceError, and writes nothing, if the configuration exists or no schema is found.
    """
    text = start_config(path, config.parent)
    try:
        write_new(config, text, folders=False)
    except FileExistsError as error:
        again = "run holdall init again"
        raise SourceError(
            [config_exists(config, f"edit it, or move it away and {again}")]
        ) from error


def config_exists(config: Path, fix: str) -> Problem:
    """Return the problem of a configuration that is in the way; `fix` is for a file."""
    if not config.is_file():
        text, fix = f"{absence_of(config)}, and a configuration is a file", "move it away"
    else:
        text = "there is a configuration already"
    return Problem(CONFIG_EXISTS, config.as_posix(), text, fix)


def start_config(path: Path, root: Path) -> str:
    """Return the text of a configuration for CRDs or JSON Schemas, with paths relative to `root`.

    Raises SourceError for files that cannot be read and for anything that holds no schema.
    """
    documents, reading, unread = load(path)
    groups = crd_groups(path, root, documents, reading)
    if not groups and unread:
        raise SourceError(unread)  # a schema may be among them
    groups = groups or schema_groups(path, root, documents, reading)
    if not groups:
        fix = "name a file or folder with CRDs, or with JSON Schemas of objects"
        text = "there is no CRD in it, and no JSON Schema of an object"
        raise SourceError([Problem(NO_SCHEMA, path.as_posix(), text, fix)])
    lines = [
        "# The configuration of holdall: where schemas come from, in which order their versions",
        "# stand, and what is known of their differences. Commented lines show what else there is.",
        "",
        "# output: generated   # the package for generated code; holdall alone writes there",
        "# hooks: hooks        # the package for hand-written hooks",
        "groups:",
    ]
    return "\n".join([*lines, *(line for group in groups for line in group.lines())]) + "\n"

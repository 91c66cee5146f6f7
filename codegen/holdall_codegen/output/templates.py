"""Files for a new project that deploy it and check it in a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.version import VERSION
from holdall_codegen.output.files import write_new

FILE_EXISTS: Final = "HA139"
PIPELINES: Final[Mapping[str, str]] = {
    "github": ".github/workflows/holdall.yml",
    "gitlab": ".gitlab/holdall.yml",
}
"""The path of the pipeline for each host."""

_HOME: Final = "holdall_codegen.templates"
_VERSION_MARK: Final = "@HOLDALL_VERSION@"


def write_templates(root: Path, *, deploy: bool, pipeline: str | None) -> list[Path]:
    """Write the requested files into a project's folder, and return them.

    Raises SourceError, and writes nothing, if one of them is there already.
    """
    found: dict[str, str] = {}
    if deploy:
        found |= _texts(files(_HOME) / "deploy", "deploy")
    if pipeline is not None:
        found[PIPELINES[pipeline]] = template(f"ci/{pipeline}.yml")
    fix = "edit it, or move it away and run holdall init again"
    problems = [
        Problem(FILE_EXISTS, name, "a file of this name exists already", fix)
        for name in found
        if (root / name).exists()
    ]
    if problems:
        raise SourceError(problems)
    for name, text in found.items():
        write_new(root / name, text.replace(_VERSION_MARK, VERSION))
    return [root / name for name in found]


def template(name: str) -> str:
    """Return the text of a template."""
    return files(_HOME).joinpath(name).read_text(encoding="utf-8")


def _texts(folder: Traversable, name: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        place = f"{name}/{item.name}"
        if item.is_dir():
            texts |= _texts(item, place)
        else:
            texts[place] = item.read_text(encoding="utf-8")
    return texts

"""The start of a project that declares its versions: a module, and `holdall.yaml` beside it."""

from __future__ import annotations

from os.path import relpath
from pathlib import Path
from typing import Final

from holdall.errors import Problem, SourceError
from holdall_codegen.config.names import PACKAGE
from holdall_codegen.output.files import write_new
from holdall_codegen.output.starter import config_exists

NO_MODULE: Final = "HA135"

_DECLARATION: Final = '''\
"""The latest version of the types of this project, and what happened to each item.

`holdall generate` makes all versions and their converters from it.
"""

from __future__ import annotations

from typing import Annotated

from holdall.declare import (
    Tracking,
    Unit,
    Version,
    Versions,
    added,
    changed,
    deprecated,
    obj,
    resource,
    union,
)

# Oldest first. Without tracking, values that an older version cannot hold are lost at the API.
VERSIONS = Versions(
    Version("v1alpha1", deprecated="use v1"),
    Version("v1"),
    tracking=Tracking(),
    rename_all="camelCase",
)


def one() -> int:
    return 1


@obj
class Part:
    """Something that a widget has."""

    name: str
    weight: Annotated[float | None, added("v1")]


@union(rename_all="camelCase")
class Finish:
    """One of several alternatives, some with a payload."""

    Plain: Unit
    Painted: Part
    Polished: Annotated[Unit, added("v1", fallback="Plain")]


@resource(group="example.com", namespaced=True)
class WidgetSpec:
    """A widget."""

    replicas: Annotated[int, added("v1", default=one)]
    display_name: Annotated[str, changed("v1", from_name="name")]
    parts: list[Part]
    finish: Finish
    deprecated_color: Annotated[str | None, deprecated("v1", note="use finish")]
'''

_CONFIG: Final = """\
# The configuration of holdall. The versions are in the declaration.

# output: generated   # the package for generated code; holdall alone writes there
# hooks: hooks        # the package for hand-written hooks
groups:
  {group}:
    # package: {group}   # below output; the group's name if it is left out
    sources:
      - declared: {path}
"""


def write_declared_starter(module: Path, config: Path) -> bool:
    """Write a configuration for a declaring module, and the start of the module if it is missing.

    Returns whether the module was written. Raises SourceError, and writes nothing, if the
    configuration exists or generated code could not import the module.
    """
    path = Path(relpath(module, config.parent))
    importable = path.suffix == ".py" and PACKAGE.fullmatch(".".join(path.with_suffix("").parts))
    if not importable:
        message = "generated code cannot import this as a module of the project"
        fix = "name a .py file below the configuration, with Python names, as schemas/widgets.py"
        raise SourceError([Problem(NO_MODULE, path.as_posix(), message, fix)])
    if config.exists():
        fix = f"add `sources: [{{declared: {path.as_posix()}}}]` to it by hand"
        raise SourceError([config_exists(config, fix)])
    is_new = not module.exists()
    if is_new:
        write_new(module, _DECLARATION)
    write_new(config, _CONFIG.format(group=path.stem, path=path.as_posix()))
    return is_new

"""A first, commented `holdall.yaml` from CRDs, JSON Schemas or a declaration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.text.documents import Document, Scalars
from holdall.text.files import path_from
from holdall.text.loading import absence_of
from holdall.text.pointer import join
from holdall.text.streams import objects_of
from holdall.types import JsonObject, get, is_json_object, items, members, text
from holdall_codegen.config.names import PACKAGE, VERSION, flow, yaml_scalar
from holdall_codegen.output.files import write_new
from holdall_codegen.output.starter_groups import (
    StartGroup,
    load,
    order_versions,
    package_of,
    patterns,
)
from holdall_codegen.output.starter_schemas import schema_groups
from holdall_codegen.output.templates import template

CONFIG_EXISTS: Final = "HA133"
NO_SCHEMA: Final = "HA134"
NO_MODULE: Final = "HA135"


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


def _as_source(documents: Iterable[Document]) -> str:
    """Return how a file with several schemas, such as one of OpenAPI, becomes a source."""
    for document in documents:
        for place in (("components", "schemas"), ("definitions",), ("$defs",)):
            for name in members(document.value, *place):
                kinds: JsonObject = {name: join("", *place, name)}
                said = flow({"schemas": document.file, "version": "v1", "kinds": kinds})
                return f"; or write holdall.yaml by hand, with a source such as {said}"
    return ""


def config_exists(config: Path, fix: str) -> Problem:
    """Return the problem of a configuration that is in the way; `fix` is for a file."""
    if not config.is_file():
        text, fix = f"{absence_of(config)}, and a configuration is a file", "move it away"
    else:
        text = "there is a configuration already"
    return Problem(CONFIG_EXISTS, config.as_posix(), text, fix)


def start_config(path: Path, root: Path) -> str:
    """Return the text of a configuration for CRDs or JSON Schemas, with paths relative to `root`.

    Raises SourceError for files that cannot be read and for anything without a schema.
    """
    documents, reading, unread = load(path)
    groups = _crd_groups(path, root, documents, reading)
    if not groups and unread:
        raise SourceError(unread)  # a schema may be among them
    groups = groups or schema_groups(path, root, documents, reading)
    if not groups:
        fix = "name a file or folder with CRDs, or with JSON Schemas of objects" + _as_source(
            documents
        )
        text = "it has neither a CRD nor a JSON Schema of an object"
        raise SourceError([Problem(NO_SCHEMA, path.as_posix(), text, fix)])
    lines = [
        "# The configuration of holdall: the sources of schemas, the order of their versions, and",
        "# the declared differences. Commented lines show what else you can declare.",
        "",
        "# output: generated   # the package for generated code; only holdall writes there",
        "# hooks: hooks        # the package for hand-written hooks",
        "groups:",
    ]
    return "\n".join([*lines, *(line for group in groups for line in group.lines())]) + "\n"


# --- CRDs ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Start:
    """What one set of files says about the CRDs of one API group."""

    versions: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)


def _crd_groups(
    crds: Path, root: Path, documents: list[Document], reading: Scalars
) -> list[StartGroup]:
    """Return a group for each API group of the CRDs, with its versions oldest first."""
    starts: dict[str, _Start] = {}
    for document in documents:
        for _, item in objects_of(document.value):
            if item.get("kind") == "CustomResourceDefinition":
                _collect(item, document.file, starts)
    names = _group_names(starts)
    found = []
    for api_group in sorted(starts):
        start = starts[api_group]
        others = (other.files for name, other in starts.items() if name != api_group)
        is_mixed = any(start.files & files for files in others)
        more = [f"        group: {yaml_scalar(api_group)}"] if is_mixed else []
        if reading == "kubernetes":
            more.append("        yaml: kubernetes   # parsers read some plain scalars differently")
        sources: list[str] = []
        for pattern in patterns(crds, root, documents, start.files):
            sources += [f"      - crds: {yaml_scalar(pattern)}", *more]
        found.append(
            StartGroup(
                names[api_group],
                [f"    api_group: {yaml_scalar(api_group)}"],
                sources,
                order_versions(start.versions),
                next(iter(start.stored)) if len(start.stored) == 1 else "",
                "annotation   # or field, or none",
                f"{min(start.kinds, default='Widget')}Spec",
            )
        )
    return found


def _collect(crd: JsonObject, file: str, starts: dict[str, _Start]) -> None:
    """Add a CRD."""
    api_group = get(crd, "spec", "group")
    # v1beta1 may have one version without a list.
    versions = items(crd, "spec", "versions") or [{"name": get(crd, "spec", "version")}]
    entries = [entry for entry in versions if is_json_object(entry)]
    found = {str(name): entry for entry in entries if (name := entry.get("name")) is not None}
    if (
        not isinstance(api_group, str)
        or not found
        or not all(VERSION.fullmatch(version) for version in found)
    ):
        return
    start = starts.setdefault(api_group, _Start())
    start.files.add(file)
    start.versions.update(found)
    start.stored.update(name for name, entry in found.items() if entry.get("storage") is True)
    start.kinds.update(filter(None, [text(crd, "spec", "names", "kind")]))


def _group_names(starts: Mapping[str, _Start]) -> dict[str, str]:
    """Return a Python name for each API group: its first label, or all if two begin alike."""
    firsts = [package_of(api_group.split(".")[0]) for api_group in sorted(starts)]
    return {
        api_group: first if firsts.count(first) == 1 else package_of(api_group)
        for api_group, first in zip(sorted(starts), firsts, strict=True)
    }


# --- declarations ---------------------------------------------------------------------------------


def write_declared_starter(module: Path, config: Path) -> bool:
    """Write a configuration for a declaring module, and the start of the module if it is missing.

    Returns whether the module was written. Raises SourceError, and writes nothing, if the
    configuration exists or generated code could not import the module.
    """
    path = Path(path_from(module, config.parent))
    importable = path.suffix == ".py" and PACKAGE.fullmatch(".".join(path.with_suffix("").parts))
    if not importable:
        message = "generated code cannot import this as a module of the project"
        fix = (
            "name a .py file below the configuration, with Python names, such as schemas/widgets.py"
        )
        raise SourceError([Problem(NO_MODULE, path.as_posix(), message, fix)])
    if config.exists():
        fix = f"add `sources: [{{declared: {path.as_posix()}}}]` to it by hand"
        raise SourceError([config_exists(config, fix)])
    is_new = not module.exists()
    if is_new:
        write_new(module, template("declared/declaration.txt"))
    text = template("declared/holdall.yaml")
    write_new(config, text.format(group=path.stem, path=path.as_posix()))
    return is_new

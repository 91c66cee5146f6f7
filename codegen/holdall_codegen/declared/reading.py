"""Reading a module or a text into a resolved declaration."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import decode_source
from pathlib import Path

from holdall_codegen.declared.check_containers import check_containers, check_imports
from holdall_codegen.declared.check_items import check_items
from holdall_codegen.declared.check_shapes import check_shapes, fallback_state
from holdall_codegen.declared.grammar import VersionName
from holdall_codegen.declared.model import (
    Container,
    ContainerEdge,
    Declaration,
    DeclaredVersion,
    Item,
    ItemPair,
    Lone,
    SkipFlag,
)
from holdall_codegen.declared.problems import raise_problem
from holdall_codegen.declared.raw import RawAction, RawFunction, RawItem
from holdall_codegen.declared.read_module import read_module
from holdall_codegen.declared.read_versions import read_skip, version_of
from holdall_codegen.declared.resources import read_resource
from holdall_codegen.declared.shapes import Shape, Shapes, is_text, make_shapes
from holdall_codegen.declared.source import Source, find_module, importing_from, load
from holdall_codegen.declared.types import FunctionRef
from holdall_codegen.model import Location


def read_source(
    text: str,
    filename: str = "declaration.py",
    *,
    module: str = "declaration",
    root: Path | None = None,
) -> Declaration:
    """Read a declaration from its text, which is run as `module`.

    `root` is a folder for imports, in addition to what is installed. Raises DeclarationError with
    all mistakes at once; warnings are in the result.
    """
    with importing_from(root, module):
        source = load(text, filename, module)
        raw = read_module(source)
        check_items(raw, source.findings)
        shapes = make_shapes(raw)
        check_shapes(shapes, source)
        check_containers(shapes, source.findings)
        if raw.imports is not None:
            check_imports(raw, raw.imports, source.findings)
        source.findings.raise_any()
        return resolve(shapes, source)


def read_declaration(name: str | Path, *, root: Path | None = None) -> Declaration:
    """Read a declaration from a file or a module.

    A file is relative to `root`, and its import name follows from its path. Raises DeclarationError
    as `read_source` does.
    """
    base = root if root is not None else Path()
    if isinstance(name, str) and not name.endswith(".py"):
        with importing_from(base):
            path = find_module(name)
        module = name
    else:
        path = base / name
        module = ".".join(Path(name).with_suffix("").parts)
    try:
        if path is None:
            raise FileNotFoundError(f"there is no module {name}")
        text = decode_source(path.read_bytes())
    except (OSError, SyntaxError, UnicodeError) as error:
        fix = "check the name, and that the file is readable as UTF-8"
        raise_problem("module_broken", Location(str(name), 1), f"cannot be read: {error}", fix)
    file = path.relative_to(base).as_posix() if path.is_relative_to(base) else str(path)
    return read_source(text, file, module=module, root=base)


# --- the resolved declaration ---------------------------------------------------------------------


def resolve(shapes: Shapes, source: Source) -> Declaration:
    """Return the resolved declaration of one without mistakes."""
    raw = shapes.declaration
    declared = {item.name: version_of(item) for item in raw.versions if item.name is not None}
    ordered = tuple(declared[name] for name in raw.ascending)
    containers = tuple(
        _container(shape, shapes, {item.name: item for item in ordered})
        for shape in shapes.by_name.values()
    )
    return Declaration(
        source.module, source.file, ordered, containers, raw.options, source.findings.warnings()
    )


def _container(shape: Shape, shapes: Shapes, declared: Mapping[str, DeclaredVersion]) -> Container:
    raw = shape.container
    skip = read_skip(raw.bound) | shapes.declaration.options.skip
    edges: dict[tuple[str, str], ContainerEdge] = {}
    for older, newer in shapes.edges(raw):
        flags = (skip | declared[str(older)].skip) & {"from", "object_from"}
        edges[str(older), str(newer)] = _edge(shape, shapes, older, newer, frozenset(flags))
    marked = [item.name for item, _ in shape.items if item.is_default_variant]
    return Container(
        raw.name,
        raw.form,
        raw.location,
        {
            str(version): tuple(item for _, item in shape.present(version))
            for version in shape.versions
        },
        edges,
        resource=read_resource(shape, shapes, declared) if raw.word == "resource" else None,
        skip=skip,
        is_text=is_text(raw),
        doc=raw.doc,
        parameters=raw.parameters,
        default_variant=marked[0] if marked else None,
    )


def _edge(
    shape: Shape, shapes: Shapes, older: VersionName, newer: VersionName, skip: frozenset[SkipFlag]
) -> ContainerEdge:
    appears: list[Lone] = []
    vanishes: list[Lone] = []
    pairs: list[ItemPair] = []
    for item, states in shape.items:
        before, after = states.get(older), states.get(newer)
        if before is None and after is not None:
            appears.append(_lone(item, item.added, after, shape, older))
        elif before is not None and after is None:
            vanishes.append(_lone(item, item.removed, before, shape, newer))
        elif before is not None and after is not None:
            pairs.append(_pair(item, before, after, shapes, older, newer))
    return ContainerEdge(
        str(older), str(newer), tuple(appears), tuple(vanishes), tuple(pairs), skip
    )


def _lone(
    item: RawItem, action: RawAction | None, state: Item, shape: Shape, without: VersionName
) -> Lone:
    functions = action.functions if action else {}
    fallback = action.bound.value("fallback") if action else None
    target = fallback_state(shape, fallback, without) if isinstance(fallback, str) else None
    way = "downgrade_with" if action is item.added else "upgrade_with"
    return Lone(
        state.name,
        action.location if action else item.location,
        default=_ref(functions.get("default")),
        default_from=_ref(functions.get("default_from")),
        fallback=target.name if target else None,
        replace_with=_ref(functions.get(way)) if shape.container.form == "union" else None,
    )


def _pair(
    item: RawItem, before: Item, after: Item, shapes: Shapes, older: VersionName, newer: VersionName
) -> ItemPair:
    change = next((change for change in item.changes if change.since == newer), None)
    functions = change.functions if change else {}
    return ItemPair(
        before.name,
        after.name,
        change.location if change else item.location,
        retyped=change is not None and change.has_from_type,
        upgrade=_ref(functions.get("upgrade_with")),
        downgrade=_ref(functions.get("downgrade_with")),
        implicit_upgrade=shapes.converts(before.type, after.type),
        implicit_downgrade=shapes.converts(after.type, before.type),
        older_has_default=shapes.has_default(before.type, older),
        newer_has_default=shapes.has_default(after.type, newer),
    )


def _ref(function: RawFunction | None) -> FunctionRef | None:
    return None if function is None else function.ref

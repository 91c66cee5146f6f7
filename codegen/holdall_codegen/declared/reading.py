"""Reading a declaration: from a module or a text to the resolved declaration."""

from __future__ import annotations

from pathlib import Path

from holdall_codegen.declared.check_containers import check_containers, check_imports
from holdall_codegen.declared.check_items import check_items
from holdall_codegen.declared.check_shapes import check_shapes
from holdall_codegen.declared.model import Declaration
from holdall_codegen.declared.problems import raise_problem
from holdall_codegen.declared.read_module import read_module
from holdall_codegen.declared.resolve import resolve
from holdall_codegen.declared.shapes import make_shapes
from holdall_codegen.declared.source import find_module, importing_from, load
from holdall_codegen.model import Location


def read_source(
    text: str,
    filename: str = "declaration.py",
    *,
    module: str = "declaration",
    root: Path | None = None,
) -> Declaration:
    """Read a declaration from its text, which is run as `module`.

    `root` is a folder from which the text may import, besides what is installed. Raises
    DeclarationError with all mistakes at once; warnings are in the result.
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
    """Read a declaration from a file or from the module with an import name.

    A file is relative to `root` and has the import name that its path spells. Raises
    DeclarationError as `read_source` does.
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
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise_problem("module_broken", Location(str(name), 1), f"cannot be read: {error}")
    file = path.relative_to(base).as_posix() if path.is_relative_to(base) else str(path)
    return read_source(text, file, module=module, root=base)

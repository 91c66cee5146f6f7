"""The declaring module: its text, its syntax tree, and its names after running it."""

from __future__ import annotations

import ast
import builtins
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import invalidate_caches, util
from pathlib import Path
from types import ModuleType
from typing import Final

from holdall.suggest import nearest
from holdall_codegen.declared.problems import Findings
from holdall_codegen.model import Import, Location, Metadata


@dataclass(frozen=True, slots=True)
class Failed:
    """An expression that cannot be evaluated, and why."""

    error: Exception

    def meant(self, known: Iterable[str]) -> str:
        """Return the hint at the known name that is most like an unknown one."""
        name = self.error.name if isinstance(self.error, NameError) else ""
        return nearest(name, known) if name else ""


@dataclass(frozen=True, slots=True)
class Source:
    """A module as text, syntax tree and namespace, and its problems so far."""

    module: str
    file: str
    lines: Sequence[str]
    tree: ast.Module
    namespace: Mapping[str, object]
    findings: Findings

    def location(self, node: ast.AST, path: str) -> Location:
        """Return the location of a node; `path` is its path in the declaration."""
        line = getattr(node, "lineno", 1)
        offset = getattr(node, "col_offset", 0)
        known = line <= len(self.lines)
        before = self.lines[line - 1].encode()[:offset].decode() if known else ""
        return Location(self.file, line, path, len(before) + 1)

    def report(self, code: str, node: ast.AST, path: str, message: str, fix: str) -> None:
        """Report a problem of a node; `path` is its path in the declaration."""
        self.findings.add(code, self.location(node, path), message, fix)

    def at(self, location: Location) -> ast.expr:
        """Return an expression at a location, for what has no expression of its own."""
        known = 0 < location.line <= len(self.lines)
        line = self.lines[location.line - 1] if known else ""
        offset = len(line[: max(location.column - 1, 0)].encode())
        return ast.Constant(None, lineno=location.line, col_offset=offset)

    def evaluate(self, node: ast.expr) -> object:
        """Evaluate an expression among the names of the module."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and node.id in self.namespace:
            return self.namespace[node.id]
        try:
            code = compile(ast.Expression(node), self.file, "eval", dont_inherit=True)
            return eval(code, dict(self.namespace))
        except SystemExit as error:
            return Failed(RuntimeError(f"it exits the process, with {error.code!r}"))
        except Exception as error:  # noqa: BLE001 - users' code; the error is the result
            return Failed(error)


def load(text: str, file: str, module: str) -> Source:
    """Run a declaring module, which can then be imported by name.

    Raises DeclarationError if it cannot be parsed or run.
    """
    findings = Findings()
    try:
        tree = ast.parse(text, filename=file)
        code = compile(tree, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        column = getattr(error, "offset", None) or 1
        message = getattr(error, "msg", None) or str(error)
        place = Location(file, line, "", column)
        findings.add(
            "module_broken", place, f"this is not valid Python: {message}", "correct the text"
        )
        findings.raise_any()
        raise
    made = types.ModuleType(module)
    made.__file__ = file
    made.__package__ = module.rpartition(".")[0]
    sys.modules[module] = made
    try:
        exec(code, made.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - users' code; SystemExit is a mistake, too
        _report_failure(error, file, findings)
    findings.raise_any()
    return Source(module, file, text.split("\n"), tree, made.__dict__, findings)


_NOTED: Final[ContextVar[set[Path] | None]] = ContextVar("_NOTED", default=None)


@contextmanager
def noting_imports() -> Iterator[set[Path]]:
    """Collect the files of all modules that are imported within `importing_from`."""
    files: set[Path] = set()
    token = _NOTED.set(files)
    try:
        yield files
    finally:
        _NOTED.reset(token)


@contextmanager
def importing_from(root: Path | None, module: str = "") -> Iterator[None]:
    """Let modules be imported from a folder, and forget them afterwards.

    So the next reading sees the files of its time and folder. `module` is run from its text, and
    forgotten, too. What modules print goes to standard error: standard output is for the results of
    commands.
    """
    path, known = list(sys.path), dict(sys.modules)
    if root is not None:
        sys.path.insert(0, str(root))
        invalidate_caches()
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.path[:] = path
        new = [(name, loaded) for name, loaded in sys.modules.items() if name not in known]
        # namespace packages ask their parents for their path
        below = [one for one in new if one[0] == module or _is_below(one[1], one[0], root)]
        for name, loaded in below:
            del sys.modules[name]
            if (files := _NOTED.get()) is not None and (file := getattr(loaded, "__file__", None)):
                files.add((root or Path()) / file)
        sys.modules.update(known)


def _is_below(module: ModuleType | None, name: str, root: Path | None) -> bool:
    """Tell whether a module comes from a folder."""
    if root is None:
        return False
    place = root.resolve().joinpath(*name.split("."))
    file = getattr(module, "__file__", None)
    if file is None:  # a namespace package
        return str(place) in map(str, getattr(module, "__path__", ()))
    return Path(file).resolve().with_suffix("") in (place, place / "__init__")


def find_module(name: str) -> Path | None:
    """Return the file of a module by its import name, or None if there is none."""
    try:
        spec = util.find_spec(name)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec is not None and spec.origin and spec.has_location else None


def _report_failure(error: BaseException, file: str, findings: Findings) -> None:
    line, column = 1, 1
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
            positions = list(trace.tb_frame.f_code.co_positions())
            found = positions[trace.tb_lasti // 2]
            column = (found[2] or 0) + 1
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename != file:
        error = SyntaxError(f"{error.filename}:{error.lineno}: {error.msg}")
    text = f"the module cannot be imported: {type(error).__name__}: {error}"
    fix = "fix the error"
    findings.add("module_broken", Location(file, line, "", column), text, fix)


# --- metadata of others ---------------------------------------------------------------------------


def spell_metadata(node: ast.expr, source: Source) -> Metadata:
    """Return an expression of the declaring module with the imports that its names need.

    A name is imported from the module that defines its object, or else from the declaring module.
    """
    names = sorted({item.id for item in ast.walk(node) if isinstance(item, ast.Name)})
    found = (_import_of(name, source) for name in names)
    return Metadata(ast.unparse(node), tuple(item for item in found if item is not None))


def _import_of(name: str, source: Source) -> Import | None:
    if name not in source.namespace:
        return None if hasattr(builtins, name) else Import(source.module, name, name)
    value = source.namespace[name]
    if isinstance(value, ModuleType):
        return Import(value.__name__, "", name)
    module, own = str(getattr(value, "__module__", "")), str(getattr(value, "__name__", ""))
    if own and getattr(sys.modules.get(module), own, None) is value:
        return Import(module, own, name)
    return Import(source.module, name, name)

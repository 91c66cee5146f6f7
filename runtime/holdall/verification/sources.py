"""The modules of a hooks package: their files, names and sources."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from typing import Final, NamedTuple

from holdall.errors import Problem
from holdall.suggest import closest, did_you_mean
from holdall.verification.mistakes import mistake

_ENDINGS: Final = (".py", ".pyw")
_COMPILED: Final = (*EXTENSION_SUFFIXES, *BYTECODE_SUFFIXES)
_NO_TEXT: Final = "it has no source text"
_BRING_TEXT: Final = "put its .py file there: hooks are verified by their source"
_OF_HOOKS: Final = re.compile(
    rb"\bAssignable[A-Z]|\bassign_properties_(?:to|from)\b"
    rb"|\b(?:Composed|EachValue|SharedHook|TwoWay)\b"
)
# In compiled code, bytes before a name may look like a part of it.
_OF_COMPILED_HOOKS: Final = re.compile(_OF_HOOKS.pattern.replace(rb"\b", b""))


class PythonFile(NamedTuple):
    """A file, and why it is never imported, empty if its place allows it.

    A `compiled` one has no source.
    """

    path: Path
    ignored: str
    compiled: bool = False


def looks_like_a_hook(path: Path, *, compiled: bool = False) -> bool:
    """Return whether a file contains names that hooks need. Raises OSError."""
    names = _OF_COMPILED_HOOKS if compiled else _OF_HOOKS
    return names.search(path.read_bytes()) is not None


def python_files(folder: Path, fail: Callable[[OSError], object]) -> Iterator[PythonFile]:
    """Yield the Python files of a package, which is a folder or a module of that name, in order.

    Links to folders are followed, as an import does. `fail` gets the errors of unreadable folders.
    """
    single = folder.with_name(f"{folder.name}.py")
    if single.is_file():
        yield PythonFile(single, f"Python prefers {folder.name}/" if folder.is_dir() else "")
    elif not folder.is_dir():
        compiled = (folder.with_name(f"{folder.name}{ending}") for ending in _COMPILED)
        yield from (PythonFile(file, "", compiled=True) for file in compiled if file.is_file())
    if not folder.is_dir():
        return
    seen: set[str] = set()
    for current, folders, files in os.walk(folder, onerror=fail, followlinks=True):
        real = os.path.realpath(current)
        if real in seen:
            folders.clear()  # a link leads back here
            continue
        seen.add(real)
        folders.sort()
        below = Path(current).relative_to(folder).parts
        passed = [part for part in below if part.startswith(".") or part == "__pycache__"]
        for name in sorted(files):
            stem, ending = os.path.splitext(name)  # noqa: PTH122 - a Path is made when needed
            has_text = f"{name.partition('.')[0]}.py" in files
            if name.endswith(_COMPILED) and not passed and not has_text:
                yield PythonFile(Path(current, name), "", compiled=True)
            if ending.lower() not in _ENDINGS:
                continue
            reason = f"Python imports no modules from {passed[0]!r}" if passed else ""
            if not reason and ending != ".py":
                reason = f"its name ends in {ending!r}, not in '.py'"
            if not reason and Path(current, stem, "__init__.py").is_file():
                reason = f"the package {stem}/ is imported instead"
            yield PythonFile(Path(current, name), reason)


@dataclass(frozen=True, slots=True)
class HookSource:
    """One module of the hooks package.

    `module` is its dotted name, `file` its path in messages. `problem` says why it cannot be
    imported or read; then `text` is empty.
    """

    module: str
    file: str
    text: str
    problem: Problem | None = None


def digest_of(sources: Iterable[HookSource]) -> str:
    """Return a digest of sources, wherever they are; "" if there are none."""
    texts = sorted((source.module, source.text) for source in sources)
    return hashlib.sha256(repr(texts).encode()).hexdigest() if texts else ""


def find_sources(package: str, *, root: Path | None = None) -> list[HookSource]:
    """Return the sources of a package and all modules below it, by file; none if it is missing.

    With `root` they are read from the folder `root/<package path>`, otherwise from where Python
    would import the package. No module is run. An unreadable file is returned with its problem,
    which `verify_hooks` reports.
    """
    parts = package.split(".")
    if root is not None:
        return list(_below(root, root.joinpath(*parts), package))
    try:
        spec = importlib.util.find_spec(parts[0])
    except ValueError:  # a module made in memory, without a spec
        spec = None
    if spec is None:
        return []
    found: list[HookSource] = []
    if spec.submodule_search_locations is None:
        origin = Path(spec.origin or "")
        return (
            [_read(origin, origin.name, package)] if len(parts) == 1 and spec.has_location else []
        )
    for location in spec.submodule_search_locations:
        folder = Path(location)
        if folder.is_dir():
            found += _below(folder.parent, folder.joinpath(*parts[1:]), package)
        else:
            found += _packed(spec, folder.parent, package)
    return found


def check_package(package: str, root: Path, where: str) -> list[Problem]:
    """Return the problem of a configured hooks package that is missing, if it is.

    `where` is the place in the configuration. The default package may be missing: then there are
    no hooks.
    """
    folder = root.joinpath(*package.split("."))
    if folder.is_dir() or folder.with_suffix(".py").is_file():
        return []
    around = folder.parent
    names = [one.name for one in around.iterdir() if one.is_dir()] if around.is_dir() else []
    near = closest(folder.name, names)
    shown = folder.relative_to(root).as_posix()
    return [mistake("HA308", where, package=package, folder=shown, nearest=did_you_mean(near))]


def _below(root: Path, folder: Path, package: str) -> Iterator[HookSource]:
    failed: list[OSError] = []
    for path, ignored, compiled in python_files(folder, failed.append):
        shown = path.relative_to(root).as_posix()
        below = path.relative_to(folder).with_suffix("").parts if folder in path.parents else ()
        parts = below[:-1] if below[-1:] == ("__init__",) else below
        module = ".".join((package, *parts))
        alien = [part for part in parts if not part.isidentifier()]
        if ignored or compiled:
            yield from _ignored(path, shown, module, ignored)
        elif alien:
            yield HookSource(module, shown, "", mistake("HA303", f"{shown}:1", part=alien[0]))
        else:
            yield _read(path, shown, module)
    for error in failed:
        shown = Path(error.filename).relative_to(root).as_posix()
        yield _unreadable(package, shown, error.strerror or str(error))


def _ignored(path: Path, shown: str, module: str, reason: str) -> Iterator[HookSource]:
    """Yield a file that looks like a hook but is not imported, for a reason; "" for no source."""
    try:
        if not looks_like_a_hook(path, compiled=not reason):
            return
        if reason:
            problem = mistake("HA307", f"{shown}:1", reason=reason)
            yield HookSource(module, shown, "", problem)
        else:
            yield _textless(module, shown)
    except OSError as error:
        yield _unreadable(module, shown, error.strerror or str(error))


def _read(path: Path, shown: str, module: str) -> HookSource:
    try:
        return HookSource(module, shown, _decode(path.read_bytes()))
    except OSError as error:
        return _unreadable(module, shown, error.strerror or str(error))
    except (SyntaxError, UnicodeDecodeError) as error:
        return _undecodable(module, shown, error)


def _decode(data: bytes) -> str:
    try:
        return importlib.util.decode_source(data)
    except SyntaxError as error:
        if "unknown encoding" not in str(error):
            data.decode("utf-8-sig")  # its error has the position
        raise


def _undecodable(module: str, shown: str, error: SyntaxError | UnicodeDecodeError) -> HookSource:
    if isinstance(error, UnicodeDecodeError):
        before = error.object[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        return _unreadable(module, f"{shown}:{line}:{column}", f"no {error.encoding} text")
    return _unreadable(module, f"{shown}:1:1", error.msg)


def _textless(module: str, file: str) -> HookSource:
    problem = mistake("HA301", f"{file}:1:1", fix=_BRING_TEXT, reason=_NO_TEXT)
    return HookSource(module, file, "", problem)


def _unreadable(module: str, where: str, reason: str) -> HookSource:
    file = re.sub(r"(:\d+)+$", "", where)
    where = where if where != file else f"{file}:1:1"
    return HookSource(module, file, "", mistake("HA301", where, reason=reason))


def _packed(spec: ModuleSpec, base: Path, package: str) -> Iterator[HookSource]:
    """Yield the modules of a package in an archive; `base` is the folder of the whole package."""
    name = spec.name
    if f"{name}.".startswith(f"{package}."):
        shown = Path(spec.origin or name)
        shown = shown.relative_to(base) if shown.is_relative_to(base) else shown
        get_source = getattr(spec.loader, "get_source", None)
        try:
            text = get_source(name) if get_source else None
        except (ImportError, OSError, SyntaxError, UnicodeDecodeError) as error:
            yield _unreadable(name, shown.as_posix(), str(error))
        else:
            if text is not None:
                yield HookSource(name, shown.as_posix(), text)
            elif spec.loader is not None:
                yield _textless(name, shown.as_posix())
    for info in pkgutil.iter_modules(spec.submodule_search_locations or [], f"{name}."):
        below = info.module_finder.find_spec(info.name, None)
        if below is not None:
            yield from _packed(below, base, package)

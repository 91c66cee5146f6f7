"""A project's schemes: found through holdall.yaml, looked up by the objects to be converted.

Nothing here needs the generator: a project converts with the runtime alone.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdall.errors import HoldallError, Problem, SchemeError, SourceError
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import GENERATE, broken
from holdall.text.documents import Document
from holdall.text.loading import absence_of, load_file
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, json_kind
from holdall.verification import check_package

CONFIG_FILE: Final = "holdall.yaml"
START: Final = "write one with `holdall init SCHEMAS`, where SCHEMAS has your CRDs or JSON Schemas"
"""The fix for a missing configuration."""

_OUTPUT: Final = "generated"


@dataclass(frozen=True, slots=True)
class Packages:
    """The names of a project's packages in holdall.yaml: one per group."""

    output: str
    groups: tuple[str, ...]

    def modules(self) -> list[str]:
        """Return the dotted names of the generated packages."""
        return [f"{self.output}.{group}" for group in self.groups]


def load_schemes(root: Path) -> list[Scheme]:
    """Import the scheme of every group of the project at `root`, which is added to `sys.path`.

    Raises SourceError if holdall.yaml cannot be read, SchemeError if a generated package is
    missing or broken; all problems at once. Hooks are not loaded yet.
    """
    packages = read_packages(root)
    place = str(root.resolve())
    if place not in sys.path:
        sys.path.insert(0, place)
    found: list[Scheme] = []
    problems: list[Problem] = []
    for name in packages.modules():
        try:
            found.append(import_scheme(name))
        except SchemeError as error:
            problems.extend(error.problems)
    if problems:
        raise SchemeError(problems)
    return found


def read_packages(root: Path) -> Packages:
    """Read only the names of the packages from the project's holdall.yaml.

    Raises SourceError.
    """
    document, top = _read(root)
    output = _name(document, top.get("output", _OUTPUT), "/output")
    groups = _mapping(document, top.get("groups"), "/groups")
    return Packages(output, tuple(_package(document, key, value) for key, value in groups.items()))


def missing_configuration(path: Path, shown: str) -> Problem | None:
    """Return the problem if a configuration is missing or not a file, else None."""
    text = absence_of(path)
    if not text:
        return None
    is_there = path.is_symlink() or path.exists()
    fix = f"move it away, and {START}" if is_there else f"go to the project's folder, or {START}"
    return Problem("HA120", shown, text, fix)


def _read(root: Path) -> tuple[Document, JsonObject]:
    path = root / CONFIG_FILE
    if (missing := missing_configuration(path, path.as_posix())) is not None:
        raise SourceError([missing])
    documents = load_file(path)
    if len(documents) != 1:
        text = f"expected one document, found {len(documents)}"
        fix = "keep one of them" if documents else f"remove the file, and {START}"
        raise SourceError([Problem("HA120", path.as_posix(), text, fix)])
    return documents[0], _mapping(documents[0], documents[0].value, "")


def check_hooks_package(root: Path) -> list[Problem]:
    """Return the problem if the hooks package that holdall.yaml names is missing.

    Raises SourceError if holdall.yaml cannot be read.
    """
    document, top = _read(root)
    if "hooks" not in top:
        return []
    return check_package(_name(document, top["hooks"], "/hooks"), root, document.where("/hooks"))


def _package(document: Document, key: str, value: JsonValue) -> str:
    pointer = join("/groups", key)
    members = _mapping(document, value, pointer)
    return _name(document, members.get("package", key), join(pointer, "package"))


def _mapping(document: Document, value: JsonValue, pointer: str) -> JsonObject:
    if isinstance(value, dict):
        return value
    text = f"{pointer or 'the configuration'}: expected object, found {json_kind(value)}"
    raise SourceError([Problem("HA123", document.where(pointer), text, "run `holdall generate`")])


def _name(document: Document, value: JsonValue, pointer: str) -> str:
    if isinstance(value, str) and all(part.isidentifier() for part in value.split(".")):
        return value
    text = f"{pointer}: {value!r} is not a package name"
    fix = "use letters, digits and underscores, with dots between packages"
    raise SourceError([Problem("HA124", document.where(pointer), text, fix)])


def import_scheme(name: str) -> Scheme:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            text = f"the generated package {name} does not exist"
            raise SchemeError([Problem("HA404", name, text, GENERATE)]) from error
        raise broken(name, error) from error
    except HoldallError:
        raise
    except Exception as error:  # a broken module may raise anything
        raise broken(name, error) from error
    scheme = getattr(module, "SCHEME", None)
    if not isinstance(scheme, Scheme):
        where = getattr(module, "__file__", None) or name
        text = f"the package {name} has no SCHEME: it was not generated by holdall"
        raise SchemeError([Problem("HA404", str(where), text, GENERATE)])
    return scheme

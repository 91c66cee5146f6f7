"""A project's schemes: found through holdall.yaml, looked up by the objects to be converted.

Nothing here needs the generator: a project converts with the runtime alone.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdall.documents import Document, load_file
from holdall.errors import (
    ConversionError,
    HoldallError,
    Problem,
    SchemeError,
    SourceError,
    UnknownKindError,
)
from holdall.pointer import join
from holdall.routes import Report, Route
from holdall.scheme import Scheme
from holdall.suggest import nearest
from holdall.types import JsonObject, JsonValue, is_json_object, json_kind

CONFIG_FILE: Final = "holdall.yaml"
_OUTPUT: Final = "generated"
_GENERATE: Final = "run `holdall generate`"


@dataclass(frozen=True, slots=True)
class Packages:
    """The names of a project's packages, as holdall.yaml states them: one per group."""

    output: str
    groups: tuple[str, ...]

    def modules(self) -> list[str]:
        """Return the dotted names of the generated packages."""
        return [f"{self.output}.{group}" for group in self.groups]


class Schemes:
    """The schemes of a project, by the objects they convert."""

    def __init__(self, schemes: Iterable[Scheme]) -> None:
        self.schemes: Sequence[Scheme] = tuple(schemes)
        self._by_kind: dict[tuple[str, str], Scheme] = {}
        for scheme in self.schemes:
            for kind in scheme.kinds:
                for name in (kind.name, *kind.names.values()):
                    self._by_kind.setdefault((scheme.group_of(kind), name), scheme)

    def load(self) -> None:
        """Import all storage modules, verify and bind all hooks, check the graphs.

        Raises SchemeError or HookError with the problems of the first group that has any.
        """
        for scheme in self.schemes:
            try:
                scheme.load()
            except HoldallError:
                raise
            except Exception as error:  # whatever a broken module raises is reported
                raise _broken(scheme.package, error) from error

    def find(self, api_version: str, kind: str) -> Scheme | None:
        """Return the scheme that has a kind in the group of an apiVersion, None if none has."""
        return self._by_kind.get((api_version.rpartition("/")[0], kind))

    def knows(self, value: JsonValue) -> bool:
        """Tell whether a value is an object of a kind that a scheme has, in whatever version."""
        if not isinstance(value, dict):
            return False
        api_version, kind = value.get("apiVersion"), value.get("kind")
        return (
            isinstance(api_version, str)
            and isinstance(kind, str)
            and self.find(api_version, kind) is not None
        )

    def convert(self, document: JsonValue, *, to: str, report: Report | None = None) -> JsonObject:
        """Return an object in another version; its values are reused, so it must be the caller's.

        `to` is a version or an apiVersion; `report` takes the bag entries that found no place.
        Raises UnknownKindError or ConversionError.
        """
        if not is_json_object(document):
            raise ConversionError(f"expected object, found {json_kind(document)}")
        route = self.route(_text(document, "apiVersion"), _text(document, "kind"), to)
        return route.convert(document, report)

    def target(self, api_version: str, kind: str, *, to: str) -> tuple[str, str]:
        """Return apiVersion and kind that objects have once they are converted.

        Raises UnknownKindError.
        """
        route = self.route(api_version, kind, to)
        return route.target, route.target_kind

    def route(self, api_version: str, kind: str, to: str) -> Route:
        """Return how objects of a kind get to a version. Raises UnknownKindError."""
        scheme = self.find(api_version, kind)
        if scheme is None:
            raise self._unknown_kind(api_version, kind)
        return scheme.route(api_version, kind, to)

    def check_target(self, to: str) -> None:
        """Raise UnknownKindError if no scheme serves the version or apiVersion `to`."""
        known: set[str] = set()
        for scheme in self.schemes:
            for version in scheme.versions:
                if not version.internal:
                    kinds = (kind for kind in scheme.kinds if version.name in kind.types)
                    known |= {scheme.api_version(version.name, kind) for kind in kinds}
                    known.add(version.name)
        if to not in known:
            text = f"no group has the version {to!r}{nearest(to, known)}"
            fix = f"known: {', '.join(sorted(known))}"
            raise UnknownKindError([Problem("HA401", "", text, fix)])

    def _unknown_kind(self, api_version: str, kind: str) -> UnknownKindError:
        group = api_version.rpartition("/")[0]
        in_group = [name for known, name in self._by_kind if known == group]
        groups = {known for known, _ in self._by_kind}
        if in_group:
            text = f"unknown kind {kind!r} in {group or 'the group without a name'}"
            text += nearest(kind, in_group)
            fix = f"known: {', '.join(sorted(in_group))}"
        else:
            text = f"unknown group in apiVersion {api_version!r}{nearest(group, groups)}"
            fix = f"known: {', '.join(sorted(name or '(none)' for name in groups))}"
        return UnknownKindError([Problem("HA401", "", text, fix)])


def load_schemes(root: Path) -> list[Scheme]:
    """Import the scheme of every group of the project at `root`, which becomes importable.

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
            found.append(_import_scheme(name))
        except SchemeError as error:
            problems.extend(error.problems)
    if problems:
        raise SchemeError(problems)
    return found


def read_packages(root: Path) -> Packages:
    """Read the names of the packages from the project's holdall.yaml, and nothing else of it.

    Raises SourceError.
    """
    documents = load_file(root / CONFIG_FILE)
    file = (root / CONFIG_FILE).as_posix()
    if len(documents) != 1:
        text = f"expected one document, found {len(documents)}"
        raise SourceError([Problem("HA120", file, text, "run `holdall init` for a start")])
    document = documents[0]
    top = _mapping(document, document.value, "")
    output = _name(document, top.get("output", _OUTPUT), "/output")
    groups = _mapping(document, top.get("groups"), "/groups")
    return Packages(output, tuple(_package(document, key, value) for key, value in groups.items()))


def _text(document: JsonObject, name: str) -> str:
    value = document.get(name)
    if isinstance(value, str):
        return value
    if name in document:
        raise ConversionError(f"expected string, found {json_kind(value)}", path=f"/{name}")
    raise ConversionError(f"the object has no {name}")


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
    text = f"{pointer}: {value!r} is no name of a package"
    fix = "use letters, digits and underscores, with dots between packages"
    raise SourceError([Problem("HA124", document.where(pointer), text, fix)])


def _import_scheme(name: str) -> Scheme:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            text = f"the generated package {name} does not exist"
            raise SchemeError([Problem("HA404", name, text, _GENERATE)]) from error
        raise _broken(name, error) from error
    except Exception as error:  # whatever a broken module raises is reported
        raise _broken(name, error) from error
    scheme = getattr(module, "SCHEME", None)
    if not isinstance(scheme, Scheme):
        where = getattr(module, "__file__", None) or name
        text = f"the package {name} has no SCHEME: it was not generated by holdall"
        raise SchemeError([Problem("HA404", str(where), text, _GENERATE)])
    return scheme


def _broken(name: str, error: Exception) -> SchemeError:
    text = f"the generated package {name} cannot be imported: {type(error).__name__}: {error}"
    return SchemeError([Problem("HA404", name, text, _GENERATE)])

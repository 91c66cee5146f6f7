"""The schemes of a project, looked up by the objects to be converted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Generic

from typing_extensions import TypeVar

from holdall.carriers.reports import Report
from holdall.errors import ConversionError, HoldallError, Problem, SchemeError, UnknownKindError
from holdall.scheme.registry import Registry
from holdall.scheme.routes import Route
from holdall.suggest import nearest
from holdall.types import JsonObject, JsonValue, is_json_object, json_kind

S_co = TypeVar("S_co", bound=Registry, covariant=True, default=Registry)

GENERATE: Final = "run `holdall generate`"


class Schemes(Generic[S_co]):
    """The schemes of a project, by the objects they convert."""

    def __init__(self, schemes: Iterable[S_co]) -> None:
        self.schemes: Sequence[S_co] = tuple(schemes)
        self._by_kind: dict[tuple[str, str], S_co] = {}
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
                raise broken(scheme.package, error) from error

    def find(self, api_version: str, kind: str) -> S_co | None:
        """Return the scheme of a kind in the group of an apiVersion, or of what objects of that
        kind hold as text; None if there is none."""
        found = self._by_kind.get((api_version.rpartition("/")[0], kind))
        return found or next(
            (scheme for scheme in self.schemes if scheme.is_foreign_holder(api_version, kind)), None
        )

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


def _text(document: JsonObject, name: str) -> str:
    value = document.get(name)
    if isinstance(value, str):
        return value
    if name in document:
        raise ConversionError(f"expected string, found {json_kind(value)}", path=f"/{name}")
    raise ConversionError(f"the object has no {name}")


def broken(name: str, error: Exception) -> SchemeError:
    """Return the error of a generated package that cannot be imported."""
    text = f"the generated package {name} cannot be imported: {type(error).__name__}: {error}"
    return SchemeError([Problem("HA404", name, text, GENERATE)])

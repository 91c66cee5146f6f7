"""The schemes of a project, looked up by the objects to be converted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic

from typing_extensions import TypeVar

from holdall.carriers.reports import Report
from holdall.errors import ConversionError, HoldallError, Problem, SchemeError, UnknownKindError
from holdall.objects.heads import API_HEAD, Names, subject_of
from holdall.scheme.registry import Registry, unknown
from holdall.scheme.routes import Route
from holdall.suggest import nearest
from holdall.types import JsonObject, JsonValue, is_json_object, json_kind

S_co = TypeVar("S_co", bound=Registry, covariant=True, default=Registry)

GENERATE: Final = "run `holdall generate`"


class Schemes(Generic[S_co]):
    """The schemes of a project, by the objects they convert."""

    def __init__(self, schemes: Iterable[S_co]) -> None:
        self.schemes: Sequence[S_co] = tuple(schemes)
        self._own_heads = [scheme for scheme in self.schemes if scheme.head is not API_HEAD]
        self._by_kind: dict[tuple[str, str], S_co] = {}
        # Kinds of several groups without a name: their documents do not say which group.
        self._alike: dict[str, list[S_co]] = {}
        for scheme in self.schemes:
            for kind in scheme.kinds:
                for name in (kind.name, *kind.names.values()):
                    first = self._by_kind.setdefault((scheme.group_of(kind), name), scheme)
                    if first is not scheme and {first, scheme} & {*self._own_heads}:
                        self._alike.setdefault(name, []).extend((first, scheme))

    @property
    def all_say_names(self) -> bool:
        """Whether all documents are identified by `apiVersion` and `kind`."""
        return not self._own_heads

    def load(self) -> None:
        """Import all storage modules, verify and bind all hooks, check the graphs.

        Raises SchemeError or HookError with the problems of the first group that has any.
        """
        for scheme in self.schemes:
            try:
                scheme.load()
            except HoldallError:
                raise
            except Exception as error:  # a broken module may raise anything
                raise broken(scheme.package, error) from error

    def find(self, api_version: str, kind: str) -> S_co | None:
        """Return the scheme of a kind in the group of an apiVersion, or the scheme of the documents
        that its objects hold as text; None if there is none."""
        found = self._by_kind.get((api_version.rpartition("/")[0], kind))
        return found or next(
            (scheme for scheme in self.schemes if scheme.is_foreign_holder(api_version, kind)), None
        )

    def knows(self, value: JsonValue) -> bool:
        """Return whether a value is an object of a scheme's kind, in any version."""
        try:
            return is_json_object(value) and self.find(*self.names_of(value)) is not None
        except HoldallError:
            return False

    def documents_in(self, holder: JsonObject) -> Iterator[JsonObject]:
        """Yield the documents that an object holds as text, if a scheme declares them."""
        from holdall.inner.reading import documents_in

        if not self.knows(holder):
            return
        names = self.names_of(holder)
        for scheme in self.schemes:
            kinds = scheme.kinds if names in scheme.all_names else ()
            holders = {it.name for it in kinds if names.kind in (it.name, *it.names.values())}
            holders.add("/".join(names))
            for declared in scheme.inner:
                if not holders.isdisjoint(declared.holders):
                    yield from documents_in(holder, declared, scheme.group)

    def names_of(self, document: Mapping[str, Any], *, kind: str = "", version: str = "") -> Names:
        """Return the version and kind in a document, or as given beside it.

        They may be unknown ones. Raises ConversionError if the document has none, UnknownKindError
        if they fit more than one scheme.
        """
        is_alone = not kind and not version
        if is_alone and (not self._own_heads or self._is_of_an_api(document)):
            return self._clear(API_HEAD.names(document, _no_kinds))
        found: dict[Names, S_co] = {}
        unknown: list[Names] = []
        problems: list[HoldallError] = []
        for scheme in self.schemes:
            try:
                names = scheme.names_of(document, kind=kind, version=version)
            except HoldallError as error:
                problems += [error] if scheme.head is not API_HEAD else []
                continue
            if names in scheme.all_names or scheme.is_foreign_holder(*names):
                found[names] = scheme
            elif scheme.head is not API_HEAD:
                unknown.append(names)
        if len(found) == 1:
            return self._clear(next(iter(found)))
        if found:
            raise self._ambiguous(found.items())
        if version and "/" not in version:
            raise self._unknown_version(kind, version)
        if "apiVersion" not in document:
            if unknown:
                return unknown[0]
            if problems:
                raise problems[0]
        return API_HEAD.names(document, _no_kinds, kind, version)

    def _clear(self, names: Names) -> Names:
        if names.kind in self._alike and "/" not in names.api_version:
            raise self._ambiguous((names, scheme) for scheme in self._alike[names.kind])
        return names

    def _is_of_an_api(self, document: Mapping[str, Any]) -> bool:
        """Return whether a document has apiVersion and kind, and no other head.

        If no scheme looks for them, they are ordinary members.
        """
        said = document.get("apiVersion"), document.get("kind")
        if not all(isinstance(word, str) for word in said) or len(self._own_heads) == len(
            self.schemes
        ):
            return False
        return not any(scheme.head.version_at in document for scheme in self._own_heads)

    def subject_of(self, value: JsonValue) -> str:
        """Return `kind namespace/name` of an object, without the parts that it lacks."""
        if not is_json_object(value):
            return ""
        kind: JsonValue = ""
        try:
            kind = self.names_of(value).kind
        except HoldallError:
            if not self._own_heads or "apiVersion" in value:
                kind = value.get("kind")
        return subject_of(kind if isinstance(kind, str) else "", value.get("metadata"))

    def convert(self, document: JsonValue, *, to: str, report: Report | None = None) -> JsonObject:
        """Return an object in another version; its values are reused, so nobody else may own it.

        `to` is a version or an apiVersion; `report` gets the bag entries that found no place.
        Raises UnknownKindError or ConversionError.
        """
        if not is_json_object(document):
            raise ConversionError(f"expected object, found {json_kind(document)}")
        return self.route(*self.names_of(document), to).convert(document, report)

    def target(self, api_version: str, kind: str, *, to: str) -> tuple[str, str]:
        """Return the apiVersion and kind of converted objects.

        Raises UnknownKindError.
        """
        route = self.route(api_version, kind, to)
        return route.target, route.target_kind

    def route(self, api_version: str, kind: str, to: str) -> Route:
        """Return the route of a kind's objects to a version. Raises UnknownKindError."""
        scheme = self.find(api_version, kind)
        if scheme is None:
            raise self._unknown_kind(api_version, kind)
        return scheme.route(api_version, kind, to)

    def unknown_target(self, api_version: str, kind: str, to: str) -> UnknownKindError:
        """Return the error of an apiVersion that objects of a kind cannot be converted to."""
        scheme = self.find(api_version, kind)
        if scheme is None:
            return self._unknown_kind(api_version, kind)
        return scheme.unknown_target(api_version, kind, to)

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
            raise unknown(f"no group has the version {to!r}", to, known)

    def check_kind(self, kind: str) -> None:
        """Raise UnknownKindError if no scheme has a kind, in any version."""
        holders = [name for each in self.schemes for it in each.inner for name in it.holders]
        known = {name for _, name in self._by_kind} | {it.rpartition("/")[2] for it in holders}
        if kind and kind not in known:
            raise unknown(f"no group has the kind {kind!r}", kind, known)

    def _ambiguous(self, found: Iterable[tuple[Names, S_co]]) -> UnknownKindError:
        known = (
            f"{kind} {version} of {scheme.group or scheme.package.rpartition('.')[2]}"
            for (version, kind), scheme in found
        )
        text = f"the document may be any of {', '.join(sorted({*known}))}"
        fix = "give the group, too, or use the scheme of its group"
        return UnknownKindError([Problem("HA401", "", text, fix)])

    def _unknown_version(self, kind: str, version: str) -> UnknownKindError:
        known = {
            f"{entry.name_in(name)} {name}"
            for scheme in self.schemes
            for entry in scheme.kinds
            for name in entry.types
        }
        wanted = f"{kind} {version}".strip()
        return unknown(f"no group has {wanted}", wanted, known)

    def _unknown_kind(self, api_version: str, kind: str) -> UnknownKindError:
        group = api_version.rpartition("/")[0]
        in_group = [name for known, name in self._by_kind if known == group]
        groups = {known for known, _ in self._by_kind}
        if in_group:
            text = f"unknown kind {kind!r} in {group or 'the group without a name'}"
            return unknown(text, kind, in_group)
        text = f"unknown group in apiVersion {api_version!r}{nearest(group, groups)}"
        fix = f"use one of: {', '.join(sorted(name or '(none)' for name in groups))}"
        return UnknownKindError([Problem("HA401", "", text, fix)])


def _no_kinds(_: str) -> list[str]:
    return []


def broken(name: str, error: Exception) -> SchemeError:
    """Return the error of a generated package that cannot be imported."""
    text = f"the generated package {name} cannot be imported: {type(error).__name__}: {error}"
    return SchemeError([Problem("HA404", name, text, GENERATE)])

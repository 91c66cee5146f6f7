"""Inner documents of a group: found in their holders, and converted with them."""

from __future__ import annotations

from typing import Any, Final, Protocol

from typing_extensions import override

from holdall.carriers.annotations import ANNOTATIONS_LIMIT, annotations_size
from holdall.carriers.reports import Dropped, Lost, Report
from holdall.errors import UnknownKindError
from holdall.inner.declared import InnerDocuments
from holdall.inner.texts import Texts
from holdall.scheme.routes import Route
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue

_ANNOTATIONS: Final = ("metadata", "annotations")


class Group(Protocol):
    """What inner documents need of a group's registry."""

    group: str

    def plan_route(self, api_version: str, kind: str, to: str, *, inner: bool = ...) -> Route:
        """Return the route of a kind's objects to a version. Raises UnknownKindError."""
        ...


class Place:
    """A place in holders of one kind and version, which are converted to another version.

    `here` and `there` are the versions of the documents, as in `Texts.convert`.
    """

    def __init__(
        self, declared: InnerDocuments, group: Group, here: str | None, there: str
    ) -> None:
        self.path = declared.path
        self._texts = Texts(declared, _Kinds(group, declared.aliases))
        self._here, self._there = here, there

    def convert(self, holder: JsonObject, report: Report) -> None:
        """Convert the text in a holder, if it has one; nested values are copied, not changed."""
        *names, last = self.path
        parents: list[dict[str, Any]] = [holder]
        for name in names:
            inner = _json.unseal(parents[-1].get(name))
            if type(inner) is not dict:
                return
            parents.append(inner)
        text = parents[-1].get(last)
        if type(text) is not str:
            return

        at = join("", *self.path)
        losses: list[Lost] = []

        def note(said: str, lost: Lost | None = None) -> None:
            if lost is None:
                report.append(Dropped(at, "", "", said))
            else:
                losses.append(Lost(at, lost.origin, lost.key, said))

        converted = self._texts.convert(text, self._here, self._there, note)
        if converted == text:
            return
        changed: dict[str, JsonValue] = {**parents[-1], last: converted}
        if self.path[:-1] == _ANNOTATIONS and annotations_size(changed) > ANNOTATIONS_LIMIT:
            note(f"the annotations would be longer than {ANNOTATIONS_LIMIT} bytes")
            return
        report += losses
        for parent, name in zip(parents[-2::-1], names[::-1], strict=True):
            changed = {**parent, name: changed}
        holder.update(changed)


class ForeignRoute(Route):
    """The route of holders of other kinds: only their texts are converted."""

    def __init__(self, api_version: str, kind: str, places: tuple[Place, ...]) -> None:
        self.kind = self.source_kind = self.target_kind = kind
        self.source = self.target = api_version
        self.versions = ()
        self.inner = places

    @override
    def convert(
        self,
        document: JsonObject,
        report: Report | None = None,
        *,
        tolerant: bool = False,
        is_plain: bool = False,
    ) -> JsonObject:
        """Return the document with its texts converted; it shares the other members."""
        converted = {**document}
        for place in self.inner:
            place.convert(converted, [] if report is None else report)
        return converted


class _Kinds:
    """The kinds of a group as inner documents; their routes leave further inner documents alone."""

    def __init__(self, group: Group, aliases: tuple[str, ...]) -> None:
        self._group = group
        self._aliases = aliases
        self._routes: dict[tuple[str, str, str], Route] = {}

    def version_of(self, document: JsonObject) -> str | None:
        """Return the version of a document; None if its kind is unknown."""
        api_version, kind = self._api_version(document), document.get("kind")
        if not isinstance(kind, str):
            return None
        try:
            return self._route(api_version, kind, api_version).versions[0]
        except UnknownKindError:
            return None

    def has(self, document: JsonObject, version: str) -> bool:
        """Return whether the kind of a document exists in a version."""
        try:
            self._route(self._api_version(document), str(document["kind"]), version)
        except UnknownKindError:
            return False
        return True

    def convert(self, document: JsonObject, version: str, report: Report) -> JsonObject:
        """Convert a document to a version, reusing its values. Raises HoldallError."""
        api_version = self._api_version(document)
        route = self._route(api_version, str(document["kind"]), version)
        return route.convert({**document, "apiVersion": api_version}, report)

    def _api_version(self, document: JsonObject) -> str:
        """Return the apiVersion of a document, with the group's name in this scheme."""
        given = document.get("apiVersion")
        if not isinstance(given, str):
            return ""
        group, _, version = given.rpartition("/")
        return f"{self._group.group}/{version}" if group in self._aliases else given

    def _route(self, api_version: str, kind: str, to: str) -> Route:
        key = (api_version, kind, to)
        found = self._routes.get(key)
        if found is None:
            found = self._routes[key] = self._group.plan_route(*key, inner=False)
        return found

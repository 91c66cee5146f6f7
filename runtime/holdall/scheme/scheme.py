"""The scheme of one group, which converts its objects."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar, Unpack, overload

from holdall.errors import ConversionError, DecodeError, HoldallError
from holdall.objects.bag import ANNOTATION_DOMAIN
from holdall.objects.base import Object
from holdall.objects.views import StorageRoot
from holdall.scheme.registry import Registry
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, json_kind

# Importing a generated group must be cheap: the code that converts and answers reviews is
# imported when the first object needs it.
if TYPE_CHECKING:
    from holdall.carriers.reports import Report
    from holdall.review.reviewer import Reviewer
    from holdall.scheme.routes import Route
    from holdall.scheme.targets import Targets

Typed = TypeVar("Typed", bound=Object)
Twin = TypeVar("Twin", bound=StorageRoot)

MARK: Final = ANNOTATION_DOMAIN.encode()
"""Part of all metadata with holdall's own annotations."""


class ConvertOptions(TypedDict, total=False):
    """The options of `Scheme.convert`, for signatures that pass them on."""

    report: Report | None
    tolerant: bool


class Scheme(Registry):
    """All of one group, and the conversion of its objects."""

    _reviewer: Reviewer | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # A group has one in every process, so it is pickled by name, and its copy is itself.
        return scheme_of, (self.package,)

    @overload
    def convert(self, obj: StorageRoot, *, to: str) -> StorageRoot: ...

    @overload
    def convert(self, obj: StorageRoot, *, to: type[Twin]) -> Twin: ...

    @overload
    def convert(
        self,
        obj: Object | Mapping[str, Any],
        *,
        to: type[Typed],
        report: Report | None = None,
        tolerant: bool = ...,
    ) -> Typed: ...

    @overload
    def convert(
        self, obj: Object, *, to: str, report: Report | None = None, tolerant: bool = ...
    ) -> Object: ...

    @overload
    def convert(
        self, obj: Mapping[str, Any], *, to: str, report: Report | None = None, tolerant: bool = ...
    ) -> JsonObject: ...

    def convert(
        self,
        obj: Any,
        *,
        to: str | type[Object],
        report: Report | None = None,
        tolerant: bool = False,
    ) -> StorageRoot | Object | JsonObject:
        """Return an object in another version; the object is not changed and shares nothing.

        Shape: a dict or any other Mapping gives a dict, an API type gives an API type, a root twin
        gives a root twin. If `to` is a class, the result is of that class.
        `report` gets what no carrier could hold and what came back without a place. A bag entry
        that cannot be used is an error; with `tolerant` it is kept and reported instead.
        Raises UnknownKindError, DecodeError or ConversionError.
        """
        if isinstance(to, type):
            return self._convert_into(obj, to, report, tolerant)
        if isinstance(obj, StorageRoot):
            return self.route(obj.API_VERSION, obj.KIND, to).convert_twin(obj)
        own = _own(obj)
        document = self.route_of(own, to).convert(own, report, tolerant=tolerant)
        if not isinstance(obj, Object):
            return document
        route = self.route(*self.names_of(document), to)
        return self.api_type(route.kind, route.versions[-1]).from_dict(document)

    @overload
    def convert_plain(
        self,
        obj: _json.Text,
        kind: str,
        version: str,
        *,
        to: str,
        report: Report | None = None,
        tolerant: bool = ...,
    ) -> bytes: ...

    @overload
    def convert_plain(
        self,
        obj: Mapping[str, Any],
        kind: str,
        version: str,
        *,
        to: str,
        report: Report | None = None,
        tolerant: bool = ...,
    ) -> JsonObject: ...

    def convert_plain(
        self,
        obj: Any,
        kind: str,
        version: str,
        *,
        to: str,
        report: Report | None = None,
        tolerant: bool = False,
    ) -> JsonObject | bytes:
        """Return a document in another version, given its kind and version beside it.

        The document contains neither, before or after; otherwise it is a DecodeError. JSON text
        gives JSON text. `report`, `tolerant` and the errors are those of `convert`.
        """
        is_text = isinstance(obj, (str, *_json.BINARY))
        own: Any = (
            _json.decode_sealed(_json.plain_text(obj), MARK)
            if is_text
            else _json.copy_checked(obj, mappings=True)
        )
        if type(own) is not dict:
            raise ConversionError(f"expected object, found {json_kind(own)}")
        api_version = self.api_version(version, self._kinds.get(kind))
        route = self.route(api_version, kind, to)
        head = self.head.of(route.source, kind)
        for name in head.keys() & own.keys():
            raise DecodeError(
                f"the document has a member {name!r}, which is given beside it as {head[name]!r};"
                " remove it, or declare `version_at` with a member that documents do not have",
                join("", name),
            )
        converted = route.convert({**own, **head}, report, tolerant=tolerant)
        for name in self.head.of(route.target, route.target_kind):
            converted.pop(name, None)
        return _json.encode(converted) if is_text else converted

    def convert_bytes(
        self, data: _json.Text, *, to: str, report: Report | None = None, tolerant: bool = False
    ) -> bytes:
        """Return a JSON document in another version, as bytes: the hot path.

        `report`, `tolerant` and the errors are those of `convert`.
        """
        text = data if type(data) is bytes else _json.plain_text(data)
        document = _json.decode_sealed(text, MARK)
        return self.convert_decoded(document, text, to, report, tolerant)

    def convert_decoded(
        self,
        document: Any,
        data: bytes | str,
        to: str,
        report: Report | None,
        tolerant: bool,
        /,
    ) -> bytes:
        """Do the same for a text that `decode_sealed` decoded with `MARK`.

        The document is consumed, with everything nested in it.
        """
        try:
            route = self._said_routes[document["apiVersion"], document["kind"], to]
        except (KeyError, TypeError):
            route = self.route_of(document, to)
        is_plain = not _json.may_hold_dollars(data)
        converted = route.convert(document, report, tolerant=tolerant, is_plain=is_plain)
        # A document that already has that version keeps the order of its members.
        return _json.encode(_json.decode(data) if converted is document else converted)

    def review(self, body: _json.Text) -> bytes:
        """Return the reply to a ConversionReview, v1 or v1beta1; to anything else, a v1 Status.

        An object that cannot be converted makes the reply a failure that names it. Raises
        DecodeError for what is not text.
        """
        text = _json.plain_text(body)
        if self._reviewer is None:
            from holdall.review.reviewer import Reviewer

            self._reviewer = Reviewer([self])
        return self._reviewer.review(
            text if isinstance(text, bytes) else text.encode(errors="surrogatepass")
        ).body

    @overload
    def convert_each(
        self, objects: Iterable[Any], *, to: type[Typed], **options: Unpack[ConvertOptions]
    ) -> Iterator[Typed | HoldallError]: ...

    @overload
    def convert_each(
        self, objects: Iterable[Any], *, to: str, **options: Unpack[ConvertOptions]
    ) -> Iterator[Any | HoldallError]: ...

    def convert_each(
        self,
        objects: Iterable[Any],
        *,
        to: str | type[Object],
        **options: Unpack[ConvertOptions],
    ) -> Iterator[Any | HoldallError]:
        """Yield every object in another version, or the error that its conversion raised.

        A bad object does not affect its neighbours. `report` and `tolerant` are those of
        `convert`; an object's reports are in `report` when it is yielded.
        """
        for obj in objects:
            try:
                yield self.convert(obj, to=to, **options)
            except HoldallError as error:
                yield error

    def _convert_into(
        self, obj: Any, cls: type[Object], report: Report | None, tolerant: bool
    ) -> Object:
        """Convert an object to the version of a class, and return an instance of it."""
        target = self._targets.of(cls, is_twin=isinstance(obj, StorageRoot))
        if isinstance(obj, StorageRoot):
            route = self.route(obj.API_VERSION, obj.KIND, target.version)
            target.check(route.kind)
            return route.convert_twin(obj)
        own = _own(obj)
        route = self.route_of(own, target.version)
        target.check(route.kind)
        return cls.from_dict(route.convert(own, report, tolerant=tolerant))

    @cached_property
    def _targets(self) -> Targets:
        from holdall.scheme.targets import Targets

        return Targets(self)

    def route_of(self, document: Any, to: str) -> Route:
        """Return the route of a document to a version.

        Raises UnknownKindError, or ConversionError if it does not give its version and kind.
        """
        if type(document) is not dict:
            raise ConversionError(f"expected object, found {json_kind(document)}")
        return self.route(*self.names_of(document), to)


def _own(obj: Any) -> Any:
    """Return an object as a document that shares nothing with it."""
    given = obj.to_dict() if isinstance(obj, Object) else obj
    return _json.copy_checked(given, mappings=True)


def scheme_of(package: str) -> Scheme:
    """Return the scheme of a generated package."""
    scheme: Scheme = importlib.import_module(package).SCHEME
    return scheme

"""Reading the request of a ConversionReview, object by object, and writing the reply.

Also the API server's side: writing a request as it does, and checking a reply.

Source: docs/conform.md, "What is sent".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar

from holdall.carriers.text import PREFIX
from holdall.errors import DecodeError
from holdall.objects.bag import ANNOTATION_DOMAIN
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, get, is_json_object, items, json_kind, text
from holdall.words import with_article

REVIEW_KIND: Final = "ConversionReview"
REVIEW_VERSIONS: Final = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")

_SUCCESS: Final = b'{"status":"Success"}'
_MARK: Final = ANNOTATION_DOMAIN.encode()
_PACKED: Final = PREFIX.encode()
_AT_ONCE: Final = 1 << 20
T = TypeVar("T")


class _Asked(_json.Record, Generic[T]):
    """The request of a usual review."""

    uid: str
    desiredAPIVersion: str
    objects: list[T]


class _Review(_json.Record, Generic[T]):
    apiVersion: str
    kind: str
    request: _Asked[T]


_read_review: Final = _json.typed_decoder(_Review[_json.Sealed])
_read_open: Final = _json.typed_decoder(_Review[_json.UsualDocument])
"""Reads a review with its objects; the other one leaves the objects for later."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An object of a review that cannot be converted: it is not a JSON object, or not JSON.

    `shown` has the parts that identify it, if there are any: apiVersion, kind and metadata.
    """

    error: DecodeError
    shown: JsonObject


class Request(NamedTuple):
    """One review request.

    `version` is its own apiVersion, `desired` the target apiVersion of the objects, `size` the
    number of objects.
    """

    version: str
    uid: str
    desired: str
    size: int
    objects: Iterable[JsonObject | Unreadable]


def read_request(body: bytes) -> Request:
    """Return the request in a body; its objects are read one by one, during iteration.

    Raises DecodeError if the body is not a ConversionReview; an unreadable object is not an error
    of the review.
    """
    if len(body) <= _AT_ONCE and _json.is_plain(body):
        try:
            opened = _read_open(body)
            marked = _MARK in body
            asked = opened.request.objects
            deep = _json.may_hold_deep(body, len(asked))
            documents = [_json.open_usual(item, True, marked, deep) for item in asked]
            if deep:
                _json.check_depth(documents)
        except (DecodeError, *_json.SHAPE_ERRORS):
            pass  # an object is unusual
        else:
            return _request(opened, documents)
    try:
        review = _read_review(body)
    except _json.SHAPE_ERRORS:
        return _read_any(body)
    # One by one: opened all at once, they would keep the garbage collector busy.
    return _request(review, map(_open, review.request.objects))


def may_be_packed(body: bytes) -> bool:
    """Return whether a body may have a compressed bag."""
    # Several bytes are found much faster from the end.
    return body.rfind(_PACKED) >= 0


def _request(review: _Review[Any], objects: Iterable[JsonObject | Unreadable]) -> Request:
    if review.kind != REVIEW_KIND or review.apiVersion not in REVIEW_VERSIONS:
        raise _wrong_review(review.apiVersion, review.kind)
    asked = review.request
    return Request(
        review.apiVersion, asked.uid, asked.desiredAPIVersion, len(asked.objects), objects
    )


def write_reply(request: Request, message: str, texts: Sequence[bytes]) -> bytes:
    """Return the reply: the texts of the converted objects, or the message of a failure."""
    result = _json.encode({"status": "Failure", "message": message}) if message else _SUCCESS
    head = b'{"apiVersion":"%b","kind":"%b","response":{"uid":%b,"result":%b,%b[' % (
        request.version.encode(),
        REVIEW_KIND.encode(),
        _json.encode(request.uid),
        result,
        b'"convertedObjects":',
    )
    if len(texts) < 2:
        return b"%b%b]}}" % (head, texts[0] if texts else b"")
    # Large texts are copied only once.
    return b",".join([head + texts[0], *texts[1:-1], texts[-1] + b"]}}"])


def write_request(
    objects: Sequence[JsonValue] | None, desired: str, uid: str, version: str = REVIEW_VERSIONS[0]
) -> bytes:
    """Return a review as an API server sends it, with an empty response."""
    return _json.encode(
        {
            "kind": REVIEW_KIND,
            "apiVersion": version,
            "request": {"uid": uid, "desiredAPIVersion": desired, "objects": objects},
            "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
        }
    )


def fault_of_reply(body: bytes, desired: str, uid: str, version: str = REVIEW_VERSIONS[0]) -> str:
    """Return what is wrong with the reply to a review of one object; "" if it is fine."""
    try:
        reply = _json.decode(body)
    except DecodeError as error:
        return f"the reply is not JSON: {error}"
    if get(reply, "apiVersion") != version:
        return "the reply is not a ConversionReview of the request's apiVersion"
    if get(reply, "response", "uid") != uid:
        return "the reply does not have the uid of the request"
    if get(reply, "response", "result", "status") != "Success":
        return text(reply, "response", "result", "message") or "the reply is not a success"
    converted = items(reply, "response", "convertedObjects")
    if [get(item, "apiVersion") for item in converted] != [desired]:
        return f"the reply is not one object of {desired}"
    return ""


def _open(sealed: _json.Sealed) -> JsonObject | Unreadable:
    try:
        document = _json.decode_sealed(sealed, _MARK)
    except DecodeError:
        # Read again, slowly, to locate the value.
        return _checked(_read_loosely(bytes(sealed)))
    return document if type(document) is dict else _checked(document)


def _read_any(body: bytes) -> Request:
    """Read an unusual review. Raises DecodeError if it is malformed."""
    review = _read_loosely(body)
    if not is_json_object(review):
        raise DecodeError(f"expected a {REVIEW_KIND}, found {json_kind(review)}")
    version, kind = review.get("apiVersion"), review.get("kind")
    if kind != REVIEW_KIND or not isinstance(version, str) or version not in REVIEW_VERSIONS:
        raise _wrong_review(version, kind)
    asked = review.get("request")
    if not is_json_object(asked):
        found = "is missing" if asked is None else f"is {with_article(json_kind(asked))}"
        raise DecodeError(f"the request {found}", "/request")
    objects = asked.get("objects")
    if objects is None:
        objects = []  # Go encodes an empty list as null
    if not isinstance(objects, list):
        raise DecodeError(f"expected list, found {json_kind(objects)}", "/request/objects")
    return Request(
        version,
        _text(asked, "uid"),
        _text(asked, "desiredAPIVersion"),
        len(objects),
        map(_checked, objects),
    )


def _read_loosely(text: bytes) -> JsonValue:
    """Decode JSON that may have invalid strings or numbers, to locate them."""
    try:
        options = {"parse_int": _integer, "object_pairs_hook": _members}
        value: JsonValue = _json.decode_with(text.decode(errors="surrogateescape"), options)
    except (ValueError, RecursionError):
        _json.decode(text)  # says what is wrong, and at which byte
        raise DecodeError("the JSON text is malformed") from None
    return value


def _integer(digits: str) -> int:
    """Return an integer; one with too many digits becomes one that is refused later."""
    try:
        return int(digits)
    except ValueError:
        return _json.TOO_LONG


def _members(pairs: list[tuple[str, Any]]) -> JsonObject:
    """Return an object. The last of equal names wins, unless one has a value that is not JSON."""
    found = dict(pairs)
    if len(found) < len(pairs):
        for name, value in pairs:
            if found[name] is not value:
                try:
                    _json.copy_checked(value)
                except DecodeError:
                    found[name] = value  # kept, so that it is located
    return found


def _checked(value: JsonValue) -> JsonObject | Unreadable:
    if not is_json_object(value):
        return Unreadable(DecodeError(f"expected object, found {json_kind(value)}"), {})
    try:
        checked: Any = _json.copy_checked(value)
    except DecodeError as error:
        names = ("apiVersion", "kind", "metadata")
        return Unreadable(error, {name: value[name] for name in names if name in value})
    return checked  # type: ignore[no-any-return]


def _text(asked: JsonObject, name: str) -> str:
    value = asked.get(name)
    if not isinstance(value, str):
        found = "is missing" if name not in asked else f"is {with_article(json_kind(value))}"
        raise DecodeError(f"{name} {found}; expected string", join("/request", name))
    _json.copy_checked(value, join("/request", name))
    return value


def _wrong_review(version: object, kind: object) -> DecodeError:
    known = " or ".join(REVIEW_VERSIONS)
    found = f"{_shown(version)} {_shown(kind)}"
    return DecodeError(f"expected a {REVIEW_KIND} of {known}, found {found}")


def _shown(value: object) -> str:
    return (
        f"{value[:80]!a}" if isinstance(value, str) else "nothing" if value is None else "no text"
    )

"""The API server's side: what it sends to a conversion webhook, and which replies it accepts.

The checks have the order and the messages of kube-apiserver 1.20, so a reply is judged as an API
server would judge it. Source: docs/conform.md, "The checks".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from holdall.carriers.annotations import ANNOTATIONS_LIMIT
from holdall.errors import DecodeError
from holdall.review.request import write_request
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, is_json_object, items, members, text

REVIEW_GROUP: Final = "apiextensions.k8s.io"
_REQUEST_UID: Final = "3f4d1c52-1cf5-4e5e-9c3e-2b6b1a1f0d11"
_NAME: Final = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_KEY: Final = re.compile(rf"([a-z0-9]([-a-z0-9.]{{0,251}}[a-z0-9])?/)?{_NAME}")
_LABEL: Final = re.compile(rf"({_NAME})?")
_FORM: Final = (
    "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. "
)
_KEY_RULE: Final = (
    f"must {_FORM}'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_LABEL_RULE: Final = (
    f"must be an empty string or {_FORM}'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_GO_TYPES: Final = {
    "NoneType": "<nil>",
    "str": "string",
    "int": "int64",
    "float": "float64",
    "bool": "bool",
    "list": "[]interface {}",
    "dict": "map[string]interface {}",
}

Call = Callable[[bytes], "tuple[int, bytes]"]
"""Posts a review and returns HTTP status and body."""


class Refused(Exception):
    """An API server refuses the conversion with this message; its user sees HTTP 500."""


def objects_to_convert(obj: JsonObject, desired: str) -> list[JsonObject]:
    """Return the objects, of an object or a list, that are sent to a webhook for conversion."""
    listed = obj.get("items")
    if isinstance(listed, list):
        return [
            item for item in listed if is_json_object(item) and item.get("apiVersion") != desired
        ]
    return [] if obj.get("apiVersion") == desired else [obj]


def build_review(versions: Sequence[str], objects: Sequence[JsonObject], desired: str) -> bytes:
    """Return a review in the first of a CRD's review versions that the server knows."""
    known = [version for version in versions if version in ("v1", "v1beta1")]
    if not known:
        raise Refused("no supported conversion review versions")
    return write_request([*objects], desired, _REQUEST_UID, f"{REVIEW_GROUP}/{known[0]}")


def convert(
    obj: JsonObject, desired: str, call: Call, *, versions: Sequence[str] = ("v1",)
) -> JsonObject:
    """Convert an object or a list of objects as an API server does. Raises Refused."""
    if obj.keys() <= {"apiVersion", "kind"}:
        return {**obj, "apiVersion": desired}
    sent = objects_to_convert(obj, desired)
    review = build_review(versions, sent, desired)
    if not sent:
        return {**obj, "apiVersion": desired}
    frame = f"conversion webhook for {obj.get('apiVersion')}, Kind={obj.get('kind')}"
    try:
        returned = _objects_returned(review, *call(review))
    except Refused as error:
        raise Refused(f"{frame} failed: {error}") from error
    if len(returned) != len(sent):
        raise Refused(f"{frame} returned {len(returned)} objects, expected {len(sent)}")
    listed = obj.get("items")
    if not isinstance(listed, list):
        return _accept(frame, obj, _decoded(returned[0]), desired)
    found = iter(enumerate(returned))
    accepted: list[JsonValue] = []
    for item in listed:
        if not is_json_object(item) or item.get("apiVersion") == desired:
            accepted.append(item)
            continue
        index, converted = next(found)
        accepted.append(_accept(frame, item, _decoded(converted), desired, index=index))
    return {**obj, "apiVersion": desired, "items": accepted}


def _objects_returned(review: bytes, status: int, body: bytes) -> list[JsonValue]:
    sent: Any = _json.decode(review)
    if status not in (200, 201, 202, 206):
        raise Refused(_http_error(status, body))
    if not body:
        what = "response with status code: 200 and content type: application/json"
        raise Refused(f"0-length {what}")
    try:
        reply = _json.decode(body.removeprefix(b"\xef\xbb\xbf"))
    except DecodeError as error:
        text = f"couldn't get version/kind; json parse error: {error.message}"
        raise Refused(text) from error
    document = members(reply)
    _check_head(sent["apiVersion"], document)
    response = document.get("response")
    if not is_json_object(response):
        raise Refused("no response provided")
    if sent["apiVersion"] == f"{REVIEW_GROUP}/v1" and response.get("uid") != _REQUEST_UID:
        found = response.get("uid", "")
        raise Refused(f'expected response.uid="{_REQUEST_UID}", got "{found}"')
    outcome = members(response, "result")
    if outcome.get("status") != "Success":
        default = f"response.result.status was '{outcome.get('status', '')}', not 'Success'"
        raise Refused(str(outcome.get("message") or default))
    return items(response, "convertedObjects")


def _check_head(sent: str, reply: JsonObject) -> None:
    version, kind = str(reply.get("apiVersion", "")), str(reply.get("kind", ""))
    if (version, kind) == (sent, "ConversionReview"):
        return
    group, _, name = version.rpartition("/")
    if sent == f"{REVIEW_GROUP}/v1" and not version and not kind:
        want = f"{REVIEW_GROUP}/v1, Kind=ConversionReview"
        raise Refused(f"expected webhook response of {want}, got /, Kind=")
    if group == REVIEW_GROUP and kind == "ConversionReview" and name in ("v1", "v1beta1"):
        asked = sent.rpartition("/")[2]
        text = f"converting ({name}.ConversionReview) to ({asked}.ConversionReview)"
        raise Refused(f"{text}: unknown conversion")
    if version or kind:
        raise Refused(f'no kind "{kind}" is registered for version "{version}"')


def _http_error(status: int, body: bytes) -> str:
    try:
        found = _json.decode(body)
    except DecodeError:
        found = None
    if is_json_object(found) and found.get("kind") == "Status" and found.get("message"):
        return str(found["message"])
    fixed = {
        400: "the server rejected our request for an unknown reason",
        404: "the server could not find the requested resource",
        422: "the server rejected our request due to an error in our request",
        503: "the server is currently unable to handle the request",
    }
    if status in fixed:
        return fixed[status]
    if status >= 500:
        shown = body.decode(errors="replace")
        return f'an error on the server ("{shown}") has prevented the request from succeeding'
    return f"the server responded with the status code {status} but did not return more information"


def _decoded(value: JsonValue) -> JsonObject:
    """Return a converted object, which must be one with a kind."""
    if value is None:
        raise Refused("EOF")
    if not is_json_object(value):
        kind = {"str": "string", "bool": "bool", "list": "array"}.get(
            type(value).__name__, "number"
        )
        text = f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
        raise Refused(text)
    if not isinstance(value.get("kind"), str) or not value["kind"]:
        raise Refused(f"Object 'Kind' is missing in '{_json.encode(value).decode()}'")
    return value


def _accept(
    frame: str, original: JsonObject, converted: JsonObject, desired: str, index: int | None = None
) -> JsonObject:
    """Return the converted object with the metadata of its original."""
    place = f"converted object at index {index}" if index is not None else "object"
    at = place if index is not None else "object at index 0"
    found = converted.get("apiVersion", "")
    if found != desired:
        wrong = f"invalid groupVersion (expected {desired}, received {found})"
        raise Refused(f"{frame} returned invalid {at}: {wrong}")
    if original.get("kind") != converted["kind"]:
        wrong = f"invalid kind (expected {original.get('kind')}, received {converted['kind']})"
        raise Refused(f"{frame} returned invalid {at}: {wrong}")
    for name, shown in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
        one, other = text(original, "metadata", name), text(converted, "metadata", name)
        if one != other:
            wrong = f"must have the same {shown}: {one} != {other}"
            raise Refused(f"{frame} returned invalid {place}: {wrong}")
    where = f" in object at index {index}" if index is not None else ""
    try:
        return restore_metadata(original, converted)
    except Refused as error:
        raise Refused(f"{frame} returned invalid metadata{where}: {error}") from error


def restore_metadata(original: JsonObject, converted: JsonObject) -> JsonObject:
    """Return the converted object with the original's metadata, except labels and annotations.

    Raises Refused.
    """
    if "metadata" not in converted:
        raise Refused("missing metadata in converted object")
    replied = converted["metadata"]
    if not is_json_object(replied):
        raise Refused(f"invalid metadata of type {_go(replied)} in converted object")
    own = original.get("metadata", {})
    if not is_json_object(own):
        raise Refused(f"invalid metadata of type {_go(own)} in input object")
    restored = _json.copy(own)
    for name in ("labels", "annotations"):
        value = replied.get(name)
        if value is None:
            restored.pop(name, None)
            continue
        if not is_json_object(value):
            raise Refused(f"invalid metadata.{name} of type {_go(value)} in converted object")
        before = own.get(name)
        if before is not None and not is_json_object(before):
            raise Refused(f"invalid metadata.{name} of type {_go(before)} in original object")
        for key, item in value.items():
            if not isinstance(item, str):
                must = f"metadata.{name}[{key}] must be a string, but is {_go(item)}"
                raise Refused(f"{must} in converted object")
        if value != (before or {}):
            _validate(name, value)
        restored[name] = value
    return {**converted, "metadata": restored}


def _validate(name: str, values: JsonObject) -> None:
    path = "metadata.labels" if name == "labels" else "metadata.annotation"
    for key, value in values.items():
        # Annotation keys are compared in lower case.
        shown = key if name == "labels" else key.lower()
        if not _KEY.fullmatch(shown):
            raise Refused(f'{path}: Invalid value: "{key}": name part {_KEY_RULE}')
        if name == "labels" and not _LABEL.fullmatch(str(value)):
            raise Refused(f'{path}: Invalid value: "{value}": a valid label {_LABEL_RULE}')
    total = sum(len(key.encode()) + len(str(value).encode()) for key, value in values.items())
    if name == "annotations" and total > ANNOTATIONS_LIMIT:
        raise Refused(f"{path}: Too long: must have at most {ANNOTATIONS_LIMIT} bytes")


def _go(value: JsonValue) -> str:
    return _GO_TYPES[type(value).__name__]

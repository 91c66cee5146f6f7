"""Answers of a webhook that the API server refuses, and the text with which it does.

Confirmed against kube-apiserver 1.20.2 by `tests/e2e/test_checks.py`; a fake API server must agree.
The texts belong to a GET at v2 of an object that is stored at v1, with one label and no annotation.
They may contain `{p}` (`conversion webhook for <g/v, Kind=K of the input> `), `{group}`, `{kind}`,
`{uid}` of the review, `{post}` (`Post "<url>?timeout=30s"`), and `{whole}`, the returned object.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeAlias

Review: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Sent:
    """What the webhook sends; a status of 0 closes the connection instead."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


@dataclass(frozen=True, slots=True)
class Case:
    """One refused answer. `respond` gets the parsed review."""

    name: str
    respond: Callable[[Review], Sent]
    text: str


def good(review: Review) -> Any:
    """Return the review that converts by apiVersion only; cases spoil it."""
    request = review["request"]
    converted = copy.deepcopy(request["objects"])
    for item in converted:
        item["apiVersion"] = request["desiredAPIVersion"]
    return {
        "apiVersion": review["apiVersion"],
        "kind": "ConversionReview",
        "response": {
            "uid": request["uid"],
            "result": {"status": "Success"},
            "convertedObjects": converted,
        },
    }


def _http(name: str, status: int, text: str, body: bytes = b"") -> Case:
    return Case(name, lambda review: Sent(body, status), f"{{p}}failed: {text}")


def _raw(name: str, body: bytes, text: str) -> Case:
    return Case(name, lambda review: Sent(body), text)


def _review(name: str, spoil: Callable[[Any], None], text: str) -> Case:
    def respond(review: Review) -> Sent:
        answer = good(review)
        spoil(answer)
        return Sent(json.dumps(answer).encode())

    return Case(name, respond, text)


def _response(name: str, text: str, /, **members: Any) -> Case:
    return _review(name, lambda answer: answer["response"].update(members), text)


def _object(name: str, spoil: Callable[[Any], None], text: str) -> Case:
    return _review(name, lambda answer: spoil(answer["response"]["convertedObjects"][0]), text)


def _metadata(name: str, text: str, /, **members: Any) -> Case:
    return _object(name, lambda item: item["metadata"].update(members), text)


_STATUS: Final = b'{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too much rain"}'
_INVALID: Final = "{p}returned invalid object at index 0: "
_DIFFERS: Final = "{p}returned invalid object: "
_BAD_METADATA: Final = "{p}returned invalid metadata: "

HTTP: Final = (
    Case("closed", lambda review: Sent(b"", 0), "{p}failed: {post}: EOF"),
    _http("400", 400, "the server rejected our request for an unknown reason"),
    _http("400 with text", 400, "the server rejected our request for an unknown reason", b"rain"),
    _http("404", 404, "the server could not find the requested resource"),
    _http("422", 422, "the server rejected our request due to an error in our request"),
    Case(
        "500 with text",
        lambda review: Sent(b"rain", 500, {"Content-Type": "text/plain"}),
        '{p}failed: an error on the server ("rain") has prevented the request from succeeding',
    ),
    _http(
        "500 with text that calls itself JSON",
        500,
        'an error on the server ("unknown") has prevented the request from succeeding',
        b"rain",
    ),
    _http("503", 503, "the server is currently unable to handle the request"),
    _http(
        "413",
        413,
        "the server responded with the status code 413 but did not return more information",
    ),
    _http("413 with Status", 413, "too much rain", _STATUS),
    _http("503 with Status", 503, "too much rain", _STATUS),
    _http(
        "empty body",
        200,
        "0-length response with status code: 200 and content type: application/json",
    ),
    Case(
        "unparseable content type",
        lambda review: Sent(json.dumps(good(review)).encode(), headers={"Content-Type": "; ;"}),
        "{p}failed: Internal error occurred: mime: no media type",
    ),
)

REVIEWS: Final = (
    _raw(
        "no kind",
        b"{}",
        "{p}failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, "
        "got /, Kind=",
    ),
    _review(
        "v1beta1 to v1",
        lambda answer: answer.update(apiVersion="apiextensions.k8s.io/v1beta1"),
        "{p}failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): "
        "unknown conversion",
    ),
    _review(
        "no response", lambda answer: answer.pop("response"), "{p}failed: no response provided"
    ),
    _response("uid", '{p}failed: expected response.uid="{uid}", got "other"', uid="other"),
    _response(
        "failure", "{p}failed: it rains", result={"status": "Failure", "message": "it rains"}
    ),
    _response(
        "failure with code, reason and details",
        "{p}failed: it rains",
        result={
            "status": "Failure",
            "message": "it rains",
            "code": 418,
            "reason": "Invalid",
            "details": {"name": "a"},
        },
    ),
    _response(
        "failure without message",
        "{p}failed: response.result.status was 'Failure', not 'Success'",
        result={"status": "Failure"},
    ),
    _response(
        "success in lower case",
        "{p}failed: response.result.status was 'success', not 'Success'",
        result={"status": "success"},
    ),
    _response("no result", "{p}failed: response.result.status was '', not 'Success'", result=None),
    _response("no objects", "{p}returned 0 objects, expected 1", convertedObjects=[]),
    _response("null objects", "{p}returned 0 objects, expected 1", convertedObjects=None),
    _response("two objects", "{p}returned 2 objects, expected 1", convertedObjects=[{}, {}]),
    _response("an object that is null", "EOF", convertedObjects=[None]),
    _response(
        "an object that is a string",
        "json: cannot unmarshal string into Go value of type map[string]interface {{}}",
        convertedObjects=["a"],
    ),
)

OBJECTS: Final = (
    _object("no kind", lambda item: item.pop("kind"), "Object 'Kind' is missing in '{whole}'"),
    _object(
        "apiVersion kept",
        lambda item: item.update(apiVersion=item["apiVersion"][:-1] + "1"),
        _INVALID + "invalid groupVersion (expected {group}/v2, received {group}/v1)",
    ),
    _object(
        "other kind",
        lambda item: item.update(kind="Other"),
        _INVALID + "invalid kind (expected {kind}, received Other)",
    ),
    _metadata("other name", _DIFFERS + "must have the same name: a != zz", name="zz"),
    _metadata(
        "other namespace",
        _DIFFERS + "must have the same namespace: default != zz",
        namespace="zz",
    ),
    _metadata("other uid", _DIFFERS + "must have the same UID: {object_uid} != zz", uid="zz"),
    _metadata(
        "kind, name and uid differ: name first",
        _DIFFERS + "must have the same name: a != zz",
        name="zz",
        uid="zz",
    ),
    _object(
        "no metadata",
        lambda item: item.pop("metadata"),
        _DIFFERS + "must have the same name: a != ",
    ),
    _object(
        "null metadata",
        lambda item: item.update(metadata=None),
        _DIFFERS + "must have the same name: a != ",
    ),
    _object(
        "metadata that is a string",
        lambda item: item.update(metadata="a"),
        _DIFFERS + "must have the same name: a != ",
    ),
    _metadata(
        "a null label",
        _BAD_METADATA + "metadata.labels[a] must be a string, but is <nil> in converted object",
        labels={"a": None},
    ),
    _metadata(
        "a number as annotation",
        _BAD_METADATA
        + "metadata.annotations[a] must be a string, but is int64 in converted object",
        annotations={"a": 1},
    ),
    _metadata(
        "a label key with a space",
        _BAD_METADATA
        + 'metadata.labels: Invalid value: "a b": name part must consist of alphanumeric '
        "characters, '-', '_' or '.', and must start and end with an alphanumeric character "
        "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        labels={"a b": "c"},
    ),
    _metadata(
        "262145 bytes of annotations",
        _BAD_METADATA + "metadata.annotation: Too long: must have at most 262144 bytes",
        annotations={"a": "x" * 262144},
    ),
)

REFUSED: Final = HTTP + REVIEWS + OBJECTS


def _accept(name: str, respond: Callable[[Review], Sent]) -> Case:
    return Case(name, respond, "")


def _with(review: Review, **sent: Any) -> Sent:
    return Sent(json.dumps(good(review)).encode(), **sent)


def _full_annotations(review: Review) -> Sent:
    answer = good(review)
    metadata = answer["response"]["convertedObjects"][0]["metadata"]
    metadata["annotations"] = {"a": "x" * 262143}
    return Sent(json.dumps(answer).encode())


ACCEPTED: Final = (
    *(_accept(f"{code}", partial(_with, status=code)) for code in (200, 201, 202, 206)),
    _accept("text/plain", lambda review: _with(review, headers={"Content-Type": "text/plain"})),
    _accept(
        "charset",
        lambda review: _with(review, headers={"Content-Type": "application/json; charset=utf-8"}),
    ),
    _accept("byte order mark", lambda review: Sent(b"\xef\xbb\xbf" + _with(review).body)),
    _accept(
        "duplicate key",
        lambda review: Sent(b'{"kind":"ConversionReview",' + _with(review).body[1:]),
    ),
    _accept(
        "request sent back",
        lambda review: Sent(json.dumps({**review, **good(review)}).encode()),
    ),
    _accept("262144 bytes of annotations", _full_annotations),
)
"""Answers that the server takes although some are odd."""

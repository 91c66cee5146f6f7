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
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import yaml

Review: TypeAlias = Any
_HEADERS: Final = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Sent:
    """What the webhook sends; a status of 0 closes the connection instead."""

    body: bytes
    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """One answer, with the text of its refusal. `respond` gets the parsed review."""

    name: str
    respond: Callable[[Review], Sent]
    text: str = ""


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


def _sent(case: Any, review: Review) -> Sent:
    """Return what a case of the table sends."""
    answer = good(review)
    item = answer["response"]["convertedObjects"][0]
    parts = ("answer", answer), ("response", answer["response"]), ("object", item)
    for part, members in (*parts, ("metadata", item["metadata"])):
        for name, value in case.get(part, {}).items():
            members[name] = value
            if value == "GONE":
                del members[name]
    body = case.get("body", json.dumps(answer)).encode()
    return Sent(body, case.get("status", 200), case.get("headers", _HEADERS))


def _of_the_table(part: str) -> list[Case]:
    return [Case(name, partial(_sent, case), text) for name, case, text in _TABLE[part]]


def _kept(review: Review) -> Sent:
    version = review["request"]["objects"][0]["apiVersion"]
    return _sent({"object": {"apiVersion": version}}, review)


def _annotations(size: int) -> Callable[[Review], Sent]:
    return partial(_sent, {"metadata": {"annotations": {"a": "x" * (size - 1)}}})


def _written(write: Callable[[Review, bytes], bytes]) -> Callable[[Review], Sent]:
    """Return what sends the good answer written in another way."""
    return lambda review: Sent(write(review, _sent({}, review).body), 200, _HEADERS)


_TABLE: Final = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
REFUSED: Final = (
    *_of_the_table("refused"),
    Case(
        "apiVersion kept",
        _kept,
        "{p}returned invalid object at index 0: "
        "invalid groupVersion (expected {group}/v2, received {group}/v1)",
    ),
    Case(
        "262145 bytes of annotations",
        _annotations(262145),
        "{p}returned invalid metadata: "
        "metadata.annotation: Too long: must have at most 262144 bytes",
    ),
)
ACCEPTED: Final = (
    *_of_the_table("accepted"),
    Case("byte order mark", _written(lambda review, body: b"\xef\xbb\xbf" + body)),
    Case("duplicate key", _written(lambda review, body: b'{"kind":"ConversionReview",' + body[1:])),
    Case(
        "request sent back",
        _written(lambda review, body: json.dumps({**review, **json.loads(body)}).encode()),
    ),
    Case("262144 bytes of annotations", _annotations(262144)),
)
"""Answers that the server takes although some are odd."""

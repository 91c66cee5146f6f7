"""Conversion reviews for tests: requests composed, replies taken apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

V1 = "apiextensions.k8s.io/v1"
V1BETA1 = "apiextensions.k8s.io/v1beta1"
UID = "705ab4f5-6393-11e8-b7cc-42010a800002"


def review_of(
    objects: Sequence[Any] | None, desired: str, *, version: str = V1, uid: str = UID
) -> dict[str, Any]:
    """Return a review as an API server sends it, stub response included."""
    return {
        "kind": "ConversionReview",
        "apiVersion": version,
        "request": {"uid": uid, "desiredAPIVersion": desired, "objects": objects},
        "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
    }


def body_of(objects: Sequence[Any] | None, desired: str, **options: str) -> bytes:
    """Return the bytes of a review, written by the standard library."""
    return json.dumps(review_of(objects, desired, **options)).encode()


def answer_of(body: bytes) -> dict[str, Any]:
    """Return the `response` of a reply."""
    answer: dict[str, Any] = json.loads(body)["response"]
    return answer


def converted(body: bytes) -> list[Any]:
    """Return the converted objects of a reply, which must be a success."""
    answer = answer_of(body)
    assert answer["result"] == {"status": "Success"}, answer["result"]
    objects: list[Any] = answer["convertedObjects"]
    return objects

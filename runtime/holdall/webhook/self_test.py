"""The self-test of a server: a small object of every kind, from every version to every other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import Protocol

from holdall.errors import DecodeError, Problem
from holdall.review.reviewer import Reviewed
from holdall.scheme.entries import Kind
from holdall.scheme.scheme import Scheme
from holdall.text.json import decode, encode
from holdall.types import JsonValue, get

_UID = "holdall-self-test"


class Reviews(Protocol):
    """Whatever answers conversion reviews, such as a Reviewer; it never raises."""

    def review(self, body: bytes) -> Reviewed:
        """Return the reply to one review."""
        ...


def self_test(reviewer: Reviews, schemes: Iterable[Scheme]) -> list[Problem]:
    """Send one review per kind and pair of versions through the reviewer; list what fails.

    The objects have a name and nothing else: every converter must take partial objects. This
    loads every converter and finds every way through the graph, so no client waits for that.
    """
    return [
        Problem("HA825", f"{scheme.package}", text, "run `holdall convert` on such an object")
        for scheme in schemes
        for kind in scheme.kinds
        for source, target in permutations(scheme.served(kind), 2)
        if (text := _try(reviewer, scheme, kind, source, target))
    ]


def _try(reviewer: Reviews, scheme: Scheme, kind: Kind, source: str, target: str) -> str:
    obj: JsonValue = {
        "apiVersion": scheme.api_version(source, kind),
        "kind": kind.name_in(source),
        "metadata": {"name": "self-test", "uid": _UID},
    }
    desired = scheme.api_version(target, kind)
    body = encode(
        {
            "kind": "ConversionReview",
            "apiVersion": "apiextensions.k8s.io/v1",
            "request": {"uid": _UID, "desiredAPIVersion": desired, "objects": [obj]},
        }
    )
    fault = _fault(reviewer.review(body), desired)
    return fault and f"the self-test of {kind.name} from {source} to {target} failed: {fault}"


def _fault(reviewed: Reviewed, desired: str) -> str:
    try:
        reply = decode(reviewed.body)
    except DecodeError as error:
        return f"the reply is not JSON: {error}"
    response = get(reply, "response")
    if reviewed.status != 200 or not isinstance(response, dict):
        return reviewed.message or f"HTTP status {reviewed.status}"
    if response.get("result") != {"status": "Success"}:
        return reviewed.message or "the reply is not a success"
    if response.get("uid") != _UID:
        return "the reply has another uid"
    match response.get("convertedObjects"):
        case [{"apiVersion": version}] if version == desired:
            return ""
    return f"the reply is not one object of {desired}"

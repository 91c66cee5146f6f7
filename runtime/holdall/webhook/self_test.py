"""The self-test of a server: a small object of every kind, from every version to every other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import Protocol

from holdall.errors import Problem
from holdall.review.request import fault_of_reply, write_request
from holdall.review.reviewer import Reviewed
from holdall.scheme.entries import Kind
from holdall.scheme.scheme import Scheme
from holdall.types import JsonValue

_UID = "holdall-self-test"


class Reviews(Protocol):
    """Something that answers conversion reviews, such as a Reviewer; it never raises."""

    def review(self, body: bytes) -> Reviewed:
        """Return the reply to one review."""
        ...


def self_test(reviewer: Reviews, schemes: Iterable[Scheme]) -> list[Problem]:
    """Send one review per kind and pair of versions to the reviewer; return what fails.

    The objects have only a name, because converters must accept partial objects. This loads every
    converter and finds every route, so that no client waits for that.
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
    reviewed = reviewer.review(write_request([obj], desired, _UID))
    fault = reviewed.message or fault_of_reply(reviewed.body, desired, _UID)
    if reviewed.status != 200:
        fault = fault or f"HTTP status {reviewed.status}"
    return fault and f"the self-test of {kind.name} from {source} to {target} failed: {fault}"

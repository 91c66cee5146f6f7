"""An API server in the process of the test: its checks, its pruning, its strategies of status.

They are those of the conformance suite, which judges webhooks by them; the tests of e2e confirm
them with a real one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from holdall.kubernetes.conform.apiserver import Call
from holdall.kubernetes.conform.storage import Store
from holdall.kubernetes.conform.subjects import kind_of
from holdall.review.reviewer import Reviewer
from holdall.scheme.scheme import Scheme


def call_of(scheme: Scheme) -> Call:
    """Return a webhook that converts by a scheme, without any network."""
    reviewer = Reviewer([scheme])

    def call(body: bytes) -> tuple[int, bytes]:
        reviewed = reviewer.review(body)
        return reviewed.status, reviewed.body

    return call


def answering(answer: Callable[[Any], Any], status: int = 200) -> Call:
    """Return a webhook that answers a parsed review with some JSON."""
    return lambda body: (status, json.dumps(answer(json.loads(body))).encode())


def store_of(crd: Any, scheme: Scheme) -> Store:
    """Return an empty store of the kind of a CRD, converted by a scheme."""
    kind = kind_of(crd)
    assert kind is not None
    return Store(kind, call_of(scheme))

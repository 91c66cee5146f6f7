"""The API server inside of `holdall conform` speaks as the real one does."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from holdall.kubernetes.conform.apiserver import Refused, convert
from tests.support.apiserver_cases import ACCEPTED, OBJECTS, REFUSED, Case, Sent

STORED: Final[Any] = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "a", "namespace": "default", "uid": "u", "labels": {"a": "b"}},
}
ONLY_ON_THE_WIRE: Final = {
    "closed",
    "unparseable content type",
    "500 with text that calls itself JSON",
    "byte order mark",
}


def _ask(case: Case) -> Any:
    sent: list[Any] = []

    def call(body: bytes) -> tuple[int, bytes]:
        review = json.loads(body)
        answer = case.respond(review)
        sent.append((review, answer))
        return answer.status, answer.body

    try:
        return convert(STORED, "example.com/v2", call)
    except Refused as error:
        return str(error), *sent[0]


@pytest.mark.parametrize(
    "case",
    [case for case in REFUSED if case.name not in ONLY_ON_THE_WIRE],
    ids=lambda case: case.name,
)
def test_it_refuses_with_the_same_text(case: Case) -> None:
    """What the real server refuses it refuses, and its text is that of the real one."""
    found = _ask(case)
    assert isinstance(found, tuple), "it was accepted"
    text, review, answer = found
    expected = case.text.format(
        p="conversion webhook for example.com/v1, Kind=Widget ",
        group="example.com",
        kind="Widget",
        uid=review["request"]["uid"],
        object_uid="u",
        post="",
        whole=_whole(answer) if case in OBJECTS else "",
    )
    if "regex" in expected:  # how a name must look is told by Go's library, not by the contract
        expected = expected[: len(text)]
    assert text == expected


def _whole(answer: Sent) -> str:
    found = json.loads(answer.body)["response"]["convertedObjects"][0]
    return json.dumps(found, separators=(",", ":"))


@pytest.mark.parametrize(
    "case",
    [case for case in ACCEPTED if case.name not in ONLY_ON_THE_WIRE],
    ids=lambda case: case.name,
)
def test_it_takes_what_the_real_one_takes(case: Case) -> None:
    """Odd answers that the real server takes it takes, too."""
    found = _ask(case)
    assert isinstance(found, dict), found
    assert found["apiVersion"] == "example.com/v2"

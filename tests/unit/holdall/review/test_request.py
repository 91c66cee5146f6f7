"""The request as an API server writes it, and what it misses in a reply."""

from __future__ import annotations

import pytest

from holdall.review.request import fault_of_reply, read_request, write_reply, write_request
from holdall.types import JsonObject

_UID = "u-1"
_DESIRED = "g.example/v2"


@pytest.mark.parametrize("version", ["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"])
def test_a_written_request_reads_back_and_its_reply_has_no_fault(version: str) -> None:
    obj: JsonObject = {"apiVersion": "g.example/v1", "kind": "Pot"}
    request = read_request(write_request([obj], _DESIRED, _UID, version))
    assert (request.uid, request.desired, request.version) == (_UID, _DESIRED, version)
    reply = write_reply(request, "", [b'{"apiVersion":"g.example/v2","kind":"Pot"}'])
    assert fault_of_reply(reply, _DESIRED, _UID, version) == ""


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("<html>", "the reply is not JSON"),
        ('{"apiVersion": "v1"}', "not a ConversionReview of the request's apiVersion"),
        ('{"apiVersion": "apiextensions.k8s.io/v1"}', "not have the uid of the request"),
        (
            '{"apiVersion": "apiextensions.k8s.io/v1", "response": {"uid": "u-1",'
            ' "result": {"status": "Failure", "message": "no way"}}}',
            "no way",
        ),
        (
            '{"apiVersion": "apiextensions.k8s.io/v1", "response": {"uid": "u-1",'
            ' "result": {"status": "Success"}, "convertedObjects": [{"apiVersion": "g/v1"}]}}',
            "the reply is not one object of g.example/v2",
        ),
    ],
)
def test_what_an_api_server_misses_in_a_reply(reply: str, fault: str) -> None:
    assert fault in fault_of_reply(reply.encode(), _DESIRED, _UID)

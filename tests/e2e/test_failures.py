"""The scenarios `empty-response`, `failure-message` and `unhandled`, for every verb."""

from __future__ import annotations

import pytest

from tests.e2e.harness.api import Reply
from tests.e2e.harness.multiversion import content
from tests.e2e.harness.scenarios import Scenario
from tests.e2e.harness.webhooks import Answer, Behaviour, failing, success

FAULTS: dict[str, tuple[Behaviour, str]] = {
    "empty-response": (
        lambda review: Answer(success(review, [])),
        "returned 0 objects, expected 1",
    ),
    "failure-message": (failing("no, because it rains"), "failed: no, because it rains"),
    "unhandled": (
        lambda review: Answer(status=422),
        "the server rejected our request due to an error in our request",
    ),
}


def calls(scenario: Scenario) -> dict[str, Reply]:
    """Do everything that can be done at v1beta2 to an object that is stored at v1beta1."""
    api, resource = scenario.cluster.api, scenario.resource
    at = resource.path("v1beta2", "thing")
    label = {"metadata": {"labels": {"a": "b"}}}
    whole = resource.read("v1beta1", "thing")
    whole = {**whole, "apiVersion": f"{resource.group}/v1beta2"}
    scale = {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": "thing", "namespace": resource.namespace},
        "spec": {"replicas": 2},
    }
    new = resource.new("v1beta2", "new", **content("v1beta2"))
    return {
        "get": api.get(at),
        "list": api.get(resource.path("v1beta2")),
        "create": api.post(resource.path("v1beta2"), new),
        "update": api.put(at, whole),
        "patch": api.patch(at, label),
        "delete": api.delete(at),
        "deletecollection": api.delete(resource.path("v1beta2")),
        "get status": api.get(f"{at}/status"),
        "update status": api.put(f"{at}/status", whole),
        "patch status": api.patch(f"{at}/status", label),
        "get scale": api.get(f"{at}/scale"),
        "update scale": api.put(f"{at}/scale", scale),
        "patch scale": api.patch(f"{at}/scale", {"spec": {"replicas": 2}}),
    }


@pytest.mark.parametrize("fault", FAULTS)
def test_every_verb_fails_with_the_reason(scenario: Scenario, fault: str) -> None:
    """A converter that fails fails every verb with its text, and the object stays as it is."""
    spec = {"num": {"num1": 1}}
    scenario.resource.create(scenario.resource.new("v1beta1", "thing", spec=spec))
    before = scenario.stored("thing")
    scenario.webhook.behave, text = FAULTS[fault]
    for verb, reply in calls(scenario).items():
        assert reply.status == 500, verb
        assert text in reply.message, verb
        assert not {"reason", "details"} & reply.json.keys(), verb
    assert scenario.stored("thing") == before

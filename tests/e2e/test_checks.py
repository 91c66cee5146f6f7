"""The checks of the API server, in its own words: what it refuses of a webhook, and what not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.conftest import StartWebhook
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource, conversion, create_crd
from tests.e2e.harness.webhooks import Answer, Behaviour, Webhook
from tests.support.apiserver_cases import ACCEPTED, REFUSED, Case


@pytest.fixture(scope="module")
def checked(uncached: Cluster, start_webhook: StartWebhook) -> tuple[Resource, Webhook]:
    """A resource with one object, stored at v1, and its webhook, which no watch cache asks."""
    webhook = start_webhook()
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    versions = [
        {
            "name": name,
            "served": True,
            "storage": name == "v1",
            "schema": {"openAPIV3Schema": schema},
        }
        for name in ("v1", "v2")
    ]
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.checks.example.com"},
        "spec": {
            "group": "checks.example.com",
            "names": {"plural": "widgets", "kind": "Widget"},
            "scope": "Namespaced",
            "versions": versions,
            "conversion": conversion(webhook.url, webhook.bundle),
        },
    }
    resource = create_crd(uncached.api, crd)
    item = resource.new("v1", "a")
    item["metadata"]["labels"] = {"a": "b"}
    resource.create(item)
    return resource, webhook


def _behave(case: Case) -> Behaviour:
    def behave(review: Any) -> Answer | None:
        sent = case.respond(review)
        return Answer(sent.body, sent.status, sent.headers) if sent.status else None

    return behave


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_what_the_server_refuses(
    uncached: Cluster, checked: tuple[Resource, Webhook], case: Case
) -> None:
    """The answer is refused with HTTP 500 and exactly this text."""
    resource, webhook = checked
    webhook.behave = _behave(case)
    reply = uncached.api.get(resource.path("v2", "a"))
    review = webhook.reviews[-1]
    assert reply.status == 500
    assert reply.message == case.text.format(
        p=f"conversion webhook for {resource.group}/v1, Kind={resource.kind} ",
        group=resource.group,
        kind=resource.kind,
        uid=review["request"]["uid"],
        object_uid=review["request"]["objects"][0]["metadata"]["uid"],
        post=f'Post "{webhook.url}?timeout=30s"',
        whole=_whole(case, review),
    )


def _whole(case: Case, review: Any) -> str:
    try:
        return json.dumps(json.loads(case.respond(review).body)["response"]["convertedObjects"][0])
    except (ValueError, KeyError, IndexError, TypeError):
        return ""


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case.name)
def test_what_the_server_takes(
    uncached: Cluster, checked: tuple[Resource, Webhook], case: Case
) -> None:
    """The answer is odd and taken."""
    resource, webhook = checked
    webhook.behave = _behave(case)
    assert resource.read("v2", "a")["apiVersion"] == f"{resource.group}/v2"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_integer_retry_after_is_obeyed(checked: tuple[Resource, Webhook], status: int) -> None:
    """An overload with `Retry-After` is tried again, and the user sees nothing of it."""
    resource, webhook = checked
    good = _behave(ACCEPTED[0])
    asked = 0

    def behave(review: Any) -> Answer | None:
        nonlocal asked
        asked += 1
        headers = {"Retry-After": "0", "Connection": "close"}
        return Answer(status=status, headers=headers) if asked < 4 else good(review)

    webhook.behave = behave
    assert resource.read("v2", "a")["apiVersion"] == f"{resource.group}/v2"
    assert asked == 4


def test_redirects(uncached: Cluster, checked: tuple[Resource, Webhook]) -> None:
    """307 is followed with the same POST; 302 becomes a GET, which is no review."""
    resource, webhook = checked
    good = _behave(ACCEPTED[0])
    status = 307
    redirected = False

    def behave(review: Any) -> Answer | None:
        nonlocal redirected
        if redirected:
            return good(review)
        redirected = True
        return Answer(status=status, headers={"Location": f"{webhook.url}/elsewhere"})

    webhook.behave = behave
    assert resource.read("v2", "a")["apiVersion"] == f"{resource.group}/v2"
    status, redirected = 302, False
    assert uncached.api.get(resource.path("v2", "a")).status == 500


def test_a_list_is_one_review_per_object(checked: tuple[Resource, Webhook]) -> None:
    """Each object of a list comes in a review of its own, with a stub of a response in it."""
    resource, webhook = checked
    webhook.behave = _behave(ACCEPTED[0])
    for number in range(5):
        resource.create(resource.new("v1", f"listed-{number}"))
    webhook.reviews.clear()
    assert len(resource.items("v2")) >= 6
    listed = [review for review in webhook.reviews if review["request"]["objects"]]
    assert all(len(review["request"]["objects"]) == 1 for review in listed)
    assert {f"listed-{number}" for number in range(5)} <= {
        review["request"]["objects"][0]["metadata"]["name"] for review in listed
    }
    stub: dict[str, Any] = {"uid": "", "convertedObjects": None, "result": {"metadata": {}}}
    assert all(review["response"] == stub for review in listed)

"""How often the API server asks: the reviews of each operation, its watch cache included."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import pytest

from tests.e2e.conftest import StartWebhook
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.multiversion import rename
from tests.e2e.harness.processes import wait_for
from tests.e2e.harness.scenarios import Scenario, start_scenario
from tests.e2e.harness.webhooks import converting

S, V = "v1beta1", "v1beta2"
"""The storage version, and the other one."""
OTHERS = 3


@pytest.fixture(scope="module")
def counted(cluster: Cluster, start_webhook: StartWebhook) -> Scenario:
    """A resource with two versions, three objects, and watch caches that are filled."""
    webhook = start_webhook()
    webhook.behave = converting(rename)
    found = start_scenario(cluster, webhook, "calls.example.com", without=["v1alpha1"])
    for number in range(OTHERS):
        found.create("v1beta1", f"other-{number}")
    for version in (S, V):
        wait_for("the cache", partial(_is_cached, found, version))
    time.sleep(0.5)
    return found


def _is_cached(scenario: Scenario, version: str) -> bool:
    path = f"{scenario.resource.path(version)}?resourceVersion=0"
    return len(scenario.cluster.api.get(path).json["items"]) == OTHERS


def _put(scenario: Scenario, name: str, version: str, *more: str) -> None:
    item = scenario.resource.read(version, name)
    scenario.webhook.reviews.clear()
    scenario.cluster.api.put(scenario.resource.path(version, name, *more), item).expect(200)


def _patch(scenario: Scenario, name: str, version: str, *more: str) -> None:
    patch = {"spec": {"num": {"num1": 5}}, "status": {"num": {"num2": 5}}}
    scenario.cluster.api.patch(scenario.resource.path(version, name, *more), patch).expect(200)


def _list(scenario: Scenario, query: str = "") -> None:
    scenario.cluster.api.get(f"{scenario.resource.path('v1beta2')}{query}").expect(200)


def _delete_nothing(scenario: Scenario) -> None:
    path = f"{scenario.resource.path('v1beta2')}?labelSelector=a%3Db"
    scenario.cluster.api.delete(path).expect(200)


def _delete(scenario: Scenario, name: str, version: str) -> None:
    scenario.cluster.api.delete(scenario.resource.path(version, name)).expect(200)


Operation: TypeAlias = Callable[[Scenario, str], Any]
"""What is done, with the name of the object that the test has created."""
OPERATIONS: dict[str, tuple[Operation, int]] = {
    "GET at V": (lambda it, name: it.resource.read(V, name), 1),
    "GET at S": (lambda it, name: it.resource.read(S, name), 0),
    "PUT at V, nothing new": (lambda it, name: _put(it, name, V), 4),
    "patch of status at V": (lambda it, name: _patch(it, name, V, "status"), 4),
    "LIST at V": (lambda it, _: _list(it), OTHERS + 1),
    "LIST at V, selector without match": (
        lambda it, _: _list(it, "?labelSelector=a%3Db"),
        OTHERS + 1,
    ),
    "LIST at V from the cache": (lambda it, _: _list(it, "?resourceVersion=0"), 0),
    "deletecollection at V, no match": (lambda it, _: _delete_nothing(it), OTHERS + 1),
    "DELETE at V": (lambda it, name: _delete(it, name, V), 4),
    "DELETE at S": (lambda it, name: _delete(it, name, S), 1),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_calls_of_an_operation(counted: Scenario, operation: str) -> None:
    """One call per object and conversion; the table of the webhook contract holds."""
    act, calls = OPERATIONS[operation]
    name = f"thing-{list(OPERATIONS).index(operation)}"
    counted.webhook.reviews.clear()
    counted.create(V, name)
    try:
        _settle(counted, name, 3)
        counted.webhook.reviews.clear()
        act(counted, name)
        _settle(counted, name, calls)
    finally:
        counted.cluster.api.delete(counted.resource.path(S, name))


def _settle(scenario: Scenario, name: str, calls: int) -> None:
    """Wait for so many calls, and a little longer for none more: the cache asks afterwards."""
    names = [name, *(f"other-{number}" for number in range(OTHERS))]

    def asked() -> int:
        return sum(len(scenario.webhook.asked(one)) for one in names)

    wait_for(f"{calls} calls", lambda: asked() >= calls)
    time.sleep(0.3)
    assert asked() == calls

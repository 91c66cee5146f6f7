"""The scenario `nontrivial`: the newest version has other names for the same things."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.harness.multiversion import STORAGE, VERSIONS, content, members, rename
from tests.e2e.harness.scenarios import Scenario
from tests.e2e.harness.webhooks import converting


def test_objects_stored_at_three_versions_read_equal(own_scenario: Scenario) -> None:
    """Wherever an object is stored, each version shows it in its own words."""
    own_scenario.webhook.behave = converting(rename)
    for version in ("v1alpha1", "v1beta2", "v1beta1"):
        own_scenario.store_at(version)
        own_scenario.create("v1alpha1", f"stored-{version}")
        assert own_scenario.stored(f"stored-{version}")["apiVersion"].endswith(f"/{version}")
    for version in VERSIONS:
        for stored in VERSIONS:
            item = own_scenario.resource.read(version, f"stored-{stored}")
            assert members(item) == content(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_schema_does_not_know_is_neither_stored_nor_shown(
    scenario: Scenario, version: str
) -> None:
    """An unknown member is pruned on the way in, and garbage in the store on the way out."""
    scenario.webhook.behave = converting(rename)
    resource, api = scenario.resource, scenario.cluster.api
    scenario.create(version, "thing", foo="bar")
    stored = scenario.stored("thing")
    assert stored["apiVersion"].endswith(f"/{STORAGE}")
    assert members(stored) == content(STORAGE)
    assert "foo" not in stored

    stored["foo"] = "garbage"
    stored["metadata"]["labels"] = {"planted": "true"}
    scenario.cluster.etcd.plant(resource.key("thing"), stored)

    def patch(path: str, at: str) -> Any:
        return api.patch(path, {"metadata": {"labels": {at: "true"}}}).expect(200)

    views: dict[str, Callable[[str], Any]] = {
        "get": lambda at: resource.read(at, "thing"),
        "list": lambda at: next(
            item for item in resource.items(at) if item["metadata"]["name"] == "thing"
        ),
        "patch": lambda at: patch(resource.path(at, "thing"), at),
        "patch of status": lambda at: patch(resource.path(at, "thing", "status"), f"{at}-status"),
    }
    for name, view in views.items():
        for at in VERSIONS:
            item = view(at)
            assert members(item) == content(at), (name, at)
            assert "foo" not in item, (name, at)
            assert item["metadata"]["labels"]["planted"] == "true", (name, at)
    assert "foo" not in scenario.stored("thing")


@pytest.mark.parametrize("version", VERSIONS)
def test_only_the_defaults_of_the_request_are_stored(scenario: Scenario, version: str) -> None:
    """The request's defaults are persisted, the storage version's are shown, all others neither."""
    scenario.webhook.behave = converting(rename)
    created = scenario.create(version, "thing", defaults={})
    assert created["defaults"] == {version: True, STORAGE: True}
    assert scenario.stored("thing")["defaults"] == {version: True}
    for other in VERSIONS:
        shown = scenario.resource.read(other, "thing")["defaults"]
        assert shown == {version: True, STORAGE: True}

"""The scenario `noop`: versions that differ in nothing but their names."""

from __future__ import annotations

from typing import Any

from tests.e2e.harness.crds import change_crd
from tests.e2e.harness.multiversion import VERSIONS, members
from tests.e2e.harness.processes import wait_for
from tests.e2e.harness.scenarios import Scenario


def test_objects_stay_readable_while_the_storage_version_moves(own_scenario: Scenario) -> None:
    """Objects that were written before a move are read after it and after the way back."""
    own_scenario.create("v1beta1", "before")
    own_scenario.store_at("v1beta2")
    own_scenario.create("v1beta1", "between")
    own_scenario.store_at("v1beta1")
    for name in ("before", "between"):
        for version in VERSIONS:
            item = own_scenario.resource.read(version, name)
            assert item["apiVersion"] == f"{own_scenario.resource.group}/{version}"
    assert members(own_scenario.resource.read("v1alpha1", "before")) == {
        "content": {"key": "value"},
        "num": {"num1": 1, "num2": 1000000},
    }


def test_a_version_that_is_not_served_is_not_found(own_scenario: Scenario) -> None:
    """`served: false` gives 404 at that version only, and `served: true` takes it back."""
    own_scenario.create("v1beta1", "thing")

    def serve(served: bool) -> None:
        def change(spec: dict[str, Any]) -> None:
            for entry in spec["versions"]:
                if entry["name"] == "v1alpha1":
                    entry["served"] = served

        change_crd(own_scenario.cluster.api, own_scenario.crd, change)
        status = 200 if served else 404
        path = own_scenario.resource.path("v1alpha1", "thing")
        wait_for(f"{status}", lambda: own_scenario.cluster.api.get(path).status == status)

    serve(False)
    own_scenario.resource.read("v1beta1", "thing")
    own_scenario.resource.read("v1beta2", "thing")
    serve(True)
    assert own_scenario.resource.read("v1alpha1", "thing")["content"] == {"key": "value"}


def test_objects_stored_at_two_versions_read_equal(own_scenario: Scenario) -> None:
    """Whether an object is stored at v1alpha1 or v1beta1 cannot be seen at any version."""
    own_scenario.store_at("v1alpha1")
    own_scenario.create("v1beta1", "older")
    own_scenario.store_at("v1beta1")
    own_scenario.create("v1beta1", "newer")
    assert own_scenario.stored("older")["apiVersion"].endswith("/v1alpha1")
    assert own_scenario.stored("newer")["apiVersion"].endswith("/v1beta1")
    for version in VERSIONS:
        older, newer = (
            members(own_scenario.resource.read(version, name)) for name in ("older", "newer")
        )
        assert older == newer


def test_the_server_asks_in_the_first_review_version_that_it_knows(scenario: Scenario) -> None:
    """The first of `conversionReviewVersions` is that of every review."""
    spec = scenario.cluster.api.get(
        f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{scenario.crd}"
    ).expect(200)["spec"]
    first = spec["conversion"]["webhook"]["conversionReviewVersions"][0]
    scenario.create("v1beta2", "asked-first")
    asked = {review["apiVersion"] for review in scenario.webhook.reviews}
    assert asked == {f"apiextensions.k8s.io/{first}"}
    assert scenario.webhook.asked("asked-first")[0] == tuple(
        f"{scenario.resource.group}/{version}" for version in ("v1beta2", "v1beta1")
    )

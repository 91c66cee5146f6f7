"""The scenarios `metadata-mutating` and `uid-mutating`: what a converter may change of metadata."""

from __future__ import annotations

from typing import Any

from tests.e2e.harness.multiversion import rename
from tests.e2e.harness.scenarios import Scenario
from tests.e2e.harness.webhooks import converting


def _tamper(item: dict[str, Any], desired: str) -> dict[str, Any]:
    metadata = item["metadata"]
    old, new = (text.rpartition("/")[2] for text in (item["apiVersion"], desired))
    for name in ("labels", "annotations"):
        metadata.setdefault(name, {}).update({"from": old, "to": new})
    metadata["generation"] = 42
    metadata["resourceVersion"] = "4242"
    metadata["finalizers"] = ["example.com/tampered"]
    metadata["garbage"] = 42
    metadata["ownerReferences"] = [
        {"apiVersion": "v1", "kind": "Tamper", "name": "tamper", "uid": "tamper"}
    ]
    return rename(item, desired)


def _assert_original(metadata: dict[str, Any]) -> None:
    assert metadata["generation"] == 1
    assert metadata.get("resourceVersion") != "4242"
    assert not {"finalizers", "garbage", "ownerReferences"} & metadata.keys()


def test_labels_and_annotations_are_taken_and_the_rest_is_reverted(scenario: Scenario) -> None:
    """A converter may change labels and annotations; all other metadata is that of its input."""
    scenario.webhook.behave = converting(_tamper)
    created = scenario.create("v1alpha1", "thing")
    on_the_way_back = {"from": "v1beta1", "to": "v1alpha1"}
    stored = scenario.stored("thing")["metadata"]
    on_the_way_in = {"from": "v1alpha1", "to": "v1beta1"}
    for metadata, expected in (
        (created["metadata"], on_the_way_back),
        (stored, on_the_way_in),
        (scenario.resource.read("v1alpha1", "thing")["metadata"], on_the_way_back),
        (scenario.resource.read("v1beta1", "thing")["metadata"], on_the_way_in),
    ):
        assert metadata["labels"] == metadata["annotations"] == expected
        _assert_original(metadata)


def test_missing_labels_and_annotations_are_deleted(scenario: Scenario) -> None:
    """A converter that leaves labels and annotations out deletes them."""

    def forget(item: dict[str, Any], desired: str) -> dict[str, Any]:
        item["metadata"].pop("labels", None)
        item["metadata"]["annotations"] = None
        return rename(item, desired)

    item = scenario.resource.new("v1beta1", "thing")
    item["metadata"].update(labels={"a": "b"}, annotations={"c": "d"})
    scenario.resource.create(item)
    scenario.webhook.behave = converting(forget)
    assert (
        not {"labels", "annotations"}
        & scenario.resource.read("v1beta2", "thing")["metadata"].keys()
    )
    assert scenario.resource.read("v1beta1", "thing")["metadata"]["labels"] == {"a": "b"}


def test_five_fields_of_metadata_are_a_complete_answer(scenario: Scenario) -> None:
    """Name, namespace, uid, labels and annotations suffice; the server restores all others."""
    kept = ("name", "namespace", "uid", "labels", "annotations")

    def reduce(item: dict[str, Any], desired: str) -> dict[str, Any]:
        found = item["metadata"]
        item["metadata"] = {name: found[name] for name in kept if name in found}
        return rename(item, desired)

    item = scenario.resource.new("v1beta1", "thing")
    item["metadata"].update(labels={"a": "b"}, finalizers=["example.com/kept"])
    whole = scenario.resource.create(item)["metadata"]
    scenario.webhook.behave = converting(reduce)
    read = scenario.resource.read("v1alpha1", "thing")["metadata"]
    assert {**read, "selfLink": ""} == {**whole, "selfLink": ""}


def test_another_uid_is_refused(scenario: Scenario) -> None:
    """A create fails when the converter changes the uid, and nothing is stored."""

    def exchange(item: dict[str, Any], desired: str) -> dict[str, Any]:
        item["metadata"]["uid"] = "tampered"
        return rename(item, desired)

    scenario.webhook.behave = converting(exchange)
    item = scenario.resource.new("v1alpha1", "thing")
    reply = scenario.cluster.api.post(scenario.resource.path("v1alpha1"), item)
    assert reply.status == 500
    assert "must have the same UID" in reply.message
    assert scenario.cluster.etcd.read(scenario.resource.key("thing")) is None

"""The API server inside of `holdall conform` says what a real one says, check by check."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from holdall.kubernetes.conform.apiserver import (
    Refused,
    build_review,
    convert,
    objects_to_convert,
    restore_metadata,
)
from holdall.kubernetes.conform.storage import prune
from holdall.kubernetes.conform.subjects import Version
from tests.support.apiserver_cases import ACCEPTED, REFUSED, Case, good
from tests.support.fake_apiserver import answering

GROUP = "checks.example.com"
ONLY_ON_THE_WIRE = ("closed", "unparseable content type", "500 with text that calls itself JSON")


def widget(version: str = "v1", **members: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "Widget",
        "metadata": {
            "name": "a",
            "namespace": "default",
            "uid": "0f8fad5b",
            "labels": {"a": "b"},
        },
        **members,
    }


# --- the answer of a webhook: the cases that a real server confirms -------------------------


@pytest.mark.parametrize(
    "case",
    [case for case in REFUSED if case.name not in ONLY_ON_THE_WIRE],
    ids=lambda case: case.name,
)
def test_what_is_refused(case: Case) -> None:
    """With exactly the text of kube-apiserver 1.20."""
    seen: list[Any] = []

    def call(body: bytes) -> tuple[int, bytes]:
        seen.append(json.loads(body))
        sent = case.respond(seen[0])
        return sent.status, sent.body

    with pytest.raises(Refused) as caught:
        convert(widget(), f"{GROUP}/v2", call)
    [review] = seen
    whole = ""
    if "{whole}" in case.text:
        answer = json.loads(case.respond(review).body)
        whole = json.dumps(answer["response"]["convertedObjects"][0], separators=(",", ":"))
    assert str(caught.value) == case.text.format(
        p=f"conversion webhook for {GROUP}/v1, Kind=Widget ",
        group=GROUP,
        kind="Widget",
        uid=review["request"]["uid"],
        object_uid="0f8fad5b",
        post="",
        whole=whole,
    )


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case.name)
def test_what_is_taken(case: Case) -> None:
    """Odd answers that a real server takes."""

    def call(body: bytes) -> tuple[int, bytes]:
        sent = case.respond(json.loads(body))
        return sent.status, sent.body

    assert convert(widget(), f"{GROUP}/v2", call)["apiVersion"] == f"{GROUP}/v2"


def test_a_v1beta1_review_needs_no_uid() -> None:
    """Check 5 is for v1 only."""

    def answer(review: Any) -> Any:
        reply = good(review)
        del reply["response"]["uid"]
        return reply

    assert convert(widget(), f"{GROUP}/v2", answering(answer), versions=["v1beta1"])
    with pytest.raises(Refused, match=r"expected response\.uid"):
        convert(widget(), f"{GROUP}/v2", answering(answer))


def test_items_of_lists_are_checked_by_their_index() -> None:
    """Only those that were sent count."""

    def answer(review: Any) -> Any:
        reply = good(review)
        reply["response"]["convertedObjects"][1]["metadata"]["name"] = "zz"
        return reply

    items: list[Any] = [widget(), widget("v2"), widget()]
    with pytest.raises(Refused, match="at index 1: must have the same name: a != zz"):
        convert({"kind": "WidgetList", "items": items}, f"{GROUP}/v2", answering(answer))


# --- building a review ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("versions", "used"),
    [(["v1", "v1beta1"], "v1"), (["v1beta1", "v1"], "v1beta1"), (["v7", "v1"], "v1")],
)
def test_the_first_known_review_version_is_used(versions: list[str], used: str) -> None:
    """In the order in which the CRD lists them, with the stub of a response."""
    review = json.loads(build_review(versions, [widget()], f"{GROUP}/v2"))
    assert review["apiVersion"] == f"apiextensions.k8s.io/{used}"
    assert review["kind"] == "ConversionReview"
    assert review["request"]["desiredAPIVersion"] == f"{GROUP}/v2"
    assert review["request"]["objects"] == [widget()]
    assert review["response"] == {
        "uid": "",
        "convertedObjects": None,
        "result": {"metadata": {}},
    }


def test_without_a_known_review_version_nothing_is_sent() -> None:
    """Check 1."""
    with pytest.raises(Refused, match=r"^no supported conversion review versions$"):
        convert(widget(), f"{GROUP}/v2", answering(good), versions=["v2"])


# --- choosing what is sent ------------------------------------------------------------------

ONE, TWO = widget("v1"), widget("v2")


@pytest.mark.parametrize(
    ("obj", "sent"),
    [
        (ONE, [ONE]),
        (TWO, []),
        ({"items": []}, []),
        ({"items": [ONE]}, [ONE]),
        ({"items": [TWO, TWO]}, []),
        ({"items": [TWO, ONE, TWO, ONE]}, [ONE, ONE]),
        ({"apiVersion": f"{GROUP}/v2", "items": [ONE]}, [ONE]),
    ],
)
def test_what_has_another_version_is_sent(obj: Any, sent: list[Any]) -> None:
    """Of a list the items count, not its own version."""
    assert objects_to_convert(obj, f"{GROUP}/v2") == sent


@pytest.mark.parametrize(
    "obj", [TWO, {"apiVersion": f"{GROUP}/v1", "kind": "Widget"}, {"kind": "L", "items": [TWO]}]
)
def test_a_webhook_is_not_called_for_nothing(obj: Any) -> None:
    """Not for the same version, objects without anything, and lists with nothing to convert."""

    def call(body: bytes) -> tuple[int, bytes]:
        raise AssertionError("it was called")

    assert convert(obj, f"{GROUP}/v2", call) == {**obj, "apiVersion": f"{GROUP}/v2"}


# --- restoring metadata ---------------------------------------------------------------------

BOTH = {"labels": {"a": "1"}, "annotations": {"b": "2"}}


@pytest.mark.parametrize(
    ("original", "converted", "result"),
    [
        ({}, {}, {}),
        ({"name": "a"}, {}, {"name": "a"}),
        ({"name": "a"}, {"name": "b"}, {"name": "a"}),
        ({"finalizers": ["x"]}, {"finalizers": []}, {"finalizers": ["x"]}),
        ({}, {"ownerReferences": [1]}, {}),
        (BOTH, {}, {}),
        (BOTH, {"labels": None, "annotations": None}, {}),
        (BOTH, BOTH, BOTH),
        ({}, BOTH, BOTH),
        ({"labels": None}, {"labels": {"a": "1"}}, {"labels": {"a": "1"}}),
        (BOTH, {"labels": {}, "annotations": {}}, {"labels": {}, "annotations": {}}),
        (BOTH, {"labels": {"c": "3"}}, {"labels": {"c": "3"}}),
        ({"labels": {"a b": "x"}}, {"labels": {"a b": "x"}}, {"labels": {"a b": "x"}}),
        ({"annotations": 1}, {}, {}),
        ({"garbage": {"x": [1]}}, {"garbage": 2}, {"garbage": {"x": [1]}}),
    ],
)
def test_metadata_is_restored(original: Any, converted: Any, result: Any) -> None:
    """All but labels and annotations is the original's; what the reply leaves out is deleted."""
    assert restore_metadata({"metadata": original}, {"metadata": converted}) == {"metadata": result}


@pytest.mark.parametrize(
    ("original", "converted", "text"),
    [
        ({}, None, "invalid metadata of type <nil> in converted object"),
        (None, {}, "invalid metadata of type <nil> in input object"),
        ({}, [], "invalid metadata of type []interface {} in converted object"),
        ({}, {"labels": 1.5}, "invalid metadata.labels of type float64 in converted object"),
        ({"labels": True}, {"labels": {}}, "invalid metadata.labels of type bool in original"),
        ({}, {"labels": {"a": {}}}, "metadata.labels[a] must be a string, but is map[string]"),
        ({}, {"labels": {"a": "-"}}, 'metadata.labels: Invalid value: "-": a valid label must be'),
        ({}, {"annotations": {"a/b/c": "x"}}, 'metadata.annotation: Invalid value: "a/b/c"'),
    ],
)
def test_metadata_is_refused(original: Any, converted: Any, text: str) -> None:
    """With the types as Go names them."""
    with pytest.raises(Refused) as caught:
        restore_metadata({"metadata": original}, {"metadata": converted})
    assert str(caught.value).startswith(text)


def test_missing_metadata_is_refused() -> None:
    """The reply must have it, the original need not."""
    with pytest.raises(Refused, match="missing metadata in converted object"):
        restore_metadata({"metadata": {}}, {})
    assert restore_metadata({}, {"metadata": {"name": "a"}}) == {"metadata": {}}


# --- pruning --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "value", "pruned"),
    yaml.safe_load("""
- [{properties: {a: {}}}, {a: 1, b: 2}, {a: 1}]
- [{properties: {a: {properties: {b: {}}}}}, {a: {c: 1}}, {a: {}}]
- [{additionalProperties: {properties: {}}}, {x: {y: 1}}, {x: {}}]
- [{x-kubernetes-preserve-unknown-fields: true}, {x: 1}, {x: 1}]
- [{x-kubernetes-preserve-unknown-fields: true, properties: {a: {properties: {}}}},
  {a: {b: 1}, c: {d: 1}}, {a: {}, c: {d: 1}}]
- [{properties: {l: {items: {properties: {a: {}}}}}}, {l: [{a: 1, b: 2}, 5, null]},
  {l: [{a: 1}, 5, null]}]
- [{properties: {e: {x-kubernetes-embedded-resource: true, properties: {}}}},
  {e: {apiVersion: v1, kind: K, metadata: {name: n}, spec: {}}},
  {e: {apiVersion: v1, kind: K, metadata: {name: n}}}]
- [{properties: {a: {properties: {}}}}, {a: text}, {a: text}]
"""),
)
def test_pruning_drops_what_is_not_declared(schema: Any, value: Any, pruned: Any) -> None:
    """And nothing else: a value of a wrong type is none of its business."""
    head: Any = {"apiVersion": "x/v1", "kind": "K", "metadata": {"name": "n", "x": 1}}
    version = Version("v1", {"type": "object", "properties": {"spec": schema}})
    assert prune({**head, "spec": value, "other": 1}, version) == {**head, "spec": pruned}

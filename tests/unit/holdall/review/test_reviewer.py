"""Reviews: every rule of the webhook contract that a converter can keep without a server."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.carriers.reports import Lost
from holdall.errors import DecodeError, UnknownKindError
from holdall.review.messages import MAX_MESSAGE, status_body
from holdall.review.reviewer import Reviewer, Tally
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from tests.support.notation import schema_text
from tests.support.objects import resource
from tests.support.projects import build_project, written_hook
from tests.support.reviews import UID, V1, V1BETA1, answer_of, body_of, converted, review_of
from tests.support.serving import PATIENCE
from tests.support.tables_kept import sizes_of_tables

CONFIG = """
groups:
  alpha:
    api_group: alpha.example.com
    sources:
      - {schemas: v1.yaml, version: v1, kinds: {Thing: ""}}
      - {schemas: v2.yaml, version: v2, kinds: {Thing: ""}}
      - {schemas: v3.yaml, version: v3, kinds: {Thing: ""}}
    versions: [v1, v2, v3]
  beta:
    api_group: beta.example.com
    sources:
      - {schemas: v1.yaml, version: v1, kinds: {Gadget: ""}}
      - {schemas: v3.yaml, version: v3, kinds: {Gadget: ""}}
    versions: [v1, v3]
"""

_SCHEMA = """
metadata: object
spec: {%s!: string, size: integer, tags: [string], parts: [{name: string%s}]}
status: {phase: string}
"""

FILES = {
    "v1.yaml": schema_text(_SCHEMA % ("color", ", weight: integer")),
    "v2.yaml": schema_text(_SCHEMA % ("shade", "")),
    "v3.yaml": schema_text(_SCHEMA % ("tint", "")),
    "hooks/things.py": written_hook(
        """
        if source.color == "secret-boom":
            raise ValueError("no shade is called so")
        if source.color == "secret-dump":
            raise ValueError(f"cannot use {source}")
        if source.color == "secret-defect":
            raise RecursionError
        destination.shade = float("nan") if source.color == "nan" else source.color
        """,
        "destination.color = source.shade",
        reads="color",
        writes="shade",
        group="alpha",
        name="ThingSpecHooks",
    ),
}

A1, A2, A3 = (f"alpha.example.com/{version}" for version in ("v1", "v2", "v3"))
B1, B3 = "beta.example.com/v1", "beta.example.com/v3"


@pytest.fixture(scope="module")
def schemes(tmp_path_factory: pytest.TempPathFactory) -> list[Scheme]:
    """Two groups; the kind of the first has a hook that can fail."""
    from holdall.scheme.projects import load_schemes

    return load_schemes(build_project(tmp_path_factory.mktemp("review"), CONFIG, FILES))


@pytest.fixture
def reviewer(schemes: list[Scheme]) -> Reviewer:
    return Reviewer(schemes)


def thing(api_version: str = A1, **members: Any) -> dict[str, Any]:
    return {
        "apiVersion": api_version,
        "kind": "Thing",
        "metadata": {"name": "a", "namespace": "ns", "uid": "u"},
        "spec": {"size": 1},
        **members,
    }


def convert(reviewer: Reviewer, obj: Any, to: str = A2) -> Any:
    [result] = converted(reviewer.review(body_of([obj], to)).body)
    return result


def failure(reviewer: Reviewer, objects: list[Any], to: str = A2) -> str:
    reviewed = reviewer.review(body_of(objects, to))
    answer = answer_of(reviewed.body)
    assert reviewed.status == 200
    assert answer["uid"] == UID
    assert answer["convertedObjects"] == []
    assert answer["result"] == {"status": "Failure", "message": reviewed.message}
    assert len(reviewed.message.encode()) <= MAX_MESSAGE
    return reviewed.message


# --- the protocol --------------------------------------------------------------------------


@pytest.mark.parametrize("version", [V1, V1BETA1])
def test_a_reply_is_of_the_version_of_its_request(reviewer: Reviewer, version: str) -> None:
    """WC-01, 02, 04: a v1 request gives a v1 reply, without the request, whatever the stub says."""
    reply = json.loads(reviewer.review(body_of([thing()], A2, version=version)).body)
    assert reply.keys() == {"apiVersion", "kind", "response"}
    assert (reply["apiVersion"], reply["kind"]) == (version, "ConversionReview")
    assert reply["response"].keys() == {"uid", "result", "convertedObjects"}
    assert reply["response"]["uid"] == UID


@pytest.mark.parametrize("uid", ["", 'a"b', "ä", "x" * 5000])
def test_any_uid_is_echoed(reviewer: Reviewer, uid: str) -> None:
    """WC-03: the uid is text like any other."""
    assert answer_of(reviewer.review(body_of([], A2, uid=uid)).body)["uid"] == uid


@pytest.mark.parametrize("count", [0, 1, 500])
def test_objects_keep_their_number_and_order(reviewer: Reviewer, count: int) -> None:
    """WC-08: n in, n out, in order."""
    objects = [thing(spec={"size": index}) for index in range(count)]
    result = converted(reviewer.review(body_of(objects, A2)).body)
    assert [obj["spec"]["size"] for obj in result] == list(range(count))


def test_objects_null_is_an_empty_list(reviewer: Reviewer) -> None:
    """Go writes an empty list as null."""
    assert converted(reviewer.review(body_of(None, A2)).body) == []


def test_versions_and_groups_may_be_mixed(reviewer: Reviewer) -> None:
    """WC-09: every object has its own way; a desired group belongs to one group only."""
    objects = [thing(A1), thing(A2), thing(A3)]
    result = converted(reviewer.review(body_of(objects, A3)).body)
    assert [obj["apiVersion"] for obj in result] == [A3, A3, A3]
    gadget = {"apiVersion": B1, "kind": "Gadget"}
    assert convert(reviewer, gadget, B3)["apiVersion"] == B3


@pytest.mark.parametrize(
    ("obj", "to", "text"),
    [
        (
            thing(),
            "alpha.example.com/v9",
            "HA401 cannot convert to 'alpha.example.com/v9', which Thing does not have",
        ),
        (thing(), "v2", "cannot convert to 'v2', which is of another group"),
        (thing(), B3, f"cannot convert to '{B3}', which is of another group"),
        (thing(), "", "cannot convert to '', which is of another group"),
        (
            thing("alpha.example.com/v9"),
            A2,
            "HA401 cannot convert from 'alpha.example.com/v9', which Thing does not have",
        ),
        (thing(kind="Thong"), A2, "HA401 unknown kind 'Thong' in alpha.example.com; did you mean"),
        (thing("other/v1"), "other/v2", "HA401 unknown group in apiVersion 'other/v1'"),
        (thing(kind=None), A2, "/kind: expected string, found null"),
        (thing(apiVersion=3), A2, "/apiVersion: expected string, found integer"),
        (thing(apiVersion={"a": 1}), A2, "/apiVersion: expected string, found object"),
        (thing(kind=["Thing"]), A2, "/kind: expected string, found list"),
        ({"kind": "Thing"}, A2, "/apiVersion: the object has no apiVersion"),
        ({"apiVersion": A1}, A2, "/kind: the object has no kind"),
    ],
)
def test_what_no_scheme_knows_is_a_failure(
    reviewer: Reviewer, obj: Any, to: str, text: str
) -> None:
    """WC-10: unknown versions, kinds and groups are told apart."""
    assert text in failure(reviewer, [obj], to)


def test_what_is_wrong_is_said_as_elsewhere(schemes: list[Scheme], reviewer: Reviewer) -> None:
    """Whoever converts an object: what is unknown has one wording."""
    for obj, to in (
        (thing(), B3),
        (thing(), "alpha.example.com/v9"),
        (thing("alpha.example.com/v9"), A2),
        (thing(kind="Thong"), A2),
        (thing("other/v1"), "other/v2"),
    ):
        with pytest.raises(UnknownKindError) as caught:
            Schemes(schemes).convert(obj, to=to)
        (problem,) = caught.value.problems
        assert f"HA401 {problem.message} ({problem.fix})" in failure(reviewer, [obj], to)


def test_an_object_at_the_desired_version_is_returned_as_it_is(reviewer: Reviewer) -> None:
    """WC-11: not even its odd parts are touched."""
    for odd in ({}, {"metadata": None}, {"spec": [1]}, {"metadata": {"annotations": None}}):
        obj = {"apiVersion": A2, "kind": "Thing", **odd}
        assert convert(reviewer, obj) == obj


BAD = [
    (b"", "malformed JSON"),
    (b"{", "malformed JSON at byte 1"),
    (b"\xff\xfe", "malformed JSON"),
    (b"[]", "expected a ConversionReview, found list"),
    (b"null", "expected a ConversionReview, found null"),
    (b"{}", "found nothing nothing"),
    (json.dumps({**review_of([], A2), "kind": "Review"}).encode(), "'Review'"),
    (body_of([], A2, version="apiextensions.k8s.io/v2"), "'apiextensions.k8s.io/v2'"),
    (json.dumps({**review_of([], A2), "apiVersion": [1]}).encode(), "found no text"),
    (json.dumps({**review_of([], A2), "request": None}).encode(), "/request: the request is missi"),
    (
        json.dumps({**review_of([], A2), "request": 1}).encode(),
        "/request: the request is an integer",
    ),
    (body_of([], A2).replace(b'"uid": "705', b'"u": "705'), "/request/uid: uid is missing"),
    (body_of([], 5), "/request/desiredAPIVersion: desiredAPIVersion is an integer"),  # type: ignore[arg-type]
    (body_of({}, A2), "/request/objects: expected list, found object"),  # type: ignore[arg-type]
    (body_of([], A2, uid="\ud800"), "/request/uid: the string contains a lone surrogate"),
    (body_of([thing()], A2)[:-1], "malformed JSON"),
    (body_of([thing()], A2) + b"{}", "malformed JSON"),
    (b"[" * 100_000, "nested too deeply"),
]


@pytest.mark.parametrize(("body", "text"), BAD)
def test_what_is_no_review_gets_a_status(reviewer: Reviewer, body: bytes, text: str) -> None:
    """WC-12: HTTP 400 with a v1 Status, whose message reaches the user."""
    reviewed = reviewer.review(body)
    status = json.loads(reviewed.body)
    assert (status["apiVersion"], status["kind"], status["status"]) == ("v1", "Status", "Failure")
    assert (reviewed.status, status["code"], status["reason"]) == (400, 400, "BadRequest")
    assert status["message"] == reviewed.message
    assert text in reviewed.message


def test_a_status_is_small() -> None:
    """The text of a Status is limited as that of a failure is."""
    assert len(json.loads(status_body(500, "x" * 5000))["message"]) == MAX_MESSAGE


# --- failures ------------------------------------------------------------------------------


def test_a_failure_names_the_object_the_path_and_the_cause(reviewer: Reviewer) -> None:
    """WC-05, 06, 07: apiVersion, kind, namespace and name, index, JSON path, cause."""
    bad = thing(spec={"parts": [{}, {"name": "secret\ud800"}]})
    assert failure(reviewer, [thing(), bad, thing()]) == (
        f"{A1} Thing ns/a (object 1 of 3) to {A2}: /spec/parts/1/name: the string contains a lone"
        " surrogate"
    )


def test_all_failures_are_counted(reviewer: Reviewer) -> None:
    """The first one is explained, the others are numbered."""
    objects = [thing(), *(thing(spec={"color": "secret-boom"}) for _ in range(14))]
    text = failure(reviewer, objects)
    assert text.endswith("; 13 more failed: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...")


@pytest.mark.parametrize(
    ("color", "text"),
    [
        ("secret-boom", "ThingSpecHooks raised ValueError: no shade is called so"),
        ("secret-dump", "ThingSpecHooks raised ValueError; its text is not shown"),
        ("secret-defect", "ThingSpecHooks raised RecursionError (hooks"),
    ],
)
def test_a_hook_that_raises_is_named(reviewer: Reviewer, color: str, text: str) -> None:
    """WC-03, 06: what it says is told, unless that may be the object."""
    message = failure(reviewer, [thing(spec={"color": color, "size": 77777})])
    assert f"/spec: v1 -> v2: {text}" in message
    assert "secret" not in message
    assert "77777" not in message


def test_an_exception_that_no_rule_foresees_is_a_failure(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WC-03, 78: the uid is kept, the type is named, the text is not; the log gets the rest."""

    def explode(*_: object, **__: object) -> Iterator[object]:
        yield None
        raise KeyError("secret")

    monkeypatch.setattr("holdall.scheme.routes.Route.steps", explode)
    assert "internal error: KeyError; this is a bug in holdall" in failure(reviewer, [thing()])
    assert isinstance(reviewer.review(body_of([thing()], A2)).internal, KeyError)


@pytest.mark.parametrize("item", [1, "x", None, [], True])
def test_an_item_that_is_no_object_is_named_by_its_index(reviewer: Reviewer, item: Any) -> None:
    """WC-06: there is nothing else to name it by."""
    text = failure(reviewer, [thing(), item])
    assert text.startswith("an object without apiVersion and kind (object 1 of 2)")


def test_a_message_stays_below_its_limit(reviewer: Reviewer) -> None:
    """WC-06: whatever is long in an object, the message has 1 kB, and is one line."""
    long = "ä\n" * 4000
    bad = thing(
        metadata={"name": long, "namespace": long}, spec={long: 1, "parts": {"x": "\ud800"}}
    )
    text = failure(reviewer, [bad] * 300, A2 + "x" * 5000)
    assert "\n" not in text


# --- metadata ------------------------------------------------------------------------------

METADATA: list[dict[str, Any]] = [
    {"name": "a"},
    {"name": "a", "labels": {"ä": "<&>", "b": ""}, "annotations": {"k/x": "\u2028\x7f'\""}},
    {"labels": {}, "annotations": {}},
    {"labels": None, "annotations": None},
    {"name": "a", "annotations": {"holdall.dev/mine": "x", "my.holdall.dev/bag": "y"}},
    {"name": "a", "annotations": {"holdall.dev/bag": "not ours"}},
    {"ownerReferences": [{"uid": "x"}], "managedFields": [{"fieldsV1": {"f:a": {}}}], "odd": 1.5},
    {"annotations": {"big": "x" * 262141}},
]


@pytest.mark.parametrize("metadata", METADATA, ids=range(len(METADATA)))
def test_metadata_stays_as_it_is(reviewer: Reviewer, metadata: dict[str, Any]) -> None:
    """WC-21, 22, 23, 25, 26: labels and annotations arrive as they were sent, nothing is added."""
    assert convert(reviewer, thing(metadata=metadata))["metadata"] == metadata


@pytest.mark.parametrize("members", [{}, {"metadata": None}])
def test_metadata_that_is_missing_becomes_empty(reviewer: Reviewer, members: Any) -> None:
    """WC-24: an API server refuses a converted object without metadata."""
    obj = {"apiVersion": A1, "kind": "Thing", "spec": {"size": 1}, **members}
    assert convert(reviewer, obj) == resource(A2, "Thing", metadata={}, spec={"size": 1})


def test_a_bag_that_has_no_room_is_reported(reviewer: Reviewer) -> None:
    """WC-25: over the limit of annotations the conversion succeeds and says what it lost."""
    full = {"name": "a", "annotations": {"big": "x" * 262141}}
    body = body_of(
        [thing(), thing(metadata=full, spec={"parts": [{"name": "p", "weight": 1}]})], A2
    )
    reviewed = reviewer.review(body)
    assert converted(reviewed.body)[1]["metadata"] == full
    [lossy] = reviewed.degradations
    [lost] = lossy.entries
    assert isinstance(lost, Lost)
    assert (lossy.index, lost.path, lost.origin, lost.key) == (1, "/spec/parts/0", "v1", "weight")
    assert not gc.is_tracked(lost), "there may be tens of thousands"
    assert reviewed.bag_bytes == 0


# --- partial and odd objects ---------------------------------------------------------------

ODD: list[dict[str, Any]] = [
    {},
    {"spec": None},
    {"spec": {}},
    {"spec": {"tags": []}},
    {"spec": {"tags": None}},
    {"spec": {"size": "not a number", "unknown": {"x": [None, {}]}}},
    {"spec": {"size": 1}, "status": {}},
    {"status": {"phase": "x"}, "extra": 1},
]


@pytest.mark.parametrize("members", ODD, ids=json.dumps)
def test_partial_and_invalid_objects_are_converted(reviewer: Reviewer, members: Any) -> None:
    """WC-30, 31, 33 to 37: absent, null and empty stay apart; nothing is required or validated."""
    obj = {"apiVersion": A1, "kind": "Thing", "metadata": {"name": "a"}, **members}
    there = convert(reviewer, obj, A3)
    assert {k: v for k, v in there.items() if k != "apiVersion"} == {
        k: v for k, v in obj.items() if k != "apiVersion"
    }
    assert convert(reviewer, there, A1) == obj


@pytest.mark.parametrize("spec", ["text", [1], 5, True])
def test_a_spec_of_another_kind_passes_through(reviewer: Reviewer, spec: Any) -> None:
    """WC-32: it is no crash, and does not fail a list."""
    there = convert(reviewer, thing(spec=spec))
    assert there["spec"] == spec
    assert convert(reviewer, there, A1) == thing(spec=spec)


DAMAGED = [
    "zlib:AAAA",
    "{",
    '{"v":2,"future":true}',
    '{"v":1,"group":"other","kind":"Other","version":"v1","bags":{"/spec":{"v1":{"color":"x"}}}}',
]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_or_foreign_bag_is_harmless(reviewer: Reviewer, text: str) -> None:
    """WC-38: the object is converted; what cannot be read stays, what is foreign goes."""
    result = convert(reviewer, thing(metadata={"annotations": {SPEC_ANNOTATION: text}}))
    assert result["spec"] == {"size": 1}
    annotations = result["metadata"].get("annotations", {})
    assert annotations == ({} if "other" in text else {SPEC_ANNOTATION: text})


# --- values --------------------------------------------------------------------------------

VALUES: list[Any] = [
    2**63 - 1,
    -(2**63),
    2**64,
    1.5,
    1e-7,
    0.1 + 0.2,
    1e300,
    -0.0,
    1.0,
    "<&>\u2028",
]


@pytest.mark.parametrize("value", VALUES)
def test_values_arrive_exactly(reviewer: Reviewer, value: Any) -> None:
    """WC-40, 41, 42, 45: to the last digit, and with the same type."""
    spec = convert(reviewer, thing(spec={"size": value, "unknown": [value]}))["spec"]
    assert (repr(spec["size"]), repr(spec["unknown"])) == (repr(value), repr([value]))


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000], ids=len)
def test_what_is_no_number_fails_its_object_alone(reviewer: Reviewer, text: str) -> None:
    """WC-43, 44: with its path and what it is; neither passed on nor turned into null."""
    body = body_of([thing(), thing(spec={"tags": ["HERE"]})], A2).replace(b'"HERE"', text.encode())
    reviewed = reviewer.review(body)
    assert reviewed.status == 200
    assert f"{A1} Thing ns/a (object 1 of 2) to {A2}: /spec/tags/0: " in reviewed.message
    wrong = "the integer has more than 4300 digits" if len(text) > 9 else "is not a JSON number"
    assert wrong in reviewed.message


def test_a_number_that_a_hook_made_is_refused(reviewer: Reviewer) -> None:
    """WC-43: the fast encoder would write it as null."""
    assert ": /spec: v1 -> v2: ThingSpecHooks: /shade: nan is not a JSON number" in failure(
        reviewer, [thing(spec={"color": "nan"})]
    )


@pytest.mark.parametrize(
    ("members", "said"),
    [
        (
            {"spec": {"tags": ["ok", "x\ud800"]}},
            "/spec/tags/1: the string contains a lone surrogate",
        ),
        (
            {"spec": {"unknown": {"\udc00": 1}}},
            "/spec/unknown: the key '\\udc00' contains a lone surrogate",
        ),
        ({"metadata": {"name": "a", "labels": {"x": "\ud800"}}}, "Thing a (object 0 of 1)"),
    ],
)
def test_a_lone_surrogate_is_refused_with_its_path(
    reviewer: Reviewer, members: Any, said: str
) -> None:
    """WC-44: an API server would replace it silently; also in what no converter looks at."""
    assert said in failure(reviewer, [thing(**members)])


def test_bytes_that_are_no_utf8_are_refused_with_their_path(reviewer: Reviewer) -> None:
    """WC-44: they are found within a string."""
    body = body_of([thing(spec={"tags": ["HERE"]})], A2).replace(b"HERE", b"\xff")
    reviewed = reviewer.review(body)
    assert reviewed.status == 200
    assert ": /spec/tags/0: " in reviewed.message


@pytest.mark.parametrize("number", [b"9" * 5000, b"1e400"], ids=["digits", "range"])
def test_a_failed_object_is_named_whatever_numbers_its_metadata_has(
    reviewer: Reviewer, number: bytes
) -> None:
    """Metadata is not decoded until an error says whose it is; then a number must not hide it."""
    odd = {"name": "a", "labels": ["HERE"], "annotations": {"long": "x" * 600}}
    body = body_of([thing(metadata=odd, spec={"color": "secret-boom"})], A2)
    reviewed = reviewer.review(body.replace(b'"HERE"', number))
    assert reviewed.status == 200
    assert reviewed.message.startswith(f"{A1} Thing a (object 0 of 1) to {A2}: /spec: ")


def test_the_last_of_duplicate_keys_wins(reviewer: Reviewer) -> None:
    """WC-46: as in Go, in the spec and in metadata."""
    body = body_of([thing(metadata={"n": 1}, spec={"size": 1})], A2)
    body = body.replace(b'"size": 1', b'"size": 1, "size": 2').replace(b'"n": 1', b'"n": 1, "n": 2')
    [result] = converted(reviewer.review(body).body)
    assert (result["metadata"], result["spec"]) == ({"n": 2}, {"size": 2})


def test_a_large_object_passes(reviewer: Reviewer) -> None:
    """WC-48: 1.5 MB, far beyond what etcd stores by default."""
    spec = {"parts": [{"name": f"p{index}", "weight": index} for index in range(45_000)]}
    body = body_of([thing(spec=spec)], A2)
    assert len(body) > 1_500_000
    [result] = converted(reviewer.review(body).body)
    assert result["spec"]["parts"] == [{"name": part["name"]} for part in spec["parts"]]


def test_the_order_of_keys_does_not_matter(reviewer: Reviewer) -> None:
    """WC-49: of the review and of the object."""
    review = review_of([dict(reversed(thing(spec={"size": 1, "color": "red"}).items()))], A2)
    review["request"] = dict(reversed(review["request"].items()))
    body = json.dumps(dict(reversed(review.items()))).encode()
    [result] = converted(reviewer.review(body).body)
    assert result == convert(reviewer, thing(spec={"color": "red", "size": 1}))


# --- facts, and purity ---------------------------------------------------------------------


def test_the_facts_of_a_review(reviewer: Reviewer) -> None:
    """Objects are counted by names that the schemes know, never by what a client invents."""
    failing = (thing(kind="Invented"), thing(spec={"color": "secret-boom"}))
    objects = [thing(), thing(A2), thing(A3), thing(), *failing, thing(spec=1)]
    reviewed = reviewer.review(body_of(objects, A2))
    assert (reviewed.uid, reviewed.desired, reviewed.objects) == (UID, A2, 7)
    assert reviewed.outcomes == {
        Tally("Thing", A1, A2, "converted"): 2,
        Tally("Thing", A3, A2, "converted"): 1,
        Tally("Thing", A2, A2, "unchanged"): 1,
        Tally("Thing", A1, A2, "quarantined"): 1,
        Tally("Thing", A1, A2, "failed"): 1,
        Tally("", "", "", "failed"): 1,
    }


def test_bag_bytes_are_those_of_the_carriers(reviewer: Reviewer) -> None:
    """They are counted over all objects of a review."""
    bagged = thing(spec={"parts": [{"name": "ü", "weight": 1}]})
    reviewed = reviewer.review(body_of([bagged, thing(), bagged], A2))
    texts = [
        obj["metadata"].get("annotations", {}).get(SPEC_ANNOTATION, "")
        for obj in converted(reviewed.body)
    ]
    assert texts[0]
    assert reviewed.bag_bytes == sum(len(text.encode()) for text in texts)


def test_objects_count_whoever_finds_their_way_first(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread may find the way of a kind, too, and note it between two objects."""
    begun, go, find = threading.Event(), threading.Event(), Schemes.route

    def find_late(self: Any, api_version: str, kind: str, to: str) -> Any:
        if threading.current_thread() is other:
            begun.set()
            go.wait(PATIENCE)
        elif api_version == A3:
            go.set()
            other.join(PATIENCE)
        return find(self, api_version, kind, to)

    other = threading.Thread(target=reviewer.review, args=(body_of([thing()], A2),))
    monkeypatch.setattr(Schemes, "route", find_late)
    other.start()
    begun.wait(PATIENCE)
    reviewed = reviewer.review(body_of([thing(), thing(A3), thing()], A2))
    assert sum(reviewed.outcomes.values()) == 3


def test_a_scheme_reviews_its_own_kinds(schemes: list[Scheme]) -> None:
    """`SCHEME.review` is the reviewer of one group, bytes in, bytes out."""
    body = body_of([thing(spec={"color": "red"})], A2)
    assert schemes[0].review(body) == Reviewer(schemes).review(body).body
    assert "unknown group" in schemes[1].review(body).decode()
    assert json.loads(schemes[0].review(b"[]"))["kind"] == "Status"
    for other in (bytearray(body), memoryview(body), body.decode()):
        assert schemes[0].review(other) == schemes[0].review(body)
    assert (
        "lone surrogate" in schemes[0].review(body.decode().replace('"red"', '"\ud800"')).decode()
    )
    with pytest.raises(DecodeError, match="expected JSON text as bytes or str, found dict"):
        schemes[0].review({})  # type: ignore[arg-type]


def test_a_review_equals_convert_bytes(schemes: list[Scheme], reviewer: Reviewer) -> None:
    """Both are one conversion; a review only makes metadata an object."""
    for obj in (thing(), thing(spec={"color": "x", "parts": [{"weight": 2}]}), thing(spec=None)):
        data = json.dumps(obj).encode()
        assert converted(reviewer.review(body_of([obj], A3)).body) == [
            json.loads(schemes[0].convert_bytes(data, to=A3))
        ]


_PROGRAM = """
import sys
from holdall.scheme.projects import load_schemes
from holdall.review.reviewer import Reviewer
from pathlib import Path
reviewer = Reviewer(load_schemes(Path(sys.argv[1])))
body = sys.stdin.buffer.read()
sys.stdout.buffer.write(reviewer.review(body).body + reviewer.review(body).body)
"""


def test_a_review_is_pure(tmp_path: Path) -> None:
    """WC-50: the same bytes in give the same bytes out, again and in processes with other seeds."""
    root = build_project(tmp_path / "p", CONFIG, FILES)
    spec = {
        "color": "red",
        "parts": [{"name": f"p{i}", "weight": i, "unknown": {"b": 1, "a": 2}} for i in range(40)],
    }
    body = body_of([thing(spec=spec), thing(spec={**spec, "parts": [{"weight": 1}] * 3})], A2)
    texts = set()
    for seed in ("0", "1", "77"):
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(root)],
            input=body,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        )
        half = len(done.stdout) // 2
        assert done.stdout[:half] == done.stdout[half:]
        texts.add(done.stdout)
    assert len(texts) == 1
    assert converted(next(iter(texts))[: len(next(iter(texts))) // 2])


def test_no_table_grows_with_the_words_of_clients(
    schemes: list[Scheme], reviewer: Reviewer
) -> None:
    """Whatever they call kinds, versions, members, and objects in addresses of annotations."""

    def review(word: str) -> None:
        obj = thing(spec={"parts": [{"name": "a", "weight": 1}, {"name": "b"}]})
        away = convert(reviewer, obj)
        away["spec"]["parts"][0][word] = away[word] = word
        envelope = json.loads(away["metadata"]["annotations"][SPEC_ANNOTATION])
        (bag,) = envelope["bags"].values()
        envelope["bags"] = {f'/spec/parts/[{word}="{word}"]': {**bag, word: {word: 1}}}
        away["metadata"]["annotations"][SPEC_ANNOTATION] = json.dumps(envelope)
        assert convert(reviewer, away, A1)["spec"]["parts"][0]["weight"] == 1
        for said in ({"kind": word}, {"apiVersion": word}, {"apiVersion": f"{word}/v1"}):
            reviewer.review(body_of([{**thing(), **said}], A2, uid=word))
        for to in (word, f"alpha.example.com/{word}", f"{word}/v2"):
            reviewer.review(body_of([thing()], to))

    review("usual")
    before = sizes_of_tables(reviewer, *schemes)
    for number in range(3):
        review(f"word{number}")
    assert sizes_of_tables(reviewer, *schemes) == before

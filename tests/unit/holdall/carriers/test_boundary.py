"""Carriers: bags travel in API documents and come back to the objects they belong to."""

import base64
import copy
import json
import random
import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.carriers.annotations import (
    ANNOTATIONS_LIMIT,
    SPEC_ANNOTATION,
    STATUS_ANNOTATION,
    carried_bytes,
)
from holdall.carriers.boundary import (
    Load,
    lost_entries,
    restore,
    unload,
)
from holdall.carriers.carrying import lift, take_bags
from holdall.carriers.envelope import Cargo, Contents, Entry, Envelope
from holdall.carriers.reports import Dropped, Lost
from holdall.carriers.text import MAX_JSON_BYTES, LeavingOut, decode_annotation
from holdall.errors import DecodeError
from holdall.objects.bag import PropertyBag
from holdall.objects.shapes import objects_within
from holdall.objects.tolerance import Unused
from holdall.objects.views import Member, StorageObject, StorageRoot
from holdall.plan.bag_limits import DEFAULT_BUDGET, BagLimits
from tests.support.tables import named


class Rule(StorageObject, version="v1"):
    """An object in a list."""

    port: Member[int] = Member("port")
    verb: Member[str] = Member("verb")


class Pool(StorageObject, version="v1"):
    """An object with objects in a list."""

    name: Member[str] = Member("name")
    size: Member[int] = Member("size")
    rules: Member[list[Rule]] = Member("rules", list, Rule)


class Spec(StorageObject, version="v1"):
    """Lists of each sort, a map, a list of lists."""

    pools: Member[list[Pool]] = Member("pools", list, Pool, keys=("name",))
    named: Member[list[Pool]] = Member("named", list, Pool)
    rules: Member[list[Rule]] = Member("rules", list, Rule)
    ports: Member[list[Rule]] = Member("ports", list, Rule, keys=("port", "verb"))
    table: Member[list[list[Rule]]] = Member("table", list, list, Rule)
    by_name: Member[dict[str, Pool]] = Member("byName", dict, Pool)


class Account(StorageRoot, version="v1"):
    """The root."""

    metadata: Member[dict[str, Any]] = Member("metadata")
    spec: Member[Spec] = Member("spec", Spec)
    status: Member[Pool] = Member("status", Pool)


ANNOTATION = Envelope("annotation", "batch.example.com", "Account")
FIELD = Envelope("field", "", "Account")
NONE = Envelope("none", "", "Account")


def down(envelope: Envelope, root: Account) -> tuple[dict[str, Any], list[Lost]]:
    """Write the API document of a twin tree."""
    document = root.write_members()
    taken = take_bags(Account, document, [])
    lost = lift(envelope, "v1", taken, document, None) if taken else []
    return json.loads(json.dumps(document)), lost


def up(envelope: Envelope, document: dict[str, Any]) -> tuple[Account, list[Dropped | Unused]]:
    """Read the twin tree of an API document."""
    document = {**document}
    load = unload(envelope, "v1", document)
    root = Account.read_members(document, False)
    return root, [] if load is None else restore(load, "v1", root)


def stored(document: dict[str, Any]) -> Account:
    """Read a twin tree with bags in their places."""
    return Account.read_members(copy.deepcopy(document))


def bags(root: Account) -> dict[str, Any]:
    return {
        path: dict(twin.property_bag)
        for path, twin in objects_within(root)
        if isinstance(twin, StorageObject) and twin.property_bag
    }


def bag(mark: object) -> dict[str, Any]:
    return {"v2": {"mark": mark}}


def annotations(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["metadata"]["annotations"]
    return found


# --- what a carrier looks like -------------------------------------------------------------


def test_an_annotation_is_readable_and_names_its_places() -> None:
    """Small bags are canonical JSON, addressed by wire names and list-map keys."""
    document, lost = down(
        ANNOTATION,
        stored(
            {
                "metadata": {"name": "a"},
                "spec": {"pools": [{"name": "p/1", "$propertyBag": bag(1)}]},
                "$propertyBag": bag(2),
            }
        ),
    )
    assert lost == []
    assert annotations(document) == {
        SPEC_ANNOTATION: '{"bags":{"":{"v2":{"mark":2}},'
        '"/spec/pools/[name=\\"p~11\\"]":{"v2":{"mark":1}}},'
        '"group":"batch.example.com","kind":"Account","plan":"","v":2,"version":"v1"}'
    }


def test_the_field_keeps_the_compartments_apart() -> None:
    """The top-level member holds one envelope for each compartment."""
    root = stored({"spec": {"$propertyBag": bag(1)}, "status": {"$propertyBag": bag(2)}})
    document, _ = down(FIELD, root)
    value = document["$propertyBag"]
    assert {name: envelope["bags"] for name, envelope in value.items()} == {
        "spec": {"/spec": bag(1)},
        "status": {"/status": bag(2)},
    }
    assert bags(up(FIELD, document)[0]) == {"/spec": bag(1), "/status": bag(2)}


def test_the_field_is_in_the_order_of_its_addresses() -> None:
    """A reader finds the places in order, whatever the order of the members."""
    root = stored(
        {
            "$propertyBag": bag(1),
            "spec": {"byName": {n: {"$propertyBag": bag(n)} for n in "cab"}},
        }
    )
    document, _ = down(FIELD, root)
    assert list(document["$propertyBag"]["spec"]["bags"]) == [
        "",
        "/spec/byName/a",
        "/spec/byName/b",
        "/spec/byName/c",
    ]


def test_without_a_carrier_the_lost_entries_are_named() -> None:
    """`lift` reports JSON Pointers into the document and writes nothing."""
    root = stored({"spec": {"rules": [{}, {"$propertyBag": bag(1)}]}})
    document, lost = down(NONE, root)
    assert document == {"spec": {"rules": [{}, {}]}}
    assert [(item.path, item.origin, item.key) for item in lost] == [
        ("/spec/rules/1", "v2", "mark")
    ]
    assert str(lost[0]) == (
        "/spec/rules/1: v2/mark is lost: documents of this kind have no carrier for bags"
    )


def test_what_is_lost_is_told_by_path_then_by_origin_and_key() -> None:
    """In whatever order it comes, and for whatever reason it was left out."""
    left = [("/b", "v1", "x"), ("/a", "v2", "x"), ("/a", "v1", "z"), ("/a", "v1", "y")]
    lost = lost_entries([(left[:2], "full"), (left[2:], "over budget")], {"/b": "/A"})
    assert [(item.path, item.origin, item.key, item.reason) for item in lost] == [
        ("/A", "v1", "x", "full"),
        ("/a", "v1", "y", "over budget"),
        ("/a", "v1", "z", "over budget"),
        ("/a", "v2", "x", "full"),
    ]


def test_nothing_lifted_leaves_the_document_alone() -> None:
    """Without bags neither annotation nor metadata appears."""
    document: dict[str, Any] = {}
    assert lift(ANNOTATION, "v1", [], document, None) == []
    assert document == {}


@pytest.mark.parametrize("envelope", [ANNOTATION, FIELD, NONE])
@pytest.mark.parametrize(
    "document",
    [
        {},
        {"metadata": None},
        {"metadata": {"annotations": {"a": "b"}}},
        {"metadata": []},
        {"metadata": {"annotations": None}},
    ],
    ids=json.dumps,
)
def test_a_document_without_carrier_has_no_load(envelope: Envelope, document: Any) -> None:
    """`unload` finds nothing, and changes nothing."""
    before = copy.deepcopy(document)
    assert unload(envelope, "v1", document) is None
    assert document == before


def test_a_user_member_with_the_name_of_the_bag_is_data_elsewhere() -> None:
    """Only the carrier `field` owns `$propertyBag`."""
    document = {"$propertyBag": {"mine": 1}}
    assert unload(ANNOTATION, "v1", document) is None
    root, _ = up(ANNOTATION, document)
    root.property_bag = PropertyBag({**(root.property_bag or {}), **bag(1)})
    written, _ = down(ANNOTATION, root)
    assert written["$propertyBag"] == {"mine": 1}
    again, dropped = up(ANNOTATION, written)
    assert dropped == []
    assert again.property_bag == {"v1": {"$propertyBag": {"mine": 1}}, **bag(1)}


# --- lists ---------------------------------------------------------------------------------

LISTS = named("""
keyed elements move beside a new one and an edit:
  [pools, &pools [{name: a}, {name: b}, {name: c}],
   [{name: c, size: 5}, {name: new}, {name: b}, {name: a}], [2, null, 1, 0], []]
so do elements with a name:
  [named, *pools, [{name: c, size: 5}, {name: new}, {name: b}, {name: a}], [2, null, 1, 0], []]
a keyed element is deleted: [pools, *pools, [{name: a}, {name: c}], [0, 2], ['[name="b"]']]
one with a name is: [named, *pools, [{name: a}, {name: c}], [0, 2], ['[1:name="b"]']]
another key is another element:
  [pools, *pools, [{name: a}, {name: x}, {name: c}], [0, null, 2], ['[name="b"]']]
a copied key is of neither element:
  [pools, *pools, [{name: a}, {name: b}, {name: c}, {name: a}], [null, 1, 2, null], ['[name="a"]']]
doubled keys fall back to the fingerprint:
  [pools, [{name: a, size: 1}, {name: a, size: 2}], [{name: a, size: 2}, {name: a, size: 1}],
   [1, 0], []]
several keys name an element together:
  [ports, [{port: 1, verb: x}, {port: 1, verb: y}], [{port: 1, verb: y}, {port: 1, verb: x}],
   [1, 0], []]
a missing key falls back to the fingerprint:
  [ports, [{port: 1}, {port: 2, verb: x}], [{port: 2, verb: x}, {port: 1}], [1, 0], []]
elements without a key are found by their content:
  [rules, &rules [{port: 1}, {port: 2}, {port: 3}], [{port: 3}, {port: 2}, {port: 1}, {port: 9}],
   [2, 1, 0, null], []]
one is edited in its place: [rules, *rules, [{port: 1}, {port: 7}, {port: 3}], [0, 1, 2], []]
one is edited between neighbours that stayed:
  [rules, *rules, [{port: 1}, {port: 7}, {port: 3}, {port: 9}], [0, 1, 2, null], []]
one is edited beside a new one, which may be it:
  [rules, *rules, [{port: 1}, {port: 7}, {port: 9}, {port: 3}], [0, null, null, 2], ["[1]"]]
two are swapped and one is edited:
  [rules, *rules, [{port: 2}, {port: 8}, {port: 3}], [1, null, 2], ["[0]"]]
equal elements keep their order: [rules, &equal [{port: 1}, {port: 1}], *equal, [0, 1], []]
they do behind a new one: [rules, *equal, [{port: 5}, {port: 1}, {port: 1}], [null, 0, 1], []]
a null takes nothing: [rules, *rules, [{port: 1}, null, {port: 3}], [0, null, 2], ["[1]"]]
""")


@pytest.mark.parametrize(("listed", "items", "live", "owners", "lost"), LISTS)
def test_bags_follow_their_elements_or_are_dropped_and_reported(
    listed: str, items: list[Any], live: list[Any], owners: list[Any], lost: list[str]
) -> None:
    """`owners` says whose bag each live element has; no bag moves to a neighbour."""
    spec = {listed: [{**item, "$propertyBag": bag(at)} for at, item in enumerate(items)]}
    document, _ = down(ANNOTATION, stored({"metadata": {}, "spec": spec}))
    document["spec"][listed] = live
    root, dropped = up(ANNOTATION, document)
    held = [item and item.property_bag for item in getattr(root.spec, listed)]
    assert held == [None if owner is None else bag(owner) for owner in owners]
    assert [item.address for item in dropped] == [f"/spec/{listed}/{segment}" for segment in lost]


def test_what_a_bag_set_aside_is_dropped_by_its_own_name() -> None:
    """Marks of holdall about entries are not entries; that something was absent is one."""
    entries = {
        "$unused": {"v1": {"tier": 1}, "$gone": {"mark": 2}},
        "$gone": ["mark"],
        "$absent": ["level"],
        "mark": "a",
    }
    pools = [{"name": "a", "$propertyBag": {"v2": entries}}]
    document, _ = down(ANNOTATION, stored({"spec": {"pools": pools}}))
    document["spec"]["pools"].clear()
    _, dropped = up(ANNOTATION, document)
    assert [f"{item.origin}/{item.key}" for item in dropped] == ["v2/$absent", "v2/mark", "v2/tier"]
    assert {item.reason for item in dropped} == {
        "it lost its owner: no element of the list is certainly the same"
    }


def test_objects_below_a_list_element_share_its_match() -> None:
    """Nested bags are found below an element that moved."""
    pools = [{"name": n, "rules": [{"port": 1, "$propertyBag": bag(n)}]} for n in "ab"]
    document, _ = down(ANNOTATION, stored({"spec": {"pools": pools}}))
    document["spec"]["pools"].reverse()
    root, dropped = up(ANNOTATION, document)
    assert dropped == []
    assert bags(root) == {"/spec/pools/0/rules/0": bag("b"), "/spec/pools/1/rules/0": bag("a")}


# --- metadata ------------------------------------------------------------------------------

METADATA: list[dict[str, Any]] = [
    {},
    {"metadata": None},
    {"metadata": {}},
    {"metadata": {"annotations": None}},
    {"metadata": {"annotations": {}}},
    {"metadata": {"name": "a"}},
    {"metadata": {"name": "a", "annotations": {}}},
    {"metadata": {"annotations": {"a": "b"}, "name": "a"}},
]


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("metadata", METADATA, ids=json.dumps)
def test_the_state_of_metadata_comes_back_exactly(metadata: dict[str, Any], both: bool) -> None:
    """Absent, null and empty metadata and annotations are what they were."""
    status = {"status": {"$propertyBag": bag(2)}} if both else {}
    before = {**metadata, "spec": {"$propertyBag": bag(1)}, **status}
    document, _ = down(ANNOTATION, stored(before))
    assert SPEC_ANNOTATION in annotations(document)
    root, dropped = up(ANNOTATION, document)
    assert dropped == []
    assert root.write_members() == before


@pytest.mark.parametrize("metadata", METADATA, ids=json.dumps)
def test_metadata_that_a_client_added_stays(metadata: dict[str, Any]) -> None:
    """The earlier state is not restored over what is live."""
    document, _ = down(ANNOTATION, stored({**metadata, "spec": {"$propertyBag": bag(1)}}))
    document["metadata"]["labels"] = {"x": "y"}
    annotations(document)["new"] = "1"
    root, _ = up(ANNOTATION, document)
    assert root.metadata is not None
    assert root.metadata["labels"] == {"x": "y"}
    kept = (metadata.get("metadata") or {}).get("annotations") or {}
    assert root.metadata["annotations"] == {**kept, "new": "1"}


def test_nested_parts_of_a_callers_document_are_not_changed() -> None:
    """`unload` replaces metadata; `lift` does, too."""
    root = stored({"metadata": {"annotations": {"a": "b"}}, "spec": {"$propertyBag": bag(1)}})
    document, _ = down(ANNOTATION, root)
    assert root.metadata == {"annotations": {"a": "b"}}
    before = copy.deepcopy(document)
    up(ANNOTATION, document)
    assert document == before


@pytest.mark.parametrize("metadata", ["text", [], {"annotations": []}])
def test_metadata_of_another_kind_carries_nothing(metadata: Any) -> None:
    """What cannot hold an annotation is left alone, and the loss is reported."""
    document, lost = down(ANNOTATION, stored({"metadata": metadata, "$propertyBag": bag(1)}))
    assert document == {"metadata": metadata}
    assert [(item.path, item.origin, item.key) for item in lost] == [("", "v2", "mark")]


# --- budget and compression ----------------------------------------------------------------


def noise(size: int, seed: int = 0) -> str:
    """Text that does not compress below three quarters of its size."""
    return base64.b64encode(random.Random(seed).randbytes(size * 3 // 4)).decode()


def test_large_bags_are_compressed() -> None:
    """Above 1 kB the text is compressed, with a recognisable prefix, and can be audited."""
    root = stored({"spec": {"$propertyBag": bag("x" * 5000)}})
    document, lost = down(ANNOTATION, root)
    text = annotations(document)[SPEC_ANNOTATION]
    assert lost == []
    assert text.startswith("zlib:")
    assert len(text) < 500
    value: Any = decode_annotation(text)
    assert value["bags"] == {"/spec": bag("x" * 5000)}
    assert bags(up(ANNOTATION, document)[0]) == {"/spec": bag("x" * 5000)}


def test_over_budget_the_largest_entries_go_first() -> None:
    """As few entries as possible are lost; the rest arrives, with a marker."""
    entries = {"big": noise(900), "small": "s", "middle": noise(500, 1)}
    root = stored({"spec": {"$propertyBag": {"v2": entries}}})
    document, lost = down(Envelope("annotation", "g", "Account", BagLimits(1000)), root)
    assert [(item.path, item.key, item.reason) for item in lost] == [
        ("/spec", "big", "the bags are over their budget")
    ]
    value: Any = decode_annotation(annotations(document)[SPEC_ANNOTATION])
    assert value["omitted"] == 1
    assert value["bags"] == {"/spec": {"v2": {k: entries[k] for k in ("small", "middle")}}}


@pytest.fixture
def trials(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many entries were tried to be kept, each time."""
    counts: list[int] = []
    keeping = Contents.keeping

    def counted(self: Contents, kept: Sequence[Entry], entries: Sequence[Entry]) -> Contents:
        counts.append(len(kept))
        return keeping(self, kept, entries)

    monkeypatch.setattr(Contents, "keeping", counted)
    return counts


def test_the_budget_is_used_up_in_a_few_trials(trials: list[int]) -> None:
    """Also where the fingerprints of a list take most of it, with whatever is kept."""
    rules = [{"port": port, "$propertyBag": bag(port)} for port in range(8000)]
    document, lost = down(ANNOTATION, stored({"spec": {"rules": rules}}))
    assert 60_000 < len(annotations(document)[SPEC_ANNOTATION]) <= DEFAULT_BUDGET
    kept = len(rules) - len(lost)
    assert kept > 1000
    assert max(count for count in trials if count <= kept) == kept
    assert min(count for count in trials if count > kept) <= kept * 1.02
    assert len(trials) < 16


def test_a_list_that_has_no_room_is_given_up_at_once(trials: list[int]) -> None:
    """Its fingerprints alone are over the budget, so no number of entries has to be searched."""
    rules = [{"port": port, "$propertyBag": bag(port)} for port in range(20_000)]
    document, lost = down(ANNOTATION, stored({"spec": {"rules": rules}}))
    assert len(lost) == len(rules)
    value: Any = decode_annotation(annotations(document)[SPEC_ANNOTATION])
    assert (value["bags"], value["omitted"]) == ({}, len(rules))
    assert trials == [0, 64, 1]


def test_beside_a_list_that_has_no_room_the_status_is_kept(trials: list[int]) -> None:
    """Where all that is hidden is in such lists, nothing is tried, and the other half arrives."""
    rules = [{"port": port, "$propertyBag": bag(port)} for port in range(25_000)]
    root = stored({"spec": {"rules": rules}, "status": {"$propertyBag": bag(1)}})
    document, lost = down(ANNOTATION, root)
    assert [item.path for item in lost] == sorted(f"/spec/rules/{at}" for at in range(len(rules)))
    value: Any = decode_annotation(annotations(document)[SPEC_ANNOTATION])
    assert (value["bags"], value["omitted"]) == ({}, len(rules))
    assert trials == []
    assert bags(up(ANNOTATION, document)[0]) == {"/status": bag(1)}


def test_lists_that_come_again_travel_as_before() -> None:
    """What is remembered of a list is of its elements, whatever their bags are."""
    sent = []
    for value in (1, 2, 3, 4):
        rules = [{"port": 80, "$propertyBag": bag(value)}, {"port": value}]
        document, _ = down(ANNOTATION, stored({"spec": {"rules": [*rules, *rules]}}))
        again, _ = down(ANNOTATION, stored({"spec": {"rules": [*rules, *rules]}}))
        third, _ = down(ANNOTATION, stored({"spec": {"rules": [*rules, *rules]}}))
        assert document == again == third
        value_sent: Any = decode_annotation(annotations(document)[SPEC_ANNOTATION])
        sent.append(value_sent["lists"])
    assert all(one != other for one, other in pairwise(sent))


def test_the_budget_is_shared_by_the_compartments() -> None:
    """Both annotations together stay below the budget."""
    root = stored(
        {
            "spec": {"$propertyBag": bag(noise(700))},
            "status": {"$propertyBag": bag(noise(700, 1))},
        }
    )
    document, lost = down(Envelope("annotation", "g", "Account", BagLimits(1000)), root)
    assert [item.path for item in lost] == ["/status"]
    assert sum(map(len, annotations(document).values())) <= 1000


def test_a_budget_for_nothing_writes_nothing() -> None:
    """Where not even the empty envelope has room, the document stays as it was."""
    root = stored({"spec": {"$propertyBag": bag(1)}})
    document, lost = down(Envelope("annotation", "g", "Account", BagLimits(10)), root)
    assert document == {"spec": {}}
    assert len(lost) == 1


@pytest.mark.parametrize(
    ("drop_first", "order"),
    [
        ((), "/spec/pools/[a] log, /status log, /spec mark, /spec/pools/[a] mark"),
        (("spec/mark",), "/spec mark, /spec/pools/[a] log, /status log, /spec/pools/[a] mark"),
        (("spec/*",), "/spec/pools/[a] log, /spec mark, /spec/pools/[a] mark, /status log"),
        (
            ("/status", "spec/pools/*/mark"),
            "/status log, /spec/pools/[a] mark, /spec/pools/[a] log, /spec mark",
        ),
        (
            ("spec/pools/*/*/*",),
            "/spec/pools/[a] log, /status log, /spec mark, /spec/pools/[a] mark",
        ),
    ],
)
def test_declared_paths_go_first(drop_first: tuple[str, ...], order: str) -> None:
    """A path covers what is below it, `*` stands for one step; the rest goes by size, by name."""
    contents: Any = {
        "/spec": {"v2": {"mark": "22"}},
        "/spec/pools/[a]": {"v2": {"mark": "1", "log": "4444"}},
        "/status": {"v2": {"log": "333"}},
    }
    leaving = LeavingOut(contents, drop_first)
    entries = [next(iter(leaving.kept(count))) for count in range(len(leaving), 0, -1)]
    assert ", ".join(f"{address} {key}" for address, _, key in entries) == order


def test_a_declared_path_names_a_slash() -> None:
    """As in any pointer: `~1` is one in a name."""
    contents: Any = {"/spec/x~1y": {"v2": {"a": "1", "a/b": "1", "c": "1"}}}
    leaving = LeavingOut(contents, ("spec/x~1y/a~1b",))
    assert [key for _, _, key in leaving.kept(3)] == ["a/b", "a", "c"]


def test_what_can_be_spared_goes_first() -> None:
    """However small it is, it is left out before anything else."""
    spec = {"v2": {"mark": noise(300), "cache": noise(200, 1)}}
    limits = BagLimits(600, ("spec/cache",))
    document, lost = down(
        Envelope("annotation", "g", "Account", limits), stored({"spec": {"$propertyBag": spec}})
    )
    assert [item.key for item in lost] == ["cache"]
    value: Any = decode_annotation(annotations(document)[SPEC_ANNOTATION])
    assert value["omitted"] == 1


@pytest.mark.parametrize("used", [ANNOTATIONS_LIMIT - 400, ANNOTATIONS_LIMIT - 5])
def test_the_limit_of_all_annotations_is_never_passed(used: int) -> None:
    """The bytes of the user's annotations count, in UTF-8."""
    own = {"a": "ä" * ((used - 1) // 2)}
    root = stored({"metadata": {"annotations": own}, "spec": {"$propertyBag": bag(noise(600))}})
    document, lost = down(ANNOTATION, root)
    size = sum(len(text.encode()) for item in annotations(document).items() for text in item)
    assert size <= ANNOTATIONS_LIMIT
    assert [item.reason for item in lost] == ["the annotations are full"]


# --- damaged and foreign carriers ----------------------------------------------------------

PLAIN = {"v": 1, "group": "batch.example.com", "kind": "Account", "version": "v1", "bags": {}}
DAMAGED = [
    "",
    "not json",
    "[]",
    "null",
    "{}",
    "[" * 100_000,
    "zlib:????",
    "zlib:AAAA",
    "zlib:",
    "zlib:" + base64.b64encode(zlib.compress(json.dumps(PLAIN).encode())[:-3]).decode(),
    "zlib:" + base64.b64encode(zlib.compress(json.dumps(PLAIN).encode()) + b"x").decode(),
    "zlib:" + base64.b64encode(zlib.compress(b" " * (MAX_JSON_BYTES + 1))).decode(),
    "zlib:" + base64.b64encode(zlib.compress(json.dumps(PLAIN).encode() + b" " * 9_000)).decode(),
    "zlib:ä",
    json.dumps({**PLAIN, "v": 2}),
    json.dumps({**PLAIN, "v": True}),
    json.dumps({**PLAIN, "v": "1"}),
    json.dumps({**PLAIN, "kind": 1}),
    json.dumps({**PLAIN, "bags": []}),
    json.dumps({**PLAIN, "before": "weird"}),
    json.dumps({**PLAIN, "before": {}}),
    json.dumps({**PLAIN, "omitted": "1"}),
    json.dumps({**PLAIN, "future": 1}),
    None,
    5,
]


@pytest.mark.parametrize("text", DAMAGED, ids=lambda text: str(text)[:40])
def test_a_damaged_annotation_stays_is_reported_and_survives_a_lift(text: Any) -> None:
    """It is an annotation like any other, and no error; ours takes its place and gives it back."""
    metadata = {"annotations": {SPEC_ANNOTATION: text}}
    root, dropped = up(ANNOTATION, {"metadata": metadata})
    assert root.metadata == metadata
    assert [(item.address, item.key) for item in dropped] == [
        ("/metadata/annotations/holdall.dev~1bag", "")
    ]
    assert str(dropped[0]).startswith("/metadata/annotations/holdall.dev~1bag: not read: it stays")
    before = {"metadata": metadata, "spec": {"$propertyBag": bag(1)}}
    document, lost = down(ANNOTATION, stored(before))
    assert lost == []
    assert annotations(document)[SPEC_ANNOTATION] != text
    root, dropped = up(ANNOTATION, document)
    assert dropped == []
    assert root.write_members() == before


@pytest.mark.parametrize("value", [1, [], {}, {"spec": {}}, {"v2": {"mark": 1}}, {"other": PLAIN}])
def test_a_damaged_field_stays_and_survives(value: Any) -> None:
    """A member that is no carrier is user data that waits in the bag of its version."""
    root, dropped = up(FIELD, {"$propertyBag": value, "spec": {}})
    assert [item.address for item in dropped] == ["/$propertyBag"]
    assert root.property_bag == {"v1": {"$propertyBag": value}}
    assert root.spec is not None
    root.spec.property_bag = PropertyBag(bag(1))
    document, _ = down(FIELD, root)
    again, dropped = up(FIELD, document)
    assert dropped == []
    assert bags(again) == {"": {"v1": {"$propertyBag": value}}, "/spec": bag(1)}


@pytest.mark.parametrize("way", ["annotation", "field"])
@pytest.mark.parametrize("other", [("other", "Account"), ("batch.example.com", "Pool")])
def test_a_carrier_of_another_kind_is_dropped(way: Any, other: Any) -> None:
    """Annotations that were copied to another object do not reach it."""
    document, _ = down(Envelope(way, *other), stored({"spec": {"$propertyBag": bag(1)}}))
    root, dropped = up(Envelope(way, "batch.example.com", "Account"), document)
    assert bags(root) == {}
    assert "holdall.dev" not in json.dumps(root.write_members())
    assert "$propertyBag" not in root.write_members()
    assert [(item.address, item.origin, item.key) for item in dropped] == [("/spec", "v2", "mark")]


SLOT = Envelope("annotation", "batch.example.com", "Account", BagLimits(status_slots=("v1",)))


def test_a_slot_takes_the_bags_of_the_status() -> None:
    """The status holds them itself, as JSON; the annotation is for the spec alone."""
    before = {
        "metadata": {"name": "a"},
        "spec": {"$propertyBag": bag(1)},
        "status": {"name": "s", "rules": [{"port": 1, "$propertyBag": bag(2)}]},
    }
    document, lost = down(SLOT, stored(before))
    assert lost == []
    assert STATUS_ANNOTATION not in annotations(document)
    slot = document["status"].pop("$propertyBag")
    assert (slot["v"], slot["kind"], slot["version"]) == (2, "Account", "v1")
    assert [*slot["bags"]] == ["/status/rules/[0]"]
    assert [*slot["lists"]] == ["/status/rules"]
    document["status"]["$propertyBag"] = slot
    root, dropped = up(SLOT, document)
    assert dropped == []
    assert root.write_members() == before


def test_a_status_of_bags_alone_is_there() -> None:
    """`status: {}` carries the second annotation, and a slot its bags."""
    root = stored({"metadata": {}, "status": {"$propertyBag": bag(1)}})
    document, _ = down(ANNOTATION, root)
    assert document["status"] == {}
    assert [*annotations(document)] == [STATUS_ANNOTATION]
    document, _ = down(SLOT, root)
    assert document["status"].keys() == {"$propertyBag"}


def test_a_slot_wins_over_an_annotation_from_before() -> None:
    """A CRD may get its slot while bags are stored in annotations: these are read as well."""
    root = stored({"metadata": {}, "status": {"name": "s", "$propertyBag": bag("old")}})
    old, _ = down(ANNOTATION, root)
    assert bags(up(SLOT, old)[0]) == {"/status": bag("old")}
    new, _ = down(SLOT, stored({"status": {"name": "s", "$propertyBag": bag("new")}}))
    again, _ = up(SLOT, {**old, "status": new["status"]})
    assert bags(again) == {"/status": bag("new")}
    assert again.metadata == {}


def test_a_release_without_slots_reads_them() -> None:
    """While replicas of two releases answer, and after a rollback."""
    before = {"metadata": {}, "status": {"name": "s", "$propertyBag": bag("new")}}
    document, _ = down(SLOT, stored(before))
    root, dropped = up(ANNOTATION, document)
    assert dropped == []
    assert root.write_members() == before
    again, _ = down(ANNOTATION, root)
    assert again["status"] == {"name": "s"}
    assert bags(up(SLOT, again)[0]) == {"/status": bag("new")}


@pytest.mark.parametrize("value", [1, {"v2": {"mark": 1}}, {**PLAIN, "kind": "Pool"}])
def test_without_slots_what_is_no_envelope_of_the_kind_is_user_data(value: Any) -> None:
    """It stays where it is, and nothing is said about it."""
    root, dropped = up(ANNOTATION, {"status": {"name": "s", "$propertyBag": value}})
    assert dropped == []
    assert bags(root) == {"/status": {"v1": {"$propertyBag": value}}}


def test_a_slot_reaches_the_status_only() -> None:
    """Whoever may write the status must not reach the spec."""
    forged = {**PLAIN, "bags": {"/spec": bag(1), "/status": bag(2)}}
    root, dropped = up(SLOT, {"spec": {}, "status": {"$propertyBag": forged}})
    assert bags(root) == {"/status": bag(2)}
    assert [item.reason for item in dropped] == ["the carrier of status data must not hold it"]


def test_a_slot_says_nothing_of_lists_of_the_spec() -> None:
    """Forged fingerprints would give what one element hides to another one."""
    rules = [{"port": 1, "$propertyBag": bag(1)}, {"port": 2}]
    before = {"metadata": {}, "spec": {"rules": rules}, "status": {"name": "s"}}
    document, _ = down(SLOT, stored(before))
    prints = json.loads(annotations(document)[SPEC_ANNOTATION])["lists"]["/spec/rules"]
    swapped = prints[len(prints) // 2 :] + prints[: len(prints) // 2]
    slot = {**PLAIN, "lists": {"/spec/rules": swapped}}
    root, dropped = up(SLOT, {**document, "status": {"name": "s", "$propertyBag": slot}})
    assert dropped == []
    assert root.write_members() == before


@pytest.mark.parametrize("forged", [{}, {"kind": "Pool"}])
def test_an_envelope_says_nothing_of_lists_that_are_not_its_own(forged: dict[str, Any]) -> None:
    """Those of the spec are not of the status; one of another kind has none at all."""
    lists = {"/spec/rules": "b13GSXQPB769", "/status/rules": "b13GSXQPB769"}
    text = json.dumps({**PLAIN, **forged, "lists": lists})
    document = {"metadata": {"annotations": {SPEC_ANNOTATION: text}}, "status": {"name": "s"}}
    load = unload(ANNOTATION, "v1", document)
    assert load is not None
    assert [*load.cargo.lists] == ([] if forged else ["/spec/rules"])


@pytest.mark.parametrize("address", ["xstatus", "x/status", "status", "*status"])
def test_the_carrier_of_the_spec_reaches_the_status_by_no_odd_address(address: str) -> None:
    """An address begins with a slash."""
    text = json.dumps({**PLAIN, "bags": {address: bag(1)}})
    document = {"metadata": {"annotations": {SPEC_ANNOTATION: text}}, "status": {"name": "s"}}
    root, dropped = up(ANNOTATION, document)
    assert bags(root) == {}
    assert [item.address for item in dropped] == [address]


@pytest.mark.parametrize("value", [1, None, [], {}, {"v2": {"mark": 1}}, {**PLAIN, "v": 2}])
def test_a_damaged_slot_stays_and_survives(value: Any) -> None:
    """A member that is no envelope is user data."""
    before = {"status": {"name": "s", "$propertyBag": value}}
    root, dropped = up(SLOT, before)
    assert [item.address for item in dropped] == ["/status/$propertyBag"]
    assert root.status is not None
    root.status.property_bag = PropertyBag({"v1": {"$propertyBag": value}, **bag(1)})
    document, lost = down(SLOT, root)
    assert lost == []
    again, dropped = up(SLOT, document)
    assert dropped == []
    assert bags(again) == {"/status": {"v1": {"$propertyBag": value}, **bag(1)}}


def test_a_slot_counts_for_the_budget() -> None:
    """Annotation and slot together stay below it."""
    root = stored(
        {
            "spec": {"$propertyBag": bag(noise(400))},
            "status": {"$propertyBag": bag(noise(600, 1))},
        }
    )
    envelope = Envelope("annotation", "g", "Account", BagLimits(1000, status_slots=("v1",)))
    document, lost = down(envelope, root)
    assert [item.path for item in lost] == ["/status"]
    assert document["status"]["$propertyBag"]["omitted"] == 1
    assert carried_bytes(document) <= 1000


def test_status_bags_are_not_resurrected() -> None:
    """Without a status its annotation is dropped, not used."""
    root = stored({"metadata": {}, "status": {"name": "s", "$propertyBag": bag(1)}})
    for status in ({}, {"status": None}):
        document, _ = down(ANNOTATION, root)
        del document["status"]
        again, dropped = up(ANNOTATION, {**document, **status})
        assert again.write_members() == {"metadata": {}, **status}
        assert [item.reason for item in dropped] == ["the document has no status"]


@pytest.mark.parametrize(
    ("key", "address"),
    [(SPEC_ANNOTATION, "/status"), (STATUS_ANNOTATION, "/spec"), (STATUS_ANNOTATION, "")],
)
def test_a_compartment_does_not_reach_the_other_half(key: str, address: str) -> None:
    """Whoever may write only one of the annotations cannot forge the other's data."""
    forged = json.dumps({**PLAIN, "bags": {address: bag(1)}})
    root, dropped = up(
        ANNOTATION, {"metadata": {"annotations": {key: forged}}, "spec": {}, "status": {}}
    )
    assert bags(root) == {}
    assert [item.address for item in dropped] == [address]


NO_OBJECTS = """
/ spec /spec/ /spec/none /spec/pools /spec/pools/0 /spec/pools/[] /spec/byName /spec/byName/x
/metadata /metadata/x /spec/pools/[0:1:zz] /spec/table/0
/spec/pools/[99999999999:1:0123456789abcdef]
"""


@pytest.mark.parametrize("address", [*NO_OBJECTS.split(), "/" * 5000], ids=lambda it: it[:50])
def test_an_address_that_names_no_object_drops_its_bag(address: str) -> None:
    """Nothing is attached to what is not there."""
    text = json.dumps({**PLAIN, "bags": {address: bag(1)}})
    root, dropped = up(
        ANNOTATION,
        {
            "metadata": {"annotations": {SPEC_ANNOTATION: text}},
            "spec": {"pools": [{"name": "a"}], "byName": {}, "table": [[{}]]},
        },
    )
    assert bags(root) == {}
    assert [(item.address, item.origin) for item in dropped] == [(address, "v2")]


def test_reserved_names_of_the_live_version_are_not_taken_from_a_carrier() -> None:
    """A forged entry cannot make user data appear under a reserved name."""
    text = json.dumps({**PLAIN, "bags": {"": {"v1": {"$propertyBag": 1}, "v2": {"x": 1}}}})
    root, dropped = up(ANNOTATION, {"metadata": {"annotations": {SPEC_ANNOTATION: text}}})
    assert root.property_bag == {"v2": {"x": 1}}
    assert [(item.origin, item.key) for item in dropped] == [("v1", "$propertyBag")]


def test_decoding_an_annotation_for_an_audit_refuses_damage() -> None:
    """`decode_annotation` raises for text that is none of ours."""
    with pytest.raises(DecodeError):
        decode_annotation("zlib:AAAA")


# --- laws ----------------------------------------------------------------------------------

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
BAGS = st.dictionaries(
    st.sampled_from(["v2", "v3", "ä/~"]),
    st.dictionaries(st.text(max_size=4).map("k".__add__), JSON, min_size=1, max_size=2),
    min_size=1,
    max_size=2,
)
BAGGED = st.fixed_dictionaries({}, optional={"$propertyBag": BAGS})
SCALAR = st.sampled_from(["a", "b", 'q"/~', ""])


def objects(**members: Any) -> Any:
    return st.tuples(st.fixed_dictionaries({}, optional=members), BAGGED).map(
        lambda parts: {**parts[0], **parts[1]}
    )


RULE = objects(port=st.integers(0, 2), verb=SCALAR, id=SCALAR)
POOL = objects(name=SCALAR | st.none(), size=st.integers(0, 1), rules=st.lists(RULE, max_size=2))
SPEC = objects(
    pools=st.lists(POOL | st.none(), max_size=3),
    named=st.lists(POOL, max_size=3),
    rules=st.lists(RULE, max_size=3),
    ports=st.lists(RULE, max_size=3),
    table=st.lists(st.lists(RULE, max_size=2) | st.none(), max_size=3),
    byName=st.dictionaries(SCALAR, POOL, max_size=2),
)
ROOTS = objects(
    metadata=st.sampled_from([item.get("metadata", {"x": 1}) for item in METADATA]),
    spec=SPEC | st.none(),
    status=POOL | st.none(),
)


@given(ROOTS, st.sampled_from([ANNOTATION, FIELD]))
def test_a_round_trip_is_the_identity(root: dict[str, Any], envelope: Envelope) -> None:
    """Bags, metadata and everything else come back exactly, for any partial object."""
    twin = stored(root)
    before = twin.write_members()
    document, lost = down(envelope, twin)
    again, dropped = up(envelope, document)
    assert (lost, dropped) == ([], [])
    assert json.dumps(again.write_members(), sort_keys=True) == json.dumps(before, sort_keys=True)


@given(st.lists(SCALAR, min_size=1, unique=True), st.data())
def test_edits_of_a_keyed_list_move_bags_along(names: list[str], data: st.DataObject) -> None:
    """Whatever is deleted, inserted, reordered or edited, a bag is where its key is."""
    pools = [{"name": name, "size": 1, "$propertyBag": bag(name)} for name in names]
    document, _ = down(ANNOTATION, stored({"spec": {"pools": pools}}))
    live = data.draw(st.lists(st.sampled_from(document["spec"]["pools"]), unique_by=id))
    live = [{**pool, "size": data.draw(st.integers(0, 9))} for pool in live]
    live.insert(data.draw(st.integers(0, len(live))), {"name": "new"})
    document["spec"]["pools"] = live
    root, dropped = up(ANNOTATION, document)
    assert root.spec is not None
    assert [pool.property_bag for pool in root.spec.pools or []] == [
        None if pool["name"] == "new" else bag(pool["name"]) for pool in live
    ]
    assert len(dropped) == len(names) + 1 - len(live)


@given(st.lists(RULE, max_size=4), st.data())
def test_a_bag_of_an_unkeyed_list_never_changes_its_element(rules: Any, data: Any) -> None:
    """After deleting, inserting and reordering, every attached bag sits at an equal element."""
    rules = [{key: value for key, value in rule.items() if key != "id"} for rule in rules]
    document, _ = down(ANNOTATION, stored({"spec": {"rules": rules}}))
    live = data.draw(st.lists(st.sampled_from(document["spec"]["rules"] or [{}]), unique_by=id))
    live = [*live, *({"verb": f"new{index}"} for index in range(len(rules) + 1 - len(live)))]
    document["spec"]["rules"] = live
    root, _ = up(ANNOTATION, document)
    assert root.spec is not None
    written = [rule.write_members() for rule in root.spec.rules or []]
    for rule in written:
        if "$propertyBag" in rule:
            assert rule in rules


@given(ROOTS, st.integers(0, 900))
def test_a_budget_never_breaks_an_object(root: dict[str, Any], budget: int) -> None:
    """Whatever is lost is reported, everything else comes back, and nothing is made up."""
    envelope = Envelope("annotation", "g", "Account", BagLimits(budget))
    twin = stored(root)
    document, lost = down(envelope, twin)
    again, dropped = up(envelope, document)
    assert dropped == []
    back = {(p, o, k) for p, b in bags(again).items() for o, e in b.items() for k in e}
    all_of = {(p, o, k) for p, b in bags(twin).items() for o, e in b.items() for k in e}
    assert back | {(item.path, item.origin, item.key) for item in lost} == all_of
    assert len(back) + len(lost) == len(all_of)


@given(st.text() | st.binary().map(lambda b: "zlib:" + base64.b64encode(b).decode()))
def test_any_text_is_survived(text: str) -> None:
    """No text in our annotation is an error."""
    document = {"metadata": {"annotations": {STATUS_ANNOTATION: text}}, "status": {}}
    root, dropped = up(ANNOTATION, document)
    assert root.metadata == document["metadata"]
    assert len(dropped) == 1


def test_a_load_is_plain_data() -> None:
    """A caller may build a load, as an audit does, and see what became of it."""
    root = Account(spec=Spec())
    assert restore(Load(Cargo({"/spec": bag(1)})), "v1", root) == []
    assert bags(root) == {"/spec": bag(1)}


def test_a_load_stays_as_it_is() -> None:
    """Its bags are shared with the tree; what reads them under another plan gets its own."""

    class Changing:
        def settle(self, held: Any) -> list[Any]:
            held.twin.property_bag.put("v2", "more", 1)
            return []

    root, evolution = Account(spec=Spec()), cast("Any", Changing())
    load = Load(Cargo({"/spec": bag(1)}), earlier={"/spec": None})
    assert restore(load, "v1", root, evolution=evolution) == []
    assert bags(root) == {"/spec": {"v2": {**bag(1)["v2"], "more": 1}}}
    assert load.cargo.bags == {"/spec": bag(1)}

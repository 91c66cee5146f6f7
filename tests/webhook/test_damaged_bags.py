"""Damaged and forged bags: an object is converted all the same, and nothing of its bag is lost.

Source: docs/bags.md, "Entries that cannot be used".
"""

from __future__ import annotations

import base64
import copy
import json
import os
import random
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from generated.people import SCHEME as PEOPLE
from holdall.carriers.reports import Report
from holdall.carriers.text import decode_annotation
from holdall.kubernetes.conform.apiserver import convert as convert_as_server
from holdall.objects.tolerance import Unused
from holdall.review.reviewer import Degradation, Reviewed, Reviewer, Tally
from holdall.scheme.projects import load_schemes
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.choices import Seeded
from holdall.testing.laws.subjects import Subject
from tests.support.fake_apiserver import call_of
from tests.support.objects import resource
from tests.support.projects import build_project, config_of
from tests.support.reviews import body_of, converted
from tests.support.serving import serving

Entry: TypeAlias = tuple[str, str, str]
ANNOTATIONS = ("holdall.dev/bag", "holdall.dev/status-bag", "people.example.com/changed-values")
GONE = object()
WRONG: tuple[Any, ...] = (
    *(None, True, 0, 5, -1, 1.5, "", "x", [], [None], ["x"], [5, {}], {}, {"x": None}),
    *({"a": [1]}, [[]], [{"at": ["x"], "is": 1}], [{"at": [0], "was": 1, "is": {}}]),
    *([{"shown": {}, "became": {"x": 1}}], [{"shown": {"x": []}, "became": {}, "more": 1}]),
)
MARKS = ("$created", "$absent", "$became", "$shown", "$value", "$unused", "$propertyBag")


# --- one damaged annotation -----------------------------------------------------------------------

CONFIG = config_of("Box", group="boxes.example.com")
HEAD = """
type: object
properties:
  metadata: {type: object}
  spec:
    type: object
    properties:
      size: {type: integer}
"""
FILES = {
    "v1.yaml": f"{HEAD}      o: {{type: object, properties: {{a: {{type: string}}}}}}",
    "v2.yaml": HEAD,
}
BAG = "holdall.dev/bag"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kind whose first version has an object that the second one has not."""
    return build_project(tmp_path_factory.mktemp("boxes"), CONFIG, FILES)


def box(version: str, name: str, **spec: Any) -> dict[str, Any]:
    return resource(f"boxes.example.com/{version}", "Box", name, "ns", spec=spec)


def with_entry(scheme: Scheme, name: str, value: Any) -> Any:
    """Return a box at v2 in whose annotation another value stands for `o`."""
    there: Any = scheme.convert(box("v1", name, size=3, o={"a": "b"}), to="v2")
    annotations = there["metadata"]["annotations"]
    envelope = json.loads(annotations[BAG])
    envelope["bags"]["/spec"]["v1"]["o"] = value
    annotations[BAG] = json.dumps(envelope)
    return there


def test_one_annotation_does_not_fail_a_list(project: Path) -> None:
    """A forged entry costs its object that entry; the report names it, the neighbours are whole."""
    (scheme,) = load_schemes(project)
    reviewer = Reviewer([scheme])
    forged = with_entry(scheme, "forged", 5)
    good = with_entry(scheme, "good", {"a": "b"})
    reviewed = reviewer.review(body_of([good, forged, good], "boxes.example.com/v1"))
    first, found, last = converted(reviewed.body)
    assert first == last == box("v1", "good", size=3, o={"a": "b"})
    assert found["spec"] == {"size": 3}
    assert reviewed.unused == (
        Degradation(
            1,
            "boxes.example.com/v1 Box ns/forged",
            [Unused("/spec", "v1", "o", "expected object, found integer")],
        ),
    )
    names = ("Box", "boxes.example.com/v2", "boxes.example.com/v1")
    assert reviewed.outcomes == {Tally(*names, "converted"): 3}
    (back,) = converted(reviewer.review(body_of([found], "boxes.example.com/v2")).body)
    assert json.loads(back["metadata"]["annotations"][BAG]) == json.loads(
        forged["metadata"]["annotations"][BAG]
    )


def test_an_entry_within_a_live_value_costs_nothing_live(tmp_path: Path) -> None:
    """v2 has no `items`: they wait on the way from v1 to v3, a forged entry in one of them."""
    each = "{type: array, items: {type: object, properties: {name: {type: string}"
    of_v1 = f"items: {each}}}}}}}"
    inner = "{type: array, items: {type: object, properties: {x: {type: integer}}}}"
    of_v3 = f"things: {each}, o: {inner}}}}}}}"
    files = {"v1.yaml": f"{HEAD}      {of_v1}", "v2.yaml": HEAD, "v3.yaml": f"{HEAD}      {of_v3}"}
    config = CONFIG.replace(
        "    versions: [v1, v2]",
        """\
      - {schemas: v3.yaml, version: v3, kinds: {Box: ""}}
    versions: [v1, v2, v3]
    between:
      v1 -> v3: {BoxSpec: {items: things}}""",
    )
    (scheme,) = load_schemes(build_project(tmp_path, config, files))
    names = [{"name": "a", "o": [{"x": 1}]}, {"name": "b", "o": [{"x": 2}]}]
    forged: Any = scheme.convert(box("v3", "forged", size=3, things=names), to="v1")
    annotations = forged["metadata"]["annotations"]
    assert annotations[BAG].count('{"x":2}') == 1
    annotations[BAG] = annotations[BAG].replace('{"x":2}', "5")
    reviewed = Reviewer([scheme]).review(body_of([forged], "boxes.example.com/v3"))
    (found,) = converted(reviewed.body)
    assert found["spec"] == {"size": 3, "things": [names[0], {"name": "b"}]}
    assert [(one.origin, one.key) for one in _unused_of(reviewed)] == [("v3", "o")]


HOOK = '''
from {generated}.boxes.v1.storage import AssignableBoxSpec
from holdall import Composed, Members, TwoWay


class Names(TwoWay):
    """Names are in capitals in v2; without them they are null in v1."""

    older = newer = ("names",)

    def to_newer(self, older: Members) -> Members:
        names = older.get("names")
        return {"names": [name.upper() for name in names]} if isinstance(names, list) else {}

    def to_older(self, newer: Members) -> Members:
        names = newer.get("names")
        return {"names": [name.lower() for name in names] if isinstance(names, list) else None}


class Hook(Composed, AssignableBoxSpec):
    """Converts the names."""

    parts = (Names(),)
'''
HOOKED_CONFIG = f"""{CONFIG}
    between:
      v1 -> v2: {{BoxSpec: {{$hook: [names]}}}}
"""
NAMED = f"{HEAD}      names: {{type: array, items: {{type: string}}}}"


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kind whose list of names a two-way hook converts."""
    files = {"v1.yaml": NAMED, "v2.yaml": NAMED, "hooks/__init__.py": HOOK}
    return build_project(tmp_path_factory.mktemp("hooked"), HOOKED_CONFIG, files)


def with_residue(scheme: Scheme, name: str, kept: Any) -> Any:
    """Return a box without names in whose annotation something stands for what its hook kept."""
    there: Any = scheme.convert(box("v1", name, names=["Ab"]), to="v2")
    annotations = there["metadata"]["annotations"]
    envelope = json.loads(annotations[BAG])
    assert envelope["bags"]["/spec"]["v1"]["residue:names"]
    envelope["bags"]["/spec"]["v1"]["residue:names"] = [kept]
    annotations[BAG] = json.dumps(envelope)
    return {**there, "spec": {}}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")
@pytest.mark.parametrize("value", [5, "x", {"a": ["b"]}])
def test_no_residue_makes_an_object_that_does_not_convert(
    hooked: Path, tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    """It is reported, and kept as it is; what the object shows is what it shows without it."""
    (scheme,) = load_schemes(hooked)
    kept = {"at": ["names"], "was": None, "is": value}
    forged = with_residue(scheme, "forged", kept)
    good: Any = scheme.convert(box("v1", "good", names=["Ab"]), to="v2")
    with serving(hooked, tmp_path_factory.mktemp("keys")) as served:

        def ask(documents: list[Any], version: str) -> list[Any]:
            body = body_of(documents, f"boxes.example.com/{version}")
            status, answer = served.ask("POST", "/convert", body)
            assert (status, answer) == (200, Reviewer([scheme]).review(body).body)
            return converted(answer)

        found, neighbour = ask([forged, good], "v1")
        assert neighbour == box("v1", "good", names=["Ab"])
        back, _ = ask([found, neighbour], "v2")
        text = served.ask("GET", "/metrics")[1].decode()
    assert (found["spec"], back["spec"]) == ({"names": None}, {})
    assert _bags_of(back)["/spec", "v1", "residue:names"] == [kept]
    assert "holdall_webhook_unused_entries_total 1.0" in text


SIZES = "def half(value):\n    return value // 2\n\n\ndef twice(value):\n    return value * 2\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")
def test_what_other_code_has_kept_is_counted_and_logged(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """By a release whose hooks and functions make something else of what is shown."""
    module = f"sizes_{tmp_path.name}"
    size = f'size: {{upgrade_with: "{module}:half", downgrade_with: "{module}:twice"}}'
    config = HOOKED_CONFIG.replace("BoxSpec: {", f"BoxSpec: {{{size}, ")
    files = {"v1.yaml": NAMED, "v2.yaml": NAMED, "hooks/__init__.py": HOOK, f"{module}.py": SIZES}
    project = build_project(tmp_path / "project", config, files)
    (scheme,) = load_schemes(project)
    given = box("v1", "a", names=["Ab"], size=5)
    there: Any = scheme.convert(given, to="v2")
    (hooks,) = project.glob("hooks_*/__init__.py")

    def served(keys: Path, *changes: tuple[Path, str, str]) -> tuple[Any, list[Any]]:
        """Return what a webhook makes of the object after changes of the code, and its logs."""
        for path, old, new in changes:
            path.write_text(f"{path.read_text().replace(old, new)}\n", encoding="utf-8")
        with serving(project, keys) as it:
            status, answer = it.ask("POST", "/convert", body_of([there], "boxes.example.com/v1"))
            text = it.ask("GET", "/metrics")[1].decode()
            logged = [line["dropped"] for line in it.logged() if "dropped" in line]
        assert status == 200
        count = sum(map(len, logged))
        assert f"holdall_webhook_dropped_entries_total {count}.0" in text
        return converted(answer)[0], logged

    keys, sizes = tmp_path_factory.mktemp("keys"), project / f"{module}.py"
    assert served(keys, (sizes, "def half", "# Half.\ndef half")) == (given, [])
    back, logged = served(keys, (hooks, "name.upper()", "name"), (sizes, "// 2", "// 3"))
    assert back["spec"] == {"names": ["ab"], "size": 4}
    assert [[text.partition(" is dropped: ")[0].split()[-1] for text in one] for one in logged] == [
        ["v1/size", "v1/residue:names"]
    ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")
def test_what_cannot_be_used_is_counted_and_logged(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """By a served webhook: entries, carriers that cannot be read, and entries of nobody."""
    (scheme,) = load_schemes(project)
    unread, stray = with_entry(scheme, "unread", 5), with_entry(scheme, "stray", 5)
    unread["metadata"]["annotations"][BAG] = "garbage"
    annotations = stray["metadata"]["annotations"]
    annotations[BAG] = annotations[BAG].replace('"/spec"', '"/nowhere"')
    objects = [with_entry(scheme, "forged", ["secret"]), unread, stray]
    with serving(project, tmp_path_factory.mktemp("keys")) as served:
        status, body = served.ask("POST", "/convert", body_of(objects, "boxes.example.com/v1"))
        assert status == 200
        assert [item["spec"] for item in converted(body)] == [{"size": 3}] * 3
        text = served.ask("GET", "/metrics")[1].decode()
        logged = [line for line in served.logged() if "unused" in line]
    assert "holdall_webhook_unused_entries_total 2.0" in text
    assert "holdall_webhook_dropped_entries_total 1.0" in text
    (line,) = logged
    assert line["message"] == "bag entries cannot be used"
    shown = " ".join(line["unused"])
    assert "boxes.example.com/v1 Box ns/forged /spec: v1/o is kept, but not used: " in shown
    assert "expected object, found list" in shown
    assert "ns/unread /metadata/annotations/holdall.dev~1bag" in shown
    assert "secret" not in shown


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")
def test_a_bag_that_unpacks_to_too_much_costs_its_object_alone(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """It stays, unread: a few kilobytes would be megabytes of entries, and a list has hundreds."""
    (scheme,) = load_schemes(project)
    forged, good = (with_entry(scheme, name, {"a": "b"}) for name in ("forged", "good"))
    annotations = forged["metadata"]["annotations"]
    envelope = json.loads(annotations[BAG])
    envelope["bags"]["/spec"]["v1"]["o"]["a"] = "x" * 4_000_000
    packed = base64.b64encode(zlib.compress(json.dumps(envelope).encode())).decode()
    annotations[BAG] = f"zlib:{packed}"
    with serving(project, tmp_path_factory.mktemp("keys")) as served:
        objects = [forged] * 500 + [good]
        status, body = served.ask("POST", "/convert", body_of(objects, "boxes.example.com/v1"))
        logged = [line for line in served.logged() if "unused" in line]
    assert status == 200
    *found, neighbour = converted(body)
    assert neighbour == box("v1", "good", size=3, o={"a": "b"})
    assert found == [{**box("v1", "forged", size=3), "metadata": forged["metadata"]}] * 500
    assert "the compressed text expands to more than" in logged[0]["unused"][0]


def test_a_forged_carrier_leaves_no_annotation_that_an_api_server_refuses(project: Path) -> None:
    """What it says was there before may be no text."""
    (scheme,) = load_schemes(project)
    forged = with_entry(scheme, "forged", {"a": "b"})
    envelope = json.loads(forged["metadata"]["annotations"][BAG])
    forged["metadata"]["annotations"][BAG] = json.dumps({**envelope, "kept": 5})
    found: Any = convert_as_server(forged, "boxes.example.com/v1", call_of(scheme))
    assert found["spec"] == {"size": 3, "o": {"a": "b"}}
    assert BAG not in found["metadata"].get("annotations", {})


@pytest.mark.parametrize(("value", "kind"), [(5, "integer"), (None, "null"), ({}, "object")])
def test_an_annotation_that_is_no_text_is_reported(project: Path, value: Any, kind: str) -> None:
    """The API server takes no other one, so it does not stay; it is not silently gone either."""
    (scheme,) = load_schemes(project)
    forged = with_entry(scheme, "forged", 5)
    forged["metadata"]["annotations"] = {BAG: value, "other": "kept"}
    reviewed = Reviewer([scheme]).review(body_of([forged], "boxes.example.com/v1"))
    (found,) = converted(reviewed.body)
    assert found["metadata"]["annotations"] == {"other": "kept"}
    assert not reviewed.unused
    assert [str(entry) for one in reviewed.dropped for entry in one.entries] == [
        "/metadata/annotations/holdall.dev~1bag: not read: it is dropped: annotations must"
        f" be strings, found {kind}"
    ]


def test_a_damaged_mark_costs_no_hidden_extras() -> None:
    """What no server showed waits on, while a mark that cannot be read returns to its place."""
    address, mark = "/status/identity/userAssigned/k", [[5, {}], "tier"]
    status = {"identity": {"type": "None", "userAssigned": {"k": {"tier": 3}}}}
    given = {"apiVersion": "batch.example.com/v20230501", "kind": "BatchAccount", "status": status}
    there: Any = BATCH.convert(given, to="v20240701")
    ((carrier, envelope),) = _opened(there)
    assert envelope["bags"] == {
        address: {"v20230501": {"$shown": ["tier"]}, "v20240701": {"tier": 3}}
    }
    envelope["bags"][address]["v20230501"]["$shown"] = mark
    _put(there, [(carrier, envelope)])
    back: Any = BATCH.convert(there, to="v20230501")
    again: Any = BATCH.convert(back, to="v20240701")
    assert _opened(again)[0][1]["bags"] == envelope["bags"]


def test_an_entry_that_returns_on_the_way_is_found_at_fault() -> None:
    """It waits from a version in the middle of the way on; an entry of the start is used."""
    entries = {"$unused": {"v20220601": {"tier": "x"}}, "contactsWasWritten": {}}
    given = resource("batch.example.com/v20240701", "BatchAccount", spec={"owners": [], "tier": {}})
    there: Any = BATCH.convert(given, to="v20210101")
    _, envelope = _opened(there)[0]
    held = {**envelope, "version": "v20240701", "bags": {"/spec": {"v20230501": entries}}}
    given = {**given, "metadata": {"annotations": {BAG: json.dumps(held)}}, "spec": {"owners": []}}
    review = body_of([given], "batch.example.com/v20210101")
    reviewed = Reviewer([BATCH]).review(review)
    (found,) = converted(reviewed.body)
    assert found["spec"] == {"contacts": []}
    assert [(one.origin, one.key) for one in _unused_of(reviewed)] == [("v20230501", "tier")]
    waiting = {"$unused": {"v20220601": {"tier": "x"}}}
    assert _opened(found)[0][1]["bags"] == {"/spec": {"v20230501": waiting}}


# --- any damage to any bag -----------------------------------------------------------------------


@pytest.mark.parametrize("scheme", [BATCH, FLEET, PEOPLE], ids=["batch", "fleet", "people"])
def test_any_damage_to_any_bag_is_survived(scheme: Scheme) -> None:
    """Objects of all sample kinds, with bags of whatever carrier, damaged at random places.

    Each is converted to every version, as an API server accepts it; its neighbours in the review
    are not affected, and two conversions give the same bytes. Where nothing of the damage can be
    used, the live object is what it is without the damaged entries, it comes back as it was with
    them, and after a repair everything is as it was before.
    """
    reviewer, told, compared = Reviewer([scheme]), 0, 0
    least = 20 if scheme is PEOPLE else 5
    for number, seed, good, damaged, others in _cases(scheme, rounds=60):
        if number >= least and told and (compared or scheme is PEOPLE):
            break
        changed = _changed(good, damaged)

        def convert(document: Any, version: str) -> Any:
            return converted(reviewer.review(body_of([document], version)).body)[0]

        for other in others:
            reviewed = _review(reviewer, other, good, damaged)
            assert not reviewed.message, (seed, other)
            first, found, last = converted(reviewed.body)
            assert first == last == convert(good, other), (seed, other)
            assert _review(reviewer, other, good, damaged).body == reviewed.body, (seed, other)
            convert_as_server(damaged, other, call_of(scheme))
            told += len(_unused_of(reviewed))
            if not _are_all_unused(changed, reviewed):
                continue
            compared += 1
            back = convert(found, damaged["apiVersion"])
            without = _with_entries(damaged, dict.fromkeys(changed, GONE))
            assert _live(found) == _live(convert(without, other)), (seed, other)
            assert _live(back) == _live(damaged), (seed, other)
            kept = _bags_of(back)
            for entry, (_, value) in changed.items():
                assert _text(kept.get(entry, GONE)) == _text(value), (seed, other, entry)
            repaired = _with_entries(back, {entry: old for entry, (old, _) in changed.items()})
            assert _live(convert(repaired, other)) == _live(first), (seed, other)
    assert told
    assert compared or scheme is PEOPLE


def _cases(scheme: Scheme, *, rounds: int) -> Iterator[tuple[int, str, Any, Any, list[str]]]:
    """Yield round, seed, a document with a bag, the same with a damaged one, the other versions."""
    subject, start = Subject(scheme), random.randrange(1 << 30)
    entries = {entry.name: entry for entry in scheme.kinds}
    pairs = [
        (entries[kind], origin, version)
        for kind in subject.kinds()
        for origin in subject.served(kind)
        for version in subject.served(kind)
        if origin != version
    ]
    for number, (entry, origin, version) in product(range(rounds), pairs):
        seed = f"{start}/{entry.name}/{origin}/{version}/{number}"
        given: Any = subject.documents.root(Seeded(seed), entry.name, origin)
        given["metadata"] = {"name": "x", "annotations": {"own": "kept"}}
        given["apiVersion"] = scheme.api_version(origin, entry)
        given["kind"] = entry.name_in(origin)
        good: Any = scheme.convert(given, to=version)
        damaged = copy.deepcopy(good)
        if _damage(random.Random(seed), damaged):
            served = subject.served(entry.name)
            others = [scheme.api_version(name, entry) for name in served if name != version]
            yield number, seed, good, damaged, others


def _review(reviewer: Reviewer, version: str, good: Any, damaged: Any) -> Reviewed:
    return reviewer.review(body_of([good, damaged, good], version))


def _unused_of(reviewed: Reviewed) -> Report:
    return [item for one in reviewed.unused for item in one.entries]


def _are_all_unused(changed: dict[Entry, Any], reviewed: Reviewed) -> bool:
    unused = Counter((item.origin, item.key) for item in _unused_of(reviewed))
    is_read = ("", "") not in unused
    return bool(changed) and is_read and Counter(entry[1:] for entry in changed) <= unused


def _damage(chance: random.Random, document: Any) -> bool:
    """Damage what the carriers of a document hold; tell whether there is anything."""
    carriers = _opened(document)
    for _, held in carriers:
        for _ in range(chance.choice((1, 1, 2, 3))):
            _damage_within(chance, held)
    _put(document, carriers)
    return bool(carriers)


def _damage_within(chance: random.Random, held: Any) -> None:
    """Change a value at a random depth, or add one."""
    holder, depth = held, 0
    while True:
        inner = holder.values() if isinstance(holder, dict) else holder
        deeper = [item for item in inner if isinstance(item, dict | list) and item]
        if not deeper or (depth > 2 and chance.random() < 0.3):
            break
        holder, depth = chance.choice(deeper), depth + 1
    key: Any
    if isinstance(holder, dict):
        key = chance.choice([*holder, *chance.sample(MARKS, 2), "alien"])
    else:
        key = chance.randrange(len(holder))
    holder[key] = copy.deepcopy(chance.choice(WRONG))


# --- carriers, taken apart by hand ---------------------------------------------------------------


def _opened(document: Any) -> list[tuple[str, Any]]:
    """Return what the carriers of a document hold, each with its place."""
    annotations = document["metadata"].get("annotations", {})
    status = document.get("status")
    found = [
        (key, decode_annotation(annotations[key])) for key in ANNOTATIONS if key in annotations
    ]
    if isinstance(document.get("$propertyBag"), dict):
        found.append(("$propertyBag", copy.deepcopy(document["$propertyBag"])))
    if isinstance(status, dict) and isinstance(status.get("changedValues"), dict):
        found.append(("changedValues", copy.deepcopy(status["changedValues"])))
    return found


def _put(document: Any, carriers: list[tuple[str, Any]]) -> None:
    for key, held in carriers:
        if key == "$propertyBag":
            document[key] = held
        elif key == "changedValues":
            document["status"][key] = held
        else:
            document["metadata"]["annotations"][key] = json.dumps(held)


def _live(document: Any) -> Any:
    """Return an object without its carriers."""
    document = copy.deepcopy(document)
    for key, _ in _opened(document):
        if key == "$propertyBag":
            del document[key]
        elif key == "changedValues":
            del document["status"][key]
        else:
            del document["metadata"]["annotations"][key]
    return document


def _envelopes(carriers: list[tuple[str, Any]]) -> Iterator[Any]:
    for key, held in carriers:
        yield from held.values() if key == "$propertyBag" else [held]


def _bags_of(document: Any) -> dict[Entry, Any]:
    """Return the entries of a document; those that were set aside at their places."""
    found: dict[Entry, Any] = {}
    for envelope in _envelopes(_opened(document)):
        bags = envelope.get("bags") if isinstance(envelope, dict) else None
        for address, bag in bags.items() if isinstance(bags, dict) else ():
            for origin, entries in bag.items() if isinstance(bag, dict) else [("", bag)]:
                inner = entries if isinstance(entries, dict) else {"": entries}
                for key, value in inner.items():
                    found[address, origin, key] = value
                    if key == "$unused" and isinstance(value, dict):
                        del found[address, origin, key]
                        for aside in value.values():
                            for name, item in aside.items() if isinstance(aside, dict) else ():
                                found[address, origin, name] = item
    return found


def _changed(good: Any, damaged: Any) -> dict[Entry, tuple[Any, Any]]:
    """Return the entries that differ, each with its value before and after.

    None where a move made the object: it stays if there is something in its bag. And none where
    more is damaged than entries: what tells elements apart, for example.
    """
    if _text(_without_bags(good)) != _text(_without_bags(damaged)):
        return {}
    before, after = _bags_of(good), _bags_of(damaged)
    changed = {
        entry: (before.get(entry, GONE), after.get(entry, GONE))
        for entry in sorted({*before, *after})
        if _text(before.get(entry, GONE)) != _text(after.get(entry, GONE))
    }
    made = {address for address, _, key in before if key == "$created"}
    return {} if made & {address for address, _, _ in changed} else changed


def _without_bags(document: Any) -> Any:
    """Return what the envelopes of a document hold beside bags."""
    return [
        {name: held for name, held in envelope.items() if name != "bags"}
        if isinstance(envelope, dict)
        else envelope
        for envelope in _envelopes(_opened(document))
    ]


def _text(value: Any) -> str:
    return "" if value is GONE else json.dumps(value, sort_keys=True)


def _with_entries(document: Any, entries: dict[Entry, Any]) -> Any:
    """Return a document with other values of entries, wherever they stand; `GONE` for none."""
    document = copy.deepcopy(document)
    carriers = _opened(document)
    for envelope in _envelopes(carriers):
        bags = envelope["bags"]
        for (address, origin, key), value in entries.items():
            if not isinstance(bags.get(address), dict):
                bags[address] = {}
            if not isinstance(bags[address].get(origin), dict) or not key:
                bags[address][origin] = {}
            held = bags[address][origin]
            aside = held.pop("$unused", None)
            for waiting in aside.values() if isinstance(aside, dict) else ():
                held.update(waiting if isinstance(waiting, dict) else {})
            held.pop(key, None)
            if value is not GONE:
                held[key] = value
        for holder in (*bags.values(), bags):
            for name in [name for name, held in holder.items() if not held]:
                del holder[name]
    _put(document, carriers)
    return document

"""Quarantine: objects with values of a wrong kind pass the boundary of an API server whole."""

from __future__ import annotations

import copy
import json
import logging
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from generated.people import SCHEME as PEOPLE
from holdall.carriers.quarantine_note import NOTE, QuarantinedError
from holdall.errors import ConversionError
from holdall.objects.base import Object
from holdall.objects.shapes import ValueShape, shape_of
from holdall.objects.views import StorageTuple, StorageUnion
from holdall.review.reviewer import Oddity, Reviewed, Reviewer, Tally
from holdall.scheme.projects import load_schemes
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.choices import Seeded
from holdall.testing.laws.subjects import Subject
from holdall.webhook.conversions import Conversions
from holdall.webhook.counts import Counts
from holdall.webhook.limits import Limits
from tests.support.notation import schema_text
from tests.support.objects import resource
from tests.support.projects import build_project, config_of, written_hook
from tests.support.reviews import answer_of, body_of, converted

CONFIG = config_of(
    "Thing",
    "v1 v2 v3",
    api_group="things.example.com",
    more="""\
between:
  v1 -> v2:
    ThingSpec:
      parts: {rename: pieces}
      frame/size: {move: size}
""",
)
FILES = {
    "v1.yaml": schema_text("""
metadata: object
spec: {frame: {size: {high: integer}}, only: {a: string}, paint: {color: string},
  parts: [{name: string, old: [string]}], tags: [string]}
status: {phase: string, old: string}
"""),
    "v2.yaml": schema_text("""
metadata: object
spec: {frame: {width: integer}, color: string, size: {high: integer}, pieces: [{name: string}],
  tags: [string]}
status: {phase: string}
"""),
    "hooks/things.py": written_hook(
        "destination.color = None if source.paint is None else source.paint.color",
        "destination.paint = None if source.color is None else v1.Paint(color=source.color)",
        reads="paint",
        writes="color",
        name="ThingSpecHooks",
    ),
}
FILES["v3.yaml"] = FILES["v2.yaml"]


@pytest.fixture(scope="module")
def schemes(tmp_path_factory: pytest.TempPathFactory) -> list[Scheme]:
    """A kind with a rename, a move, members that one version has alone, and a hook."""
    root: Path = build_project(tmp_path_factory.mktemp("quarantine"), CONFIG, FILES)
    return load_schemes(root)


@pytest.fixture
def reviewer(schemes: list[Scheme]) -> Reviewer:
    return Reviewer(schemes)


def thing(version: str = "v1", **members: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"things.example.com/{version}",
        "kind": "Thing",
        "metadata": {"name": "a", "namespace": "ns"},
        **members,
    }


def ask(reviewer: Reviewer, version: str, *objects: Any) -> Reviewed:
    return reviewer.review(body_of(objects, f"things.example.com/{version}"))


def one(reviewer: Reviewer, obj: Any, version: str) -> Any:
    """Return the converted object."""
    return converted(ask(reviewer, version, obj).body)[0]


PASSING = (
    pytest.param({"spec": "text"}, {"spec": "text"}, ["/spec"], id="text"),
    pytest.param({"spec": [1]}, {"spec": [1]}, ["/spec"], id="list"),
    pytest.param(
        {"spec": {"tags": ["x"]}, "status": 7},
        {"spec": {"tags": ["x"]}, "status": 7},
        ["/status"],
        id="status",
    ),
    pytest.param(
        {"spec": {"parts": 7, "tags": {"x": 1}}},
        {"spec": {"pieces": 7, "tags": {"x": 1}}},
        ["/spec/parts", "/spec/tags"],
        id="renamed-lists",
    ),
    pytest.param(
        {"spec": {"parts": ["x", {"name": "p"}, None, [[]]]}},
        {"spec": {"pieces": ["x", {"name": "p"}, None, [[]]]}},
        ["/spec/parts/0", "/spec/parts/3"],
        id="elements",
    ),
    pytest.param(
        {"spec": {"frame": {"size": "tall"}}},
        {"spec": {"frame": {}, "size": "tall"}},
        ["/spec/frame/size"],
        id="moved",
    ),
    pytest.param({"spec": {"frame": "f"}}, {"spec": {"frame": "f"}}, ["/spec/frame"], id="way"),
)


@pytest.mark.parametrize(("given", "expected", "places"), PASSING)
@pytest.mark.parametrize("version", ["v2", "v3"])
def test_a_value_of_a_wrong_kind_goes_where_its_field_goes(
    reviewer: Reviewer,
    version: str,
    given: dict[str, Any],
    expected: dict[str, Any],
    places: list[str],
) -> None:
    """Renames, moves and positions are followed, all else is converted, and nothing is added."""
    reviewed = ask(reviewer, version, thing(**given))
    assert converted(reviewed.body) == [thing(version, **expected)]
    assert reviewed.oddities == (Oddity("things.example.com/v1 Thing ns/a", tuple(places)),)
    names = ("things.example.com/v1", f"things.example.com/{version}")
    assert reviewed.outcomes == {Tally("Thing", *names, "quarantined"): 1}
    assert one(reviewer, thing(version, **expected), "v1") == thing(**given)


@pytest.mark.parametrize(
    "spec",
    [
        {"only": "text", "tags": ["x"]},
        {"only": [{"$mistyped": {"up": 0, "value": 1}}]},
        {"parts": [{"name": "a", "old": 4}, {"name": "b", "old": {"x": []}}, {"old": "c"}]},
        {"parts": ["x", {"old": 5}, "x"], "only": 7},
    ],
)
def test_a_value_without_a_place_waits_in_the_bag(reviewer: Reviewer, spec: dict[str, Any]) -> None:
    """It comes back from every version, also if it went through others, and after an edit."""
    given = thing(spec=spec)
    at_two = one(reviewer, given, "v2")
    assert "only" not in at_two["spec"]
    assert NOTE in at_two["metadata"]["annotations"]
    at_three = one(reviewer, at_two, "v3")
    assert at_three["spec"] == at_two["spec"]
    assert one(reviewer, at_three, "v1") == given
    at_two["spec"]["tags"] = ["edited"]
    assert one(reviewer, at_two, "v1") == thing(spec={**spec, "tags": ["edited"]})


@pytest.mark.parametrize("paint", ["red", ["red"], 7])
def test_a_hook_does_not_lose_a_value_that_it_cannot_read(reviewer: Reviewer, paint: Any) -> None:
    """It finds nothing, and the value waits; what the hook writes of its own wins over it."""
    given = thing(spec={"paint": paint, "parts": [4, {"name": "p"}]})
    there = one(reviewer, given, "v2")
    assert there["spec"] == {"pieces": [None, {"name": "p"}]}
    assert one(reviewer, there, "v1") == given
    assert one(reviewer, one(reviewer, there, "v3"), "v1") == given
    there["spec"]["color"] = "blue"
    edited = one(reviewer, there, "v1")
    assert edited == thing(spec={"paint": {"color": "blue"}, "parts": [4, {"name": "p"}]})


def test_what_moves_beside_a_value_of_a_wrong_kind_is_kept(reviewer: Reviewer) -> None:
    """A value cannot stand within a text, so it waits in the note; a repair drops it."""
    for size in ({"high": 1}, 7):
        given = thing("v2", spec={"frame": "text", "size": size})
        there = one(reviewer, given, "v1")
        assert there["spec"] == {"frame": "text"}
        assert one(reviewer, there, "v2") == given
        there["spec"]["frame"] = {"size": {"high": 2}}
        assert one(reviewer, there, "v2") == thing("v2", spec={"frame": {}, "size": {"high": 2}})


@pytest.mark.parametrize(
    ("kind", "version", "other", "members", "shown"),
    [
        # A list becomes its only element, and back.
        (
            "Pool",
            "v20220601",
            "v20230501",
            {"spec": {"autoscaleProfiles": {}}},
            {"spec": {"autoscale": {}}},
        ),
        # Plain JSON in the other version: nothing is wrong with it there.
        (
            "BatchAccount",
            "v20240701",
            "v20220601",
            {"status": {"identity": {"userAssigned": {"k": []}}}},
            {"status": {"identity": {"userAssigned": {"k": []}}}},
        ),
    ],
    ids=["wrapped", "plain"],
)
def test_a_value_whose_kind_is_right_elsewhere_comes_back(
    kind: str, version: str, other: str, members: dict[str, Any], shown: dict[str, Any]
) -> None:
    """No schema tells that it has to be looked at on the way back: the note does."""
    reviewer = Reviewer([BATCH])
    given = {
        "apiVersion": f"batch.example.com/{version}",
        "kind": kind,
        "metadata": {"name": "x"},
        **members,
    }
    body = reviewer.review(body_of([given], f"batch.example.com/{other}")).body
    there = converted(body)[0]
    assert {name: there[name] for name in shown} == shown
    body = reviewer.review(body_of([there], given["apiVersion"])).body
    assert converted(body) == [given]


KEYED = {
    "v1.yaml": schema_text('{metadata: object, spec: {zones: {"*": {open: boolean}}}}'),
    "v2.yaml": schema_text("{metadata: object, spec: {zones: [{name: string, open: boolean}]}}"),
    "hooks/things.py": """\
from {generated}.things.v1 import storage as v1
from holdall import Composed, Members, TwoWay


class Zones(TwoWay):
    older = newer = ("zones",)

    def to_newer(self, older: Members) -> Members:
        return {"zones": [{**zone, "name": name} for name, zone in older["zones"].items()]}

    def to_older(self, newer: Members) -> Members:
        return {"zones": {zone.pop("name", ""): zone for zone in newer["zones"]}}


class Specs(Composed, v1.AssignableThingSpec):
    parts = (Zones(),)
""",
}
KEYED_CONFIG = config_of(
    "Thing",
    api_group="things.example.com",
    more="between: {v1 -> v2: {ThingSpec: {zones: {strategy: hook}}}}",
)


@pytest.mark.parametrize("zones", [[1], ["a", {}]])
def test_what_a_hook_puts_beside_a_value_comes_back_with_it(tmp_path: Path, zones: Any) -> None:
    """A list instead of a map, which the other version's list takes for elements."""
    reviewer = Reviewer(load_schemes(build_project(tmp_path, KEYED_CONFIG, KEYED)))
    given = thing(spec={"zones": zones})
    there = one(reviewer, given, "v2")
    assert there["spec"] == given["spec"]
    assert one(reviewer, there, "v1") == given


def test_a_repair_wins_over_what_waits() -> None:
    """One element of a list is shown, the list waits; an edit changes what was shown."""
    reviewer = Reviewer([BATCH])
    given: dict[str, Any] = resource(
        "batch.example.com/v20220601", "Pool", "x", spec={"autoscaleProfiles": [0, True, []]}
    )
    body = reviewer.review(body_of([given], "batch.example.com/v20230501")).body
    there = converted(body)[0]
    assert there["spec"] == {"autoscale": 0}
    body = reviewer.review(body_of([there], given["apiVersion"])).body
    assert converted(body) == [given]
    for repaired in ({"name": "a"}, 5):
        there["spec"]["autoscale"] = repaired
        body = reviewer.review(body_of([there], given["apiVersion"])).body
        assert converted(body)[0]["spec"] == {"autoscaleProfiles": [repaired, True, []]}


def test_names_of_stand_ins_may_occur_in_objects(reviewer: Reviewer) -> None:
    """Whatever a user calls a member, it is the user's."""
    own = {"$mistyped": {"up": 0, "value": 1}}
    for spec in (
        {"parts": [7, own], "only": own, "own": own},
        {"parts": own, "tags": [own], "$mistyped": own},
        {"frame": [own], "size": own, "tags": {"$mistyped": "x"}},
    ):
        given = thing(spec=spec)
        assert one(reviewer, one(reviewer, given, "v2"), "v1") == given


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "{}",
        "[]",
        '{"before":"","mark":"weight","open":{},"out":{},"rest":{},"version":"v1"}',
        '{"before":"","mark":"$mistyped","open":{},"out":{},"rest":{"/spec":7},"version":"v1"}',
        '{"before":[],"mark":"$mistyped","open":{},"out":{},"rest":{},"version":"v1"}',
        '{"before":"x","mark":"$mistyped","open":{},"out":{},"rest":{},"version":"v1"}',
    ],
)
def test_a_note_that_is_none_is_left_alone(reviewer: Reviewer, text: str) -> None:
    """An annotation that somebody else wrote is carried, with odd objects and good ones."""
    for spec in ({"tags": ["x"]}, {"only": {"a": "b"}}, {"tags": 7}):
        given = thing(spec=spec)
        given["metadata"]["annotations"] = {NOTE: text}
        there = one(reviewer, given, "v2")
        assert there["metadata"]["annotations"][NOTE] == text
        assert one(reviewer, there, "v1") == given


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_forged_note_is_harmless(reviewer: Reviewer, version: str) -> None:
    """It reaches only what stands beside values of a wrong kind."""
    forged = {
        "before": "",
        "mark": "$mistyped",
        "open": {"": 1, "/spec/tags/9": {"$mistyped": {"up": 0, "value": 1}}, "x": {}},
        "out": {
            "v3": {"/spec/tags": 7, "/spec/size": {}, "/spec/x": 1, "/metadata/x": 7, "": 7, "x": 7}
        },
        "rest": {"/spec": {"tags": ["forged"]}, "/metadata": {"name": "b"}},
        "version": version,
    }
    given = thing(version, spec={"tags": ["x"]}, status={"phase": "y"})
    good = copy.deepcopy(given)
    given["metadata"]["annotations"] = {NOTE: json.dumps(forged)}
    there = one(reviewer, given, "v3")
    assert {**there, "apiVersion": ""} == {**good, "apiVersion": ""}


def test_good_objects_of_a_review_are_not_affected(reviewer: Reviewer) -> None:
    """All objects of a batch come back, each at its place."""
    specs: list[Any] = ["a", {"tags": ["b"]}, 3, {"tags": 4}, {"tags": ["e"]}, "f"]
    reviewed = ask(reviewer, "v2", *(thing(spec=spec) for spec in specs))
    assert [item["spec"] for item in converted(reviewed.body)] == specs
    outcomes = {tally.outcome: number for tally, number in reviewed.outcomes.items()}
    assert outcomes == {"converted": 2, "quarantined": 4}


def test_an_object_fails_as_before_if_something_else_is_wrong(reviewer: Reviewer) -> None:
    """The message names the objects that fail, and those only."""
    unknown = {**thing(), "kind": "Other"}
    reviewed = ask(reviewer, "v2", thing(spec="a"), unknown, thing(spec="c"), "text", thing())
    answer = answer_of(reviewed.body)
    assert answer["result"]["status"] == "Failure"
    assert answer["convertedObjects"] == []
    assert "object 1 of 5" in reviewed.message
    assert reviewed.message.endswith("1 more failed: 3")


def test_only_the_boundary_of_an_api_server_is_total(schemes: list[Scheme]) -> None:
    """Everything else refuses such an object, and one in whose bag such a value waits."""
    scheme = schemes[0]
    with pytest.raises(ConversionError, match="expected object, found string"):
        scheme.convert(thing(spec="text"), to="v2")
    waiting = one(Reviewer(schemes), thing(spec={"only": "text"}), "v2")
    for to in ("v1", "v3"):
        with pytest.raises(QuarantinedError, match=NOTE):
            scheme.convert(waiting, to=to)
        with pytest.raises(QuarantinedError, match=NOTE):
            scheme.convert_bytes(json.dumps(waiting), to=to)


def test_quarantined_objects_are_logged_and_counted(
    reviewer: Reviewer, caplog: pytest.LogCaptureFixture
) -> None:
    """A log line has kind, name and paths, but nothing of the contents."""
    counts = Counts()
    runner = Conversions(reviewer, Limits(), counts)
    body = body_of([thing(spec={"tags": "secret", "parts": [7]})], "things.example.com/v2")
    with caplog.at_level(logging.WARNING, "holdall"):
        assert runner.now({}, body).status == 200
    (record,) = caplog.records
    assert "wrong kinds" in record.getMessage()
    shown = json.dumps(vars(record), default=str)
    assert "things.example.com/v1 Thing ns/a: /spec/parts/0, /spec/tags" in shown
    assert "secret" not in shown
    assert [(tally.outcome, n) for tally, n in counts.objects.items()] == [("quarantined", 1)]


# --- any value of a wrong kind, anywhere ---------------------------------------------------------

_WRONG: tuple[Any, ...] = ("text", "", 7, 0, 1.5, True, False, [], [1], ["x", {}], {}, {"a": [1]})


@pytest.mark.parametrize("scheme", [BATCH, FLEET, PEOPLE], ids=["batch", "fleet", "people"])
def test_objects_come_back_the_same_wherever_a_kind_is_wrong(scheme: Scheme) -> None:
    """Objects of all sample kinds, with hooks, bags in annotations, in a field and tracked.

    Where an object, a list or a map is declared there is another value. From every version to
    every other one and back it is the same object, to the last annotation; and two conversions
    give the same bytes.
    """
    subject, reviewer = Subject(scheme), Reviewer([scheme])
    start, odd = random.randrange(1 << 30), 0
    for kind in subject.kinds():
        entry = next(found for found in scheme.kinds if found.name == kind)
        served = subject.served(kind)
        for version, number in [(version, n) for version in served for n in range(6)]:
            seed = f"{start}/{kind}/{version}/{number}"
            given: Any = subject.documents.root(Seeded(seed), kind, version)
            given["metadata"] = {**(given.get("metadata") or {}), "name": "x"}
            given["apiVersion"] = scheme.api_version(version, entry)
            given["kind"] = entry.name_in(version)
            given = _as_pruned(scheme, given, next(other for other in served if other != version))
            _damage(random.Random(seed), scheme.twin(kind, version), given)
            for other in served:
                there = reviewer.review(body_of([given], scheme.api_version(other, entry)))
                again = reviewer.review(body_of([given], scheme.api_version(other, entry)))
                assert again.body == there.body, (seed, other)
                assert not there.message, (seed, other)
                back = reviewer.review(body_of(converted(there.body), given["apiVersion"]))
                assert not back.message, (seed, other)
                assert _settled(converted(back.body)[0]) == _settled(given), (seed, other)
                odd += len(there.oddities)
    assert odd


def _as_pruned(scheme: Scheme, document: Any, other: str) -> Any:
    """Return an object without the members that an API server would prune."""
    version = document["apiVersion"].rpartition("/")[2]
    there = scheme.convert(document, to=other)
    found = scheme.convert(there, to=version)
    found["metadata"] = {**document["metadata"]}
    return found


def _damage(chance: random.Random, root: type[Object], document: Any) -> None:
    """Put values of wrong kinds at up to three places where containers are declared."""
    found: list[tuple[Any, Any, ValueShape]] = []
    for name, member in shape_of(root).members.items():
        if name != "metadata" and name in document:
            found.extend(_places(member.value, document, name))
    for holder, key, shape in chance.sample(found, min(len(found), chance.choice((1, 1, 2, 3)))):
        right: tuple[type, ...] = (list if shape.container == "list" else dict,)
        if shape.type is not None and issubclass(shape.type, (StorageUnion, StorageTuple)):
            right = (dict, list, str)
        holder[key] = chance.choice([item for item in _WRONG if type(item) not in right])


def _places(shape: ValueShape, holder: Any, key: Any) -> Iterator[tuple[Any, Any, ValueShape]]:
    """Yield where containers are declared: holder, key, and what is declared."""
    value = holder[key]
    if value is None or shape.container == "value":
        return
    yield holder, key, shape
    if shape.type is not None and type(value) is dict:
        for name, member in shape_of(shape.type).members.items():
            if name in value:
                yield from _places(member.value, value, name)
    elif shape.item is not None:
        for inner in range(len(value)) if type(value) is list else list(value):
            yield from _places(shape.item, value, inner)


def _settled(document: dict[str, Any]) -> dict[str, Any]:
    """Return an object without an empty status: it equals none where it carries tracked values."""
    if document.get("status") or not document["apiVersion"].startswith("people."):
        return document
    return {name: value for name, value in document.items() if name != "status"}

"""The declared group of the sample project: people and teams, with every action."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generated.people import SCHEME, v1, v1alpha1
from generated.people.kinds import Person, PersonVersion, Team, TeamVersion
from holdall.kubernetes.conform.validity import flaws, prune
from holdall.kubernetes.crds.rules import check_crd
from holdall.plan.declared import declared_types
from holdall.plan.plans import TypeRef
from holdall.text.json import copy, same
from holdall.text.loading import load_file
from holdall.types import members
from tests.declared.random_declarations import Objects
from tests.support.objects import resource
from tests.support.reviews import review_of

ROOT = Path(__file__).parents[2]
VERSIONS = [version.name for version in SCHEME.versions]
OLD, MIDDLE, NEW = VERSIONS


def person(version: str, **spec: Any) -> Any:
    whole: dict[str, dict[str, Any]] = {
        OLD: {
            "name": "Ada Byron",
            "badge": 7,
            "hiredIn": 1998,
            "skills": "poetry",
            "contract": "permanent",
            "phones": [],
            "desks": {},
            "fax": "none",
        },
        NEW: {
            "fullName": "Ada Byron",
            "displayName": "Ada",
            "badge": 7,
            "hiredOn": "1998-01-01",
            "skills": ["poetry"],
            "contract": "permanent",
            "phones": [],
            "desks": {},
        },
    }
    return resource(
        f"people.example.com/{version}", "Person", "ada", spec={**whole[version], **spec}
    )


def tracked(obj: Any) -> Any:
    """The entries of an object as `version path` and what stands there."""
    changed = obj.get("status", {}).get("changedValues", {})
    return {
        f"{version} {entry['jsonPath']}": entry
        for section in changed.values()
        for version, entries in section.items()
        for entry in entries
    }


# --- each action -----------------------------------------------------------------------------

# What of the oldest version becomes what of the newest one, and nothing is tracked.
PLAIN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "renamed": ({"name": "Ada Noel"}, {"fullName": "Ada Noel", "displayName": "Ada"}),
    "retyped by functions": ({"skills": "a, b"}, {"skills": ["a", "b"]}),
    "retyped and renamed": ({"hiredIn": 2001}, {"hiredOn": "2001-01-01"}),
    "widened": ({"badge": 65535}, {"badge": 65535}),
    "deprecated": ({"pager": "9"}, {"deprecatedPager": "9"}),
    "deprecated null": ({"pager": None}, {"deprecatedPager": None}),
    "bare variant": ({"contract": "trainee"}, {"contract": "deprecatedTrainee"}),
    "payload": (
        {"contract": {"temporary": {"until": "2030"}}},
        {"contract": {"temporary": {"until": "2030", "renewable": False}}},
    ),
    "renamed in a map": (
        {"desks": {"a.b": {"place": "1"}}},
        {"desks": {"a.b": {"room": "1", "adjustable": False}}},
    ),
}


@pytest.mark.parametrize(("old", "new"), PLAIN.values(), ids=PLAIN.keys())
def test_what_converts_both_ways(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Each side is what the other is converted to, and no entry is needed."""
    older, newer = person(OLD, **old), person(NEW, **new)
    assert same(SCHEME.convert(older, to=NEW), newer)
    assert same(SCHEME.convert(newer, to=OLD), older)


# What of the newest version is shown how in the oldest one, and what has to be tracked.
TRACKED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = yaml.safe_load(r"""
added: [{email: a@b}, {}, {v1beta1 $.email: {jsonPath: $.email, value: a@b}}]
added from its parent: [{displayName: A.}, {},
  {v1 $.displayName: {jsonPath: $.displayName, value: A.}}]
narrowed: [{badge: 70000}, {badge: 65535},
  {v1 $.badge: {jsonPath: $.badge, value: 70000, downgradedValue: 65535}}]
retyped: [{skills: ["a, b"]}, {skills: "a, b"},
  {v1 $.skills: {jsonPath: $.skills, value: ["a, b"], downgradedValue: "a, b"}}]
variant:
  - {contract: freelance}
  - {contract: permanent}
  - {v1beta1 $.contract: {jsonPath: $.contract, value: freelance, downgradedValue: permanent}}
in a list:
  - {phones: [{label: x'y, number: "1", kind: mobile, extension: 3}]}
  - {phones: [{label: x'y, number: "1", kind: mobile}]}
  - "v1beta1 $.phones[?@.label=='x\\'y'].extension":
      jsonPath: "$.phones[?@.label=='x\\'y'].extension"
      value: 3
in a map:
  - {desks: {a.b: {room: "1", adjustable: true}}}
  - {desks: {a.b: {place: "1"}}}
  - {"v1 $.desks['a.b'].adjustable": {jsonPath: "$.desks['a.b'].adjustable", value: true}}
""")


@pytest.mark.parametrize(("new", "old", "entries"), TRACKED.values(), ids=TRACKED.keys())
def test_what_is_tracked(new: dict[str, Any], old: dict[str, Any], entries: Any) -> None:
    """An older version shows what it can, the entries hold the rest, and all of it returns."""
    newer = person(NEW, **new)
    older = SCHEME.convert(newer, to=OLD)
    assert tracked(older) == entries
    shown = {name: part for name, part in older.items() if name != "status"}
    assert same(shown, person(OLD, **old))
    assert same(SCHEME.convert(older, to=NEW), newer)


def test_what_was_removed_waits() -> None:
    """Values that newer versions do not have wait among the downgrades."""
    older = person(OLD, fax="101", contract="seasonal")
    newer = SCHEME.convert(older, to=NEW)
    assert same(newer["spec"], person(NEW)["spec"])
    assert newer["status"] == {
        "changedValues": {
            "downgrades": {
                "v1beta1": [
                    {"jsonPath": "$.fax", "value": "101"},
                    {"jsonPath": "$.contract", "value": "seasonal", "upgradedValue": "permanent"},
                ]
            }
        }
    }
    assert same(SCHEME.convert(newer, to=OLD), older)


# --- edits -----------------------------------------------------------------------------------

EDITS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = yaml.safe_load("""
a narrowed number: [{badge: 70000}, {badge: 9}, {badge: 9}]
a text that was a list: [{skills: ["a, b"]}, {skills: "a, b, c"}, {skills: [a, b, c]}]
a variant that stands for another: [{contract: freelance}, {contract: seasonal},
  {contract: permanent}]
a year: [{hiredOn: "1998-06-01"}, {hiredIn: 1999}, {hiredOn: "1999-01-01"}]
something else: [{badge: 70000}, {name: Ada}, {badge: 70000, fullName: Ada, displayName: Ada}]
""")


@pytest.mark.parametrize(("new", "edit", "expected"), EDITS.values(), ids=EDITS.keys())
def test_an_edit_in_the_old_version_wins(
    new: dict[str, Any], edit: dict[str, Any], expected: dict[str, Any]
) -> None:
    """The newer version shows the edit, and still everything that was not touched."""
    older = SCHEME.convert(person(NEW, **new), to=OLD)
    older["spec"].update(edit)
    newer = SCHEME.convert(older, to=NEW)
    assert same(newer["spec"], person(NEW, **expected)["spec"])
    assert same(SCHEME.convert(newer, to=OLD)["spec"], older["spec"])


def test_elements_are_followed_by_their_keys() -> None:
    """A client of the old version reorders, removes and adds phones; each keeps its own."""
    phones = [
        {"label": label, "number": "1", "kind": "video", "extension": extension}
        for label, extension in (("a", 1), ("b", 2), ("c", 3))
    ]
    older = SCHEME.convert(person(NEW, phones=phones), to=OLD)
    first, _, third = older["spec"]["phones"]
    older["spec"]["phones"] = [third, {"label": "d", "number": "4", "kind": "mobile"}, first]
    newer = SCHEME.convert(older, to=NEW)
    assert newer["spec"]["phones"] == [
        phones[2],
        {"label": "d", "number": "4", "kind": "mobile"},
        phones[0],
    ]
    assert not tracked(newer)


# --- laws on random objects ------------------------------------------------------------------


def draw(kind: str, version: str, random: Random, *, partial: bool) -> dict[str, Any]:
    maker = Objects(random, declared_types("generated.people"), partial=partial)
    api_version = f"people.example.com/{version}"
    return maker.document(api_version, kind, TypeRef(version, kind))


@pytest.mark.parametrize("kind", ["Person", "Team"])
@given(seed=st.integers(0, 2**32))
def test_any_walk_back_to_the_start_gives_the_same_object(kind: str, seed: int) -> None:
    """Whatever versions lie on the way; the source is not changed."""
    random = Random(seed)
    start = random.choice(VERSIONS)
    obj = draw(kind, start, random, partial=random.random() < 0.5)
    before = copy(obj)
    at = obj
    for stop in (*random.choices(VERSIONS, k=3), start):
        at = SCHEME.convert(at, to=stop)
    assert same(at, before)
    assert same(obj, before)


@given(seed=st.integers(0, 2**32))
def test_an_edit_stands_after_a_trip_to_the_newest_version(seed: int) -> None:
    """What a client of an old version writes is what it reads after others converted it."""
    random = Random(seed)
    older: Any = SCHEME.convert(draw("Person", NEW, random, partial=False), to=OLD)
    fresh = draw("Person", OLD, random, partial=False)["spec"]
    for name in random.sample(sorted(fresh), 2):
        older["spec"][name] = fresh[name]
    back = SCHEME.convert(SCHEME.convert(older, to=NEW), to=OLD)
    assert same(back["spec"], older["spec"])


# --- the CRDs and what is generated beside the converters ------------------------------------


def samples() -> list[Any]:
    documents = load_file(ROOT / "samples/people/people.yaml")
    return [document.value for document in documents]


@pytest.mark.parametrize("obj", samples(), ids=lambda obj: obj["metadata"]["name"])
def test_servers_accept_and_keep_what_conversions_write(obj: Any) -> None:
    """At every version, entries included: it fits the schema, and nothing of it is pruned."""
    kind: Any = {"Person": Person, "Team": Team}[obj["kind"]]
    crd: Any = kind.merged_crd(kind.Version(NEW))
    assert list(check_crd(crd)) == []
    for version in crd["spec"]["versions"]:
        schema = members(version, "schema", "openAPIV3Schema")
        there = SCHEME.convert(obj, to=version["name"])
        assert list(flaws(there, schema)) == []
        assert same(prune(there, schema, is_root=True), there)


def test_paths_of_the_crd_follow_the_versions() -> None:
    """Scale and columns have the names of each version, and miss what it lacks."""
    crd: Any = Team.merged_crd(TeamVersion.V1, order="stored-first")
    assert [
        (
            version["name"],
            members(version, "subresources").get("scale"),
            [column["jsonPath"] for column in version["additionalPrinterColumns"]],
        )
        for version in crd["spec"]["versions"]
    ] == [
        (
            "v1",
            {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.present"},
            [".spec.lead", ".spec.size"],
        ),
        (
            "v1beta1",
            {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.here"},
            [".spec.boss", ".spec.size"],
        ),
        ("v1alpha1", None, [".spec.boss"]),
    ]


def test_a_review() -> None:
    """A ConversionReview is answered with converted objects, or says what is wrong."""
    objects = [person(OLD), person(NEW, badge=70000)]
    review = review_of(objects, "people.example.com/v1")
    reply: Any = Person.try_convert(review)
    assert reply["response"]["result"] == {"status": "Success"}
    assert reply["response"]["convertedObjects"] == [person(NEW), objects[1]]
    reply = Person.try_convert(
        review_of([person(OLD, hiredIn="long ago")], "people.example.com/v1")
    )
    result = reply["response"]["result"]
    assert result["code"] == 400
    assert result["message"].endswith('invalid type: string "long ago", expected u16')


def test_typed_objects_convert() -> None:
    """API types and the enum of versions do the same as documents and names."""
    older = v1alpha1.Person.from_dict(person(OLD, contract={"temporary": {"until": "2030"}}))
    newer = Person.convert(older, PersonVersion.V1)
    assert isinstance(newer, v1.Person)
    assert newer.spec is not None
    assert newer.spec.contract.temporary == v1.Term(until="2030", renewable=False)
    assert PersonVersion.from_api_version("people.example.com/v1beta1").value == MIDDLE


def test_every_pair_of_versions_converts_the_samples() -> None:
    """Over every two versions, each sample comes back."""
    for obj, (first, second) in product(samples(), product(VERSIONS, repeat=2)):
        there = SCHEME.convert(SCHEME.convert(obj, to=first), to=second)
        assert same(SCHEME.convert(there, to=obj["apiVersion"]), obj)

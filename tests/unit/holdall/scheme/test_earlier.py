"""What another converter kept in an annotation is read once, and the bag takes its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.carriers.reports import Report
from holdall.errors import ConversionError
from holdall.explain.fates import fates
from holdall.scheme.scheme import Scheme
from tests.support.notation import schema_text
from tests.support.objects import resource
from tests.support.projects import (
    THING_CONFIG,
    THING_FILES,
    build_project,
    config_of,
    scheme_of,
)

Json = dict[str, Any]
KEY = "example.com/conversion-data"


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """A group of two versions that takes over from another converter."""
    config = f"takes_over: {KEY}\n{THING_CONFIG}"
    return scheme_of(build_project(tmp_path_factory.mktemp("earlier"), config, THING_FILES))


def thing(spec: Json, kept: Any = None, **annotations: str) -> Json:
    if kept is not None:
        annotations[KEY] = kept if isinstance(kept, str) else json.dumps(kept)
    metadata: Json = {"name": "a"}
    if annotations:
        metadata["annotations"] = annotations
    head = {"apiVersion": "example.com/v1", "kind": "Thing"}
    return {**head, "metadata": metadata, "spec": spec}


def test_what_was_kept_comes_back_and_the_annotation_goes(scheme: Scheme) -> None:
    """Hidden data of the storage version returns; other annotations stay."""
    kept = {"spec": {"size": 1, "shade": 7}}
    newer: Json = scheme.convert(thing({"size": 1}, kept, note="n"), to="v2")
    assert newer["spec"] == {"size": 1, "shade": 7}
    assert newer["metadata"] == {"name": "a", "annotations": {"note": "n"}}
    older: Json = scheme.convert(newer, to="v1")
    assert KEY not in older["metadata"]["annotations"]
    assert scheme.convert(older, to="v2") == newer


def test_the_kind_may_have_another_name_there(tmp_path: Path) -> None:
    """What was kept is of the storage version, whatever that calls the kind."""
    sources = "sources: [{schemas: v1.yaml, version: v1, kinds: {Thing: ''}}, {schemas: v2.yaml,"
    config = f"""
takes_over: {KEY}
groups:
  things:
    api_group: example.com
    {sources} version: v2, kinds: {{Box: ''}}}}]
    versions: [v1, v2]
    between: {{v1 -> v2: {{Thing: {{$type: Box}}}}}}
"""
    scheme = scheme_of(build_project(tmp_path, config, THING_FILES))
    newer: Json = scheme.convert(thing({"size": 1}, {"spec": {"shade": 7}}), to="v2")
    assert (newer["kind"], newer["spec"]) == ("Box", {"size": 1, "shade": 7})


@pytest.mark.parametrize(
    "more",
    [
        "",
        "carrier: {Thing: {budget: 1024}}",
        "carrier: {Thing: field}",
        "carrier: {Thing: none}",
        "crd: {kinds: {Thing: {status_slot: true}}}",
    ],
)
def test_no_carrier_has_to_have_room_for_it(tmp_path: Path, more: str) -> None:
    """What was kept goes to its object at once, whatever carries the bags of the kind."""
    files = {
        "v1.yaml": schema_text("metadata: object\nspec: {size: integer}\nstatus: {phase: string}"),
        "v2.yaml": schema_text(
            "metadata: object\nspec: {size: integer, shade: string}\n"
            "status: {phase: string, more: string}"
        ),
    }
    config = f"takes_over: {KEY}\n{config_of('Thing', api_group='example.com', more=more)}"
    scheme = scheme_of(build_project(tmp_path, config, files))
    long = "".join(map(str, range(40_000)))
    kept = {"spec": {"shade": long}, "status": {"phase": "a", "more": "b"}}
    older: Json = {**thing({"size": 1}, kept), "status": {"phase": "now"}}
    report: Report = []
    newer: Json = scheme.convert(older, to="v2", report=report)
    assert newer["spec"]["shade"] == long
    assert (newer["status"], report) == ({"phase": "now", "more": "b"}, [])
    if more.endswith("field}"):  # a bag there wins, too
        newer["spec"]["shade"] = "new"
        again: Json = scheme.convert(newer, to="v1")
        again["metadata"]["annotations"] = {KEY: json.dumps(kept)}
        assert scheme.convert(again, to="v2") == newer


def test_live_members_win(scheme: Scheme) -> None:
    """An annotation is as old as the last conversion: what a client wrote since stands."""
    kept = {"spec": {"size": 1, "labels": {"a": "b"}, "shade": 7}}
    newer = scheme.convert(thing({"size": 2}, kept), to="v2")
    assert newer["spec"] == {"size": 2, "shade": 7}
    assert newer["metadata"] == {"name": "a"}


def test_a_bag_wins(scheme: Scheme) -> None:
    """Where holdall has written a bag, the annotation is out of date."""
    v2: Json = {"apiVersion": "example.com/v2", "kind": "Thing", "spec": {"shade": 3}}
    older: Json = scheme.convert({**v2, "metadata": {"name": "a"}}, to="v1")
    older["metadata"]["annotations"][KEY] = json.dumps({"spec": {"shade": 7}})
    newer = scheme.convert(older, to="v2")
    assert newer["spec"] == {"shade": 3}
    assert newer["metadata"] == {"name": "a"}


@pytest.mark.parametrize("text", ["{", "[]", "null"])
def test_what_cannot_be_read_is_refused(text: str, scheme: Scheme) -> None:
    """Nobody can tell what was kept, so the object is refused, with the annotation's place."""
    with pytest.raises(ConversionError) as caught:
        scheme.convert(thing({}, text), to="v2")
    assert caught.value.path == "/metadata/annotations/example.com~1conversion-data"


def test_what_cannot_be_converted_is_told_from_the_object(scheme: Scheme) -> None:
    """The place is that of the annotation: the object's own spec is an object."""
    with pytest.raises(ConversionError) as caught:
        scheme.convert(thing({}, {"spec": 5}), to="v2")
    assert caught.value.path == "/metadata/annotations/example.com~1conversion-data"
    assert caught.value.rule == (
        "what another converter kept cannot be converted: /spec: expected object, found integer"
    )


def test_text_is_json_as_documents_are(scheme: Scheme, tmp_path: Path) -> None:
    """Through the version it came from nothing is read, and nothing changes."""
    document = thing({"size": 1}, {"spec": {"shade": 7}})
    assert scheme.convert(document, to="v1") == document


_LABEL_HOOK = """
from {generated}.things.v1.storage import AssignableThing
from holdall import Completing, Composed, Members


class Noted(Completing):
    older = newer = ("metadata",)

    def complete_newer(self, older: Members, newer: Members) -> Members:
        notes = dict(newer.get("metadata", {}).get("annotations", {}))
        notes.pop("seen", None)
        rest = {name: one for name, one in newer["metadata"].items() if name != "annotations"}
        return {"metadata": {**rest, "annotations": notes} if notes else rest}

    def complete_older(self, newer: Members, older: Members) -> Members:
        notes = older.get("metadata", {}).get("annotations", {})
        return {"metadata": {**older["metadata"], "annotations": {**notes, "seen": "yes"}}}


class Things(Composed, AssignableThing):
    parts = (Noted(),)
"""


def test_metadata_is_what_the_way_up_makes_of_it(tmp_path: Path) -> None:
    """Only spec and status were kept: what hooks put into metadata on the way down goes again."""
    files = {**THING_FILES, "hooks/noted.py": _LABEL_HOOK}
    scheme = scheme_of(build_project(tmp_path, f"takes_over: {KEY}\n{THING_CONFIG}", files))
    older = thing({"size": 1}, {"spec": {"size": 1, "shade": 7}}, seen="yes")
    newer: Json = scheme.convert(older, to="v2")
    assert newer["spec"] == {"size": 1, "shade": 7}
    assert newer["metadata"] == {"name": "a"}


def test_fates_follow_what_was_kept(scheme: Scheme) -> None:
    """What comes back is a field, as an entry of the bag that takes the annotation's place."""
    document = thing({"size": 1}, {"spec": {"size": 1, "shade": 7}})
    found = {item.path: item.shown for item in fates(document, scheme, "v2")}
    assert found["/spec/$propertyBag/v2/shade"] == ("/spec/shade",)
    assert not any("conversion-data" in path for path in found)
    assert "/metadata/annotations/example.com~1conversion-data" in {
        item.path for item in fates(document, scheme, "v1")
    }


GUIDE = """
from __future__ import annotations

from typing import Annotated

from holdall.declare import *

VERSIONS = Versions(Version("v1"), Version("v2"))


@resource(group="sleep.example.org")
class HotelSpec:
    rooms: int
    stars: Annotated[int | None, added("v2")]


@resource(group="eat.example.org")
class BakerySpec:
    ovens: int
    stars: Annotated[int | None, added("v2")]
"""


@pytest.mark.parametrize(
    ("kind", "group", "known"),
    [("Hotel", "sleep.example.org", "rooms"), ("Bakery", "eat.example.org", "ovens")],
)
def test_kinds_of_several_groups_are_taken_over(
    kind: str, group: str, known: str, tmp_path: Path
) -> None:
    config = f"takes_over: {KEY}\ngroups: {{guide: {{sources: [{{declared: guide.py}}]}}}}\n"
    scheme = scheme_of(build_project(tmp_path, config, {"guide.py": GUIDE}))
    newer = resource(f"{group}/v2", kind, "n", spec={known: 1, "stars": 3})
    older = resource(f"{group}/v1", kind, "n", spec={known: 2})
    older["metadata"]["annotations"] = {KEY: json.dumps(newer)}
    found = scheme.convert(older, to="v2")
    assert found == resource(f"{group}/v2", kind, "n", spec={known: 2, "stars": 3})

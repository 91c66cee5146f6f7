"""A release is rolled out, and for a while the one before it answers as well.

The CRD declares what either of them does. Clients write other properties than `tier`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.kubernetes.conform.storage import Store
from holdall.scheme.scheme import Scheme
from tests.support.crds import crd_of, struct
from tests.support.fake_apiserver import store_of
from tests.support.objects import resource
from tests.support.projects import build_project, scheme_of

GROUP = "rollout.example.com"
CONFIG = "groups:\n  things:\n    sources: [{{crds: crd.json}}]\n    versions: [{}]\n    hub: v1\n"
TEXT = {"type": "string"}
EITHER = {"x-kubernetes-int-or-string": True}
TIER = {"tier": TEXT}
TIERS = {"tier": {"type": "array", "items": TEXT}}
WITHOUT: dict[str, Any] = {}
TO_V2, TO_V1B = (
    f"    between: {{v1 -> {name}: {{ThingSpec: {{tier: {{wrap: true}}}}}}}}\n"
    for name in ("v2", "v1b")
)


@dataclass(frozen=True, slots=True)
class Edit:
    """What each version declares beside `size`, before and after an edit.

    `facts` are the declared differences before and after it, `tier` the value that is kept.
    """

    before: dict[str, Any]
    after: dict[str, Any]
    facts: tuple[str, str] = ("", "")
    tier: Any = "gold"
    stored: str = "v1"


GAINED = Edit({"v1": WITHOUT, "v2": TIER}, {"v1": TIER, "v2": TIER})
RENAMED = Edit(
    {"v1": WITHOUT, "v2": TIER},
    {"v1": {"level": TEXT}, "v2": TIER},
    ("", "    between: {v1 -> v2: {ThingSpec: {level: tier}}}\n"),
)
LOST = Edit({"v1": TIER, "v2": TIER}, {"v1": WITHOUT, "v2": TIER}, stored="v2")
BETWEEN = Edit({"v1": WITHOUT, "v2": TIER}, {"v1": WITHOUT, "v1b": TIER, "v2": TIER})
BETWEEN_BESIDE = Edit(
    {"v1": TIER, "v2": TIERS},
    {"v1": TIER, "v1b": TIERS, "v2": TIERS},
    (TO_V2, TO_V1B),
    ["gold", "silver"],
    "v2",
)
NEWEST = Edit({"v1": WITHOUT, "v2": TIER}, {"v1": WITHOUT, "v2": TIER, "v3": {"new": TEXT}})
OLDEST = Edit({"v1": WITHOUT, "v2": TIER}, {"v0": {"old": TEXT}, "v1": WITHOUT, "v2": TIER})
TAKES_MORE = Edit(
    {"v1": {"tier": {"type": "integer"}}, "v2": {"tier": EITHER}},
    {"v1": {"tier": EITHER}, "v2": {"tier": EITHER}},
)
EDITS = {name: edit for name, edit in globals().items() if isinstance(edit, Edit)}


class Rollout:
    """One object at a server, made at v2 through the release before an edit."""

    def __init__(self, root: Path, edit: Edit) -> None:
        declared = {
            name: {**edit.before.get(name, {}), **edit.after.get(name, {})}
            for name in {**edit.before, **edit.after}
        }
        self._crd = _crd(declared, edit.stored)
        self.before = self._store(root / "before", edit.before, edit.facts[0], edit.stored)
        self.after = self._store(root / "after", edit.after, edit.facts[1], edit.stored)
        self.after.stored = self.before.stored
        head: dict[str, Any] = resource(f"{GROUP}/v2", "Thing", "a")
        self.before.create({**head, "spec": {"size": 0, "tier": edit.tier}})

    def _store(self, root: Path, versions: dict[str, Any], facts: str, stored: str) -> Store:
        files = {"crd.json": json.dumps(_crd(versions, stored))}
        config = CONFIG.format(", ".join(sorted(versions))) + facts
        return store_of(self._crd, scheme_of(build_project(root, config, files)))

    def write(self, size: int, reader: Store, writer: Store, at: str = "v2") -> None:
        """Let a client read the object through one release and write it through another."""
        version = next(it for it in reader.kind.versions if it.name == at)
        seen: Any = reader.get("a", version)
        seen["spec"]["size"] = size
        writer.update(seen)

    def read(self, store: Store) -> Any:
        """Return the spec at v2."""
        return store.get("a", next(it for it in store.kind.versions if it.name == "v2"))["spec"]


def _crd(versions: dict[str, Any], stored: str) -> Any:
    schemas = {
        name: struct(spec=struct(size={"type": "integer"}, **members))
        for name, members in versions.items()
    }
    return crd_of("Thing", schemas, group=GROUP, stored=stored)


@pytest.mark.parametrize("name", EDITS)
def test_one_release_after_the_other(tmp_path: Path, name: str) -> None:
    """Nothing is lost, whatever the edit is."""
    it = Rollout(tmp_path, EDITS[name])
    it.write(1, it.before, it.before)
    for size, at in enumerate(("v2", "v1", "v2"), 2):
        it.write(size, it.after, it.after, at)
        assert it.read(it.after) == {"size": size, "tier": EDITS[name].tier}


@pytest.mark.parametrize("edit", [GAINED, NEWEST, OLDEST, TAKES_MORE, BETWEEN])
def test_both_releases_at_once(tmp_path: Path, edit: Edit) -> None:
    """What the one before does not show meanwhile is not lost, whoever reads and writes."""
    it = Rollout(tmp_path, edit)
    turns = [(one, other, at) for one in "ab" for other in "ab" for at in ("v1", "v2")]
    stores = {"a": it.after, "b": it.before}
    for size, (reader, writer, at) in enumerate(turns + turns[::-1]):
        it.write(size, stores[reader], stores[writer], at)
        assert it.read(it.after) == {"size": size, "tier": edit.tier}


def test_what_is_lost_while_both_releases_answer(tmp_path: Path) -> None:
    """So the guide says that they must not, for these edits."""
    renamed = Rollout(tmp_path / "renamed", RENAMED)
    renamed.write(1, renamed.after, renamed.after)
    renamed.write(2, renamed.before, renamed.before)
    assert renamed.read(renamed.after) == {"size": 2}

    lost = Rollout(tmp_path / "lost", LOST)
    lost.write(1, lost.before, lost.after, "v1")
    assert lost.read(lost.after) == {"size": 1}

    between = Rollout(tmp_path / "between", BETWEEN_BESIDE)
    between.write(1, between.after, between.before, "v1")
    assert between.read(between.after) == {"size": 1, "tier": ["gold"]}


def _rewritten(document: Any, said: str, now: str) -> Any:
    """Return a document whose annotation has another text."""
    annotations = document["metadata"]["annotations"]
    text = annotations[SPEC_ANNOTATION]
    assert said in text
    annotations = {**annotations, SPEC_ANNOTATION: text.replace(said, now)}
    return {**document, "metadata": {**document["metadata"], "annotations": annotations}}


@pytest.mark.parametrize("later", ['"v":3', '"v":2,"news":[1]'], ids=["format", "member"])
@pytest.mark.parametrize("box", [{}, {"box": {"a": 1}}], ids=["alone", "with a bag of its own"])
def test_what_a_release_before_cannot_read_comes_back(
    scheme: Scheme, later: str, box: dict[str, Any]
) -> None:
    """It passes the envelope of a later one on, which finds it in a document of another version."""
    spec = {"size": 1, "shade": 5, "parts": [{"name": "a"}, {"name": "b"}]}
    made = resource("example.com/v2", "Thing", "a", spec=spec)
    older = _rewritten(scheme.convert(made, to="v1"), '"v":2', later)
    older["spec"].update(box)

    report: list[Any] = []
    passed = scheme.convert(older, to="v2", report=report)  # by the release before
    assert "it stays as it is" in str(report) and "shade" not in passed["spec"]
    assert ("found that of a later release" in str(report)) is ("3" in later)
    passed["spec"]["size"] = 2

    escaped = [text.replace('"', '\\"') for text in (later, '"v":2')] if box else [later, '"v":2']
    found: list[Any] = []
    read = scheme.convert(_rewritten(passed, *escaped), to="v1", report=found)
    assert scheme.convert(read, to="v2")["spec"] == {**spec, "size": 2}
    assert read["spec"] == {"size": 2, "parts": spec["parts"], **box}
    assert not found


def test_the_own_values_of_a_version_that_a_release_before_did_not_show(scheme: Scheme) -> None:
    """The envelope was made at v2 and keeps what v1 has: declared members, at any depth."""
    parts = [{"name": "a", "weight": 3}]
    made = resource("example.com/v1", "Thing", "a", spec={"color": "red", "parts": parts})
    other = scheme.convert(made, to="v2")
    later = scheme.convert(_rewritten(other, '"v":2', '"v":3'), to="v1")
    assert later["spec"] == {"parts": [{"name": "a"}]}
    passed = _rewritten(later, '"v":3', '"v":2')
    report: list[Any] = []
    there = scheme.convert(passed, to="v2", report=report)
    assert scheme.convert(there, to="v1")["spec"] == made["spec"]
    assert not report

    passed["spec"]["color"] = "blue"
    back = scheme.convert(scheme.convert(passed, to="v2", report=report), to="v1")
    assert back["spec"] == {"color": "blue", "parts": parts}
    assert [str(one) for one in report] == [
        "/spec: v1/color is dropped: the live document has another value"
    ]


def test_no_passed_on_value_of_a_client_passes_for_a_bag(scheme: Scheme) -> None:
    """A member may have the name of a bag; whether it is there still, the live document says."""
    made = resource("example.com/v1", "Thing", "a", spec={"$propertyBag": "text", "color": "red"})
    other = scheme.convert(made, to="v2")
    assert scheme.convert(other, to="v1") == made
    report: list[Any] = []
    there = scheme.convert({**other, "apiVersion": "example.com/v1"}, to="v2", report=report)
    assert scheme.convert(there, to="v1")["spec"] == {"color": "red"}
    assert [str(one) for one in report] == [
        "/spec: v1/$propertyBag is dropped: the live document decides about it"
    ]


def test_what_was_set_meanwhile_wins_over_what_a_release_before_could_not_read(
    scheme: Scheme,
) -> None:
    """The report says so."""
    made = resource("example.com/v2", "Thing", "a", spec={"shade": 5})
    passed = {**scheme.convert(made, to="v1"), "apiVersion": "example.com/v2", "spec": {"shade": 7}}
    report: list[Any] = []
    read = scheme.convert(passed, to="v1", report=report)
    assert scheme.convert(read, to="v2")["spec"] == {"shade": 7}
    assert [(str(one.address), one.origin, one.key) for one in report] == [("/spec", "v2", "shade")]

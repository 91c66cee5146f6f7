"""The model of the explorer: what the page knows of a project."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from holdall.errors import ConversionError, SourceError
from holdall_codegen.explore.model import Wanted, cuts, project_model, stale
from holdall_codegen.explore.objects import differences
from holdall_codegen.explore.server import answer_of
from holdall_codegen.project import load_project
from tests.support.diamonds import diamond_group
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, written_hook

SAMPLE = """\
apiVersion: example.com/v1
kind: Thing
metadata: {name: cup}
spec: {size: 3, color: red, box: {a: 1}, parts: [{name: handle, weight: 20}]}
"""
HOOK = """\
from holdall import TwoWay, Composed
from {generated}.things.v1 import storage as v1


class Shades(TwoWay):
    older = ("color",)
    newer = ("shade",)

    def to_newer(self, older):
        return {"shade": len(older["color"])} if "color" in older else {}

    def to_older(self, newer):
        return {"color": "x" * (newer["shade"] % 50)} if "shade" in newer else {}


class Colours(Composed, v1.AssignableThingSpec):
    parts = (Shades(),)
"""

FORGETFUL = written_hook(
    "destination.shade = 1", 'destination.color = "blue"', reads="color", writes="shade"
)


def model_of(root: Path, **wanted: Any) -> Any:
    model = project_model(load_project(root), Wanted(**{"examples": 0, **wanted}))
    return json.loads(json.dumps(model))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a hook, a renamed property and one sample."""
    config = THING_CONFIG + "    between: {v1 -> v2: {Part: {name: {strategy: stash}}}}\n"
    files = {**THING_FILES, "hooks/colours.py": HOOK}
    root = build_project(tmp_path, config, files)
    (root / "samples").mkdir()
    (root / "samples/thing.yaml").write_text(SAMPLE)
    return root


def lane(model: Any, path: str) -> Any:
    return next(item for item in model["groups"][0]["kinds"][0]["lanes"] if item["path"] == path)


def decision(model: Any, path: str, place: int = 0) -> Any:
    index = next(index for index in lane(model, path)["passages"][place] if index is not None)
    return model["groups"][0]["decisions"][index]


def test_a_sample_is_an_object(project: Path) -> None:
    """What is none is not left out without a word; a document of nothing is."""
    (project / "samples/thing.yaml").write_text(f"{SAMPLE}---\n---\n- 1\n")
    text = r"HA110 .*samples/thing\.yaml:7:1: expected an object, found list"
    with pytest.raises(SourceError, match=text):
        model_of(project)
    (project / "samples/thing.yaml").write_text(f"{SAMPLE}---\n")
    assert len(model_of(project)["objects"]) == 3


def test_a_decision_says_where_it_is_written(project: Path) -> None:
    """The reason, the schema's lines, the line of holdall.yaml."""
    model = model_of(project)
    found = decision(model, "spec/parts/*/name")
    assert (found["fate"], found["plan"]) == ("bag", "stashed")
    file, line = found["declared"]["at"].split(":")
    assert (file, "name: {strategy: stash}" in found["declared"]["lines"]) == (
        "holdall.yaml",
        True,
    )
    assert "name" in (project / file).read_text().splitlines()[int(line) - 1]
    path, index = lane(model, "spec/size")["cells"]["v1"][0]
    assert path == "spec/size"
    known = model["groups"][0]["properties"][index]
    file, line = known["at"].split(":")
    assert (known["shows"], file) == ("integer", "v1.yaml")
    assert known["lines"].startswith("size: {type: integer}")
    assert "size" in (project / file).read_text().splitlines()[int(line) - 1]


def test_a_hook_comes_with_its_source(project: Path) -> None:
    """What a hook claims is one lane, and the classes of the hook and its parts are shown."""
    model = model_of(project)
    found = lane(model, "spec/shade")
    assert found["cells"]["v1"][0][0] == "spec/color"
    assert found["fates"] == ["hook"]
    hook = model["groups"][0]["hooks"][decision(model, "spec/shade")["hook"]]
    assert [item["text"].split("(")[0] for item in hook["sources"]] == [
        "class Colours",
        "class Shades",
    ]


def test_objects_at_every_version(project: Path) -> None:
    """A sample, converted by the project: its bag, its fields, the way back, and edits."""
    model = model_of(project)
    cup = model["objects"][0]
    assert (cup["title"], cup["where"], cup["version"]) == (
        "Thing cup",
        "samples/thing.yaml:1",
        "v1",
    )
    newer = cup["views"]["v2"]
    assert newer["document"]["spec"]["shade"] == 3
    assert [(e["origin"], e["property"], e["value"]) for e in newer["bag"]][-1] == (
        "v1",
        "weight",
        20,
    )
    assert newer["back"] == []
    fields = {path: (shown, kept) for path, shown, kept, *_ in newer["fields"]}
    assert fields["/spec/parts/0/weight"] == ([], ["v1/weight"])
    for edit in cup["edits"]:
        at = edit["changes"][edit["version"]]
        assert at == [[edit["path"], [edit["before"]], [edit["after"]]]]
    titles = [(item["title"], item["where"]) for item in model["objects"][1:]]
    assert titles == [
        ("Thing with everything", "drawn at v1"),
        ("Thing with everything", "drawn at v2"),
    ]


def test_what_has_documents_as_text_is_left_out(tmp_path: Path) -> None:
    """Such an object is converted, but has no versions; pasted, it is told what helps."""
    inner = "    inner_documents: [{in: [v1/ConfigMap], annotation: things}]\n"
    holder = "apiVersion: v1\nkind: ConfigMap\n"
    files = {**THING_FILES, "samples/all.yaml": f"{holder}---\n{SAMPLE}"}
    root = build_project(tmp_path / "inner", THING_CONFIG + inner, files)
    titles = [item["title"] for item in model_of(root)["objects"]]
    assert titles == ["Thing cup", "Thing with everything", "Thing with everything"]
    with pytest.raises(ConversionError, match="paste the document that it has as text"):
        answer_of(root, {"text": holder})


def test_laws(project: Path) -> None:
    """Each kind and pair of versions, with the laws that hold there."""
    laws = model_of(project, examples=3)["laws"]
    rows = {(row["from"], row["to"]): row for row in laws["rows"]}
    assert set(rows) == {("v1", "v2"), ("v2", "v1")}
    assert "L1" in rows["v1", "v2"]["checked"] and "L2" not in rows["v1", "v2"]["checked"]
    assert laws["broken"] == [] and all(row["broken"] == [] for row in laws["rows"])
    assert "L1" in laws["texts"] and "L11" not in laws["texts"]


def test_what_is_lost_is_seen(project: Path) -> None:
    """A wrong hook: the object does not come back, and a law is broken, with what shows it."""
    package = next(project.glob("generated_*")).name
    next(project.glob("hooks_*/colours.py")).write_text(FORGETFUL.replace("{generated}", package))
    model = model_of(project, examples=5)
    assert model["objects"][0]["views"]["v2"]["back"] == [["/spec/color", ["red"], ["blue"]]]
    laws = model["laws"]
    assert laws["broken"][0]["kind"] == "Thing"
    assert laws["broken"][0]["command"].startswith("holdall laws --kind Thing")
    assert any(row["broken"] for row in laws["rows"])


def test_stale_code_gives_no_results(project: Path) -> None:
    """What the generated code does is shown only if it was generated from this plan."""
    assert stale(load_project(project)) == ""
    schema = project / "v2.yaml"
    schema.write_text(schema.read_text().replace("shade: {type: integer}", "shade: {type: number}"))
    model = model_of(project)
    assert "plan.json is out of date; run `holdall generate`" in model["missing"]
    assert (model["objects"], model["laws"]) == ([], None)
    assert lane(model, "spec/shade")["cells"]["v2"]


def test_differences_to_an_older_state(project: Path, tmp_path_factory: Any) -> None:
    """What differs in a property names it as the lanes' properties are named."""
    older = tmp_path_factory.mktemp("older") / "project"
    shutil.copytree(project, older)
    schema = project / "v2.yaml"
    schema.write_text(schema.read_text().replace("size: {type: integer}", "size: {type: number}"))
    found = model_of(project, revision="HEAD~1", older=older)["changes"]
    named = {tuple(item["of"]): item for item in found["groups"]["things"] if "of" in item}
    assert named["v2", "ThingSpec", "size"]["subject"] in ("property", "fate")
    assert found["revision"] == "HEAD~1"
    assert any("size" in text for text in found["schemas"])
    properties = model_of(project)["groups"][0]["properties"]
    assert ("v2", "ThingSpec", "size") in {(p["version"], p["type"], p["name"]) for p in properties}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": True}, [["/a", [1], [True]]]),
        ({"a": None}, {}, [["/a", [None], []]]),
        ({}, {"a/b": 0}, [["/a~1b", [], [0]]]),
        ([1, 2], [1, 3], [["/1", [2], [3]]]),
        ([1], [1, 2], [["", [[1]], [[1, 2]]]]),
        ({"a": {"b": [{}]}}, {"a": {"b": [{"c": ""}]}}, [["/a/b/0/c", [], [""]]]),
    ],
)
def test_differences(before: Any, after: Any, expected: list[Any]) -> None:
    """Places by pointer; absent is told from null."""
    assert differences(before, after) == expected


def test_a_kind_with_too_many_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Down to some level all are there, in both versions; the model says that this is not all."""
    monkeypatch.setattr("holdall_codegen.explore.lanes.MOST", 1000)
    model: Any = project_model(
        load_project(build_project(tmp_path, *diamond_group())), Wanted(examples=0)
    )
    (kind,) = model["groups"][0]["kinds"]
    assert kind["cut"].startswith("Thing: properties are drawn down to level 9, and no deeper")
    assert cuts(model) == [kind["cut"]]
    assert len(kind["lanes"]) == 2**9 - 1
    assert {type(cell) for lane in kind["lanes"] for cell in lane["cells"].values()} == {list}

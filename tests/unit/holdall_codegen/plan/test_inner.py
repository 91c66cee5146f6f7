"""Inner documents that a plan refuses: no text is there, or it is another one in some version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.errors import PlanError
from tests.support.notation import schema_of
from tests.support.projects import build_project, group_of, scheme_of, with_spec

SPEC = "type: object\nproperties:\n  metadata: {type: object, additionalProperties: true}\n  spec: "
FILES = {
    "v1.yaml": SPEC
    + "{type: object, properties: {text: {type: string}, old: {type: string}, any: {type: object,"
    " additionalProperties: true}, free: {type: object, additionalProperties: {type: string}},"
    " box: {type: object, properties: {text: {type: string}}}, odd: {type: string},"
    " number: {type: integer}, wide: {type: string},"
    " items: {type: array, items: {type: string}}}}\n",
    "v2.yaml": SPEC
    + "{type: object, properties: {text: {type: string}, new: {type: string}, any: {type: object,"
    " additionalProperties: true}, free: {type: object, additionalProperties: {type: string}},"
    " box: {type: object, properties: {text: {type: string}}}, odd: {type: string},"
    " number: {type: integer}, wide: {type: array, items: {type: string}},"
    " items: {type: array, items: {type: string}}}}\n",
}


def config(entry: str, api_group: str = "example.com", more: str = "") -> str:
    return f"""
groups:
  things:
    api_group: "{api_group}"
    sources:
      - {{schemas: v1.yaml, version: v1, kinds: {{Thing: ""}}}}
      - {{schemas: v2.yaml, version: v2, kinds: {{Thing: ""}}}}
    versions: [v1, v2]
    inner_documents:
      - {entry}
    between:
      v1 -> v2:
        ThingSpec:
          wide: {{wrap: true}}
          old: new
          odd: {{values: {{a: b}}}}
{more}"""


@pytest.mark.parametrize(
    "path", ["spec/text", "spec/any/deep/text", "spec/free/a.yaml", "spec/box/text"]
)
def test_texts_that_are_the_same_in_all_versions(tmp_path: Path, path: str) -> None:
    entry = f"{{in: [Thing], path: {path}}}"
    scheme = scheme_of(build_project(tmp_path, config(entry), FILES))
    assert scheme.inner[0].path == tuple(path.split("/"))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{in: [Think], path: spec/text}", "the group has no kind 'Think'; did you mean"),
        ("{in: [example.com/v1/Thing], path: spec/text}", "belongs to the group itself"),
        ("{in: [Thing], path: spec/texd}", "Thing v1 has no string at spec/texd"),
        ("{in: [Thing], path: spec/old}", "Thing v2 has no string at spec/old"),
        ("{in: [Thing], path: spec/number}", "Thing v1 has no string at spec/number"),
        ("{in: [Thing], path: spec/items/0}", "Thing v1 has no string at spec/items/0"),
        ("{in: [Thing], path: spec/wide}", "Thing v2 has no string at spec/wide"),
        ("{in: [Thing], path: spec/box}", "Thing v1 has no string at spec/box"),
        ("{in: [Thing], path: spec/odd}", "v1.ThingSpec to v2.ThingSpec: odd is converted"),
    ],
)
def test_mistakes(tmp_path: Path, entry: str, said: str) -> None:
    with pytest.raises(PlanError) as caught:
        build_project(tmp_path, config(entry), FILES)
    first = caught.value.problems[0]
    assert first.code == "HA131"
    assert first.message.startswith("inner_documents: ")
    assert said in first.message, first
    assert first.where == "holdall.yaml:12"


def test_documents_without_annotations(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="documents of Thing have no annotations"):
        build_project(tmp_path, config("{in: [Thing], annotation: a}", api_group=""), FILES)


SWAPPED = {"text": {"rename": "other"}, "other": {"rename": "text"}}
SWAPPED_BOXES = {"box": {"rename": "cage"}, "cage": {"rename": "box"}}
MOVED = {"box/text": {"move": "other"}, "other": {"move": "box/text"}}


@pytest.mark.parametrize(
    ("path", "edges", "declared", "said"),
    [
        ("spec/text", "star", SWAPPED, "v1.ThingSpec to v3.ThingSpec: text is renamed"),
        ("spec/box/text", "chain", MOVED, "v1.ThingSpec to v2.ThingSpec: box/text is moved"),
        ("spec/box/text", "chain", SWAPPED_BOXES, "v1.ThingSpec to v2.ThingSpec: box is cage"),
    ],
)
def test_another_text_is_there_in_some_version(
    tmp_path: Path, path: str, edges: str, declared: dict[str, Any], said: str
) -> None:
    with pytest.raises(PlanError) as caught:
        build_project(tmp_path, *_three_versions(path, edges, declared))
    assert [problem.message for problem in caught.value.problems] == [
        f"inner_documents: {said}, so {path} is not the same string in both versions"
    ]


def test_a_property_elsewhere_has_the_name_of_one_on_the_way(tmp_path: Path) -> None:
    said = _three_versions("spec/box/text", "star", SWAPPED)
    assert scheme_of(build_project(tmp_path, *said)).inner[0].path == ("spec", "box", "text")


def _three_versions(path: str, edges: str, declared: dict[str, Any]) -> tuple[str, dict[str, str]]:
    spec = schema_of("{text: string, other: string, box: {text: string}, cage: {text: string}}")
    return group_of(
        dict.fromkeys(("v1", "v2", "v3"), with_spec(spec)),
        edges=edges,
        hub="v3",
        inner_documents=[{"in": ["Thing"], "path": path}],
        between={f"v1 -> {'v3' if edges == 'star' else 'v2'}": {"ThingSpec": declared}},
    )

"""The key `carrier` by kind: places, budgets, what goes first, and the slots of a status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall import audit
from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.errors import PlanError, SourceError
from holdall.plan.bag_limits import BagLimits
from holdall.review.reviewer import Reviewer
from holdall.scheme.scheme import Scheme
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.config.reader import read_config
from tests.support.projects import build_project, scheme_of
from tests.support.reference_webhook import CRD, GROUP
from tests.support.reviews import body_of, converted

_HEAD = f"""
groups:
  widgets:
    api_group: {GROUP}
    sources:
      - crds: crds/*.json
    versions: [v1, v2, v3]
    hub: v1
    between:
      v1 -> v2: {{WidgetSpec: {{color: shade}}}}
      v2 -> v3: {{WidgetSpec: {{shade: tint}}}}
"""


def read(tmp_path: Path, text: str) -> GroupConfig:
    path = tmp_path / "holdall.yaml"
    path.write_text(_HEAD + text, encoding="utf-8")
    [group] = read_config(path).groups
    return group


def build(tmp_path: Path, text: str, crd: Any = CRD) -> Scheme:
    return scheme_of(build_project(tmp_path, _HEAD + text, {"crds/a.json": json.dumps(crd)}))


def test_a_kind_may_say_more_than_a_word(tmp_path: Path) -> None:
    """Words and mappings may stand side by side."""
    group = read(
        tmp_path,
        "    carrier: {Widget: {in: annotation, budget: 900, drop_first: [/status, spec/a/*]},"
        " Other: none, Third: {budget: 5}}\n",
    )
    assert group.carriers == {"Widget": "annotation", "Other": "none"}
    assert group.limits == {
        "Widget": BagLimits(900, ("status", "spec/a/*")),
        "Third": BagLimits(5),
    }


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("{Widget: {}}", "HA123", "is empty"),
        ("{Widget: {place: none}}", "HA121", "the carrier of Widget"),
        ("{Widget: {in: anotation}}", "HA123", 'did you mean "annotation"'),
        ("{Widget: {budget: 0}}", "HA123", "a number of bytes from 1 to 262144"),
        ("{Widget: {budget: 262145}}", "HA123", "a number of bytes"),
        ("{Widget: {budget: true}}", "HA123", "a number of bytes"),
        ("{Widget: {drop_first: status}}", "HA123", "must be a list"),
        ("{Widget: {drop_first: ['a//b']}}", "HA124", "a path of an object's properties"),
        ("{Widget: {strict: ['a//b']}}", "HA124", "a path of an object's properties"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, code: str, words: str) -> None:
    """With a code and the right form."""
    with pytest.raises(SourceError) as caught:
        read(tmp_path, f"    carrier: {text}\n")
    assert [problem.code for problem in caught.value.problems] == [code]
    assert words in str(caught.value)


WIDGET = {
    "apiVersion": f"{GROUP}/v1",
    "kind": "Widget",
    "metadata": {"name": "a", "namespace": "b"},
    "spec": {"parts": [{"name": "p", "weight": 3}]},
    "status": {"detail": "waiting"},
}


def test_only_what_is_not_usual_is_generated(tmp_path: Path) -> None:
    """A project that says nothing of limits has none in its code."""
    assert build(tmp_path / "a", "").kinds[0].limits == BagLimits()
    text = "    carrier: {Widget: {budget: 900, drop_first: [status]}}\n"
    assert build(tmp_path / "b", text).kinds[0].limits == BagLimits(900, ("status",))


def test_a_strict_list_must_be_there(tmp_path: Path) -> None:
    """A path that leads to no list is an error, with the nearest one that does."""
    text = "    carrier: {Widget: {strict: [spec/parts]}}\n"
    assert build(tmp_path / "a", text).kinds[0].limits == BagLimits(strict=("/spec/parts",))
    text = "    carrier: {Widget: {strict: [spec/part, spec/parts]}}\n"
    with pytest.raises(PlanError, match=r"no version has a list at /spec/part.*/spec/parts") as it:
        build(tmp_path / "b", text)
    lines = (tmp_path / "b/holdall.yaml").read_text().splitlines()
    assert it.value.problems[0].where == f"holdall.yaml:{lines.index(text.rstrip()) + 1}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("carrier: {Widgett: field}", "carrier names the unknown kind 'Widgett'; .*\"Widget\""),
        ("carrier: {Widgett: {budget: 9}}", "carrier names the unknown kind 'Widgett'; did you"),
    ],
)
def test_a_kind_that_is_not_there(tmp_path: Path, text: str, message: str) -> None:
    """What is said about it would have no effect, and nobody would notice."""
    with pytest.raises(PlanError, match=f"HA131 holdall.yaml:[0-9]+: {message}"):
        build(tmp_path, f"    {text}\n")


def test_what_is_dropped_first_must_be_there(tmp_path: Path) -> None:
    """In one version at least, or in two that meet in a bag."""
    fine = "[status, spec/parts/*/weight, spec/*, 'spec/parts/0', 'status/size']"
    build(tmp_path / "a", f"    carrier: {{Widget: {{drop_first: {fine}}}}}\n")
    with pytest.raises(PlanError, match="no version has 'size/0' in the path status/size~10"):
        build(tmp_path / "c", "    carrier: {Widget: {drop_first: [status/size~10]}}\n")
    with pytest.raises(
        PlanError, match=r"no version has 'part' in the path spec/part/\*; .*\"parts\""
    ):
        build(tmp_path / "b", "    carrier: {Widget: {drop_first: [spec/part/*]}}\n")


def test_a_budget_degrades_in_the_declared_order(tmp_path: Path) -> None:
    """The review succeeds, keeps what matters, and says what it left out."""
    scheme = build(tmp_path, "    carrier: {Widget: {budget: 190, drop_first: [status]}}\n")
    reviewed = Reviewer([scheme]).review(body_of([WIDGET], f"{GROUP}/v2"))
    [result] = converted(reviewed.body)
    [lossy] = reviewed.degradations
    assert list(map(str, lossy.entries)) == [
        "/status: v1/detail is lost: the bags are over their budget"
    ]
    assert result["metadata"]["annotations"].keys() == {SPEC_ANNOTATION}
    assert reviewed.bag_bytes <= 190


@pytest.mark.parametrize("declared", ["by holdall.yaml", "by the CRD"])
def test_a_slot_of_the_status_is_used(tmp_path: Path, declared: str) -> None:
    """In versions that have one; all others take the second annotation."""
    crd = json.loads(json.dumps(CRD))
    text = ""
    if declared == "by holdall.yaml":
        text = "    crd: {kinds: {Widget: {status_slot: true}}}\n"
    else:
        schema = crd["spec"]["versions"][1]["schema"]["openAPIV3Schema"]
        slot = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        schema["properties"]["status"]["properties"]["$propertyBag"] = slot
    scheme = build(tmp_path, text, crd)
    versions = ("v1", "v2", "v3") if text else ("v2",)
    assert scheme.kinds[0].limits.status_slots == versions

    reviewer = Reviewer([scheme])
    reviewed = reviewer.review(body_of([WIDGET], f"{GROUP}/v2"))
    [there] = converted(reviewed.body)
    assert STATUS_ANNOTATION not in there["metadata"]["annotations"]
    assert there["status"].keys() == {"$propertyBag"}
    assert [(finding.path, finding.property) for finding in audit(there)] == [
        ('/spec/parts/[name="p"]', "weight"),
        ("/status", "detail"),
    ]
    assert reviewed.bag_bytes > len(there["metadata"]["annotations"][SPEC_ANNOTATION])
    assert converted(reviewer.review(body_of([there], f"{GROUP}/v1")).body) == [WIDGET]
    no_status = {name: value for name, value in there.items() if name != "status"}
    [back] = converted(reviewer.review(body_of([no_status], f"{GROUP}/v1")).body)
    assert "status" not in back


def test_strict_lists_of_types_that_branch_and_recur(tmp_path: Path) -> None:
    """Types that hold each other have paths without number; only the declared one is followed."""
    names = [f"T{number}" for number in range(40)]
    types: dict[str, Any] = {
        name: {
            "type": "object",
            "properties": {side: {"$ref": f"#/$defs/{below}"} for side in "ab"},
        }
        for name, below in zip(names, [*names[1:], names[0]], strict=True)
    }
    types["T39"]["properties"]["items"] = {"type": "array", "items": {"$ref": "#/$defs/T0"}}
    schema = json.dumps({"$defs": types, "$ref": "#/$defs/T0"})
    config = """
groups:
  trees:
    sources:
      - {schemas: v1.json, version: v1, kinds: {Tree: ""}}
      - {schemas: v2.json, version: v2, kinds: {Tree: ""}}
    versions: [v1, v2]
    carrier: {Tree: {strict: [PATH]}}
"""
    files = {"v1.json": schema, "v2.json": schema}
    path = "/".join(["a"] * 39 + ["items"])
    build_project(tmp_path / "a", config.replace("PATH", path), files)
    with pytest.raises(PlanError, match="no version has a list at /a/items"):
        build_project(tmp_path / "b", config.replace("PATH", "a/items"), files)

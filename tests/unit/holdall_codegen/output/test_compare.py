"""Differences of plans: what a schema edit changes, as data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from holdall.errors import SourceError
from holdall_codegen.output.compare import compare_plans, diff_project
from holdall_codegen.output.generation import generate, new_plans
from holdall_codegen.project import load_project
from holdall_codegen.views.plan_view import NO_PLAN, PlanView, parse_plan
from tests.support.small_project import CONFIG, V1, V2, write_project


def _plan(root: Path, **texts: str) -> PlanView:
    return new_plans(load_project(write_project(root, **texts)))["shop"]


def _changes(tmp_path: Path, **texts: str) -> list[str]:
    before = _plan(tmp_path / "before")
    return [str(item) for item in compare_plans(before, _plan(tmp_path / "after", **texts))]


def test_equal_plans_do_not_differ(tmp_path: Path) -> None:
    """A comment in a schema is no difference."""
    assert _changes(tmp_path, v1="# comment\n" + V1) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "        note: {type: string}\n",
            "",
            ["property v1.OrderSpec note removed: string"],
        ),
        (
            "        note: {type: string}\n",
            "        note: {type: string}\n        memo: {type: string}\n",
            ["property v1.OrderSpec memo added: string"],
        ),
        (
            "note: {type: string}",
            "note: {type: boolean}",
            ["property v1.OrderSpec note changed: string -> boolean"],
        ),
        (
            "buyer_name: {type: string}",
            "buyerName: {type: string}",
            [
                "property v1.OrderSpec buyerName added: string",
                "property v1.OrderSpec buyer_name removed: string",
                "fate v2.OrderSpec buyerName (to v1) changed: pulled -> copied (buyerName)",
            ],
        ),
        (
            "Line:\n",
            "Item: {type: object, properties: {x: {type: string}}}\nLine:\n",
            [],
        ),
    ],
)
def test_edits_of_a_schema(tmp_path: Path, old: str, new: str, expected: list[str]) -> None:
    """Each edit of a schema is named with the property and the fates it changes, and no other."""
    assert old in V1
    assert _changes(tmp_path, v1=V1.replace(old, new)) == expected


def test_declared_rename_changes_fates(tmp_path: Path) -> None:
    """A declaration changes both sides of its pair."""
    facts = "    between:\n      v1 -> v2:\n        OrderSpec: {buyer_name: buyerName}\n"
    assert _changes(tmp_path, config=CONFIG + facts) == [
        "fate v1.OrderSpec buyer_name (to v2) changed: stashed -> renamed (buyerName)",
        "fate v2.OrderSpec buyerName (to v1) changed: pulled -> renamed (buyer_name)",
    ]


def test_another_declaration_of_the_same_fate(tmp_path: Path) -> None:
    """What is declared of a property counts, although its fate is what it was."""
    facts = "    between:\n      v1 -> v2:\n        OrderSpec: {note: {default: %s}}\n"
    before = _plan(tmp_path / "before", config=CONFIG + facts % "usual")
    after = _plan(tmp_path / "after", config=CONFIG + facts % "other")
    [found] = compare_plans(before, after)
    assert str(found) == (
        "declaration v1.OrderSpec note (to v2) changed: default 'usual' -> default 'other'"
    )
    silent = replace(before, group=replace(before.group, facts=None))
    assert [*compare_plans(silent, after)] == []


def test_another_declaration_of_a_property_that_skips_a_version(tmp_path: Path) -> None:
    """What is declared over a gap counts, too."""
    config = CONFIG.replace(
        "    versions: [v1, v2]",
        "      - {schemas: v3.yaml, version: v3, kinds: {Order: /Order}}\n"
        "    versions: [v1, v2, v3]",
    )
    team = "{type: object, properties: {name: {type: string}, id: {type: string}}}"
    v3 = V1.replace("note: {type: string}", f"note: {team}")
    facts = "    between: {v1 -> v3: {OrderSpec: {note: {reference: %s}}}}\n"
    plans = []
    for member in ("name", "id"):
        root = write_project(tmp_path / member, config=config + facts % member)
        (root / "v3.yaml").write_text(v3)
        plans.append(new_plans(load_project(root))["shop"])
    assert [str(item) for item in compare_plans(*plans)] == [
        "declaration v1.OrderSpec/note (to v3) changed: a reference by name -> a reference by id"
    ]


def test_another_carrier(tmp_path: Path) -> None:
    """Where bags travel is a difference."""
    assert _changes(tmp_path, config=CONFIG + "    carrier: none\n") == [
        "carrier of Order changed: field -> none"
    ]


def test_new_name_of_a_type(tmp_path: Path) -> None:
    """A type with another name and the same properties was renamed."""
    changes = _changes(tmp_path, v1=V1.replace("Line", "Row"))
    assert "type v1.Line renamed: Line -> Row" in changes


def test_new_version(tmp_path: Path) -> None:
    """A new version is one difference, its types are none, and the hub moves."""
    source = """\
      - schemas: schemas/v2.yaml
        version: v3
        kinds: {Order: /Order}
"""
    config = CONFIG.replace("    versions: [v1, v2]", f"{source}    versions: [v1, v2, v3]")
    assert _changes(tmp_path, config=config) == [
        "version v3 added",
        "hub of the group changed: v2 -> v3",
    ]


def test_other_edges(tmp_path: Path) -> None:
    """Edges between versions that stay come and go."""
    source = "      - {schemas: schemas/v2.yaml, version: v3, kinds: {Order: /Order}}\n"
    config = CONFIG.replace("    versions: [v1, v2]", f"{source}    versions: [v1, v2, v3]")
    before, after = (
        _plan(tmp_path / edges[1:3], config=f"{config}    hub: v3\n    edges: {edges}\n")
        for edges in ("[[v1, v2], [v2, v3]]", "star")
    )
    changes = [str(item) for item in compare_plans(before, after)]
    assert "edge v1.Order -> v2.Order removed" in changes
    assert "edge v1.Order -> v3.Order added" in changes
    assert not any(" v2.Order -> v3.Order " in change for change in changes)


def test_everything_is_new_without_an_older_plan(tmp_path: Path) -> None:
    """Against nothing, versions and kinds are added."""
    changes = [str(item) for item in compare_plans(NO_PLAN, _plan(tmp_path))]
    assert changes == ["version v1 added", "version v2 added", "kind Order added"]


@pytest.mark.parametrize("text", [b"{", b"[]", b"{}", b'{"versions": 1}'])
def test_a_plan_that_is_none(text: bytes) -> None:
    """A text that is no plan is an error that names its place."""
    with pytest.raises(SourceError, match=r"HA165 generated/shop/plan\.json"):
        parse_plan(text, "generated/shop/plan.json")


def test_diff_with_the_generated_files(tmp_path: Path) -> None:
    """A project that was just generated does not differ; an edit of a doc changes files only."""
    write_project(tmp_path)
    generate(tmp_path)
    assert diff_project(load_project(tmp_path)).is_empty
    text = V2.replace("count: {type: integer}", "count: {type: integer, description: How many.}")
    (tmp_path / "schemas/v2.yaml").write_text(text)
    found = diff_project(load_project(tmp_path))
    assert found.groups == {"shop": ()}
    assert found.files == ("generated/shop/v2/__init__.py",)
    assert not found.is_empty


def test_diff_with_an_older_folder(tmp_path: Path) -> None:
    """Another generated folder can be compared with; one without plans is an error."""
    old = write_project(tmp_path / "old", v1=V1.replace("note", "remark"))
    generate(old)
    project = load_project(write_project(tmp_path / "new"))
    found = diff_project(project, against=old / "generated")
    assert [str(item) for item in found.groups["shop"]] == [
        "property v1.OrderSpec note added: string",
        "property v1.OrderSpec remark removed: string",
    ]
    with pytest.raises(SourceError, match="HA166"):
        diff_project(project, against=tmp_path)

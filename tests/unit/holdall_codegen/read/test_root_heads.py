"""What schemas say of the member with the version, and what contradicts the configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.errors import SourceError
from holdall_codegen.project import load_project, read_project
from holdall_codegen.propose import propose
from tests.support.crds import crd_of, struct
from tests.support.projects import build_project, scheme_of

CONFIG = """\
groups:
  orders:
    version_at: {head}
    sources:
      - {{schemas: v1.yaml, version: v1, kinds: {{Order: ''}}}}
      - {{schemas: v2.yaml, version: v2, kinds: {{Order: ''}}}}
    versions: [v1, v2]
"""
SCHEMA = "type: object\nproperties: {{id: {{type: string}}{said}}}\n{more}"


def files(older: str = "", newer: str = "", more: str = "") -> dict[str, str]:
    said = [f", v: {text}" if text else "" for text in (older, newer)]
    return {
        "v1.yaml": SCHEMA.format(said=said[0], more=more),
        "v2.yaml": SCHEMA.format(said=said[1], more=""),
    }


@pytest.mark.parametrize(
    ("head", "older", "newer", "values"),
    [
        ("v", "", "", {"v1": "v1", "v2": "v2"}),
        ("v", "{type: string}", "{}", {"v1": "v1", "v2": "v2"}),
        ("v", "{const: 1}", "{enum: [2]}", {"v1": 1, "v2": 2}),
        ("v", "{type: string, enum: [v1, old]}", "{const: '2.0'}", {"v1": "v1", "v2": "2.0"}),
        ("{member: v, values: {v1: 1.5}}", "{type: number}", "{const: 2}", {"v1": 1.5, "v2": 2}),
        ("{member: v, values: {v2: 2}}", "", "{type: number}", {"v1": "v1", "v2": 2}),
    ],
)
def test_values(tmp_path: Path, head: str, older: str, newer: str, values: dict[str, Any]) -> None:
    """The configuration says them, else the schemas, else they are the names."""
    root = build_project(tmp_path, CONFIG.format(head=head), files(older, newer))
    scheme = scheme_of(root)
    assert scheme.convert({"v": values["v1"], "id": "a"}, to="v2") == {"v": values["v2"], "id": "a"}
    assert scheme.convert({"v": values["v2"], "id": "a"}, to="v1") == {"v": values["v1"], "id": "a"}


@pytest.mark.parametrize(
    ("head", "texts", "code", "said"),
    [
        (
            "v",
            files("{type: integer}"),
            "HA154",
            '`v` of Order v1 is integer, so it cannot be "v1"',
        ),
        ("v", files("{enum: [a, b]}"), "HA154", '`v` of Order v1 is "a" or "b", so it cannot be'),
        (
            "{member: v, values: {v1: 2}}",
            files("{const: 1}", "{const: 2}"),
            "HA154",
            "`v` of Order v1 is 1, so it cannot be 2",
        ),
        (
            "{member: v, values: {v1: [1, 3]}}",
            files("{enum: [1, 2]}", "{const: 4}"),
            "HA154",
            "`v` of Order v1 is 1 or 2, so it cannot be 3",
        ),
        ("v", files("{const: 1}", "{const: 1}"), "HA154", "`v` is 1 in both v1 and v2"),
        (
            "{member: v, values: {v1: [1, 2], v2: [3, 2]}}",
            files(),
            "HA154",
            "`v` is 2 in both v1 and v2",
        ),
        (
            "{member: v, default: v1}",
            files("{const: 1}", "{const: 2}", "required: [v]"),
            "HA154",
            "`v` of Order v1 is required, so documents without it cannot be v1",
        ),
    ],
)
def test_contradictions(
    tmp_path: Path, head: str, texts: dict[str, str], code: str, said: str
) -> None:
    for name, text in {"holdall.yaml": CONFIG.format(head=head), **texts}.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(SourceError) as caught:
        load_project(tmp_path)
    problem = caught.value.problems[0]
    assert problem.code == code
    assert problem.message.startswith(said)
    assert "values" in problem.fix or "required" in problem.fix


def test_crds_say_apiversion(tmp_path: Path) -> None:
    """Documents of an API group have no place of their own for it."""
    config = "groups: {a: {version_at: v, sources: [{crds: c.json}], versions: [v1]}}\n"
    (tmp_path / "c.json").write_text(json.dumps(crd_of("Order", {"v1": struct()})))
    (tmp_path / "holdall.yaml").write_text(config)
    with pytest.raises(SourceError, match="`version_at` is for documents without an API group"):
        load_project(tmp_path)


def test_a_constant_that_would_be_copied_is_told(tmp_path: Path) -> None:
    """Without `version_at` what says the version would be the old one in the new version."""
    config = CONFIG.replace("    version_at: {head}\n", "").format()
    root = build_project(tmp_path, config, files("{const: 1}", "{const: 2}"))
    (plan,) = load_project(root).plans.values()
    (warning,) = plan.warnings
    assert warning.startswith("v1.Order v is copied, but v2 allows only 2, and v1 only 1; ")
    assert warning.endswith("declare version_at: v")
    (tmp_path / "same").mkdir()
    root = build_project(tmp_path / "same", config, files("{const: 1}", "{const: 1}"))
    (plan,) = load_project(root).plans.values()
    assert plan.warnings == ()


def test_what_says_a_version_is_no_partner_of_anything(tmp_path: Path) -> None:
    """Neither is it proposed as one, nor do its values get names: the type has them."""
    head = "{member: v, values: {v1: [a, b], v2: [c, d]}}"
    root = build_project(tmp_path, CONFIG.format(head=head), files("{enum: [a, b]}", "{}"))
    reading = read_project(root)
    assert propose(reading.models["orders"], reading.config.groups[0]) == ()
    text = next(root.glob("*/orders/v1/__init__.py")).read_text()
    assert 'h.member("v", says=("a", "b"))' in text
    assert "OrderV" not in text


def test_where_a_version_is_said_is_told(tmp_path: Path) -> None:
    """Where documents need not say it, they may: that member has no partner, and none lacks it."""
    root = build_project(tmp_path, CONFIG.format(head="{member: v, default: v1}"), files())
    (edge,) = load_project(root).plans["orders"].edges
    (found,) = (item for item in edge.decisions if item.name == "v")
    assert (found.fate, found.reason) == ("stashed", "v2.Order says its version there")
    text = next(root.glob("*/orders/v1/storage.py")).read_text()
    assert 'h.stash(new, "v1", "v")  # v2 says its version there' in text

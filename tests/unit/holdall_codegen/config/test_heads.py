"""The key `version_at`: what is read, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.errors import SourceError
from holdall_codegen.config.model import HeadConfig
from holdall_codegen.config.reader import read_config

CONFIG = """\
groups:
  things:
    sources:
      - {{schemas: a.yaml, version: v1}}
      - {{schemas: b.yaml, version: v2}}
    versions: [v1, v2, {{name: v3, internal: true, like: v2}}]
    version_at: {head}
"""


def read(tmp_path: Path, head: str, more: str = "") -> HeadConfig:
    path = tmp_path / "holdall.yaml"
    path.write_text(CONFIG.format(head=head) + more)
    found = read_config(path).groups[0].head
    assert found is not None
    return found


def test_what_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, "schemaVersion")
    assert found == HeadConfig("schemaVersion", found.location)
    assert str(found.location) == "holdall.yaml:7"
    found = read(tmp_path, "{member: v, values: {v1: [1, '1.0', 1.1], v2: [2]}}")
    assert (found.values, found.others) == ({"v1": 1, "v2": 2}, {"v1": ("1.0", 1.1)})
    text = "{member: v, values: {v1: 1, v2: two}, default: v1, kind_at: type}"
    found = read(tmp_path, text)
    assert found == HeadConfig("v", found.location, {"v1": 1, "v2": "two"}, "v1", "type")


@pytest.mark.parametrize(
    ("head", "code", "said"),
    [
        ("7", "HA123", "version_at must be a string, not an integer"),
        ("''", "HA124", 'version_at "" is not the name of a member'),
        (
            "asset/version",
            "HA124",
            'version_at "asset/version" is not the name of a member at the top',
        ),
        (
            "{member: asset/version}",
            "HA124",
            'member "asset/version" is not the name of a member at',
        ),
        ("[a]", "HA123", "version_at must be a string, not a list"),
        ("{}", "HA123", "version_at is empty"),
        ("{default: v1}", "HA122", "version_at has no member"),
        ("{member: a, valus: {}}", "HA121", 'version_at has no key "valus"; did you mean "values"'),
        ("{member: a, values: {v4: 1}}", "HA127", '"v4"'),
        (
            "{member: a, values: {v1: true}}",
            "HA123",
            "the value of v1 must be a string or a number",
        ),
        (
            "{member: a, values: {v1: [[1]]}}",
            "HA123",
            "the value of v1 must be a string or a number",
        ),
        ("{member: a, default: v9}", "HA127", '"v9"'),
        ("{member: a, default: v3}", "HA131", "v3 is internal, so no document has this version"),
        ("{member: a, kind_at: a}", "HA132", "one member cannot say both version and kind: a"),
    ],
)
def test_what_is_wrong(tmp_path: Path, head: str, code: str, said: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(tmp_path, head)
    (problem,) = caught.value.problems
    assert problem.code == code
    assert said in problem.message
    assert problem.where.startswith("holdall.yaml:7")
    assert problem.fix


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("    api_group: a.example.com\n", "say their version in apiVersion"),
        ("    inner_documents: [{in: [A], path: b}]\n", "say their version in apiVersion"),
    ],
)
def test_who_says_apiversion(tmp_path: Path, more: str, said: str) -> None:
    with pytest.raises(SourceError, match=said) as caught:
        read(tmp_path, "a", more)
    assert [problem.code for problem in caught.value.problems] == ["HA125"]


def test_declarations_have_their_own_form(tmp_path: Path) -> None:
    """Also where versions are listed beside them; else the key would have no effect."""
    path = tmp_path / "holdall.yaml"
    for more in ("", "    versions: [v1, v2]\n    edges: [[v1, v2]]\n"):
        path.write_text(
            f"groups:\n  things:\n    sources: [{{declared: a.py}}]\n{more}    version_at: a\n"
        )
        with pytest.raises(SourceError, match="a declaration says what its documents look like"):
            read_config(path)

"""Schemas that several places share: one finding with all places, ignored place by place."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from holdall_codegen.breaking.gate import find_breaking
from holdall_codegen.breaking.ignoring import Sifted
from holdall_codegen.breaking.reading import read_api
from holdall_codegen.breaking.rules import Finding
from tests.support.projects import config_of

CONFIG = config_of("Tree", "v1", group="a")
SCHEMA = """\
type: object
properties:
  metadata: {type: object}
  spec:
    type: object
    properties:
      left: {$ref: "#/definitions/Size"}
      right: {$ref: "#/definitions/Size"}
      far: {type: array, items: {$ref: "#/definitions/Size"}}
      tree: {$ref: "#/definitions/Node"}
definitions:
  Size: {type: object, properties: {width: {type: integer, maximum: 5}}}
  Node:
    type: object
    properties:
      name: {type: string}
      first: {$ref: "#/definitions/Node"}
      last: {$ref: "#/definitions/Node"}
"""
WIDTHS = ["spec/left/width", "spec/right/width", "spec/far/*/width"]


def compared(
    folder: Path, old: str, new: str, *entries: dict[str, str], schema: str = SCHEMA
) -> Sifted:
    """Compare a project with one where a part of its schema is another one."""
    assert old in schema
    ignored = [{"until": "2999-12-31", "reason": "known"} | entry for entry in entries]
    apis = []
    for name, text in (("a", schema), ("b", schema.replace(old, new))):
        (folder / name).mkdir(exist_ok=True)
        config = CONFIG + (f"breaking: {{ignore: {json.dumps(ignored)}}}\n" if ignored else "")
        (folder / name / "holdall.yaml").write_text(config, encoding="utf-8")
        (folder / name / "v1.yaml").write_text(text, encoding="utf-8")
        apis.append(read_api(folder / name))
    return find_breaking(*apis, today=date(2030, 1, 1))


NAMES = ("name: {type: string}", "name: {type: integer}")


def _of_rule(rule: str, found: Sifted) -> Finding:
    """Return the one finding of a rule; stored objects have findings of their own."""
    (finding,) = (item for item in found.findings if item.name == rule)
    return finding


def test_one_finding_has_all_places(tmp_path: Path) -> None:
    """A change of a shared schema is told once, with its places in the order of the schema."""
    (finding,) = compared(tmp_path, "maximum: 5", "maximum: 4").findings
    assert list(finding.places) == WIDTHS
    assert finding.value()["others"] == WIDTHS[1:]
    assert "spec/left/width and 2 more places (spec/right/width, spec/far/*/width): maximum" in str(
        finding.problem()
    )


def test_each_reference_is_followed_once_on_a_way(tmp_path: Path) -> None:
    """Places of a schema that holds itself have no end; those that repeat nothing stand for all."""
    finding = _of_rule("type-changed", compared(tmp_path, *NAMES))
    assert list(finding.places) == [
        "spec/tree/name",
        "spec/tree/first/name",
        "spec/tree/first/last/name",
        "spec/tree/last/name",
        "spec/tree/last/first/name",
    ]


@pytest.mark.parametrize(
    ("paths", "left"),
    [
        ([], WIDTHS),
        (["spec/left"], WIDTHS[1:]),
        (["spec/left/width", "spec/far"], WIDTHS[1:2]),
        (["spec"], []),
    ],
)
def test_an_entry_hides_its_places_only(paths: list[str], left: list[str], tmp_path: Path) -> None:
    """The same change at other places counts."""
    entries = [{"rule": "range-narrowed", "path": path} for path in paths]
    sifted = compared(tmp_path, "maximum: 5", "maximum: 4", *entries)
    assert [place for item in sifted.findings for place in item.places] == left
    hidden = [place for item, _ in sifted.ignored for place in item.places]
    assert sorted(hidden + left) == sorted(WIDTHS)
    assert not sifted.unused


def test_places_have_an_end(tmp_path: Path) -> None:
    """What is at hundreds of places is told of some; no path hides the others."""
    many = "".join(f"      p{number}: {{$ref: '#/definitions/Size'}}\n" for number in range(300))
    schema = SCHEMA.replace("      tree: {", f"{many}      tree: {{")
    entry = {"rule": "range-narrowed", "path": "spec"}
    (finding,) = compared(tmp_path, "maximum: 5", "maximum: 4", entry, schema=schema).findings
    assert finding.places == ("…",)


def test_branches_do_not_multiply_places(tmp_path: Path) -> None:
    """Types that each refer to the next one twice have 2^n places, of which some are told."""
    chain = "".join(
        f"  N{n}: {{type: object, properties: {{a: {{$ref: '#/definitions/N{n + 1}'}}, "
        f"b: {{$ref: '#/definitions/N{n + 1}'}}}}}}\n"
        for n in range(12)
    )
    schema = f"{SCHEMA}{chain}  N12: {{type: object, properties: {{end: {{type: string}}}}}}\n"
    schema = schema.replace(
        'tree: {$ref: "#/definitions/Node"}', 'tree: {$ref: "#/definitions/N0"}'
    )
    found = compared(tmp_path, "end: {type: string}", "end: {type: integer}", schema=schema)
    finding = _of_rule("type-changed", found)
    assert (len(finding.places), finding.places[-1]) == (201, "…")
    assert finding.path == "spec/tree/" + "a/" * 12 + "end"

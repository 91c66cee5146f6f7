"""What `holdall plan` and `holdall check` tell of what may be refused, to people and programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from holdall.cli.root import root as holdall
from tests.support.crds import crd_of
from tests.support.notation import schema_of
from tests.support.projects import build_project
from tests.support.proposing import NUMBER, TEXT, many, thing, words, write_versions

HOOK = '''\
"""Modes."""

from {generated}.boxes.v1 import storage as v1
from {generated}.boxes.v2 import storage as v2
from holdall import BagView, claims


class Modes(v1.AssignableBox):
    """Modes of today."""

    @claims(reads=["mode"], writes=["mode"])
    def assign_properties_to(self, source: v1.Box, destination: v2.Box, bag: BagView) -> None:
        destination.mode = "on"

    @claims(reads=["mode"], writes=["mode"])
    def assign_properties_from(self, source: v2.Box, destination: v1.Box, bag: BagView) -> None:
        destination.mode = source.mode
'''
ENUMS: dict[str, Any] = {
    "v1": thing(mode=words("on", "auto", "other"), size=NUMBER, part=thing(length=NUMBER)),
    "v2": thing(
        mode=words("on", "other"),
        size={**NUMBER, "minimum": 1},
        part=thing(length={**NUMBER, "maximum": 9}),
    ),
}


def _run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(holdall, ["--project", str(root), *arguments])


def _shown(root: Path, *arguments: str) -> list[str]:
    lines = _run(root, "plan", *arguments).stdout.splitlines()
    return [line.strip().partition(" (")[0] for line in lines if "-narrowed: " in line]


def test_the_plan_for_people(tmp_path: Path) -> None:
    """One line for each finding, by way, then the lines that help; the exit code is 0."""
    result = _run(write_versions(tmp_path, **ENUMS), "plan")
    assert result.exit_code == 0
    _, _, told = result.stdout.partition("\nv2 may refuse")
    assert told.splitlines() == [
        " what is valid at v1:",
        '  Box mode: enum-narrowed: without "auto" (v2.yaml:4:5)',
        "  Box size: range-narrowed: minimum none -> 1 (v2.yaml:9:5)",
        "  BoxPart length: range-narrowed: maximum none -> 9 (v2.yaml:15:9)",
        "",
        "Lines for holdall.yaml that help; each was tried:",
        "  between: v1 -> v2: Box: mode: {variants: {older: {auto: other}}}",
        "",
        "For each of the others: if it does no harm, accept it under `accept_refusals` of its "
        "group, with a reason;",
        "else write a hook that makes a valid value: `--json` says how to start it.",
    ]


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        ((), 3),
        (("--type", "Box"), 2),
        (("--type", "BoxPart"), 1),
        (("--edge", "v1..v2"), 3),
        (("--group", "boxes"), 3),
    ],
)
def test_the_options_of_the_plan(tmp_path: Path, arguments: tuple[str, ...], count: int) -> None:
    """What narrows the plan narrows this."""
    assert len(_shown(write_versions(tmp_path, **ENUMS), *arguments)) == count


def test_the_plan_for_programs(tmp_path: Path) -> None:
    """Every finding, with all its places and what helps."""
    result = _run(write_versions(tmp_path, **ENUMS), "plan", "--json")
    found = json.loads(result.stdout)["boxes"]["refusals"]
    assert found[0] == {
        "from": "v1",
        "to": "v2",
        "type": "Box",
        "source": "Box",
        "property": "mode",
        "rule": "enum-narrowed",
        "what": 'without "auto"',
        "where": found[0]["where"],
        "places": ["Box/mode"],
        "fix": "between: v1 -> v2: Box: mode: {variants: {older: {auto: other}}}",
    }
    assert [item["property"] for item in found] == ["mode", "size", "length"]


def test_a_value_that_stands_for_any_other_is_offered(tmp_path: Path) -> None:
    """Where an enum has none, each other value would be a wrong one; each side by itself."""
    older, newer = words("on", "auto"), words("on", "Other")
    result = _run(write_versions(tmp_path, v1=thing(mode=older), v2=thing(mode=newer)), "plan")
    assert _fixes(tmp_path) == [
        "between: v1 -> v2: Box: mode: {variants: {older: {auto: Other}}}",
        "between: v1 -> v2: Box: mode: {strategy: hook}",
    ]
    assert result.stdout.count("variants") == 1
    write_versions(tmp_path, v1=thing(mode=older), v2=thing(mode=words("on")))
    assert _fixes(tmp_path) == ["between: v1 -> v2: Box: mode: {strategy: hook}"]


def test_names_are_offered_beside_values_without_a_partner(tmp_path: Path) -> None:
    """On the way on which they are enough."""
    older, newer = words("up", "down"), words("Up", "Down", "Unknown")
    write_versions(tmp_path, v1=thing(mode=older), v2=thing(mode=newer))
    assert _fixes(tmp_path) == [
        "between: v1 -> v2: Box: mode: {values: {up: Up, down: Down}}",
        "between: v1 -> v2: Box: mode: {strategy: hook}",
    ]


def test_what_is_declared_stays_in_what_is_offered(tmp_path: Path) -> None:
    """The line takes the place of one that is there, and says all that this one said."""
    older, newer = thing(mode=words("up", "down")), thing(mode=words("Up", "Down"))
    between = {"v1 -> v2": {"Box": {"mode": {"misfit": "error"}}}}
    write_versions(tmp_path, between, v1=older, v2=newer)
    line = "between: v1 -> v2: Box: mode: {values: {up: Up, down: Down}, misfit: error}"
    assert _fixes(tmp_path) == [line, line]


def _fixes(root: Path) -> list[str]:
    found = json.loads(_run(root, "plan", "--json").stdout)["boxes"]["refusals"]
    return [item["fix"] for item in found]


def test_a_name_with_a_slash(tmp_path: Path) -> None:
    """It is one step of a path; what helps and what accepts it name it alike."""
    name = "example.com/mode"
    older, newer = (
        thing(**{name: words(*values)}) for values in (("on", "auto", "other"), ("on", "other"))
    )
    result = _run(write_versions(tmp_path, v1=older, v2=newer), "plan", "--json")
    (found,) = json.loads(result.stdout)["boxes"]["refusals"]
    assert (found["property"], found["places"]) == ("example.com~1mode", ["Box/example.com~1mode"])
    assert found["fix"] == (
        'between: v1 -> v2: Box: "example.com~1mode": {variants: {older: {auto: other}}}'
    )


def test_the_check(tmp_path: Path) -> None:
    """The same as warnings, which are no findings: exit code 0 once the project is generated."""
    root = write_versions(tmp_path, **ENUMS)
    assert _run(root, "generate").exit_code == 0
    result = _run(root, "check")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("warning: HA220 v2.yaml:") == 3
    assert result.stdout.count("    fix: ") == 1
    assert "strategy: hook" not in result.stdout
    assert result.stdout.count("accept_refusals") == 1
    assert "0 findings, 3 warnings, 1 group" in result.stderr
    value = json.loads(_run(root, "check", "--json").stdout)
    assert value["problems"] == []
    assert len(value["warnings"]["boxes"]) == 3
    lines = _run(root, "check", "--format", "github").stdout.splitlines()
    assert [line.partition("::")[0] or line.split()[0] for line in lines] == ["::warning"] * 3


def test_a_project_that_cannot_be_planned(tmp_path: Path) -> None:
    """What is refused altogether is told alone."""
    root = write_versions(tmp_path, v1=thing(a=TEXT), v2=thing(a=many(TEXT)))
    result = _run(root, "check", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["warnings"] == {}


def test_many_findings_below_one_property(tmp_path: Path) -> None:
    """People read the first and how many there are; programs all of them."""
    typed = thing(**{name: words(name) for name in "abcdef"})
    root = write_versions(tmp_path, v1=thing(rest={}), v2=thing(rest=typed))
    result = _run(root, "plan")
    assert result.stdout.count("enum-narrowed") == 1
    assert "; 5 more below rest" in result.stdout
    found = json.loads(_run(root, "plan", "--json").stdout)["boxes"]["refusals"]
    assert len(found) == 6


def test_what_a_hook_claims(tmp_path: Path) -> None:
    """Its author knows what it writes."""
    config = yaml.safe_dump(
        {
            "groups": {
                "boxes": {
                    "sources": [
                        {"schemas": f"{name}.yaml", "version": name, "kinds": {"Box": ""}}
                        for name in ("v1", "v2")
                    ],
                    "versions": ["v1", "v2"],
                    "between": {"v1 -> v2": {"Box": {"mode": {"strategy": "hook"}}}},
                }
            }
        }
    )
    files = {f"{name}.yaml": yaml.safe_dump(schema) for name, schema in ENUMS.items()}
    root = build_project(tmp_path, config, {**files, "hooks/boxes.py": HOOK})
    assert [line.partition(":")[0] for line in _shown(root)] == ["Box size", "BoxPart length"]


SPEC: dict[str, Any] = {
    "v1": schema_of("{size: {$: integer, $default: 1}, names: [string], low: integer}"),
    "v2": {
        "type": "object",
        "required": ["size", "color", "kind"],
        "properties": {
            "size": NUMBER,
            "color": {**TEXT, "default": "red"},
            "kind": TEXT,
            "names": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
            "low": NUMBER,
        },
        "x-kubernetes-validations": [
            {"rule": "self.low < 5"},
            {"rule": "self.size == oldSelf.size"},
        ],
    },
}


def test_a_crd(tmp_path: Path) -> None:
    """A server fills in the defaults of both versions, keeps sets, and judges rules of updates
    when there is an update."""
    crd = crd_of("Box", {name: thing(spec=SPEC[name]) for name in ("v1", "v2")})
    (tmp_path / "crd.json").write_text(json.dumps(crd), "utf-8")
    config = {"groups": {"boxes": {"sources": [{"crds": "crd.json"}], "versions": ["v1", "v2"]}}}
    (tmp_path / "holdall.yaml").write_text(yaml.safe_dump(config), "utf-8")
    found = json.loads(_run(tmp_path, "plan", "--json").stdout)["boxes"]["refusals"]
    assert [
        f"{item['from']} {item['property']} {item['rule']} {item['what']}" for item in found
    ] == [
        "v1  rule-added self.low < 5",
        "v1 kind required-added it is required, but may be missing",
        "v1 names list-type-changed the list type set refuses equal elements",
    ]


def _accepting(root: Path, *entries: dict[str, str]) -> Path:
    file = write_versions(root, **ENUMS) / "holdall.yaml"
    config = yaml.safe_load(file.read_text("utf-8"))
    (group,) = config["groups"].values()
    group["accept_refusals"] = [{"reason": "known", **entry} for entry in entries]
    file.write_text(yaml.safe_dump(config), "utf-8")
    return root


@pytest.mark.parametrize(
    ("entry", "left"),
    [
        ({"rule": "range-narrowed"}, ["Box mode: enum-narrowed: without"]),
        ({"rule": "range-narrowed", "type": "BoxPart"}, ["Box mode", "Box size"]),
        ({"rule": "range-narrowed", "property": "size"}, ["Box mode", "BoxPart length"]),
        ({"rule": "enum-narrowed", "way": "v1->v2"}, ["Box size", "BoxPart length"]),
    ],
)
def test_what_is_accepted_is_not_shown(
    tmp_path: Path, entry: dict[str, str], left: list[str]
) -> None:
    """By the plan and by the check; the rest is."""
    root = _accepting(tmp_path, entry)
    for command in ("plan", "check"):
        found = [line for line in _run(root, command).stdout.splitlines() if "-narrowed: " in line]
        assert [any(text in line for text in left) for line in found] == [True] * len(left)
        assert len(found) == len(left)


def test_what_accepts_nothing_is_a_warning(tmp_path: Path) -> None:
    """An entry on the other way, and one of a property whose name only begins alike."""
    entries = (
        {"rule": "range-narrowed", "way": "v2 -> v1"},
        {"rule": "range-narrowed", "property": "siz"},
    )
    root = _accepting(tmp_path, *entries)
    lines = [line for line in _run(root, "check").stdout.splitlines() if "HA221" in line]
    assert len(lines) == 2
    assert "holdall.yaml:" in lines[0]
    assert "accept_refusals for range-narrowed matches nothing that may be refused" in lines[0]
    unused = json.loads(_run(root, "check", "--json").stdout)["unused"]
    assert [problem["code"] for problem in unused] == ["HA221", "HA221"]
    assert len(_shown(root)) == 3


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"rule": "range-narowed"}, 'there is no rule "range-narowed"; did you mean "range-narr'),
        ({}, "an entry of accept_refusals has no rule"),
        ({"rule": "range-narrowed", "way": "v1 to v2"}, "way"),
        ({"rule": "range-narrowed", "path": "size"}, "path"),
    ],
)
def test_a_malformed_entry_is_an_error(tmp_path: Path, entry: dict[str, str], message: str) -> None:
    """As all of the configuration."""
    result = _run(_accepting(tmp_path, entry), "plan")
    assert result.exit_code == 2
    assert message in result.stderr

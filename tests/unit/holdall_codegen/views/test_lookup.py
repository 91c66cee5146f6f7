"""Names on a command line that the project does not have: the example is one of what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.notation import schema_text
from tests.support.projects import config_of
from tests.support.small_project import run

CONFIG = """
groups:
  first:
    sources:
      - {schemas: first.yaml, version: v1, kinds: {Depot: ""}}
      - {schemas: first.yaml, version: v2, kinds: {Depot: ""}}
    versions: [v1, v2]
  second:
    hub: v3
    edges: star
    sources:
      - {schemas: second.yaml, version: v1, kinds: {Fleet: ""}}
      - {schemas: other.yaml, version: v2, kinds: {Order: ""}}
      - {schemas: second.yaml, version: v3, kinds: {Fleet: ""}}
      - {schemas: other.yaml, version: v4, kinds: {Order: ""}}
    versions: [v2, v1, v3, v4]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "holdall.yaml").write_text(CONFIG)
    for name, member in (("first", "a"), ("second", "b"), ("other", "c")):
        (tmp_path / f"{name}.yaml").write_text(schema_text(f"{{{member}: string}}"))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "hooks scaffold Fleet v1",
            "write two versions with two dots between them, such as v1..v3",
        ),
        (
            "hooks scaffold Order v2",
            "write two versions with two dots between them, such as v2..v4",
        ),
        (
            "hooks scaffold Depot v1",
            "write two versions with two dots between them, such as v1..v2",
        ),
        (
            "hooks scaffold Nothing v1",
            "write two versions with two dots between them, such as v1..v2",
        ),
        ("hooks scaffold Fleet v1 --group second", "such as v1..v3"),
        ("hooks scaffold Fleet v1..v2", "Fleet has no edge 'v1..v2'; did you mean \"v1..v3\"?"),
        ("hooks scaffold Fleet v2..v1", "Fleet has no edge 'v1..v2'; did you mean \"v1..v3\"?"),
        (
            "hooks scaffold Fleets v3..v1",
            "edge v1..v3 of a type 'Fleets'; did you mean",
        ),
        ("plan --edge v1", "write two versions with two dots between them, such as v1..v2"),
        (
            "plan --edge v1 --type Fleet",
            "write two versions with two dots between them, such as v1..v3",
        ),
        (
            "plan --edge v1 --group second",
            "write two versions with two dots between them, such as v2..v3",
        ),
        (
            "plan --edge v2 --type Order",
            "write two versions with two dots between them, such as v2..v4",
        ),
    ],
)
def test_an_example_is_of_what_was_asked_for(
    arguments: str, message: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(project, *arguments.split(" ")) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("edge", ["v1..v3", "v3..v1", "v1 -> v3"])
def test_versions_are_named_in_either_order(edge: str, project: Path) -> None:
    """Another group may have its versions in another order."""
    assert run(project, "plan", "--edge", edge, "--type", "Fleet") == 0
    assert run(project, "hooks", "scaffold", "Fleet", edge) == 0


def test_a_kind_of_several_groups_is_not_guessed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is said would be about one of them only."""
    config = "".join(
        config_of(
            "Depot", {"v1": f"{name}.yaml", "v2": f"{name}.yaml"}, group=f"{name}.example.com"
        )
        for name in ("first", "second")
    )
    (project / "holdall.yaml").write_text(config.replace("groups:\n  second", "  second"))
    ends = ("--from", "v1", "--to", "v2")
    for command in (("explain", "Depot/a", *ends), ("graph", "--kind", "Depot")):
        assert run(project, *command) == 2
        assert "several groups have the kind Depot: first, second" in capsys.readouterr().err
        assert run(project, *command, "--group", "first") == 0

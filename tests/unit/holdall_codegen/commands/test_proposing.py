"""`holdall plan` with proposals: shown, asked about, and written into holdall.yaml."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path

import pytest
import yaml

from tests.support.proposing import NUMBER, TEXT, many, planned, thing, write_versions
from tests.support.small_project import run

STEP = thing(name=TEXT, resources=thing(limits=TEXT))
SPEC = thing(name=TEXT, computeResources=thing(limits=TEXT))
V1 = thing(cohort=TEXT, stepOverrides=many(STEP), poolSize=TEXT)
V2 = thing(cohortName=TEXT, stepSpecs=many(SPEC), poolSizeCount=NUMBER)
ALL = {
    "Box": {"cohort": "cohortName", "stepOverrides": "stepSpecs"},
    "StepOverride": {"resources": "computeResources"},
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a rename, one with a nested one in it, and one that takes code."""
    return write_versions(tmp_path, v1=V1, v2=V2)


class Terminal(StringIO):
    """What somebody types."""

    def isatty(self) -> bool:
        return True


def _between(root: Path) -> object:
    config = yaml.safe_load((root / "holdall.yaml").read_text())
    return config["groups"]["boxes"].get("between", {}).get("v1 -> v2", {})


def test_plan_shows_proposals(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines to add, nested ones included, and what takes code."""
    assert run(project, "plan") == 0
    shown = capsys.readouterr().out
    assert "  between: v1 -> v2: Box: cohort: cohortName\n" in shown
    assert "  between: v1 -> v2: StepOverride: resources: computeResources\n" in shown
    assert "  v1.Box poolSize -> v2.Box poolSizeCount: a string became a number" in shown


def test_options_choose_proposals(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of a type, of a pair of versions, of a group."""
    assert run(project, "plan", "--json", "--type", "StepOverride") == 0
    assert json.loads(capsys.readouterr().out)["boxes"]["proposals"] == []
    assert run(project, "plan", "--json", "--edge", "v1..v2", "--group", "boxes") == 0
    value = json.loads(capsys.readouterr().out)["boxes"]["proposals"]
    assert [(item["about"], item["property"], item["partner"]) for item in value] == [
        ("rename", "cohort", "cohortName"),
        ("rename", "stepOverrides", "stepSpecs"),
        ("rename", "resources", "computeResources"),
        ("code", "poolSize", "poolSizeCount"),
    ]
    assert run(project, "plan", "--group", "none") == 2


def test_declare_writes_all_rounds(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What nested types give is written in the same run; a second run has nothing to write."""
    assert run(project, "plan", "--declare") == 0
    assert _between(project) == ALL
    assert "declared between: v1 -> v2: Box: cohort: cohortName\n" in capsys.readouterr().out
    text = (project / "holdall.yaml").read_text()
    assert run(project, "plan", "--declare", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"declared": {"boxes": []}, "problems": []}
    assert (project / "holdall.yaml").read_text() == text
    assert len(planned(project).edges) == 3


def test_a_refused_project_is_whole_after_declaring(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan says what would help, as JSON too, and --declare does it without an editor."""
    root = write_versions(tmp_path, v1=thing(part=TEXT), v2=thing(part=many(TEXT)))
    assert run(root, "plan") == 1
    assert "between: v1 -> v2: Box: part: {wrap: true}" in capsys.readouterr().out
    assert run(root, "plan", "--json") == 1
    value = json.loads(capsys.readouterr().out)
    assert [problem["code"] for problem in value["problems"]] == ["HA201"]
    assert [item["declare"] for item in value["proposals"]["boxes"]] == [{"wrap": True}]
    assert run(root, "plan", "--declare") == 0
    assert run(root, "generate") == 0


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("y\ny\ny\n", ALL),
        ("yes\nno\n", {"Box": {"cohort": "cohortName"}}),
        ("n\ny\ny\n", {"Box": {"stepOverrides": "stepSpecs"}, "StepOverride": ALL["StepOverride"]}),
        ("\n\n", {}),
        ("a\n", ALL),
        ("y\nd\n", {"Box": {"cohort": "cohortName"}}),
        ("?\nwhat\ny\nn\n", {"Box": {"cohort": "cohortName"}}),
    ],
)
def test_interactive_asks(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    wanted: object,
) -> None:
    """One question after another; what depends on a no is not asked."""
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    assert run(project, "plan", "--interactive") == 0
    assert _between(project) == wanted
    out, err = capsys.readouterr()
    assert "is v1.Box cohort now cohortName of v2.Box? [y/n/a/d/q/?]" in err
    assert "?" not in out


@pytest.mark.parametrize(("typed", "code"), [("y\nq\n", 0), ("y\n", 130), ("", 130)])
def test_an_unfinished_answer_writes_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, typed: str, code: int
) -> None:
    """Quitting, or the end of the input, in the middle of the questions."""
    before = (project / "holdall.yaml").read_text()
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    assert run(project, "plan", "--interactive") == code
    assert (project / "holdall.yaml").read_text() == before


def test_who_is_no_terminal_is_not_asked(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In CI nobody answers: wrong usage, and nothing is written."""
    before = (project / "holdall.yaml").read_text()
    monkeypatch.setattr(sys, "stdin", StringIO("y\ny\ny\n"))
    assert run(project, "plan", "--interactive") == 2
    assert "use --declare" in capsys.readouterr().err
    assert (project / "holdall.yaml").read_text() == before


def test_a_configuration_that_cannot_be_written(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, with the name of the file."""

    def refuse(path: Path, data: bytes) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("holdall_codegen.output.declaring.replace_file", refuse)
    assert run(project, "plan", "--declare") == 2
    assert "holdall.yaml" in capsys.readouterr().err
    assert _between(project) == {}


def test_no_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing to add to."""
    assert run(tmp_path, "plan", "--declare") == 2
    assert "holdall init" in capsys.readouterr().err


def test_pairs_that_may_be_two_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Elements that lose and gain members under one name are no plain recursion."""
    v1 = thing(conditions=many(thing(type=TEXT, severity=TEXT)), parts=many(thing(a=TEXT)))
    v2 = thing(conditions=many(thing(type=TEXT, observed=NUMBER)), parts=many(thing(a=TEXT)))
    root = write_versions(tmp_path, v1=v1, v2=v2)
    assert run(root, "plan") == 0
    shown = capsys.readouterr().out
    assert "its elements lose severity and gain observed: is it the same?" in shown
    assert "parts" not in shown

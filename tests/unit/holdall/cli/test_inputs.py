"""What commands are given: where nothing was read, no command says that all is well."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.errors import SourceError
from holdall.kubernetes.conform.subjects import read_subjects
from tests.support.commands import run
from tests.support.projects import THING_CONFIG, THING_FILES, build_project

pytestmark = pytest.mark.usefixtures("own_folder")

THING = "{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}}\n"
NO_ITEMS = "{apiVersion: v1, kind: List, items: []}\n"
LOOKING = [
    ("laws", "--law", "L1"),
    ("audit",),
    ("audit", "--valid"),
    ("audit", "--fate", "--to", "v2"),
    ("doctor",),
    ("convert", "--to", "v2"),
]
"""Commands that look at objects."""


@pytest.mark.parametrize("words", LOOKING, ids=" ".join)
@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n---\n"], ids=("none", "notes", "null"))
def test_a_file_without_a_document(project: Path, words: tuple[str, ...], text: str) -> None:
    """A dump that failed looks like this: it is an error, in a file and in a pipe."""
    Path("nothing.yaml").write_text(text)
    result = run(project, *words, "nothing.yaml")
    assert result.exit_code == 2, result.output
    assert "HA109 nothing.yaml: there is no document" in result.stderr
    assert "fix: " in result.stderr
    result = run(project, *words, "-", stdin=text)
    assert result.exit_code == 2, result.output
    assert "HA109 <stdin>: there is no document" in result.stderr


@pytest.mark.parametrize("words", LOOKING[:-1], ids=" ".join)
def test_a_file_without_a_document_beside_others(project: Path, words: tuple[str, ...]) -> None:
    """That others have some does not excuse it."""
    Path("things.yaml").write_text(THING)
    Path("nothing.json").write_text("")
    result = run(project, *words, "things.yaml", "nothing.json")
    assert result.exit_code == 2, result.output
    assert "HA109 nothing.json: there is no document" in result.stderr


def test_convert_leaves_empty_files_empty_beside_others(project: Path) -> None:
    """A folder of manifests may have one in which all is commented out."""
    Path("in").mkdir()
    Path("in/a.yaml").write_text(THING)
    Path("in/b.yaml").write_text("# later\n")
    result = run(project, "convert", "--to", "v2", "in", "-o", "out")
    assert result.exit_code == 0, result.output
    assert Path("out/b.yaml").read_text() == "# later\n"


@pytest.mark.parametrize("words", LOOKING[:-2], ids=" ".join)
def test_what_is_not_an_object(project: Path, words: tuple[str, ...]) -> None:
    """It is an error with its place, in a list as well."""
    Path("words.yaml").write_text(f"hello\n---\n{THING}---\nkind: List\nitems:\n- 5\n")
    result = run(project, *words, "words.yaml")
    assert result.exit_code == 2, result.output
    assert "HA110 words.yaml:1:1: expected an object, found string" in result.stderr
    assert "HA110 words.yaml:7:3: expected an object, found integer" in result.stderr


@pytest.mark.parametrize("words", [LOOKING[0], LOOKING[2], LOOKING[3]], ids=" ".join)
def test_a_list_without_items_proves_nothing(project: Path, words: tuple[str, ...]) -> None:
    """What judges objects needs one."""
    Path("list.yaml").write_text(NO_ITEMS)
    result = run(project, *words, "list.yaml")
    assert result.exit_code == 2, result.output
    assert "HA111 list.yaml: there is no object" in result.stderr


def test_a_list_without_items_has_no_bags(project: Path) -> None:
    """Whoever asks what objects keep has an answer, and is told why."""
    Path("list.yaml").write_text(NO_ITEMS)
    result = run(project, "audit", "--fail-on-residue", "list.yaml")
    assert result.exit_code == 0, result.output
    assert result.stderr == "no bag holds anything: there are no objects\n"
    Path("list.yaml").write_text(THING)
    result = run(project, "audit", "--fail-on-residue", "list.yaml")
    assert result.stderr == "no bag of 1 object holds anything\n"


def test_no_object_of_the_kinds_that_are_asked_for(tmp_path: Path) -> None:
    """Objects that `--kind` leaves out are not checked."""
    config = THING_CONFIG.replace('{Thing: ""}', '{Thing: "", Other: ""}')
    project = build_project(tmp_path / "two", config, THING_FILES)
    Path("things.yaml").write_text(THING)
    result = run(project, "laws", "--kind", "Other", "things.yaml")
    assert result.exit_code == 2, result.output
    assert "HA710 there is no object of the requested kinds: Other" in result.stderr


@pytest.mark.parametrize("form", [[], ["--json"]], ids=" ".join)
def test_laws_with_nothing_to_look_at(project: Path, tmp_path: Path, form: list[str]) -> None:
    """No hook to break, and an older state of other groups."""
    result = run(project, "laws", "--mutants", "hooks", *form)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "HA710 there is no hook to break" in result.stderr
    older = build_project(
        tmp_path / "older", THING_CONFIG.replace("things:", "others:"), THING_FILES
    )
    result = run(project, "laws", "--against", str(older), *form)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "this project reads nothing that it stores" in result.stderr


def test_lines_without_documents(project: Path) -> None:
    """Part of a table may have no rows; the counts say so, also where a pipe reads the rest."""
    Path("part.jsonl").write_text("")
    result = run(project, "convert", "--to", "v2", "part.jsonl")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "0 converted, 0 failed\n"


def test_explore_and_conform(project: Path) -> None:
    """A page without the objects that were named, or a test without them, is not what was asked."""
    Path("nothing.yaml").write_text("# later\n")
    words = ("--examples", "0", "-o", "page.html", "--objects", "nothing.yaml")
    result = run(project, "explore", *words)
    assert (result.exit_code, Path("page.html").exists()) == (2, False)
    assert "HA109 nothing.yaml: there is no document" in result.stderr
    with pytest.raises(SourceError, match=r"nothing\.yaml: there is no document"):
        read_subjects([], [Path("nothing.yaml")])


def test_generated_code_that_is_incomplete(tmp_path: Path) -> None:
    """it is reported as such, not as a bug in holdall."""
    project = build_project(tmp_path / "own", THING_CONFIG, THING_FILES)
    next(project.glob("*/things/v1/storage.py")).unlink()
    result = run(project, "laws", "--examples", "1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "HA404 " in result.stderr
    assert "fix: run `holdall generate`" in result.stderr
    Path("thing.yaml").write_text(THING)
    result = run(project, "audit", "thing.yaml")
    assert result.exit_code == 0, result.output
    assert "the reasons are unknown, because the project cannot be loaded:\nHA404 " in result.stderr

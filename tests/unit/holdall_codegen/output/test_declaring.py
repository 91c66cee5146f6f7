"""Declarations as lines of holdall.yaml: what stands there stays, and no half of a file is left."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
import yaml

from holdall.errors import SourceError
from holdall_codegen.output.declaring import add_declarations, declare
from holdall_codegen.propose import Proposal
from tests.support.proposing import NUMBER, TEXT, proposals, thing, write_versions

HEAD = """\
# a project
groups:
  boxes:
    sources: [{schemas: v1.yaml, version: v1}]   # one
    versions: [v1, v2]
"""
V1 = thing(spec=thing(cohort=TEXT, rolloutAfter=TEXT, size=NUMBER))
V2 = thing(spec=thing(cohortName=TEXT, rollout=thing(after=TEXT), size=NUMBER))
BOTH = """\
        BoxSpec:
          cohort: cohortName
          rolloutAfter: {move: rollout/after}
"""


@pytest.fixture
def found(tmp_path: Path) -> tuple[Proposal, ...]:
    """A rename and a move, of one type."""
    (tmp_path / "schemas").mkdir()
    items = proposals(write_versions(tmp_path / "schemas", v1=V1, v2=V2))
    return tuple(sorted(items, key=lambda item: item.property_path))


BLOCKS = {
    "no between": (HEAD, HEAD + "    between:\n      v1 -> v2:\n" + BOTH),
    "no end of line": (HEAD.rstrip("\n"), HEAD + "    between:\n      v1 -> v2:\n" + BOTH),
    "an empty between": (
        HEAD + "    between:   # what differs\n",
        HEAD + "    between:   # what differs\n      v1 -> v2:\n" + BOTH,
    ),
    "another pair, then another key": (
        HEAD + "    between:\n      v0 -> v1:\n        A: {a: b}\n    hub: v2\n",
        HEAD
        + "    between:\n      v0 -> v1:\n        A: {a: b}\n      v1 -> v2:\n"
        + BOTH
        + "    hub: v2\n",
    ),
    "the pair in another spelling": (
        HEAD + "    between:\n      v1->v2:\n        A: {a: b}\n",
        HEAD + "    between:\n      v1->v2:\n        A: {a: b}\n" + BOTH,
    ),
    "the type, with comments": (
        HEAD
        + "    between:\n      v1 -> v2:\n        BoxSpec:\n          # so\n          a: b  # so\n"
        "          # to do\n\n        # more\n        Z: {a: b}\n",
        HEAD
        + "    between:\n      v1 -> v2:\n        BoxSpec:\n          # so\n          a: b  # so\n"
        "          # to do\n          cohort: cohortName\n"
        "          rolloutAfter: {move: rollout/after}\n\n        # more\n        Z: {a: b}\n",
    ),
    "the type on one line": (
        HEAD + "    between:\n      v1 -> v2:\n        BoxSpec: {a: b}  # kept\n",
        HEAD + "    between:\n      v1 -> v2:\n        BoxSpec: {a: b, cohort: cohortName, "
        "rolloutAfter: {move: rollout/after}}  # kept\n",
    ),
    "all on one line": (
        HEAD + "    between: {}\n",
        HEAD + "    between: {v1 -> v2: {BoxSpec: {cohort: cohortName, "
        "rolloutAfter: {move: rollout/after}}}}\n",
    ),
    "another group below": (
        HEAD + "  # of others\n  others:\n    versions: [v1]\n",
        HEAD
        + "    between:\n      v1 -> v2:\n"
        + BOTH
        + "  # of others\n  others:\n    versions: [v1]\n",
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_lines_are_added_where_they_belong(found: tuple[Proposal, ...], name: str) -> None:
    """In every form that a file may have; all other bytes stay."""
    before, after = BLOCKS[name]
    assert add_declarations(before, "holdall.yaml", {"boxes": found}) == after
    assert yaml.safe_load(after)


def test_line_ends_are_those_of_the_file(found: tuple[Proposal, ...]) -> None:
    """A file with CRLF gets lines with CRLF."""
    changed = add_declarations(HEAD.replace("\n", "\r\n"), "holdall.yaml", {"boxes": found})
    assert changed == BLOCKS["no between"][1].replace("\n", "\r\n")


def test_names_are_quoted_where_readers_disagree(tmp_path: Path) -> None:
    """`on` and `no` are no booleans, and a slash in a name is no path."""
    v1, v2 = thing(**{"on/offMode": TEXT}), thing(**{"on/offModes": TEXT})
    items = proposals(write_versions(tmp_path, v1=v1, v2=v2))
    text = (tmp_path / "holdall.yaml").read_text()
    changed = add_declarations(text, "holdall.yaml", {"boxes": items})
    between = yaml.safe_load(changed)["groups"]["boxes"]["between"]
    assert between == {"v1 -> v2": {"Box": {"on~1offMode": "on~1offModes"}}}


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "    between: null\n",
        HEAD + "    between: &facts\n      v0 -> v1: {A: {a: b}}\n",
        '{"groups":\n  {"boxes": \n  {"versions": ["v1"], "between": null}}}\n',
    ],
)
def test_a_form_that_takes_no_lines_is_refused(found: tuple[Proposal, ...], text: str) -> None:
    """Nothing is guessed: the error holds the lines to add, or the file is right."""
    try:
        changed = add_declarations(text, "holdall.yaml", {"boxes": found})
    except SourceError as error:
        (problem,) = error.problems
        assert problem.code == "HA137"
        assert "cohort: cohortName" in problem.fix
    else:
        assert yaml.safe_load(changed)["groups"]["boxes"]["between"]["v1 -> v2"]["BoxSpec"]


# --- the file -----------------------------------------------------------------------------------


def test_a_file_that_changed_meanwhile_is_not_written(
    tmp_path: Path, found: tuple[Proposal, ...]
) -> None:
    """Answers may take minutes, and somebody may edit: nothing is overwritten."""
    path = tmp_path / "holdall.yaml"
    path.write_text(HEAD + "    hub: v1\n")
    with pytest.raises(SourceError, match=r"HA136.*has changed since"):
        declare(path, HEAD.encode(), {"boxes": found})
    assert path.read_text() == HEAD + "    hub: v1\n"


def test_nothing_to_declare_writes_nothing(tmp_path: Path) -> None:
    """The file keeps its time, too."""
    path = tmp_path / "holdall.yaml"
    path.write_text(HEAD)
    os.utime(path, (1, 1))
    assert not declare(path, HEAD.encode(), {"boxes": ()})
    assert path.stat().st_mtime == 1


def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, found: tuple[Proposal, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, or the end of the process: the file is the old one, and no draft stays."""
    path = tmp_path / "holdall.yaml"
    path.write_text(HEAD)

    def stop(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = {*tmp_path.iterdir()}
    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(OSError, match="No space left"):
        declare(path, HEAD.encode(), {"boxes": found})
    assert path.read_text() == HEAD
    assert {*tmp_path.iterdir()} == before

"""Folders that are searched: nothing in them is left out without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.text.folders import files_below, matches, unreadable
from tests.support.closed import close_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.yaml", "in/b.yaml", "in/deep/c.yaml", ".git/d.yaml", "in/.e.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("hidden", "names"),
    [
        (True, [".git/d.yaml", "a.yaml", "in/.e.yaml", "in/b.yaml", "in/deep/c.yaml"]),
        (False, ["a.yaml", "in/b.yaml", "in/deep/c.yaml"]),
    ],
)
def test_files_at_any_depth(folder: Path, hidden: bool, names: list[str]) -> None:
    found = files_below(folder, hidden=hidden)
    assert sorted(path.relative_to(folder).as_posix() for path in found) == names


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.yaml", ["a.yaml"]),
        ("in/*.yaml", ["in/b.yaml"]),
        ("**/*.yaml", ["a.yaml", "in/b.yaml", "in/deep/c.yaml"]),
        ("*/deep/c.yaml", ["in/deep/c.yaml"]),
        ("a.yaml/*.yaml", []),
        ("none/*.yaml", []),
    ],
)
def test_patterns(folder: Path, pattern: str, names: list[str]) -> None:
    assert sorted(matches(pattern, folder)) == names
    absolute = sorted(matches(f"{folder}/{pattern}", Path()))
    assert absolute == [f"{folder}/{name}" for name in names]


@pytest.mark.parametrize("pattern", ["in/*.yaml", "**/*.yaml", "*/*.yaml", "i*/deep/c.yaml"])
def test_a_closed_folder(folder: Path, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern that asks for its files is an error, and no other one."""
    close_folder(folder / "in", monkeypatch)
    with pytest.raises(PermissionError) as caught:
        matches(pattern, folder)
    assert unreadable(caught.value).where == str(folder / "in")
    assert matches("*.yaml", folder) == ["a.yaml"]
    with pytest.raises(PermissionError):
        list(files_below(folder))


def test_a_hidden_folder_need_not_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    close_folder(folder / ".git", monkeypatch)
    assert len([*files_below(folder, hidden=False)]) == len(matches("**/*.yaml", folder)) == 3

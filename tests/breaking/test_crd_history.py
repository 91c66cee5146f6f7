"""The script that repeats docs/breaking-history.md on any repository or folder of CRDs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.crd_history import main
from holdall.text import yaml
from tests.breaking.test_schemas import Edit, after, properties, set_to
from tests.support.repositories import git


def _gains(value: dict[str, object]) -> None:
    set_to("when", None)(value)
    properties(value, 1)["fresh"] = {"type": "string"}


STATES: dict[str, Edit] = {
    "v1.0.0": lambda value: None,
    "v1.1.0": set_to("when", None),
    "v1.2.0": _gains,
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init")
    (tmp_path / "crds").mkdir()
    (tmp_path / "broken.yaml").write_text("{", encoding="utf-8")
    for tag, edit in STATES.items():
        text = yaml.dump(after(edit, "v1", "v2"))
        (tmp_path / "crds/boxes.yaml").write_text(text, encoding="utf-8")
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-m", tag)
        git(tmp_path, "tag", tag)
    return tmp_path


@pytest.mark.parametrize("path", ["crds", "crds/box*.yaml"])
def test_the_table_of_a_repository(
    path: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each state is compared with the one before it, and the findings are counted by rule."""
    main([str(repository), "--path", path, *STATES])
    rows = capsys.readouterr().out.splitlines()[2:]
    # The first version loses a property, and what is written through it loses the second's.
    assert rows == [
        "| v1.0.0 → v1.1.0 | 2 | `property-removed` 2 |",
        "| v1.1.0 → v1.2.0 | 1 | `property-removed` 1 |",
    ]


def test_what_a_build_adds(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --converted, served versions are not compared with each other."""
    main([str(repository), "--path", "crds", "--converted", "--json", *STATES])
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(item["from"], item["version"], item["path"]) for item in found] == [
        ("v1.0.0", "v1", "spec/when")
    ]


def test_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder for each state does, too; --findings lists them."""
    for name in ("v1.0.0", "v1.1.0"):
        (tmp_path / name).mkdir()
        text = yaml.dump(after(STATES[name]))
        (tmp_path / name / "boxes.yaml").write_text(text, encoding="utf-8")
    main([str(tmp_path), "--findings", "v1.0.0", "v1.1.0"])
    assert "    property-removed Box v1 spec/when: removed" in capsys.readouterr().out


def test_a_state_without_crds(repository: Path) -> None:
    """The message names what was looked for."""
    with pytest.raises(SystemExit, match=r"v1.1.0 has no YAML below nowhere"):
        main([str(repository), "--path", "nowhere", "v1.1.0", "v1.0.0"])

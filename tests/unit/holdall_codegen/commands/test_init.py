"""`holdall init`: what it writes can be generated, also where properties change their types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.crds import crd_of, struct
from tests.support.proposing import NUMBER, TEXT, many
from tests.support.small_project import run

OLD = struct(args={"type": "object", "additionalProperties": TEXT}, tier=NUMBER, owner=TEXT)
NEW = struct(args=many(struct(name=TEXT, value=TEXT)), tier=struct(x=NUMBER), ownerName=TEXT)
DECLARED = {"BoxSpec": {"args": {"keyed": "name/value"}, "tier": {"strategy": "stash"}}}


def write(root: Path, *specs: dict[str, Any]) -> Path:
    schemas = {f"v{number}": struct(spec=spec) for number, spec in enumerate(specs, 1)}
    (root / "crd.yaml").write_text(yaml.safe_dump(crd_of("Box", schemas)))
    return root


def between(root: Path) -> Any:
    config = yaml.safe_load((root / "holdall.yaml").read_text())
    return config["groups"]["example"].get("between", {})


def test_what_would_be_refused_is_declared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing else: a rename is a guess. The project generates and checks."""
    write(tmp_path, OLD, NEW)
    assert run(tmp_path, "init", str(tmp_path / "crd.yaml")) == 0
    assert between(tmp_path) == {"v1 -> v2": DECLARED}
    told = capsys.readouterr()
    assert "declared between: v1 -> v2: BoxSpec: args: {keyed: name/value}" in told.out
    assert "tier: {strategy: stash}  # doubtful: kept apart until a hook converts it" in told.out
    assert "these are guesses; without them nothing could be generated" in told.err
    written = (tmp_path / "holdall.yaml").read_text()
    assert (
        "# a guess from the types: a map and a list of objects with its keys\n          args:"
        in written
    )
    assert run(tmp_path, "generate") == 0
    assert run(tmp_path, "check") == 0


def test_of_several_groups_each_line_names_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schemas = {"v1": struct(spec=OLD), "v2": struct(spec=NEW)}
    crds = [crd_of("Box", schemas, group=f"{name}.example.com") for name in ("one", "two")]
    (tmp_path / "crds.yaml").write_text(yaml.safe_dump_all(crds))
    assert run(tmp_path, "init", str(tmp_path / "crds.yaml")) == 0
    out = capsys.readouterr().out
    for name in ("one", "two"):
        assert f"declared {name}: between: v1 -> v2: BoxSpec: args: " in out


def test_it_is_told_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As `plan --declare --json` tells it."""
    write(tmp_path, OLD, NEW)
    assert run(tmp_path, "init", "--json", str(tmp_path / "crd.yaml")) == 0
    (found,) = json.loads(capsys.readouterr().out)["declared"].values()
    assert {item["property"]: item["declare"] for item in found} == DECLARED["BoxSpec"]


def test_nothing_is_declared_without_need(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, OLD, OLD)
    assert run(tmp_path, "init", str(tmp_path / "crd.yaml")) == 0
    assert between(tmp_path) == {}
    assert "declared between" not in capsys.readouterr().out


def test_schemas_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The configuration is written all the same, since most fixes belong in it."""
    write(tmp_path, OLD, struct(args={"type": "something"}))
    assert run(tmp_path, "init", str(tmp_path / "crd.yaml")) == 0
    assert run(tmp_path, "generate") == 2
    assert "something" in capsys.readouterr().err

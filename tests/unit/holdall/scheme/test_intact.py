"""Whether generated files are as they were generated: the manifest beside the packages tells."""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from holdall.cli.root import root as holdall_command
from holdall.plan.plans import MANIFEST_FILE
from holdall.scheme.intact import not_intact
from holdall.scheme.scheme import Scheme
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of


@pytest.fixture
def scheme(tmp_path: Path) -> Scheme:
    return scheme_of(
        build_project(tmp_path, THING_CONFIG, {**THING_FILES, "hooks/__init__.py": ""})
    )


@pytest.fixture
def folder(scheme: Scheme, tmp_path: Path) -> Path:
    """The folder of the group's package, with a manifest beside it."""
    folder = tmp_path.joinpath(*scheme.package.split("."))
    files = {
        path.relative_to(folder.parent).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*.*")
        if path.suffix in (".py", ".json")
    }
    manifest = json.dumps({"files": {**files, "others/__init__.py": "0"}})
    (folder.parent / MANIFEST_FILE).write_text(manifest)
    return folder


def found(scheme: Scheme) -> list[str]:
    problems = not_intact(scheme.package)
    return [f"{item.code} {Path(item.where).name}: {item.message}" for item in problems]


def test_what_was_edited_or_left_out_is_named(scheme: Scheme, folder: Path) -> None:
    assert found(scheme) == []
    with (folder / "v1" / "storage.py").open("a") as file:
        file.write("# mine\n")
    (folder / "plan.json").unlink()
    assert sorted(found(scheme)) == [
        "HA826 plan.json: it was generated, but is missing",
        "HA826 storage.py: it was edited: the plan may not say what it does",
    ]


def test_of_an_archive_nothing_can_be_said(
    scheme: Scheme, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packages may be imported from a zip file, which is no folder of a manifest."""
    archive = tmp_path / "archive.zip"
    archive.write_bytes(b"")
    module = ModuleType(scheme.package)
    module.__file__ = str(archive / folder.name / "__init__.py")
    monkeypatch.setitem(sys.modules, scheme.package, module)
    assert found(scheme) == []


def test_ends_of_lines_make_no_difference(scheme: Scheme, folder: Path) -> None:
    """git for Windows ends lines with CR and LF when it checks files out."""
    for path in (folder / "plan.json", folder / "v1" / "storage.py"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert found(scheme) == []


def test_serve_says_so_before_it_serves(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    command = ["--project", str(tmp_path), "serve", "--plain-http", "--check"]
    said = CliRunner().invoke(holdall_command, command)
    assert (said.exit_code, said.stdout) == (0, "everything is loaded and tested\n"), said.stderr
    with (folder / "v1" / "storage.py").open("a") as file:
        file.write("# mine\n")
    said = CliRunner().invoke(holdall_command, command)
    assert (said.exit_code, said.stdout) == (2, "")
    assert f"HA826 {folder / 'v1' / 'storage.py'}: it was edited: " in said.stderr


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": 1}'])
def test_a_manifest_that_says_nothing(scheme: Scheme, folder: Path, text: str) -> None:
    """A damaged one is a problem; where it was not taken along, nothing can be said."""
    manifest = folder.parent / MANIFEST_FILE
    manifest.write_text(text)
    assert [line.partition(": ")[0] for line in found(scheme)] == [f"HA826 {MANIFEST_FILE}"]
    manifest.unlink()
    assert found(scheme) == []

"""The checks are not blind: breaking one line of generated code or of a hook makes them fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STORAGE = "generated/batch/v20220601/storage.py"
OLDEST = "generated/batch/v20210101/storage.py"

MUTANTS = {
    "an assignment reads another property": (
        STORAGE,
        "destination.display_name = self.display_name",
        "destination.display_name = self.location",
    ),
    "an assignment is missing on the way back": (
        STORAGE,
        "self.pool_limit = source.pool_limit",
        "self.pool_limit = None",
    ),
    "a list is shared instead of copied": (
        STORAGE,
        "destination.contacts = h.copy_list(self.contacts)",
        "destination.contacts = self.contacts",
    ),
    "a bag key is wrong": (
        STORAGE,
        'bag.stash("v20230501", "zones", source.zones)',
        'bag.stash("v20230501", "zone", source.zones)',
    ),
    "a bag origin is wrong": (
        STORAGE,
        'bag.stash("v20230501", "owners", source.owners)',
        'bag.stash("v20220601", "owners", source.owners)',
    ),
    "a skip link does not look at edits": (
        OLDEST,
        "_BATCH_ACCOUNT_SPEC_LINKED_TIER.guard(self.tier, bag)",
        "pass",
    ),
    "a move keeps what it moved": (
        STORAGE,
        "rest = _ENCRYPTION_MOVES.to.leave(self)",
        "rest = self",
    ),
    "a renamed value has another name": (
        OLDEST,
        'h.renamed_values({"Basic": "Base", "Paid": "Standard"})',
        'h.renamed_values({"Basic": "Basis", "Paid": "Standard"})',
    ),
    "the bag is not handed over": (
        STORAGE,
        "self.property_bag = _POOL_SPEC_BACK.close(bag)",
        "_POOL_SPEC_BACK.close(bag); self.property_bag = None",
    ),
    "a hook forgets the other members of a list": (
        "hooks/batch/upgrades.py",
        'bag.put("controlPlaneOverrides", list(overrides))',
        "pass",
    ),
    "a hook forgets null": (
        "hooks/batch/upgrades.py",
        'set_null(destination, "forceUpgrade")',
        "pass",
    ),
}


def run_checks(root: Path, project_root: Path) -> subprocess.CompletedProcess[str]:
    """Run the checks over the batch group of a project in a process of their own."""
    path = [str(root), *(str(project_root / part) for part in ("runtime", "codegen", ""))]
    return subprocess.run(
        [sys.executable, "-m", "tests.laws.run_checks", "batch"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def project(project_root: Path, tmp_path: Path) -> Path:
    """A copy of the sample project without tests."""
    for name in ("generated", "hooks", "schemas"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(project_root / name, tmp_path / name, ignore=ignored)
    shutil.copy(project_root / "holdall.yaml", tmp_path)
    return tmp_path


def test_the_untouched_project_passes(project: Path, project_root: Path) -> None:
    """The copy passes all checks, so what kills a mutant is its mutation."""
    done = run_checks(project, project_root)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_killed(name: str, project: Path, project_root: Path) -> None:
    """A law, or the comparison with the interpreter, fails for each mutant."""
    file, before, after = MUTANTS[name]
    text = (project / file).read_text(encoding="utf-8")
    assert before in text, "the mutated line is there"
    (project / file).write_text(text.replace(before, after), encoding="utf-8")
    done = run_checks(project, project_root)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "AssertionError" in done.stdout, done.stdout + done.stderr

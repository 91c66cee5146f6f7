"""The compiled wheel that `make compiled` installs: it converts to the same bytes."""

from __future__ import annotations

import hashlib
import importlib
import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import get_type_hints

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    os.environ.get("HOLDALL_COMPILED") != "1",
    reason="these tests are about a compiled wheel: make compiled",
)


def test_what_a_conversion_runs_is_compiled() -> None:
    """A wheel that is not compiled passes all other tests, too."""
    root = ROOT / "runtime"
    hatch_build = importlib.import_module("hatch_build")
    names = [hatch_build.name_of(path, root) for path in hatch_build.sources(root)]
    rooms = ("carriers", "carriers/tracking", "engine", "objects")
    there = {
        hatch_build.name_of(path, root)
        for room in rooms
        for path in root.glob(f"holdall/{room}/[!_]*.py")
    }
    assert there.difference(names) == {"holdall.objects.base", "holdall.objects.serialization"}
    assert {"holdall.scheme.routes", "holdall.text.json"} <= {*names}
    for name in names:
        file = importlib.import_module(name).__file__
        assert file is not None and file.endswith(tuple(EXTENSION_SUFFIXES)), name


def test_hints_are_resolved_with_the_names_of_a_generated_module() -> None:
    """As dataclasses-json does it, and other tools."""
    module = importlib.import_module("generated.fleet.v1")
    assert "dataclass_json_config" in get_type_hints(module.Vehicle, vars(module))


def test_the_version_says_so() -> None:
    """A report of a bug has to."""
    command = [sys.executable, "-m", "holdall", "--version"]
    assert subprocess.check_output(command, text=True).rstrip().endswith("(compiled)")


def test_the_same_bytes() -> None:
    """Sample objects convert to what the sources make of them, in every direction and back."""
    file, digest = digest_with("runtime", "codegen", "")
    assert file == str(ROOT / "runtime/holdall/engine/members.py")
    compiled, digest_of_compiled = digest_with("")
    assert compiled.endswith(tuple(EXTENSION_SUFFIXES))
    assert digest == digest_of_compiled


def digest_with(*folders: str) -> list[str]:
    """Return which engine a fresh interpreter imports, and what `converted` gives there."""
    path = os.pathsep.join(str(ROOT / folder) for folder in folders)
    printed = subprocess.check_output(
        [sys.executable, __file__], text=True, env={**os.environ, "PYTHONPATH": path}
    )
    return printed.split()


def converted() -> str:
    """Return a digest of all sample objects at all versions, and of what they become again."""
    samples = importlib.import_module("bench.samples")
    found = hashlib.sha256()
    with samples.built() as schemes:
        for group, scheme in schemes.items():
            for _, data, version, route in samples.ways(group, scheme):
                there = scheme.convert_bytes(data, to=version)
                found.update(there + scheme.convert_bytes(there, to=route.versions[0]))
    return found.hexdigest()


if __name__ == "__main__":
    print(importlib.import_module("holdall.engine.members").__file__, converted())

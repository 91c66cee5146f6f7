"""Where users run holdall: systems that lack forks, signals and `/proc`, and switches of Python."""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.reviews import body_of, converted
from tests.support.serving import PATIENCE, serving

ROOT = Path(__file__).parents[2]
PARTS = ("generated", "hooks", "samples", "schemas")
SYSTEMS = ("macos", "windows")
NEWEST = "batch.example.com/v20240701"
COMMANDS = (
    "generate --check",
    "check",
    "plan",
    "crd -o crds",
    f"convert --to {NEWEST} samples/batch -o converted",
    f"convert --to {NEWEST} pools.jsonl -o new.jsonl --jobs 2",
    "audit converted",
    "laws --kind Team --examples 1 --jobs 2",
    "serve --check --plain-http",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the sample project, with objects as lines."""
    shutil.copy(ROOT / "holdall.yaml", tmp_path)
    for name in PARTS:
        ignored = shutil.ignore_patterns("__pycache__", ".holdall")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    lines = "".join(f"{json.dumps(pool)}\n" for pool in pools())
    (tmp_path / "pools.jsonl").write_text(lines)
    return tmp_path


def pools() -> list[Any]:
    text = (ROOT / "samples/batch/pools.yaml").read_text(encoding="utf-8")
    return [document for document in yaml.safe_load_all(text) if document]


def run(project: Path, *words: str, system: str = "", switches: tuple[str, ...] = ()) -> str:
    """Run a command in an interpreter of its own, and return what it said; it must be fine.

    Its processes are as on the system, too: each reads `sitecustomize`.
    """
    if system:
        text = f"from tests.support.other_systems import as_{system}\nas_{system}()\n"
        (project / "sitecustomize.py").write_text(text)
    roots = [str(project), *(str(Path(p).resolve()) for p in sys.path if p and Path(p).is_dir())]
    done = subprocess.run(
        [sys.executable, *switches, "-m", "holdall", *words],
        cwd=project,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*roots, str(ROOT)])},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_commands(project: Path, system: str) -> None:
    """All that needs no Linux; lines are converted and laws checked in several processes."""
    for command in COMMANDS:
        run(project, *command.split(), system=system)
    lines = (project / "new.jsonl").read_text().splitlines()
    assert [json.loads(line)["apiVersion"] for line in lines] == [NEWEST] * len(pools())


@pytest.mark.parametrize("package", ["codegen/holdall_codegen", "runtime/holdall"])
def test_texts_have_an_encoding(package: str) -> None:
    """That of the system differs: whatever reads or writes text names another one."""
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in sorted((ROOT / package).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.Call) and takes_text(node) and "encoding" not in named(node)
    ]
    assert found == []


def named(call: ast.Call) -> set[str | None]:
    return {each.arg for each in call.keywords}


def takes_text(call: ast.Call) -> bool:
    """Tell whether a call reads or writes a text, or exchanges it with a process."""
    owner, _, name = ast.unparse(call.func).rpartition(".")
    if owner == "subprocess":
        return bool({"text", "universal_newlines"} & named(call))
    return name in ("read_text", "write_text") and owner != "Contents"


def test_a_folder_whose_name_is_not_text(project: Path) -> None:
    """Commands show such a name with its bytes, and find what lies there."""
    folder = project.rename(project.with_name(os.fsdecode(b"not \xff text")))
    run(folder, "audit", "--valid", "samples/fleet")
    run(folder, "explore", "--examples", "0", "-o", "page.html")
    assert "not \\\\xff text" in (folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("switches", [("-OO",), ("-W", "error", "-X", "dev")], ids=" ".join)
def test_switches(project: Path, switches: tuple[str, ...]) -> None:
    """Where Python drops docstrings and assertions, or warns of all, results are the same."""
    for command in ("generate --check", "check", "serve --check --plain-http"):
        run(project, *command.split(), switches=switches)


@pytest.mark.parametrize("system", SYSTEMS)
def test_serving(project: Path, system: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A server answers, and ends when it is told to, where event loops know no signals."""
    # Where no terminal is at hand, it may be ignored.
    ends = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    settings = f"from tests.support.other_systems import as_{system}; as_{system}(); {ends}"
    with serving(project, tmp_path_factory.mktemp("keys"), settings=settings) as served:
        status, body = served.ask("POST", "/convert", body_of(pools(), NEWEST))
        assert status == 200 and len(converted(body)) == len(pools())
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(PATIENCE) == 0

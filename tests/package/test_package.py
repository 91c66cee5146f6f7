"""A new user's way: the wheel, an empty folder, and nothing but what the pages show."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.package.conftest import PAGE
from tests.support.pages import ROOT, blocks_of, read
from tests.support.playing import commands_of, play, run

MOST_COMMANDS = 12


def test_the_way_is_short() -> None:
    """From the package to a running webhook it takes at most twelve commands."""
    blocks = [block for block in blocks_of(read(PAGE)) if block.language == "console"]
    commands = [command for block in blocks for command, _ in commands_of(block)]
    assert len(commands) <= MOST_COMMANDS
    assert "eleven commands" in read(PAGE) and len(commands) == 11
    for name in ("pip install", "init", "hooks", "laws", "explore", "serve"):
        assert any(name in command for command in commands), name


def test_a_new_users_way(installed: Path, environment: Mapping[str, str], tmp_path: Path) -> None:
    """The page works with the wheel in an empty folder; what it serves at last answers."""
    play(PAGE, tmp_path, environment)
    assert "<html" in (tmp_path / "explore.html").read_text(encoding="utf-8")
    (block,) = (block for block in blocks_of(read(PAGE)) if "serve" in block.words)
    ((command, _),) = commands_of(block)
    port = free_port()
    command = re.sub(r"--port \d+", f"--port {port}", command)
    with subprocess.Popen(
        ["sh", "-c", f"exec {command}"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            assert answer(f"http://127.0.0.1:{port}/readyz") == 200
        finally:
            server.terminate()


@pytest.mark.parametrize("page", ["docs/tutorial.md", "README.md"])
def test_pages_outside_the_repository(
    page: str, installed: Path, environment: Mapping[str, str], tmp_path: Path
) -> None:
    """The tutorial and the README need nothing but the wheel."""
    play(ROOT / page, tmp_path, environment)


def test_what_init_writes(installed: Path, environment: Mapping[str, str], tmp_path: Path) -> None:
    """The templates are in the wheel."""
    command = ["holdall", "init", "--deploy", "--ci", "github", "--json"]
    code, printed = run(command, tmp_path, environment)
    assert code == 0, printed
    names = json.loads(printed)["templates"]
    assert {"deploy/Dockerfile", ".github/workflows/holdall.yml"} <= set(names)
    assert all((tmp_path / name).is_file() for name in names)


def test_what_is_in_the_distributions(dist: Path) -> None:
    """The wheel has both packages and their data, the source what builds and tests them."""
    (wheel,), (source,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {name for name in tops if not name.endswith(".dist-info")} == {
        "holdall",
        "holdall_codegen",
    }
    assert "holdall/py.typed" in names
    assert "holdall_codegen/templates/deploy/Dockerfile" in names
    assert not [name for name in names if "__pycache__" in name]
    with tarfile.open(source) as archive:
        inside = {member.name.partition("/")[2] for member in archive.getmembers()}
    tracked = ("Makefile", "constraints.txt", "README.md", "SECURITY.md", "LICENSE", "NOTICE")
    assert {*tracked, "runtime/holdall/__init__.py", "tests/conftest.py"} <= inside


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answer(url: str) -> int:
    """Return the status of an address as soon as it answers."""
    for _ in range(100):
        try:
            with urllib.request.urlopen(url, timeout=1) as response:
                status: int = response.status
                return status
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    return 0

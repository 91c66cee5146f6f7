"""What `holdall init --deploy` and `--ci` write: once, whole, and with commands that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from holdall.cli.root import root as command_line
from holdall.text.yaml import load_all
from holdall.version import VERSION
from holdall_codegen.output.templates import PIPELINES


def init(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["--project", str(folder), "init", *arguments])


@pytest.mark.parametrize("host", PIPELINES)
def test_a_pipeline(tmp_path: Path, host: str) -> None:
    """It installs this version, and every command and option that it runs exists."""
    assert init(tmp_path, "--ci", host).exit_code == 0
    text = (tmp_path / PIPELINES[host]).read_text()
    load_all(text.replace("\non:", '\n"on":'), host)
    assert f"holdall[cli,codegen,testing]=={VERSION}" in text
    used = re.findall(r"(?:run:|-|^ *) holdall ([a-z]+)(.*)$", text, re.MULTILINE)
    assert {name for name, _ in used} == {"generate", "check", "laws", "breaking"}
    for name, options in used:
        command = command_line.get_command(click.Context(command_line), name)
        assert command is not None
        known = {option for param in command.params for option in param.opts}
        assert set(re.findall(r"--[a-z-]+", options)) <= known


def test_deploy(tmp_path: Path) -> None:
    """The folder is whole, says the version, and is not written over; nothing is written then."""
    result = init(tmp_path, "--deploy", "--json")
    names = json.loads(result.stdout)["templates"]
    written = {file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.*")}
    assert {Path(name).relative_to(tmp_path).as_posix() for name in names} >= written
    dockerfile = (tmp_path / "deploy/Dockerfile").read_text()
    assert f"ARG HOLDALL_VERSION={VERSION}\n" in dockerfile
    again = init(tmp_path, "--deploy", "--ci", "github")
    assert again.exit_code == 2 and "HA139 deploy/Dockerfile" in again.stderr
    assert not (tmp_path / ".github").exists()


def test_nothing_to_write(tmp_path: Path) -> None:
    """Without CRDs, a declaration or templates there is nothing to do."""
    result = init(tmp_path)
    assert result.exit_code == 2 and "HA134 init needs either SCHEMAS" in result.stderr

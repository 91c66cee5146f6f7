"""Hooks that print: what they say goes to standard error, and results stay what they are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.projects import THING_CONFIG, build_project, written_hook

SCHEMA = """
type: object
properties:
  metadata: {{type: object, additionalProperties: true}}
  spec: {{type: object, properties: {{size: {{type: integer}}, {name}: {{type: string}}}}}}
"""
HOOK = written_hook(
    """
    print("converting")
    destination.color = source.colour
    if is_null(source, "colour"):
        set_null(destination, "color")
    """,
    """
    print("converting back")
    destination.colour = source.color
    if is_null(source, "color"):
        set_null(destination, "colour")
    """,
    reads="colour",
    writes="color",
    code='from holdall import is_null, set_null\n\nprint("imported")',
)
THING = {"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"colour": "red"}}
THERE = {"apiVersion": "example.com/v2", "kind": "Thing", "spec": {"color": "red"}}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose hook prints when it is imported, and whenever it runs."""
    files = {
        "v1.yaml": SCHEMA.format(name="colour"),
        "v2.yaml": SCHEMA.format(name="color"),
        "hooks/things.py": HOOK,
    }
    return build_project(tmp_path_factory.mktemp("printing") / "p", THING_CONFIG, files)


def ask(project: Path, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, with pipes as a script has them."""
    command = [sys.executable, "-m", "holdall", "-C", str(project), *words]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False)


def test_convert(project: Path) -> None:
    """Documents and errors are apart."""
    done = ask(project, "convert", "--to", "v2", given=json.dumps(THING))
    assert json.loads(done.stdout) == THERE, done
    assert "imported\n" in done.stderr
    assert "converting\n" in done.stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_lines(project: Path, jobs: str) -> None:
    """Other processes print where this one does."""
    words = ("convert", "--to", "v2", "--jsonl", "--jobs", jobs)
    done = ask(project, *words, given=json.dumps(THING) + "\n")
    assert done.stdout == json.dumps(THERE, separators=(",", ":")) + "\n", done
    assert "converting\n" in done.stderr


def test_requests(project: Path) -> None:
    """A reply is one line."""
    request = json.dumps({"to": "v2", "object": THING})
    done = ask(project, "convert", "--requests", given=f"{request}\n{request}\n")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [{"object": THERE}] * 2


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "--fate", "--to", "v2"),
        ("laws", "--examples", "1", "--jobs", "2"),
        ("laws", "--examples", "1", "--jobs", "1", "--mutants", "hooks"),
        ("serve", "--check", "--plain-http"),
        ("hooks", "list"),
        ("plan",),
    ],
    ids=" ".join,
)
def test_one_value_of_json(project: Path, words: tuple[str, ...]) -> None:
    """Standard output is one JSON value."""
    done = ask(project, *words, "--json", given=json.dumps(THING))
    assert json.loads(done.stdout), done


def test_objects_of_yesterday(project: Path) -> None:
    """The process that draws them answers in lines."""
    words = ("laws", "--examples", "1", "--against", str(project), "--json")
    assert json.loads(ask(project, *words).stdout)["objects"]

"""Hooks that raise: each command says where in the hook, and with --traceback how it came there."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from holdall.errors import ConversionError
from holdall.review.reviewer import Reviewer
from holdall.scheme.projects import load_schemes
from tests.support import commands
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, written_hook
from tests.support.reviews import body_of

pytestmark = pytest.mark.usefixtures("own_folder")

HOOK = written_hook(
    'look_up("boom")', 'bag.get("unclaimed")', code="from {hooks}.helpers import look_up"
)
HELPERS = """\
import json


def look_up(word: str) -> None:
    json.loads(word)
"""
THING = {"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"size": 1}}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose hook calls a helper, which lets a library raise."""
    files = {
        **THING_FILES,
        "hooks/helpers.py": HELPERS,
        "hooks/things.py": HOOK,
    }
    return build_project(tmp_path_factory.mktemp("failing") / "p", THING_CONFIG, files)


@pytest.fixture
def place(project: Path) -> str:
    (folder,) = project.glob("hooks_*")
    return f"{folder.name}/helpers.py:5 in look_up"


run = partial(commands.run, stdin=json.dumps(THING))
FAILED = "v1 -> v2 /spec: Hooks raised JSONDecodeError: Expecting value: line 1 column 1 (char 0)"


@pytest.mark.parametrize("form", [[], ["--jsonl"]], ids=" ".join)
def test_convert(project: Path, place: str, form: list[str]) -> None:
    """The place is the hooks' own, not that in a library; the code is that of hooks."""
    result = run(project, "convert", "--to", "v2", *form)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("HA505 <stdin>:1")
    assert f"{FAILED} ({place})\n" in result.stderr
    result = run(project, "--traceback", "convert", "--to", "v2", *form)
    assert 'helpers.py", line 5, in look_up\n    json.loads(word)\n' in result.stderr
    assert result.stderr.index("Traceback") < result.stderr.index("HA505")
    result = run(project, "--traceback", "convert", "--to", "v2", "--json", *form)
    (line, _) = result.stderr.splitlines()
    assert "json.loads(word)" in json.loads(line)["traceback"]


def test_what_holdall_raises_in_a_hook_has_a_place(project: Path, place: str) -> None:
    """The line is the hook's."""
    result = run(project, "convert", "--to", "v1", stdin=json.dumps(THING).replace("v1", "v2"))
    assert "HA505 <stdin>:1" in result.stderr
    where = place.replace("helpers.py:5 in look_up", "things.py:18 in Hooks.assign_properties_from")
    assert f'add "bag:unclaimed" to reads ({where})\n' in result.stderr


def test_requests(project: Path, place: str) -> None:
    """Replies say it, too."""
    request = json.dumps({"to": "v2", "object": THING})
    result = run(project, "convert", "--requests", stdin=f"{request}\n")
    assert place in json.loads(result.stdout)["error"]


def test_laws(project: Path, place: str) -> None:
    """A counterexample has the place; with --traceback the stack."""
    words = ("laws", "--examples", "0", "--jobs", "1", "--law", "L5")
    result = run(project, *words)
    assert result.exit_code == 1
    assert place in result.stdout
    assert "Traceback" not in result.stdout
    result = run(project, "--traceback", *words)
    assert "json.loads(word)" in result.stdout


def test_serve_check(project: Path, place: str) -> None:
    """So has the check of a webhook before it serves."""
    words = ("serve", "--check", "--plain-http")
    result = run(project, *words)
    assert result.exit_code == 2
    assert place.replace("helpers.py:5 in look_up", "things.py:18 in Hooks.assign") in result.stderr
    assert 'bag.get("unclaimed")' not in result.stderr
    assert 'bag.get("unclaimed")' in run(project, "--traceback", *words).stderr


def test_the_library(project: Path, place: str) -> None:
    """The error of a conversion has the code of what failed; its parts have the place."""
    (scheme,) = load_schemes(project)
    with pytest.raises(ConversionError) as caught:
        scheme.convert(THING, to="v2")
    assert (caught.value.code, type(caught.value).code) == ("HA505", "HA502")
    assert str(caught.value).endswith(f"{FAILED} ({place})")
    failure = caught.value.__cause__
    assert getattr(failure, "place", "") == place
    with pytest.raises(ConversionError) as caught:
        scheme.convert({**THING, "spec": 5}, to="v2")
    assert caught.value.code == "HA502"


def test_a_review(project: Path, place: str) -> None:
    """A reply has the place, which names no folder of the server."""
    reviewer = Reviewer(load_schemes(project))
    reply = reviewer.review(body_of([THING], "example.com/v2")).body.decode()
    assert place in reply
    assert str(project) not in reply

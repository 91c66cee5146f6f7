"""`--json` prints one JSON value, whatever ends the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.small_project import CONFIG, V2, run, write_project

REFUSED = V2.replace("amount: {type: integer}", "amount: {additionalProperties: {type: array}}")


@pytest.mark.parametrize("command", [("plan",), ("generate",), ("generate", "--check"), ("diff",)])
@pytest.mark.parametrize(
    ("change", "code", "problem"),
    [
        ({"v2": REFUSED}, 1, "HA201"),
        ({"v2": "Order: ["}, 2, "HA102"),
        ({"config": CONFIG + "    hub: v9\n"}, 2, "HA127"),
    ],
)
def test_problems_are_the_one_value(
    tmp_path: Path,
    command: tuple[str, ...],
    change: dict[str, str],
    code: int,
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Refused properties, and what cannot be read; standard error says the same for people."""
    write_project(tmp_path, **change)
    assert run(tmp_path, *command, "--json") == code
    said = capsys.readouterr()
    problems = json.loads(said.out)["problems"]
    assert problem in [item["code"] for item in problems]
    assert problem in said.err


def test_proposals_that_cannot_be_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Writing proposals needs what can be read."""
    write_project(tmp_path, v2="Order: [")
    assert run(tmp_path, "plan", "--declare", "--json") == 2
    assert json.loads(capsys.readouterr().out)["problems"]

"""Declared names of values against the enums of both versions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.errors import PlanError
from tests.support.proposing import TEXT, many, mapped, planned, thing, words, write_versions

OLDER, NEWER = words("poweredOn", "poweredOff"), words("PoweredOn", "PoweredOff")


def _messages(
    root: Path, facts: dict[str, Any], older: Any = OLDER, newer: Any = NEWER
) -> list[str]:
    between = {"v1 -> v2": {"Box": {"power": facts}}}
    write_versions(root, between, v1=thing(power=older), v2=thing(power=newer))
    try:
        planned(root)
    except PlanError as error:
        return [f"{item.code} {item.where}: {item.message}" for item in error.problems]
    return []


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (
            {"values": {"powerdOn": "PoweredOn"}},
            'the enum of the older version has no value "powerdOn"; did you mean "poweredOn"?',
        ),
        (
            {"values": {"poweredOn": "PowerdOn"}},
            'the enum of the newer version has no value "PowerdOn"; did you mean "PoweredOn"?',
        ),
        (
            {"variants": {"older": {"poweredOut": "PoweredOff"}}},
            'the enum of the older version has no value "poweredOut"',
        ),
        (
            {"variants": {"newer": {"PoweredOff": "powered0ff"}}},
            'the enum of the older version has no value "powered0ff"',
        ),
    ],
)
@pytest.mark.parametrize("container", [None, many, mapped])
def test_values_that_no_enum_has(
    tmp_path: Path, facts: dict[str, Any], message: str, container: Any
) -> None:
    """The line of the declaration, what is wrong, and the nearest value, at any depth."""
    ends = [container(end) if container else end for end in (OLDER, NEWER)]
    (found,) = _messages(tmp_path, facts, *ends)
    line = next(
        number
        for number, text in enumerate((tmp_path / "holdall.yaml").read_text().splitlines(), 1)
        if "values:" in text or "variants:" in text
    )
    assert found.startswith(f"HA213 holdall.yaml:{line}: {message}")


@pytest.mark.parametrize(
    ("older", "newer"),
    [(OLDER, NEWER), (TEXT, NEWER), (OLDER, TEXT), (TEXT, TEXT)],
)
def test_values_that_are_there(tmp_path: Path, older: Any, newer: Any) -> None:
    """Values of both enums are fine; without an enum nobody knows the values."""
    facts = {"values": {"poweredOn": "PoweredOn", "poweredOff": "PoweredOff"}}
    assert _messages(tmp_path, facts, older, newer) == []

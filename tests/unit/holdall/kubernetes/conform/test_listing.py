"""The page lists all checks; those that found nothing to try say so, and do not pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.kubernetes.conform import CHECKS, Endpoint, Trial
from holdall.kubernetes.conform.subjects import Kind, Version
from holdall.kubernetes.conform.verdicts import NotChecked

SOME: Any = {"type": "object"}
NONE: Any = {
    "type": "object",
    "required": ["spec"],
    "properties": {"spec": {"type": "string", "enum": ["a"], "maxLength": 0}},
}


def test_the_page_has_the_claims(project_root: Path) -> None:
    """Its table has a row for each check, with the level and the claim that reports show."""
    page = (project_root / "docs/conform.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| WC-")]
    listed = [(f"| {item.id}", item.level, item.title) for item in CHECKS]
    assert [tuple(row[:3]) for row in rows] == sorted(listed)


@pytest.mark.parametrize(
    ("check", "stored", "other"),
    [
        ("WC-09", NONE, NONE),
        ("WC-11", NONE, NONE),
        ("WC-52", NONE, SOME),
        ("WC-53", SOME, NONE),
    ],
)
def test_nothing_to_try(check: str, stored: Any, other: Any) -> None:
    """No object can be drawn, or only objects of versions that are not looked at."""
    kind = Kind(
        "example.com",
        "Box",
        namespaced=True,
        versions=(Version("v1", stored, stored=True), Version("v2", other)),
    )
    trial = Trial(Endpoint.of("https://127.0.0.1:1/"), [kind])
    (run,) = (item.run for item in CHECKS if item.id == check)
    with pytest.raises(NotChecked, match="no object could be drawn"):
        run(trial)

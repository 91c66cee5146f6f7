"""The conformance list, and the page that prints it."""

from __future__ import annotations

from pathlib import Path

from holdall.kubernetes.conform import CHECKS, LEVELS
from holdall.kubernetes.conform.listing import CLAIMS, SOURCES

PAGE = Path(__file__).parents[5] / "docs" / "conform.md"


def test_the_page_prints_the_list() -> None:
    """Every check with its level, its source and what a violation costs, and every source."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    checks = [line for line in lines if line.startswith("| WC-")]
    assert checks == [
        f"| WC-{number:02} | {item.level} | {item.title} | {item.source} | {item.costs} |"
        for number, item in CLAIMS.items()
    ]
    start = lines.index("| source | is |") + 2
    printed = lines[start : start + len(SOURCES)]
    assert printed == [f"| {name} | {text} |" for name, text in SOURCES.items()]


def test_every_claim_is_checked() -> None:
    """There is a check for each, and each names a level and a source that exist."""
    assert {item.id for item in CHECKS} == {f"WC-{number:02}" for number in CLAIMS}
    assert {item.level for item in CLAIMS.values()} == {*LEVELS}
    assert {item.source for item in CLAIMS.values()} == {*SOURCES}

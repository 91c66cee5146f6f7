"""The table of rules: the page has it, and every rule has tests."""

from __future__ import annotations

import re
from pathlib import Path

from holdall_codegen.breaking.rules import LEVELS, RULES
from tests.breaking import test_projects, test_schemas


def test_the_page_has_the_table(project_root: Path) -> None:
    """docs/breaking.md lists each rule below its level, with its cost and its fix."""
    page = (project_root / "docs/breaking.md").read_text(encoding="utf-8")
    rows = []
    for section in re.split(r"^#{2,3} ", page, flags=re.MULTILINE):
        level = section.partition(":")[0].lower()
        if level in LEVELS:
            rows += [
                (name, level, cost, fix)
                for name, _, cost, fix in re.findall(
                    r"^\| `([^`]+)` \| (.*) \| (.*) \| (.*) \|$", section, re.MULTILINE
                )
            ]
    assert rows == [(rule.name, rule.level, rule.cost, rule.fix) for rule in RULES.values()]


def test_every_rule_is_tested() -> None:
    """Each rule has an example that breaks it."""
    schemas = {rule for rule, _, _ in test_schemas.BREAKING}
    kinds = {name for _, found in test_schemas.OF_KINDS for name, _, _ in found}
    projects = {name for _, found in test_projects.BREAKING.values() for name, *_ in found}
    # Two have tests of their own, which change the older state too.
    assert schemas | kinds | projects | {"conversion-dropped", "head-changed"} == RULES.keys()

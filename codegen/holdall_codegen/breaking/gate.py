"""The gate: two states in, findings out."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from holdall_codegen.breaking.ignoring import Sifted, sift
from holdall_codegen.breaking.kinds import compare_apis
from holdall_codegen.breaking.plans import compare_projects
from holdall_codegen.breaking.rules import LEVELS, RULES, Level
from holdall_codegen.breaking.views import Api


def find_breaking(
    before: Api, after: Api, *, today: date, levels: Collection[Level] = LEVELS
) -> Sifted:
    """Return what breaks on the way from one state to another, known findings apart.

    Plans are compared if both states are projects. Findings are in the order of levels, kinds,
    versions and paths.
    """
    found = list(compare_apis(before, after))
    if before.project is not None and after.project is not None:
        found += compare_projects(before.project, after.project)
    wanted = {item: None for item in found if item.rule.level in levels}
    entries = after.project.config.breaking.ignore if after.project is not None else ()
    asked = [entry for entry in entries if RULES[entry.rule].level in levels]
    return sift(sorted(wanted, key=lambda item: item.order), asked, today)

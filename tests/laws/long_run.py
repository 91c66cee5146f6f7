"""The long run of drawn groups: a command that plays as many as one likes."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

Check: TypeAlias = Callable[[str, Path, int], tuple[int, Sequence[str]]]
"""Plays the group of a seed in a folder, so often: returns what it counted, and its findings."""


def play(module: str, check: Check, counted: str, often: int, meaning: str) -> int:
    """Play the groups of a seed; the exit code is 1 if there is a finding.

    `counted` is what `check` counts: the option that says how `often` is named after it.
    """
    parser = argparse.ArgumentParser(prog=f"python -m tests.laws.{module}")
    parser.add_argument("--groups", type=int, default=100, help="how many groups are drawn")
    parser.add_argument("--seed", default="0", help="what they are drawn from")
    parser.add_argument("--first", type=int, default=0, help="the number of the first group")
    parser.add_argument(f"--{counted}", type=int, default=often, dest="often", help=meaning)
    options = parser.parse_args()
    total = broken = 0
    for number in range(options.first, options.first + options.groups):
        root = Path(tempfile.mkdtemp())
        count, found = check(f"{options.seed}-{number}", root, options.often)
        shutil.rmtree(root)
        total += count
        if found:
            broken += 1
            print(f"{number}: {found[0]}", flush=True)
    print(f"{options.groups} groups, {total} {counted}, {broken} groups with findings")
    return 1 if broken else 0

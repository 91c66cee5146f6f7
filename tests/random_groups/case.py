"""One case: a group and the lives of some objects of it, all drawn from one seed."""

from __future__ import annotations

import itertools
import os
import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.random_groups.config import files
from tests.random_groups.damage import check_damage
from tests.random_groups.dice import Dice
from tests.random_groups.draw import GroupDrawer
from tests.random_groups.evolve import evolve, read_with
from tests.random_groups.model import Json
from tests.random_groups.play import Play, dump
from tests.random_groups.tool import Broken, Refused, build
from tests.random_groups.values import Wrong, is_doubtful

_PACKAGES = itertools.count()


@dataclass
class Outcome:
    """What became of a case; `rule` is empty if nothing was found."""

    seed: str
    rule: str = ""
    text: str = ""
    trace: list[str] = field(default_factory=list)
    files: dict[str, Json] = field(default_factory=dict)
    choices: list[int] = field(default_factory=list)
    after: dict[str, Json] = field(default_factory=dict)
    sequences: int = 0
    evolutions: int = 0
    conversions: int = 0
    checks: int = 0
    refused: bool = False

    @property
    def signature(self) -> str:
        """What findings of one cause mostly share."""
        return f"{self.rule} " + re.sub(r"[^ ]*\d[^ ]*|'[^']*'", "#", self.text)[:40]


def run_case(seed: str, script: Sequence[int] | None = None) -> Outcome:
    """Draw a group, generate it, and play; return the first thing that is wrong."""
    dice = Dice(seed, script)
    group = GroupDrawer(dice).group()
    outcome = Outcome(seed)
    try:
        project = build(group, f"random_{os.getpid()}_{next(_PACKAGES)}")
    except Refused as error:
        outcome.refused = True
        outcome.rule, outcome.text = "refused", str(error)
        outcome.files, outcome.choices = files(group, "generated"), dice.taken
        return outcome
    try:
        for _ in range(5):
            for kind in group.kinds:
                play = Play(project, kind, dice)
                try:
                    play.create(dice.pick(group.versions))
                    for _ in range(1 + dice.below(6)):
                        play.step()
                    if group.crds and dice.chance(30):
                        check_damage(play, dice)
                    if dice.chance(40):
                        change_schemas(play, dice, outcome)
                except (Wrong, Broken) as error:
                    outcome.rule = getattr(error, "rule", "broken")
                    outcome.text = str(error)
                except Exception as error:  # noqa: BLE001 - it is told with its trace
                    outcome.rule = "oracle"
                    outcome.text = f"{type(error).__name__}: {error} {traceback.format_exc()}"
                outcome.sequences += 1
                outcome.conversions += sum("converted to" in line for line in play.trace)
                outcome.checks += play.court.checks
                if outcome.rule:
                    outcome.trace = play.trace
                    outcome.files, outcome.choices = files(group, "generated"), dice.taken
                    return outcome
    finally:
        project.close()
    return outcome


def change_schemas(play: Play, dice: Dice, outcome: Outcome) -> None:
    """Edit the group's schemas, and read the object with what is generated from them."""
    found = evolve(play.group, dice)
    if found is None:
        return
    play.settle()
    if is_doubtful(play.truth):
        return
    group, edit = found
    try:
        project = build(group, f"random_{os.getpid()}_{next(_PACKAGES)}")
    except Refused as error:
        raise Wrong("refused", f"after {edit}: {error}") from error
    outcome.evolutions += 1
    outcome.after = files(group, "generated")
    try:
        read_with(play, project, edit, dice)
    finally:
        project.close()


def shrink(outcome: Outcome, attempts: int = 300) -> Outcome:
    """Return a smaller case with the same rule broken, found by dropping and lowering choices."""
    best = outcome
    left = attempts

    def better(script: list[int]) -> bool:
        nonlocal best, left
        if left <= 0 or script == best.choices:
            return False
        left -= 1
        found = run_case(outcome.seed, script)
        if found.rule == outcome.rule and size(found) < size(best):
            best = found
            return True
        return False

    length = max(1, len(best.choices) // 2)
    while length and left > 0:
        at, changed = 0, False
        while at < len(best.choices) and left > 0:
            now = best.choices
            if better([*now[:at], *now[at + length :]]):
                changed = True
            elif any(now[at : at + length]) and better(
                [*now[:at], *[0] * len(now[at : at + length]), *now[at + length :]]
            ):
                changed = True
                at += length
            else:
                at += length
        if not changed or length > 8:
            length //= 2
    return best


def size(outcome: Outcome) -> tuple[int, int, list[int]]:
    """Return how large a case is to read."""
    read = sum(map(len, outcome.trace)) + len(dump(outcome.files))
    return (read, len(outcome.choices), outcome.choices)


def describe(outcome: Outcome) -> str:
    """Return a case as text."""
    lines = [f"seed {outcome.seed}: {outcome.text}"]
    lines += [f"  {name}: {dump(content)}" for name, content in outcome.files.items()]
    lines += [f"  {line}" for line in outcome.trace]
    if "the schemas change" in "".join(outcome.trace):
        lines += [f"  {name} then: {dump(content)}" for name, content in outcome.after.items()]
    return "\n".join(lines)


__all__ = ["Outcome", "describe", "run_case", "shrink"]

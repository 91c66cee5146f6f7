"""Running the checks against a webhook."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final

from holdall.kubernetes.conform import checks  # registers them
from holdall.kubernetes.conform.client import ConnectError, Disconnected
from holdall.kubernetes.conform.expected import Expected
from holdall.kubernetes.conform.listing import CHECKS, Check
from holdall.kubernetes.conform.subjects import Kind
from holdall.kubernetes.conform.trial import Trial
from holdall.kubernetes.conform.verdicts import (
    LEVELS,
    Failed,
    Level,
    Measured,
    NotChecked,
    Outcome,
    Verdict,
)

LAST: Final = "WC-74"

__all__ = ["checks", "run_checks", "select_checks"]


def select_checks(only: Collection[str]) -> list[Check]:
    """Return the checks in the order in which they run; with `only`, those of these ids.

    They run in the order of their numbers, except that the check that ends the server comes last.
    """
    chosen = [item for item in CHECKS if not only or item.id in only]
    return sorted(chosen, key=lambda item: (item.id == LAST, item.id))


def run_checks(
    trial: Trial,
    selected: Sequence[Check] | None = None,
    *,
    report: Callable[[Verdict], None] = lambda _: None,
    expected: Sequence[Expected] = (),
) -> list[Verdict]:
    """Run checks and return their verdicts by number; `report` gets each as it is found.

    A check that raises an unexpected exception is skipped, and the verdict says where. A check that
    is expected to fail for some kinds is run without them, and then for each of them alone.
    """
    verdicts = []
    for item in select_checks(()) if selected is None else selected:
        trial.begin()
        own = [one for one in expected if one.check == item.id]
        verdict = _judge_apart(trial, item, own) if own else _judge(trial, item)
        report(verdict)
        verdicts.append(verdict)
    trial.close()
    return sorted(verdicts, key=lambda verdict: verdict.id)


def _judge_apart(trial: Trial, item: Check, expected: Sequence[Expected]) -> Verdict:
    """Judge a check with expected failures; one that does not occur is a failure."""
    apart = {one.kind for one in expected}
    rest = [kind for kind in trial.kinds if kind not in apart]
    verdict = _judge_kinds(trial, item, rest) if rest else None
    known, needless = [], []
    for one in expected:
        found = _judge_kinds(trial, item, [one.kind])
        if found.outcome == "fail":
            known.append((one.kind.name, one.reason, found.reason))
        else:
            text = f"{one.kind.name}: this is a {found.outcome}, not the expected failure"
            needless.append(f"{text}: remove it from {one.where}")
    if verdict is None or verdict.outcome != "fail":
        verdict = Verdict(item.id, item.level, item.title, "expected", "")
    if needless:
        # The list is wrong then, so this counts at every level.
        texts = [verdict.reason, *needless] if verdict.reason else needless
        verdict = replace(verdict, level=LEVELS[0], outcome="fail", reason="; ".join(texts))
    return replace(verdict, known=tuple(known))


def _judge_kinds(trial: Trial, item: Check, kinds: Sequence[Kind]) -> Verdict:
    own = Trial(trial.endpoint, kinds, trial.options, trial.timeout, trial.seed)
    try:
        return _judge(own, item)
    finally:
        own.close()


def _judge(trial: Trial, item: Check) -> Verdict:
    """Judge a check. One that fails on several objects in a review is repeated with single objects,
    whose exchanges prove it."""
    trial.forget()
    verdict = _judge_once(trial, item)
    if verdict.outcome == "fail" and trial.used_ahead:
        trial.begin()
        trial.forget()
        trial.looks_ahead = False
        verdict = _judge_once(trial, item)
        trial.looks_ahead = True
    return verdict


def _judge_once(trial: Trial, item: Check) -> Verdict:
    level: Level
    try:
        seen = item.run(trial) or ""
    except NotChecked as error:
        return Verdict(item.id, item.level, item.title, "skip", str(error))
    except Failed as error:
        level = error.level or item.level
        reason = str(error)
    except (ConnectError, Disconnected) as error:
        level, reason = item.level, str(error)
    except TimeoutError:
        level, reason = item.level, "no answer in time"
    except Exception as error:  # noqa: BLE001 - one broken check must not lose the report
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"the check itself failed, at {place.name}:{place.lineno}: {error!r}"
        return Verdict(item.id, item.level, item.title, "skip", text)
    else:
        outcome: Outcome = "info" if item.informs else "pass"
        reason, measured = ("", seen) if isinstance(seen, Measured) else (seen, "")
        return Verdict(item.id, item.level, item.title, outcome, reason, measured=str(measured))
    return Verdict(item.id, level, item.title, "fail", reason, tuple(trial.exchanges))

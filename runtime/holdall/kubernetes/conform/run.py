"""Running the checks against a webhook."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Sequence
from typing import Final

from holdall.kubernetes.conform import checks  # registers them
from holdall.kubernetes.conform.client import ConnectError, Disconnected
from holdall.kubernetes.conform.listing import CHECKS, Check
from holdall.kubernetes.conform.trial import Trial
from holdall.kubernetes.conform.verdicts import (
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

    That is the order of their numbers, but the check that ends the server comes last.
    """
    chosen = [item for item in CHECKS if not only or item.id in only]
    return sorted(chosen, key=lambda item: (item.id == LAST, item.id))


def run_checks(
    trial: Trial,
    selected: Sequence[Check] | None = None,
    *,
    report: Callable[[Verdict], None] = lambda _: None,
) -> list[Verdict]:
    """Run checks and return their verdicts by number; `report` gets each as it is found.

    A check that breaks down is a defect of its own: it is skipped, and says where.
    """
    verdicts = []
    for item in select_checks(()) if selected is None else selected:
        trial.begin()
        verdict = _judge(trial, item)
        report(verdict)
        verdicts.append(verdict)
    trial.close()
    return sorted(verdicts, key=lambda verdict: verdict.id)


def _judge(trial: Trial, item: Check) -> Verdict:
    claim = item.claim
    level: Level
    try:
        seen = item.run(trial)
    except NotChecked as error:
        return Verdict(item.id, claim.level, claim.title, "skip", str(error))
    except Failed as error:
        level = error.level or claim.level
        reason = str(error)
    except (ConnectError, Disconnected) as error:
        level, reason = claim.level, str(error)
    except TimeoutError:
        level, reason = claim.level, "no answer in time"
    except Exception as error:  # noqa: BLE001 - one broken check must not lose the report
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"the check itself broke down, at {place.name}:{place.lineno}: {error!r}"
        return Verdict(item.id, claim.level, claim.title, "skip", text)
    else:
        outcome: Outcome = "info" if item.informs else "pass"
        reason, measured = ("", seen) if isinstance(seen, Measured) else (seen, "")
        return Verdict(item.id, claim.level, claim.title, outcome, reason, measured=str(measured))
    return Verdict(item.id, level, claim.title, "fail", reason, tuple(trial.exchanges))

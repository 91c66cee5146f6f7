"""Running the checks against a webhook."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from holdall.kubernetes.conform import checks  # registers them
from holdall.kubernetes.conform.client import ConnectError, Disconnected
from holdall.kubernetes.conform.listing import CHECKS, Check
from holdall.kubernetes.conform.trial import Trial
from holdall.kubernetes.conform.verdicts import Failed, NotChecked, Verdict

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
    """Run checks and return their verdicts by number; `report` gets each as it is found."""
    verdicts = []
    for item in select_checks(()) if selected is None else selected:
        verdict = _judge(trial, item)
        report(verdict)
        verdicts.append(verdict)
    trial.close()
    return sorted(verdicts, key=lambda verdict: verdict.id)


def _judge(trial: Trial, item: Check) -> Verdict:
    try:
        reason = item.run(trial)
    except NotChecked as error:
        return Verdict(item.id, item.title, "skip", str(error))
    except (Failed, ConnectError, Disconnected) as error:
        return Verdict(item.id, item.title, "fail", str(error))
    except TimeoutError:
        return Verdict(item.id, item.title, "fail", "no answer in time")
    return Verdict(item.id, item.title, "info" if item.informs else "pass", reason)

"""`holdall laws --mutants`: whether the laws can fail. Each line is broken once, in a copy."""

from __future__ import annotations

import time
from collections.abc import Sequence

from holdall.cli.common import Context, end, progress
from holdall.testing.laws.mutant_runs import Verdict, find_trials, try_all
from holdall.testing.laws.subjects import Subject
from holdall.types import JsonObject


def report_mutants(
    run: Context, subjects: Sequence[Subject], jobs: int, seed: int, *, as_json: bool
) -> None:
    """Try all mutants, list those that survive, and end the command: 1 if there are any."""
    began = time.perf_counter()
    trials = find_trials(run.root, subjects)
    done = try_all(run.root, subjects, trials, jobs, seed)
    with progress(done, label="breaking", length=len(trials)) as verdicts:
        found = sorted(verdicts, key=_place)
    survivors = [verdict for verdict in found if not verdict.law]
    if as_json:
        run.echo_json(
            {
                "seed": seed,
                "mutants": len(found),
                "survivors": [_as_json(verdict) for verdict in survivors],
            }
        )
    else:
        for verdict in survivors:
            run.echo(run.style(f"HA706 no law notices {verdict.mutant}", fg="red"))
        seconds = time.perf_counter() - began
        count = f"{len(found):,} mutants in {seconds:.0f} s, {len(survivors)} survive"
        run.note(f"{count}; --seed {seed}")
    end(findings=bool(survivors))


def _place(verdict: Verdict) -> tuple[str, int, str]:
    return verdict.mutant.file, verdict.mutant.line, verdict.mutant.what


def _as_json(verdict: Verdict) -> JsonObject:
    mutant = verdict.mutant
    return {
        "file": mutant.file,
        "line": mutant.line,
        "what": mutant.what,
        "before": mutant.before,
        "after": mutant.after,
    }

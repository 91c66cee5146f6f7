"""`holdall laws --mutants`: check that laws can fail, by breaking each line once, in a copy."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from operator import attrgetter

from holdall.cli.common import Context, end, progress
from holdall.errors import Problem, SourceError
from holdall.testing.laws.mutant_runs import Checkers, Verdict, find_trials, narrowed, parts_of
from holdall.testing.laws.subjects import Subject
from holdall.types import JsonObject
from holdall.words import counted


def report_mutants(
    run: Context,
    subjects: Sequence[Subject],
    kinds: Sequence[str],
    jobs: int,
    examples: int,
    seed: int,
    *,
    hooks_only: bool,
    as_json: bool,
) -> None:
    """Try all mutants, list those that survive, and end the command: 1 if there are any."""
    began = time.perf_counter()
    trials = find_trials(run.root, subjects, kinds)
    trials = [trial for trial in trials if trial.is_hook or not hooks_only]
    if not trials:
        text = f"there is no {'hook' if hooks_only else 'line'} to break, so nothing was checked"
        fix = "omit `hooks`" if hooks_only else "write hooks, or declarations with converters"
        raise SourceError([Problem("HA710", "", text, fix)])
    parts = parts_of(subjects, kinds)
    with closing(Checkers(run.root, subjects, jobs, examples, seed)) as checkers:
        done = checkers.check_unbroken(parts)
        with progress(done, label="unbroken", length=len(parts)) as results:
            unbroken = list(results)
        trials = narrowed(trials, unbroken, kinds)
        verdicts = checkers.try_all(trials, unbroken)
        with progress(verdicts, label="breaking", length=len(trials)) as found:
            by_place = sorted(found, key=attrgetter("mutant.file", "mutant.line", "mutant.what"))
    survivors = [verdict for verdict in by_place if not verdict.law]
    noticed = Counter(verdict.law.split()[0] for verdict in by_place if verdict.law)
    if as_json:
        run.echo_json(
            {
                "seed": seed,
                "mutants": len(by_place),
                "noticed": dict(sorted(noticed.items())),
                "survivors": [_as_json(verdict) for verdict in survivors],
            }
        )
    else:
        for verdict in survivors:
            why = "" if verdict.reached else "; no drawn object reaches this line"
            run.echo(run.style(f"HA706 no law notices {verdict.mutant}{why}", fg="red"))
        if survivors:
            run.echo(
                "    fix: in a hook, test what the line does with expected outputs, or remove it"
            )
            run.echo("    if it does nothing; in generated code, report a gap in the laws")
        seconds = time.perf_counter() - began
        left = counted(len(survivors), "survives", "survive")
        count = f"{counted(len(by_place), 'mutant')} in {seconds:.0f} s, {left}"
        run.note(f"{count}; --seed {seed}")
    end(findings=bool(survivors))


def _as_json(verdict: Verdict) -> JsonObject:
    names = ("file", "line", "what", "before", "after")
    return {**{name: getattr(verdict.mutant, name) for name in names}, "reached": verdict.reached}

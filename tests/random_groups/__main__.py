"""`python -m tests.random_groups --groups 10000 --seed 1 --processes 2`: the long run."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from multiprocessing import Pool

from tests.random_groups.case import Outcome, describe, run_case, shrink


def main() -> int:
    """Run the cases of a seed, print counts and findings; the exit code is 1 if there is one.

    An interrupt ends the run early: what it has found by then is printed.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.random_groups", description=__doc__)
    parser.add_argument("--groups", type=int, default=1000, help="how many groups are drawn")
    parser.add_argument("--seed", default="0", help="what they are drawn from")
    parser.add_argument("--first", type=int, default=0, help="the number of the first group")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--shrink", type=int, default=300, help="attempts to shrink a finding")
    parser.add_argument("--show", type=int, default=5, help="how many kinds of findings are shown")
    options = parser.parse_args()
    start = time.monotonic()
    seeds = [
        f"{options.seed}-{number}"
        for number in range(options.first, options.first + options.groups)
    ]
    counts: Counter[str] = Counter()
    found: dict[str, list[Outcome]] = {}
    deaf = signal.SIGINT, signal.SIG_IGN
    workers = Pool(options.processes, signal.signal, deaf, maxtasksperchild=50)
    with workers as pool, suppress(KeyboardInterrupt):
        for outcome in pool.imap_unordered(run_case, seeds, chunksize=4):
            counts["groups"] += 1
            counts["sequences"] += outcome.sequences
            counts["schema edits"] += outcome.evolutions
            counts["conversions"] += outcome.conversions
            counts["checks"] += outcome.checks
            counts["refused"] += outcome.refused
            if outcome.rule:
                counts["findings"] += 1
                found.setdefault(outcome.signature, []).append(outcome)
                if len(found[outcome.signature]) == 1:
                    print(f"{counts['groups']}: {outcome.seed}: {outcome.signature}", flush=True)
    seconds = time.monotonic() - start
    for signature, outcomes in sorted(found.items(), key=lambda item: -len(item[1]))[
        : options.show
    ]:
        print(f"\n{len(outcomes)} x {signature}: {' '.join(one.seed for one in outcomes[:8])}")
        smallest = min(outcomes, key=lambda one: len(one.choices))
        print(describe(shrink(smallest, options.shrink)), flush=True)
    print(f"\n{', '.join(f'{count} {name}' for name, count in counts.items())}; {seconds:.0f} s")
    return 1 if counts["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())

"""Run cases in the neutral form: `run.py CASES_DIR [--json FILE]`.

Each case passes, fails with its differences, or is unsupported, which is never a pass. The exit
status is 0 if all pass, 1 if not, 2 on wrong use. A check module registers its checks by the name
of the expectation (`subject.Checks`); an expectation without a check makes its case unsupported.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, Literal

ROOT: Final = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "runtime"), str(ROOT / "codegen")]

from tests.acceptance.declared import (  # noqa: E402
    checks_conversions,
    checks_generated,
    checks_shapes,
    checks_treatments,
    checks_values,
)
from tests.acceptance.declared.cases import (  # noqa: E402
    CASE_KEYS,
    EXPECT_KEYS,
    Case,
    FormError,
    read_cases,
    refuse_unknown,
)
from tests.acceptance.declared.subject import Check, examine  # noqa: E402

CHECKS: Final[Mapping[str, Check]] = {
    **checks_shapes.CHECKS.known,
    **checks_conversions.CHECKS.known,
    **checks_generated.CHECKS.known,
    **checks_treatments.CHECKS.known,
    **checks_values.CHECKS.known,
}
_DESCRIPTION: Final = ("id", "kind", "source", "features", "declaration", "functions", "note")


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one case; `unsupported` says what could not be checked."""

    id: str
    status: Literal["pass", "fail", "unsupported"]
    differences: list[str] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)


def run_case(case: Case) -> Result:
    """Check one case."""
    differences: list[str] = []
    unsupported: list[str] = []
    try:
        refuse_unknown(case.data, CASE_KEYS, "the case")
        refuse_unknown(case.expect, EXPECT_KEYS, "expect")
        if case.data.get("kind") != "declaration":
            raise FormError(f"the case is of the unknown kind {case.data.get('kind')}")
        subject = examine(case)
    except FormError as error:
        return Result(case.id, "unsupported", [], [str(error)])
    except Exception as error:  # noqa: BLE001 - one case must not end the run of all
        return Result(case.id, "fail", [f"crashed: {type(error).__name__}: {error}"])
    for name, value in _expectations(case):
        check = CHECKS.get(name)
        if check is None:
            unsupported.append(f"{name} is not checked")
            continue
        try:
            differences += check(subject, value)
        except FormError as error:
            unsupported.append(f"{name}: {error}")
        except Exception as error:  # noqa: BLE001 - one case must not end the run of all
            differences.append(f"{name}: the check failed: {type(error).__name__}: {error}")
    status: Literal["pass", "fail", "unsupported"] = "pass"
    if differences or unsupported:
        status = "fail" if differences else "unsupported"
    return Result(case.id, status, differences, unsupported)


def _expectations(case: Case) -> Iterator[tuple[str, object]]:
    """Yield everything that a case expects; an empty list of samples expects nothing."""
    for key, value in case.expect.items():
        yield f"expect.{key}", value
    for key, value in case.data.items():
        if key not in _DESCRIPTION and key != "expect" and not (key == "samples" and not value):
            yield key, value


def main(arguments: list[str] | None = None) -> int:
    """Run all cases of a folder and print what became of them."""
    parser = argparse.ArgumentParser(description="Run declaration cases in the neutral form.")
    parser.add_argument("cases", type=Path, help="a folder of cases, or one case")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    given = parser.parse_args(arguments)
    if not given.cases.exists():
        parser.error(f"{given.cases} does not exist")
    results = [run_case(case) for case in read_cases(given.cases)]
    for result in results:
        print(f"{result.status:11} {result.id}")
        for line in (*result.differences, *result.unsupported):
            print(f"            {line}")
    counts = {
        status: sum(result.status == status for result in results)
        for status in ("pass", "fail", "unsupported")
    }
    print(", ".join(f"{number} {status}" for status, number in counts.items()))
    if given.json is not None:
        report = {"counts": counts, "cases": [asdict(result) for result in results]}
        given.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return 0 if results and counts["pass"] == len(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())

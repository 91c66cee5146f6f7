"""Run all checks over one group of the project in the current folder; exit 1 if one fails.

For mutated copies of a project, which have to be imported in a process of their own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import Phase, settings

from holdall_codegen.project import load_project
from tests.laws import checks
from tests.laws.projects import scheme_of
from tests.laws.subjects import Subject


def main(group: str) -> int:
    """Return 0 if everything holds; print the first failure and return 1 otherwise."""
    # Examples are not shrunk: that something fails is all that counts.
    quick = settings(
        max_examples=100, derandomize=True, database=None, phases=[Phase.explicit, Phase.generate]
    )
    settings.register_profile("ci", quick)
    settings.load_profile("ci")
    subject = Subject(load_project(Path.cwd()).plans[group], scheme_of("generated", group))
    try:
        checks.check_partial_objects(subject)
        checks.check_laws(subject, 60)
        checks.check_interpreter(subject, 10)
    except Exception as error:  # noqa: BLE001 - whatever a mutant breaks counts as found
        print(f"{type(error).__name__}: {str(error)[:2000]}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

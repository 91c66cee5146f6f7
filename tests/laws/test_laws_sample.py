"""The laws hold for both sample groups, with all hooks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdall_codegen.project import load_project
from tests.laws import checks
from tests.laws.projects import scheme_of
from tests.laws.strategies import Documents, Everything
from tests.laws.subjects import Subject

GROUPS = ("batch", "fleet")


@pytest.fixture(scope="module", params=GROUPS)
def sample(request: pytest.FixtureRequest, project_root: Path) -> Subject:
    """A group of the sample project."""
    plan = load_project(project_root).plans[request.param]
    return Subject(plan, scheme_of("generated", request.param))


def test_laws_hold(sample: Subject) -> None:
    """L1 to L10 hold for all ordered pairs of versions of every kind."""
    checks.check_laws(sample, 100)


def test_partial_objects_convert(sample: Subject) -> None:
    """L5: empty objects, single members and single nulls return unchanged."""
    checks.check_partial_objects(sample)


def test_every_hook_has_a_duty(sample: Subject) -> None:
    """L11: without any one of the hooks, some object converts to something else."""
    assert checks.idle_hooks(sample) == []


@pytest.mark.parametrize("group", GROUPS)
def test_bytes_do_not_depend_on_the_hash_seed(group: str, project_root: Path) -> None:
    """L6: two processes with different hash seeds write the same bytes."""
    plan = load_project(project_root).plans[group]
    generator = Documents(plan)
    requests = [
        [end, generator.root(Everything(turn), kind.name, start, api=True)]
        for kind in plan.kinds
        for start in kind.types
        for end in kind.types
        for turn in range(3)
        if not {v.name for v in plan.versions if v.internal} & {start, end}
    ]
    program = (
        f"import json, sys; from generated.{group} import SCHEME\n"
        "for to, obj in json.load(sys.stdin):\n"
        "    print(SCHEME.convert_bytes(json.dumps(obj), to=to))\n"
    )
    outputs = set()
    for seed in ("1", "2"):
        path = os.pathsep.join([str(project_root), *filter(None, sys.path)])
        outputs.add(
            subprocess.run(
                [sys.executable, "-c", program],
                input=json.dumps(requests),
                capture_output=True,
                text=True,
                check=True,
                cwd=project_root,
                env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            ).stdout
        )
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == len(requests)

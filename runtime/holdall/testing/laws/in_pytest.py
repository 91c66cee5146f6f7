"""The laws as pytest tests: one for each kind, pair of versions and law."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import count, permutations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from holdall.scheme.scheme import Scheme
from holdall.testing.laws.cases import LAWS, Cases
from holdall.testing.laws.duties import check_duties
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.processes import check_processes
from holdall.testing.laws.reporting import explain
from holdall.testing.laws.residue_shares import residue_shares
from holdall.testing.laws.running import Cell, Finding, Outcome, check_case, check_kind, laws_of
from holdall.testing.laws.subjects import Subject

_HOOKS = ("L11", "hooks", "", "")
_PROCESSES = ("L6", "processes", "", "")


def suite(scheme: Scheme, *, examples: int | None = None) -> Callable[..., None]:
    """Return a test of all laws for a scheme: `test_laws = laws.suite(SCHEME)`.

    It has one case for each kind, ordered pair of versions and law, named `Pool-v1-v2-L4`; and
    the cases `processes-L6` and `hooks-L11`. The objects of one kind and version serve all its
    cases. There are `examples` of them, by default as many as the Hypothesis profile says.
    """
    checks = _Checks(scheme, examples)

    @pytest.mark.parametrize("cell", [*_cells(scheme)], ids=_name)
    def holds(cell: Cell, request: pytest.FixtureRequest) -> None:
        checks.require(cell, request.config.getoption("--hypothesis-seed", default=None))

    return holds


def _cells(scheme: Scheme) -> Iterator[Cell]:
    rank = {version.name: rank for rank, version in enumerate(scheme.versions)}
    for kind in scheme.kinds:
        for start, end in permutations(sorted(kind.types, key=rank.__getitem__), 2):
            for law in laws_of(LAWS, upward=rank[start] < rank[end]):
                yield law, kind.name, start, end
    yield _PROCESSES
    yield _HOOKS


def _name(cell: Cell) -> str:
    law, *rest = cell
    return "-".join([*filter(None, rest), law])


class _Checks:
    """The outcomes of one scheme, each computed when a test first needs it."""

    def __init__(self, scheme: Scheme, examples: int | None) -> None:
        self._scheme = scheme
        self._examples = examples
        self._tools: Tools | None = None
        self._outcomes: dict[tuple[str, str], Outcome] = {}

    def require(self, cell: Cell, hypothesis_seed: object) -> None:
        """Fail with a counterexample unless a cell holds."""
        __tracebackhide__ = True
        # pytest-randomly sets the state of `random` at the start of each test.
        seed = random.getrandbits(32)
        if self._tools is None:
            self._tools = Tools.of(Subject(self._scheme))
        if cell == _HOOKS:
            self._require_duties(self._tools, seed)
        elif cell == _PROCESSES:
            found = check_processes([self._tools.subject], seed)
            if found:
                pytest.fail(explain(self._tools, found[0]).text(), pytrace=False)
        else:
            finding = self._find(self._tools, cell, seed, hypothesis_seed)
            if finding is not None:
                pytest.fail(explain(self._tools, finding).text(), pytrace=False)

    def _require_duties(self, tools: Tools, seed: int) -> None:
        __tracebackhide__ = True
        duties = check_duties(tools.subject, 200, seed)
        idle = [
            f"{duty.protocol} ({duty.older} -> {duty.newer})" for duty in duties if not duty.needed
        ]
        if idle:
            pytest.fail(f"nothing changes without the hooks of {', '.join(idle)}", pytrace=False)
        kept = [
            f"{found.hook} ({found.older} -> {found.newer})"
            for found in residue_shares(tools.subject, 200, seed)
            if found.is_suspicious
        ]
        if kept:
            what = f"hardly any object comes back without residue through {', '.join(kept)}"
            pytest.fail(what, pytrace=False)

    def _find(self, tools: Tools, cell: Cell, seed: int, hypothesis_seed: object) -> Finding | None:
        _, kind, start, _ = cell
        outcome = self._outcomes.get((kind, start))
        if outcome is None:
            outcome = self._outcomes[kind, start] = self._check(
                tools, kind, start, None if hypothesis_seed is not None else seed
            )
        return outcome.findings.get(cell)

    def _check(self, tools: Tools, kind: str, start: str, seed: int | None) -> Outcome:
        outcome = check_kind(tools, kind, start, ())
        cases, turn, profile = Cases(tools.subject, kind, start), count(), settings()

        # It raises nothing, so that one drawn object can fail several cells; so Hypothesis has
        # nothing to shrink.
        @settings(
            profile,
            max_examples=self._examples or profile.max_examples,
            phases=[Phase.generate],
            suppress_health_check=[
                HealthCheck.differing_executors,
                HealthCheck.function_scoped_fixture,
                HealthCheck.too_slow,
            ],
            deadline=None,
            database=None,
        )
        @given(st.integers(0, 2**32 - 1))
        def check(number: int) -> None:
            for case in cases.of(number, next(turn)):
                outcome.add(check_case(tools, case), case, number)

        if seed is not None and not profile.derandomize:
            check = seeded(seed)(check)
        check()
        return outcome

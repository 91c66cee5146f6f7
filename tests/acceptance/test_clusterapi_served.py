"""Cluster API's kinds, served: `holdall conform` finds nothing but what their rules demand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from holdall.kubernetes.conform import (
    CHECKS,
    Endpoint,
    Trial,
    read_expected,
    read_kinds,
    run_checks,
)
from holdall.kubernetes.conform.run import select_checks
from tests.support.clusterapi import PROJECT, build_clusterapi, data_folder
from tests.support.serving import Served, serving

LOADS: Final = {f"WC-{number}" for number in (12, 70, 71, 72, 74, 75, 76, 77, 79)}
"""About the server alone, whatever it converts: tests/conform puts one under this load."""
BARE: Final = {"WC-24", "WC-32", "WC-33"}
"""Objects with nothing in them, of which some kinds make something: conform.yaml says which."""
SKIPPED: Final = {
    "WC-02": "no CRD lists v1beta1 in conversionReviewVersions",
    "WC-41": "no schema has a property of type number without limits",
    "WC-42": "no schema has a property of type number without limits",
}


@pytest.fixture(scope="module")
def served(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The server of all groups.

    Its cluster knows every kind: schemas accept a reference to any, and one to a kind that the
    cluster does not have is refused, as upstream refuses it (R-REFV).
    """
    root = tmp_path_factory.mktemp("clusterapi")
    project = build_clusterapi(
        root / "project", data_folder(shared), **{"*": "drawn.example.com/v1"}
    )
    with serving(project, root / "keys") as found:
        yield found


@pytest.fixture(scope="module")
def endpoint(served: Served) -> Endpoint:
    """Where it is, for the checks."""
    authority = str(served.folder / "ca.crt")
    return Endpoint.of(f"https://127.0.0.1:{served.port}/convert", ca=authority)


@pytest.mark.slow
def test_all_kinds_conform(endpoint: Endpoint, shared: Path) -> None:
    """Of the 21 kinds nothing is left out, and what fails or is skipped has known reasons.

    Rules that fill in a member of every object have to be seen, and no other kind has one: a
    failure that is expected, and does not come, is one.
    """
    trial = Trial(endpoint, read_kinds([data_folder(shared) / "schemas"], []))
    chosen = select_checks({item.id for item in CHECKS} - LOADS)
    known = read_expected(PROJECT / "conform.yaml", trial.kinds)
    verdicts = run_checks(trial, chosen, expected=known)
    assert [item for item in verdicts if item.outcome == "fail"] == []
    assert {item.id for item in verdicts if item.outcome == "expected"} == BARE
    assert {item.id: item.reason for item in verdicts if item.outcome == "skip"} == SKIPPED
    assert len(trial.kinds) == 21
    assert trial.left_out() == []

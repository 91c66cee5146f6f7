"""Lenses between texts and numbers: where they act, what is offered, what has no effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.errors import PlanError, Problem
from holdall_codegen.plan.model import Each, Flipped, Measure
from tests.support.proposing import FLAG, NUMBER, TEXT, many, planned, thing, write_versions

FRACTION = {"type": "number"}
EITHER = {"x-kubernetes-int-or-string": True}


def _problems(root: Path) -> list[Problem]:
    with pytest.raises(PlanError) as error:
        planned(root)
    return list(error.value.problems)


@pytest.mark.parametrize(
    ("older", "newer", "wanted"),
    [
        (TEXT, NUMBER, Measure("duration", "seconds", "integer")),
        (TEXT, FRACTION, Measure("duration", "seconds", "number")),
        (NUMBER, TEXT, Flipped(Measure("duration", "seconds", "integer"))),
        (many(TEXT), many(NUMBER), Each("list", Measure("duration", "seconds", "integer"))),
    ],
)
def test_where_a_duration_acts(tmp_path: Path, older: Any, newer: Any, wanted: object) -> None:
    """On a text and a number, whichever is the older, at any depth."""
    facts = {"v1 -> v2": {"Box": {"wait": {"duration": "seconds"}}}}
    (edge,) = planned(
        write_versions(tmp_path, facts, v1=thing(wait=older), v2=thing(wait=newer))
    ).edges
    assert [pair.conversion for pair in edge.pairs] == [wanted]


@pytest.mark.parametrize(
    ("older", "newer", "wanted"),
    [
        (TEXT, NUMBER, Measure("quantity", "Mi", "integer")),
        (FRACTION, TEXT, Flipped(Measure("quantity", "Mi", "number"))),
        (EITHER, NUMBER, Measure("quantity", "Mi", "integer")),
        (NUMBER, EITHER, Flipped(Measure("quantity", "Mi", "integer"))),
    ],
)
def test_where_a_unit_acts(tmp_path: Path, older: Any, newer: Any, wanted: object) -> None:
    """On a quantity, which may be an integer as well as a text, and a number."""
    facts = {"v1 -> v2": {"Box": {"size": {"unit": "Mi"}}}}
    root = write_versions(tmp_path, facts, v1=thing(size=older), v2=thing(size=newer))
    (edge,) = planned(root).edges
    assert [pair.conversion for pair in edge.pairs] == [wanted]


@pytest.mark.parametrize("newer", [TEXT, many(TEXT)])
def test_without_effect(tmp_path: Path, newer: Any) -> None:
    """Two texts need no unit, and a list needs `wrap` first."""
    facts = {"v1 -> v2": {"Box": {"wait": {"duration": "seconds"}}}}
    root = write_versions(tmp_path, facts, v1=thing(wait=TEXT), v2=thing(wait=newer))
    (problem,) = _problems(root)
    assert problem.code == ("HA213" if newer == TEXT else "HA201")
    assert problem.where.startswith(("holdall.yaml:", "v1.yaml:"))


@pytest.mark.parametrize(("newer", "is_offered"), [(NUMBER, True), (FRACTION, True), (FLAG, False)])
def test_what_is_offered(tmp_path: Path, newer: Any, is_offered: bool) -> None:
    """A text and a number may be a duration; a flag is none."""
    root = write_versions(tmp_path, v1=thing(wait=TEXT), v2=thing(wait=newer))
    (problem,) = _problems(root)
    assert ("duration: seconds | unit: Mi" in problem.fix) is is_offered

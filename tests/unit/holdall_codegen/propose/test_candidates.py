"""Which properties of an edge may be one: those whose objects meet."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.plan.plans import TypeRef
from holdall_codegen.model import Opaque, Property
from holdall_codegen.project import read_project
from holdall_codegen.propose.candidates import Scores, candidates, meet
from holdall_codegen.propose.ends import End
from holdall_codegen.propose.trial import Trial
from holdall_codegen.propose.words import Names
from tests.support.proposing import TEXT, thing, write_versions


def end(path: str) -> End:
    names = tuple(path.split("/"))
    return End(names, Property(names[-1], Opaque()), (TypeRef("v1", "Box"),) * len(names))


def names() -> Names:
    return Names(["v1", "v2"])


@pytest.mark.parametrize(
    ("older", "newer", "meets"),
    [
        ("dockerFile/rule", "docker/scope", True),
        ("dockerFile/layers/size", "image/layer", True),
        ("image/layer", "dockerFile/layers/size", True),
        ("dockerFile/size", "image/size", False),
        ("dockerFile/recipeMode", "imageRecipe/scope", True),
        ("dockerFile/rule", "imageRecipe/dockerSize", True),
        ("size", "image/rule", True),
        ("image/rule", "size", True),
    ],
)
def test_objects_that_meet(older: str, newer: str, meets: bool) -> None:
    """By a word of an object in the other path; a property in no object meets all."""
    assert meet(end(older), end(newer), names()) == meets


def test_an_edge_that_did_not_change_is_not_compared_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is when something is learned about its names, and what is learned of others is not."""
    root = write_versions(tmp_path, v1=thing(cohort=TEXT), v2=thing(cohortName=TEXT))
    reading = read_project(root)
    group, config = reading.models["boxes"], reading.config.groups[0]
    trial = Trial(group, config)
    (edge,) = trial.matched
    scores = Scores(trial, "v1", "v2")
    first = candidates(trial, edge, scores)
    with monkeypatch.context() as patch:
        patch.delattr(Scores, "score")
        scores.learn("quota", "limit")
        assert candidates(Trial(group, config), edge, scores) == first
    scores.learn("cohort", "cohortName")
    assert candidates(trial, edge, scores)[0].score > first[0].score

"""Which properties of an edge may be one: only those whose objects meet are compared."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from holdall.plan.plans import TypeRef
from holdall_codegen.model import Opaque, Property
from holdall_codegen.project import read_project
from holdall_codegen.propose.candidates import Scores, candidates, meeting
from holdall_codegen.propose.ends import End
from holdall_codegen.propose.trial import Trial
from holdall_codegen.propose.words import Names
from tests.support.proposing import TEXT, thing, write_versions
from tests.support.work import steps_of


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
        ("size", "image/rule", True),
        ("image/rule", "size", True),
    ],
)
def test_objects_that_meet(older: str, newer: str, meets: bool) -> None:
    """By a word of an object in the other path; a property in no object meets all."""
    pair = end(older), end(newer)
    assert [*meeting([pair[0]], [pair[1]], names())] == [pair] * meets


def test_each_member_may_meet_others() -> None:
    """Of two objects that do not meet, members do whose names are of the other object."""
    older = [end(f"dockerFile/{name}") for name in ("size", "recipeMode", "rule")]
    newer = [end(f"imageRecipe/{name}") for name in ("scope", "dockerSize", "rule")]
    found = [(one.path[-1], other.path[-1]) for one, other in meeting(older, newer, names())]
    assert sorted(found) == [
        ("recipeMode", "dockerSize"),
        ("recipeMode", "rule"),
        ("recipeMode", "scope"),
        ("rule", "dockerSize"),
        ("size", "dockerSize"),
    ]


def test_members_of_objects_that_do_not_meet_make_no_pairs() -> None:
    """Objects of 200 members would make 40,000: each member asks once about the other object."""
    letters = [a + b for a, b in product("abcdefghij", repeat=2)]
    older = [end(f"dockerFile/layers/{a}{b}") for a in letters for b in ("Limit", "Rule")]
    newer = [end(f"imageRecipe/steps/{a}{b}") for a in letters for b in ("Mode", "Scope")]
    found: list[tuple[End, End]] = []
    work = steps_of(lambda: found.extend(meeting(older, newer, names())))
    assert not found
    assert work < 200 * (len(older) + len(newer))


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

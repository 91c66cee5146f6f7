"""What is offered for a refused pair works, and what would work is offered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from holdall.errors import PlanError, SourceError
from holdall_codegen.plan.model import GroupPlan
from tests.support.proposing import NUMBER, TEXT, many, planned, thing, write_versions

REFERENCE = thing(name=TEXT, size=NUMBER)
ENDS = {
    "text": TEXT,
    "number": NUMBER,
    "texts": many(TEXT),
    "lists": many(many(NUMBER)),
    "map": {"type": "object", "additionalProperties": TEXT},
    "reference": REFERENCE,
    "two texts": thing(name=TEXT, kind=TEXT),
    "odd name": thing(**{"on/off": TEXT}),
    "references": many(REFERENCE),
}
OPTIONS: tuple[dict[str, Any], ...] = (
    *({"wrap": True, "reference": name} for name in ("name", "kind", "on/off")),
    *({"reference": name} for name in ("name", "kind", "on/off")),
    {"wrap": True},
)


def declared(tmp_path: Path, target: str, ends: tuple[Any, Any], facts: Any) -> list[str]:
    """Return the problems of two versions with a declaration, those of hooks left out."""
    v1 = thing(part=ends[0], other=TEXT)
    v2 = thing(**{target: ends[1]}, other=TEXT) if "/" not in target else None
    if v2 is None:
        outer, inner = target.split("/")
        v2 = thing(**{outer: thing(**{inner: ends[1]})}, other=TEXT)
    between = {"v1 -> v2": {"Box": {"part": facts}}} if facts is not None else None
    try:
        planned(write_versions(tmp_path, between, v1=v1, v2=v2))
    except (PlanError, SourceError) as error:
        return [f"{problem.code} {problem.fix}" for problem in error.problems]
    return []


BASES: dict[str, tuple[str, Any]] = {
    "same name": ("part", {}),
    "rename": ("partNew", {"rename": "partNew"}),
    "move": ("outer/part", {"move": "outer/part"}),
}


@pytest.mark.parametrize(
    ("older", "newer", "base"),
    [
        (older, newer, base)
        for base in BASES
        for older in (ENDS if base == "same name" else ("text", "references"))
        for newer in ENDS
    ],
)
def test_offers_are_those_that_work(tmp_path: Path, older: str, newer: str, base: str) -> None:
    """Each way that is offered ends the refusal; a conversion that is not offered does not."""
    target, facts = BASES[base]
    ends = ENDS[older], ENDS[newer]
    problems = declared(tmp_path, target, ends, facts or None)
    if not problems:
        return
    (problem,) = problems
    code, _, text = problem.partition(" ")
    assert code == "HA201"
    offers = text.split(" | ")
    for offer in offers:
        if offer == "not_same":
            assert declared(tmp_path, target, ends, offer) == []
        elif offer.startswith("remove the "):
            assert declared(tmp_path, target, ends, None) == []
        else:
            assert declared(tmp_path, target, ends, facts | yaml.safe_load(f"{{{offer}}}")) == []
    said = [yaml.safe_load(f"{{{offer}}}") for offer in offers if ":" in offer]
    said = [{key: str(value).replace("~1", "/") for key, value in one.items()} for one in said]
    for option in OPTIONS:
        spelled = {
            key: value.replace("/", "~1") if isinstance(value, str) else value
            for key, value in option.items()
        }
        if declared(tmp_path, target, ends, facts | spelled) == []:
            assert {key: str(value) for key, value in option.items()} in said


@pytest.mark.parametrize("older", ["text", "references"])
@pytest.mark.parametrize("newer", ENDS)
def test_offers_over_a_gap(tmp_path: Path, older: str, newer: str) -> None:
    """What is offered for a property that returns in another shape works, too."""
    ends: dict[str, Any] = {
        "v1": thing(part=ENDS[older]),
        "v2": thing(other=TEXT),
        "v3": thing(part=ENDS[newer]),
    }
    try:
        planned(write_versions(tmp_path, **ends))
        return
    except PlanError as error:
        (problem,) = error.problems
    assert problem.code == "HA202"
    offers, _, place = problem.fix.rpartition(", under ")
    assert place == "`v1 -> v3`"
    for offer in offers.split(" | "):
        facts = offer if offer == "not_same" else yaml.safe_load(f"{{{offer}}}")
        planned(write_versions(tmp_path, {"v1 -> v3": {"Box": {"part": facts}}}, **ends))


@pytest.mark.parametrize("newer", [TEXT, NUMBER], ids=["same", "other"])
def test_functions_over_a_gap_are_refused(tmp_path: Path, newer: Any) -> None:
    """They are not offered where they cannot help, either."""
    ends: dict[str, Any] = {"v1": thing(part=TEXT), "v2": thing(other=TEXT)}
    ends["v3"] = thing(part=newer)
    functions = {"upgrade_with": "lib:up", "downgrade_with": "lib:down"}
    with pytest.raises(PlanError) as refused:
        planned(write_versions(tmp_path, {"v1 -> v3": {"Box": {"part": functions}}}, **ends))
    problems = {problem.code: problem for problem in refused.value.problems}
    assert problems["HA213"].message.startswith("functions have no effect here")
    assert ("HA202" in problems) == (newer is NUMBER)
    assert "upgrade_with" not in getattr(problems.get("HA202"), "fix", "")


def test_a_property_across_a_gap_is_refused_once(tmp_path: Path) -> None:
    """With all its versions; each pair that is named takes the declaration."""
    ends: dict[str, Any] = {name: thing(part=TEXT) for name in ("v1", "v2")}
    ends |= {"v3": thing(other=TEXT), "v4": thing(part=NUMBER)}
    with pytest.raises(PlanError) as refused:
        planned(write_versions(tmp_path, edges="star", hub="v3", **ends))
    (problem,) = refused.value.problems
    assert "v1.Box part, v2.Box part -> v4.Box part (" in problem.message
    assert problem.fix.endswith(", under `v1 -> v4` and `v2 -> v4`")
    stash = {"Box": {"part": {"strategy": "stash"}}}
    planned(
        write_versions(
            tmp_path, {"v1 -> v4": stash, "v2 -> v4": stash}, edges="star", hub="v3", **ends
        )
    )


def test_two_ends_of_a_third_version_are_linked(tmp_path: Path) -> None:
    """What v3 shows of v1, and v4 of v3, v4 shows of v1 on the direct way, too."""
    ends: dict[str, Any] = {
        "v1": thing(old=TEXT),
        "v2": thing(other=TEXT),
        "v3": thing(part=TEXT),
    }
    facts: dict[str, Any] = {"v1 -> v3": {"Box": {"old": "part"}}}

    def plan(part: Any, offer: str = "") -> GroupPlan:
        more = offer if offer == "not_same" else yaml.safe_load(f"{{{offer}}}")
        config = facts | {"v1 -> v4": {"Box": {"old": more}}} if offer else facts
        newest = thing(part=part)
        return planned(write_versions(tmp_path, config, **ends, v4=newest, edges="star", hub="v2"))

    links = plan(TEXT).links
    assert ("old", "part", "same as in a third version") in {
        (link.older.name, link.newer.name, link.reason) for link in links
    }
    facts["v3 -> v4"] = {"Box": {"part": {"wrap": True}}}
    with pytest.raises(PlanError) as refused:
        plan(many(TEXT))
    (problem,) = refused.value.problems
    offers, _, place = problem.fix.rpartition(", under ")
    assert offers == "rename: part, wrap: true | rename: part, strategy: hook | not_same"
    assert place == "`v1 -> v4`"
    for offer in offers.split(" | "):
        plan(many(TEXT), offer)

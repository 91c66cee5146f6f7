"""Which objects the laws are checked on: those of each type, however deep, and of each value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from holdall.plan.plans import TypeRef, object_within
from holdall.testing.laws import trial
from holdall.testing.laws.branches import branches
from holdall.testing.laws.cases import drawn_case, fixed_cases, whole_cases
from holdall.testing.laws.choices import Extremes
from holdall.testing.laws.edits import Edit
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.mutant_runs import Checkers, find_trials
from holdall.testing.laws.subjects import Subject
from holdall.testing.laws.trial import Trial
from holdall.text import json
from holdall.types import JsonValue
from tests.support.projects import THING_CONFIG, build_project, scheme_of

LEVELS = 10


def schema(name: str) -> str:
    """Return types in each other, some of them in a list or a map; the innermost has a text."""
    text = f"type: object, properties: {{{name}: {{type: string}}}}"
    for level in reversed(range(LEVELS)):
        inner = f"{{{text}}}"
        if level in (4, 8):
            inner = f"{{type: array, items: {inner}}}"
        if level in (2, 7):
            inner = f"{{type: object, additionalProperties: {inner}}}"
        text = f"type: object, properties: {{in{level}: {inner}, {name}{level}: {{type: string}}}}"
    return f"{{{text}}}\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"v1.yaml": schema("old"), "v2.yaml": schema("new")}
    return build_project(tmp_path_factory.mktemp("deep"), THING_CONFIG, files)


@pytest.fixture(scope="module")
def subject(root: Path) -> Subject:
    return Subject(scheme_of(root))


def names_in(value: JsonValue) -> set[str]:
    """Return the names of all members, at any depth."""
    if isinstance(value, dict):
        return set(value).union(*map(names_in, value.values()))
    return set().union(*map(names_in, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("how", ["whole", "drawn"])
def test_objects_have_every_member(how: str, subject: Subject) -> None:
    """However deep it is."""
    cases = whole_cases(subject, "Thing", "v1")
    if how == "drawn":
        cases = (drawn_case(subject, "Thing", "v1", seed) for seed in range(100))
    found = set(chain.from_iterable(names_in(case.stored) for case in cases))
    assert found >= {"old", *(f"old{level}" for level in range(LEVELS))}


@pytest.mark.parametrize("value", [None, ""])
@pytest.mark.parametrize("name", ["old0", "old3", "old7", "old"])
def test_each_member_alone(name: str, value: str | None, subject: Subject) -> None:
    """The innermost one, too: null and zero."""
    texts = [str(case.stored) for case in fixed_cases(subject, "Thing", "v1")]
    assert any(str({name: value})[1:-1] in text and text.count("old") == 1 for text in texts)


def test_an_object_of_extreme_values_has_no_others(tmp_path: Path) -> None:
    """Also where a lens reads amounts: their texts are drawn elsewhere."""
    text = "type: object\nproperties: {wait: {type: string}, name: {type: string}}\n"
    files = {
        "v1.yaml": text,
        "v2.yaml": text.replace("wait: {type: string}", "wait: {type: integer}"),
    }
    config = (
        THING_CONFIG
        + """
    between: {v1 -> v2: {Thing: {wait: {duration: seconds}}}}
"""
    )
    subject = Subject(scheme_of(build_project(tmp_path, config, files)))
    drawn = subject.documents.root(Extremes({"string": ("extreme",)}), "Thing", "v1")
    assert {drawn["wait"], drawn["name"]} == {"extreme"}


def test_branches_are_few(subject: Subject) -> None:
    """Each begins where the one before ends."""
    plan = subject.plan
    root = subject.root("Thing", "v1")
    found = [*branches(plan, root)]
    assert [len(branch.way) for branch in found] == [4, 8]
    for branch in found:
        ref: TypeRef | None = root
        for name, type_ in branch.way:
            assert ref is not None and plan.types[ref][name] == type_
            ref = object_within(type_)
        assert ref == branch.end
    assert str(found[1].bearing({"x": 1})).startswith("{'in0': {'in1': {'in2': {'key': {'in3'")


def test_the_laws_notice_what_is_broken_deep_down(root: Path, subject: Subject) -> None:
    """In the converter of the innermost type."""
    trials = [
        trial
        for trial in find_trials(root, [subject])
        if f'"old{LEVELS - 1}"' in trial.mutant.before
    ]
    with closing(Checkers(root, [subject], 1, 0, 1)) as checkers:
        parts = sorted({part for trial in trials for part in trial.parts})
        verdicts = [*checkers.try_all(trials, [*checkers.check_unbroken(parts)])]
    assert verdicts and all(verdict.law for verdict in verdicts)


NESTED = """
type: object
properties:
  {name}: {type: string}
  shelves:
    type: array
    items:
      additionalProperties:
        additionalProperties:
          type: object
          properties:
            {name}: {type: string}
            books:
              type: array
              items:
                additionalProperties:
                  additionalProperties:
                    type: object
                    properties:
                      {name}: {type: string}
                      pages: {type: array, items: {type: string}}
"""


def size_of(value: JsonValue) -> int:
    """Return how many values there are, at any depth."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(size_of, inner))


@pytest.mark.parametrize("how", ["whole", "drawn"])
def test_objects_do_not_grow_with_their_depth(how: str, tmp_path: Path) -> None:
    """Lists of maps of maps, in such lists, would have thousands of elements; some have several."""
    files = {f"v{number}.yaml": NESTED.replace("{name}", f"n{number}") for number in (1, 2)}
    subject = Subject(scheme_of(build_project(tmp_path, THING_CONFIG, files)))
    cases = whole_cases(subject, "Thing", "v1")
    if how == "drawn":
        cases = (drawn_case(subject, "Thing", "v1", seed) for seed in range(100))
    objects = [case.stored for case in cases]
    assert max(map(size_of, objects)) < 1000
    several = [
        pages
        for document in objects
        for books in _books(document)
        for rows in books
        for pages in (rows or {}).values()
        if len(pages or ()) > 1
    ]
    assert several


def _books(document: Any) -> Iterator[Any]:
    for shelf in document.get("shelves") or ():
        for row in (shelf or {}).values():
            for place in (row or {}).values():
                yield (place or {}).get("books") or ()


def test_of_the_edits_of_a_large_object_a_sample_is_made(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Edits and the cost of each grow with the object: all of them have no end."""
    made: list[Edit] = []
    monkeypatch.setattr(Trial, "_check_edit", lambda _, __, edit: made.append(edit))
    case = next(whole_cases(subject, "Thing", "v1"))
    counts = []
    for work in (10**9, 8 * len(json.encode(case.stored)), 1):
        monkeypatch.setattr(trial, "_WORK", work)
        made.clear()
        assert Trial(Tools.of(subject), case).run() == []
        counts.append(len(made))
    every, some, one = counts
    assert every > 20 > some > one == 1

"""Laws on holders with inner documents: they hold, and find an engine that gives no text back."""

from __future__ import annotations

import pytest

from holdall.inner import texts
from holdall.testing.laws.api_trial import ApiTrial
from holdall.testing.laws.cases import drawn_case
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.subjects import Subject
from tests.support.projects import THING_FILES, build_project, scheme_of

CONFIG = """
groups:
  things:
    api_group: example.com
    sources:
      - {schemas: v1.yaml, version: v1, kinds: {Thing: "", Box: ""}}
      - {schemas: v2.yaml, version: v2, kinds: {Thing: "", Box: ""}}
      - {schemas: v1.yaml, version: v3, kinds: {Thing: "", Box: "", Crate: ""}}
    versions: [v1, v2, v3]
    inner_documents:
      - {in: [Box], annotation: things.example.com/config}
      - {in: [Box, Thing], path: spec/labels/thing, format: json, versions: {v1: v2, v2: v1}}
      - {in: [Thing], annotation: folded, folded: true}
"""


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return Subject(scheme_of(build_project(tmp_path_factory.mktemp("texts"), CONFIG, THING_FILES)))


def broken(subject: Subject, seeds: range) -> set[str]:
    """Return the laws that do not hold for drawn objects."""
    tools = Tools.of(subject)
    return {
        found.law
        for kind in ("Box", "Thing")
        for start in ("v1", "v2", "v3")
        for seed in seeds
        for found in ApiTrial(tools, drawn_case(subject, kind, start, seed)).run()
    }


def test_laws_hold(subject: Subject) -> None:
    assert broken(subject, range(60)) == set()


def test_a_text_that_does_not_come_back_is_found(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "take_kept_text", lambda document: (document, None))
    assert {"L1", "L2"} <= broken(subject, range(20))

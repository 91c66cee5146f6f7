"""Objects that moves make: an outer and an inner type may put something into the same one."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.scheme.scheme import Scheme
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import check_kind
from holdall.testing.laws.subjects import Subject
from tests.support.notation import schema_text
from tests.support.objects import resource
from tests.support.projects import THING_CONFIG, build_project, scheme_of

Json = dict[str, Any]

_CONFIG = (
    THING_CONFIG
    + """\
    between:
      v1 -> v2:
        ThingSpec: {early: {move: inner/made/early}}
        Inner: {late: {move: made/late}}
"""
)
_OLDER = schema_text("{spec: {early: string, inner: {late: string, $title: Inner}}}")
_NEWER = schema_text("""
spec: {inner: {made: {early: string, late: string, own: string}, $title: Inner}}
""")


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """Two versions; a property of an object and one of an object within move to one place."""
    files = {"v1.yaml": _OLDER, "v2.yaml": _NEWER}
    return scheme_of(build_project(tmp_path_factory.mktemp("made"), _CONFIG, files))


@pytest.mark.parametrize("inner", [{"late": "l"}, {}, {"late": None}])
def test_an_object_into_which_two_types_move_something_leaves_nothing(
    inner: Json, scheme: Scheme
) -> None:
    """The outer type takes its own out first, while what is of the inner one is still there."""
    given = resource("example.com/v1", "Thing", spec={"early": "e", "inner": inner})
    there: Json = scheme.convert(given, to="v2")
    assert there["spec"] == {"inner": {"made": {"early": "e", **inner}}}
    assert scheme.convert(there, to="v1") == given


def test_what_was_written_beside_it_keeps_it(scheme: Scheme) -> None:
    """It is an object like any other one then."""
    given = {"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"early": "e"}}
    there: Any = scheme.convert({**given, "spec": {"early": "e", "inner": {"late": "l"}}}, to="v2")
    there["spec"]["inner"]["made"] = {"own": "o"}
    back: Json = scheme.convert(there, to="v1")
    assert back["spec"] == {"inner": {}}
    assert scheme.convert(back, to="v2")["spec"] == there["spec"]


@pytest.mark.parametrize("start", ["v1", "v2"])
def test_all_laws_hold(start: str, scheme: Scheme) -> None:
    """What one type moves comes and goes beside what the other one does."""
    outcome = check_kind(Tools.of(Subject(scheme)), "Thing", start, range(60))
    assert not outcome.findings

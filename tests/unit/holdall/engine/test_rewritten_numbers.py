"""Hooks whose numbers a server writes as Go does, in documents and in what is kept in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.scheme.scheme import Scheme
from tests.random_groups.apiserver import without_fractions
from tests.support.notation import schema_of
from tests.support.objects import resource
from tests.support.projects import build_project, group_of, hook_of, scheme_of

HOOK = hook_of(
    "Sum()",
    "Capped()",
    'Always(older={"scale": 3.0})',
    code='''

class Sum(TwoWay):
    """The newer version has whole first parts, and sums instead of second parts."""

    older, newer = ("first", "second"), ("first", "sum")

    def to_newer(self, older: Members) -> Members:
        first = older["first"]
        return {"first": float(int(first)), "sum": first + older["second"]}

    def to_older(self, newer: Members) -> Members:
        first = newer["first"]
        return {"first": first, "second": newer["sum"] - first}


class Capped(TwoWay):
    """The older version has weights up to 100, and marks in small letters."""

    older = newer = ("weight", "mark")

    def to_newer(self, older: Members) -> Members:
        return older

    def to_older(self, newer: Members) -> Members:
        if not newer:
            return {}
        return {"weight": min(newer["weight"], 100.0), "mark": newer["mark"].lower()}
''',
)


@pytest.fixture(params=["annotation", "field"])
def scheme(request: pytest.FixtureRequest, tmp_path: Path) -> Scheme:
    """Return the scheme of the group, whose bags are text in an annotation, or JSON."""
    schemas = {
        version: schema_of(f"""
metadata: {{"*": true}}
spec: {{first: number, {second}: number, scale: number, weight: number, mark: string}}
""")
        for version, second in (("v1", "second"), ("v2", "sum"))
    }
    return scheme_of(build_project(tmp_path, *group_of(schemas, hook=HOOK, carrier=request.param)))


def lived(scheme: Scheme, spec: dict[str, Any], **edit: Any) -> dict[str, Any]:
    """Return a spec of v2 after an edit in v1, where a server writes all documents."""
    document = without_fractions(resource("example.com/v2", "Thing", "a", spec=spec))
    old = without_fractions(scheme.convert(document, to="v1"))
    old["spec"] |= edit
    found: dict[str, Any] = scheme.convert(without_fractions(old), to="v2")["spec"]
    return found


def test_what_was_kept_comes_back(scheme: Scheme) -> None:
    """A server also rewrites the numbers of a bag that is JSON."""
    assert lived(scheme, {"first": 3.5, "sum": 4}) == {"first": 3.5, "sum": 4}


def test_an_edit_does_not_cost_what_is_kept_beside_it(scheme: Scheme) -> None:
    """It contradicts the kept sum, which was only written in another way."""
    found = lived(scheme, {"first": 8.5, "sum": 3}, second=7)
    assert found == {"first": 8.5, "sum": 15.5}


def test_what_an_edit_cannot_show_does_not_cost_what_is_kept(scheme: Scheme) -> None:
    """The mark would come back in small letters, with the kept weight or without it."""
    spec = {"first": 1, "sum": 2, "weight": 250, "mark": "a"}
    assert lived(scheme, spec, mark="AB") == {**spec, "mark": "AB"}


def test_what_was_filled_in_goes_again(scheme: Scheme) -> None:
    """It is no value of a client."""
    assert "scale" not in lived(scheme, {"first": 1, "sum": 2})

"""What a version farther away keeps of a value that moves out of an object, and back into it."""

from __future__ import annotations

from typing import Any

import pytest

import holdall as h
from tests.support.projects import build_project, group_of, scheme_of

STRING: Any = {"type": "string"}
INTEGER: Any = {"type": "integer"}


def thing(**members: Any) -> Any:
    """Return the schema of an object."""
    return {"type": "object", "properties": members}


def many(item: Any) -> Any:
    """Return the schema of a list."""
    return {"type": "array", "items": item}


MAP = {"type": "object", "additionalProperties": STRING}
POOR = {"first": STRING, "wait": INTEGER, "owner": STRING, "args": MAP}
RICH = {
    "first": many(STRING),
    "wait": STRING,
    "owner": thing(name=STRING, kind=STRING),
    "args": many(thing(name=STRING, value=STRING, note=STRING)),
}
SCHEMAS = {
    "v1": thing(run=thing(plain=STRING), **POOR),
    "v2": thing(run=thing(plain=STRING, **POOR)),
    "v3": thing(run=thing(plain=STRING, **RICH)),
}
BETWEEN = {
    "v1 -> v2": {"Thing": {name: {"move": f"run/{name}"} for name in POOR}},
    "v2 -> v3": {
        "ThingRun": {
            "first": {"wrap": True},
            "wait": {"duration": "seconds"},
            "owner": {"reference": "name"},
            "args": {"keyed": "name/value"},
        }
    },
}
RUN: Any = {
    "plain": "p",
    "first": ["a", "b"],
    "wait": "90s",
    "owner": {"name": "ann", "kind": "User"},
    "args": [{"name": "b", "value": "1", "note": "N"}, {"name": "a", "value": "2"}],
}


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> h.Scheme:
    """Three versions: a level of their own, moved, and in a form that says more."""
    group = group_of(SCHEMAS, api_group=None, between=BETWEEN)
    return scheme_of(build_project(tmp_path_factory.mktemp("moved"), *group))


def _through(scheme: h.Scheme, run: Any, *edits: tuple[str, Any]) -> Any:
    """Return `run` of v3 again after a way through versions, and what clients write there."""
    document: Any = {"apiVersion": "v3", "kind": "Thing", "run": run}
    for version, edit in edits:
        document = scheme.convert(document, to=version)
        if edit is not None:
            edit(document)
    return scheme.convert(document, to="v3")["run"]


@pytest.mark.parametrize("way", [("v1",), ("v2", "v1"), ("v2", "v1", "v2"), ("v1", "v2", "v1")])
def test_what_nobody_edits_comes_back(scheme: h.Scheme, way: tuple[str, ...]) -> None:
    """The rest of what moved is kept, whatever steps the way has."""
    assert _through(scheme, RUN, *((version, None) for version in way)) == RUN


def test_an_edit_before_the_move_counts(scheme: h.Scheme) -> None:
    """What a client of the version between wrote is not what was kept."""

    def edit(document: Any) -> None:
        document["run"] |= {"first": "x", "wait": 1, "owner": "bob"}
        document["run"]["args"]["b"] = "3"

    found = _through(scheme, RUN, ("v2", edit), ("v1", None))
    assert found == {
        "plain": "p",
        "first": ["x", "b"],
        "wait": "1s",
        "owner": {"name": "bob"},
        "args": [{"name": "b", "value": "3", "note": "N"}, {"name": "a", "value": "2"}],
    }


def test_an_edit_after_the_move_counts(scheme: h.Scheme) -> None:
    """What a client of the version with another level wrote is not what was kept."""

    def edit(document: Any) -> None:
        document |= {"wait": 1, "owner": "bob"}
        del document["first"]
        del document["args"]["a"]

    found = _through(scheme, RUN, ("v1", edit))
    assert found == {
        "plain": "p",
        "wait": "1s",
        "owner": {"name": "bob"},
        "args": [{"name": "b", "value": "1", "note": "N"}],
    }

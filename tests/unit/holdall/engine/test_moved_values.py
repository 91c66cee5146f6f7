"""Properties that change their nesting level and their form at once, and come back exactly."""

from __future__ import annotations

from typing import Any

import pytest

import holdall as h
from holdall.errors import ConversionError
from tests.support.projects import build_project, group_of, scheme_of

STRING: Any = {"type": "string"}
INTEGER: Any = {"type": "integer"}


def many(item: Any) -> Any:
    """Return the schema of a list."""
    return {"type": "array", "items": item}


def thing(**members: Any) -> Any:
    """Return the schema of an object."""
    return {"type": "object", "properties": members}


REFERENCE = thing(name=STRING, kind=STRING)
NULLABLE = {"type": "string", "nullable": True}
V1 = thing(
    size=STRING,
    text=thing(none=NULLABLE),
    mode=STRING,
    wait=STRING,
    owner=STRING,
    tags=thing(first=STRING),
    sort=STRING,
)
V2 = thing(
    limits=thing(size=INTEGER, none=NULLABLE),
    run=thing(mode=STRING, waitSeconds=INTEGER, sort=many(STRING)),
    by=thing(owner=REFERENCE),
    tags=thing(),
    names=many(REFERENCE),
)
FACTS = {
    "size": {
        "move": "limits/size",
        "upgrade_with": "builtins:int",
        "downgrade_with": "builtins:str",
    },
    "text/none": {
        "move": "limits/none",
        "upgrade_with": "tests.unit.holdall.engine.test_moved_values:named",
        "downgrade_with": "tests.unit.holdall.engine.test_moved_values:unnamed",
    },
    "mode": {"move": "run/mode", "values": {"fast": "Fast", "quick": "Fast"}},
    "wait": {"move": "run/waitSeconds", "duration": "seconds"},
    "owner": {"move": "by/owner", "reference": "name"},
    "tags/first": {"move": "names", "reference": "name", "wrap": True},
    "sort": {"move": "run/sort", "values": {"a": "b"}, "wrap": True},
}


def named(value: str | None) -> str | None:
    """Return a text for null."""
    return "nobody" if value is None else value


def unnamed(value: str | None) -> str | None:
    """Return null's text as it is: it comes back by what was kept."""
    return value


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> h.Scheme:
    """Every option that stands with `move`."""
    group = group_of(
        {"v1": V1, "v2": V2}, group="moved", api_group=None, between={"v1 -> v2": {"Thing": FACTS}}
    )
    return scheme_of(build_project(tmp_path_factory.mktemp("moved"), *group))


def _there_and_back(scheme: h.Scheme, document: Any) -> tuple[Any, Any]:
    versions = [document["apiVersion"], "v2" if document["apiVersion"] == "v1" else "v1"]
    twin = scheme.twin("Thing", versions[0]).from_dict(document)
    there = scheme.convert(twin, to=versions[1])
    return there.to_dict(), scheme.convert(there, to=versions[0]).to_dict()


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"size": "12"}, {"limits": {"size": 12}}),
        ({"size": " 12"}, {"limits": {"size": 12}}),
        ({"size": None}, {"limits": {"size": None}}),
        ({"text": {"none": "ann"}}, {"limits": {"none": "ann"}}),
        ({"text": {"none": None}}, {"limits": {"none": "nobody"}}),
        ({"mode": "fast"}, {"run": {"mode": "Fast"}}),
        ({"mode": "quick"}, {"run": {"mode": "Fast"}}),
        ({"wait": "1m30s"}, {"run": {"waitSeconds": 90}}),
        ({"wait": "90s"}, {"run": {"waitSeconds": 90}}),
        ({"wait": "soon"}, {}),
        ({"owner": "ann"}, {"by": {"owner": {"name": "ann"}}}),
        ({"tags": {"first": "x"}}, {"names": [{"name": "x"}], "tags": {}}),
        ({"sort": "a"}, {"run": {"sort": ["b"]}}),
    ],
    ids=str,
)
def test_older_newer_older(scheme: h.Scheme, older: Any, newer: Any) -> None:
    """The value has its other form in its other place, and is what it was after the way back."""
    document = {"apiVersion": "v1", "kind": "Thing", **older}
    there, back = _there_and_back(scheme, document)
    assert back == document
    assert _shown(there) == {"apiVersion": "v2", "kind": "Thing", **newer, **_rest(newer, older)}


def _rest(newer: Any, older: Any) -> Any:
    """Return the objects that a value moved out of."""
    return {"tags": {}} if "tags" in older and "tags" not in newer else {}


def _shown(value: Any) -> Any:
    if isinstance(value, list):
        return [_shown(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _shown(item) for key, item in value.items() if not key.startswith("$")}


@pytest.mark.parametrize(
    "newer",
    [
        {"limits": {"size": 12}},
        {"limits": {"size": 12, "none": None}},
        {"limits": {"none": "nobody"}},
        {"limits": {"none": ""}},
        {"run": {"mode": "Fast", "waitSeconds": 0, "sort": ["b", "c"]}},
        {"run": {"waitSeconds": 2.0, "sort": []}},
        {"by": {"owner": {"name": "ann", "kind": "User"}}},
        {"by": {"owner": {"kind": "User"}}},
        {"names": [{"name": "x", "kind": "y"}, {"name": "z"}]},
        {"names": [], "by": {}},
    ],
    ids=str,
)
def test_newer_older_newer(scheme: h.Scheme, newer: Any) -> None:
    """So it is from the newer side, whatever the older one cannot say."""
    document = {"apiVersion": "v2", "kind": "Thing", **newer}
    assert _there_and_back(scheme, document)[1] == document


def test_what_a_function_refuses(scheme: h.Scheme) -> None:
    """The error names both places."""
    twin = scheme.twin("Thing", "v1").from_dict({"apiVersion": "v1", "kind": "Thing", "size": "x"})
    with pytest.raises(ConversionError, match=r"/size.*builtins:int"):
        scheme.convert(twin, to="v2")

"""What declarations say of an edge, stated in the configuration of schema files."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.errors import ConversionError, PlanError
from holdall.scheme.scheme import Scheme
from tests.support.notation import schema_of
from tests.support.objects import resource
from tests.support.projects import build_project, group_of, new_packages, scheme_of, with_spec

FUNCTIONS = """
def to_list(text):
    return text.split(",") if text else []


def to_text(items):
    if "" in items:
        raise ValueError("an item has no text")
    return ",".join(items)


def no_rooms():
    return []
"""

SCHEMAS = {
    "v1": with_spec(schema_of("{skills: string, mode: Fast|Odd, fax: string}")),
    "v2": with_spec(
        schema_of("{skills: [string], mode: Quick|New, size: integer, rooms: [string]}")
    ),
}
FACTS = {
    "skills": {"upgrade_with": "FUNCTIONS:to_list", "downgrade_with": "FUNCTIONS:to_text"},
    "mode": {
        "values": {"Fast": "Quick"},
        "variants": {"older": {"Odd": "Quick"}, "newer": {"New": "Fast"}},
    },
    "size": {"default": 1},
    "rooms": {"default_with": "FUNCTIONS:no_rooms"},
    "fax": {"default": "none"},
}


def build(root: Path, facts: dict[str, Any]) -> Scheme:
    """Generate a project of two schemas, with a module of functions that has its own name."""
    functions = f"between_{new_packages()[0]}"
    said = {"group": "people", "api_group": "p.example.com"}
    config, files = group_of(SCHEMAS, "Person", **said, between={"v1 -> v2": {"PersonSpec": facts}})
    files[f"{functions}.py"] = FUNCTIONS
    return scheme_of(build_project(root, config.replace("FUNCTIONS", functions), files))


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    return build(tmp_path_factory.mktemp("between"), FACTS)


def person(version: str, **spec: Any) -> dict[str, Any]:
    return resource(f"p.example.com/{version}", "Person", "x", spec=spec)


def spec_at(scheme: Scheme, obj: dict[str, Any], version: str) -> Any:
    return scheme.convert(obj, to=version)["spec"]


ROWS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "functions": ({"skills": "a,b"}, {"skills": ["a", "b"]}),
    "a renamed value": ({"mode": "Fast"}, {"mode": "Quick"}),
    "a value of the older version": ({"mode": "Odd"}, {"mode": "Quick"}),
}


@pytest.mark.parametrize(("old", "new"), ROWS.values(), ids=ROWS.keys())
def test_upgrades(scheme: Scheme, old: dict[str, Any], new: dict[str, Any]) -> None:
    """The newer version shows the result, with defaults for what the older one lacks."""
    obj = person("v1", fax="1", **old)
    assert spec_at(scheme, obj, "v2") == {**new, "size": 1, "rooms": []}
    assert scheme.convert(scheme.convert(obj, to="v2"), to="v1") == obj


DOWN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "functions": ({"skills": ["a,b", "c"]}, {"skills": "a,b,c"}),
    "a value of the newer version": ({"mode": "New"}, {"mode": "Fast"}),
    "defaults": ({"size": 3, "rooms": ["n"]}, {}),
    "values that are the defaults": ({"size": 1, "rooms": []}, {}),
}


@pytest.mark.parametrize(("new", "old"), DOWN.values(), ids=DOWN.keys())
def test_downgrades(scheme: Scheme, new: dict[str, Any], old: dict[str, Any]) -> None:
    """The older version shows the result, and the bag brings back what that lost."""
    obj = person("v2", **new)
    assert spec_at(scheme, obj, "v1") == {**old, "fax": "none"}
    assert scheme.convert(scheme.convert(obj, to="v1"), to="v2") == obj


def test_nothing_is_kept_that_a_default_gives_again(scheme: Scheme) -> None:
    """Values that are the defaults need no bag."""
    older: Any = scheme.convert(person("v2", size=1, rooms=[]), to="v1")
    assert SPEC_ANNOTATION not in older["metadata"].get("annotations", {})


def test_an_edit_wins(scheme: Scheme) -> None:
    """What the older version changed is converted anew."""
    older: Any = copy.deepcopy(scheme.convert(person("v2", skills=["a,b"], mode="New"), to="v1"))
    older["spec"].update(skills="c", mode="Odd")
    newer = spec_at(scheme, older, "v2")
    assert (newer["skills"], newer["mode"]) == (["c"], "Quick")


def test_a_failing_function_is_located(scheme: Scheme) -> None:
    """The error names the edge, the property and the function."""
    with pytest.raises(ConversionError, match=r"/spec/skills.*to_text.*an item has no text"):
        scheme.convert(person("v2", skills=[""]), to="v1")


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "a default of both": ({"mode": {"default": "New"}}, "mode has a partner"),
    "a default of neither": ({"sise": {"default": 1}}, "no property 'sise'"),
    "one function, no other way": (
        {"skills": {"upgrade_with": "FUNCTIONS:to_list"}},
        "cannot become",
    ),
}


@pytest.mark.parametrize(("facts", "words"), MISTAKES.values(), ids=MISTAKES.keys())
def test_facts_have_to_bite(tmp_path: Path, facts: dict[str, Any], words: str) -> None:
    """A fact without effect, or without all that it needs, is an error of the plan."""
    with pytest.raises(PlanError, match=words):
        build(tmp_path, {**{name: FACTS[name] for name in ("skills", "mode")}, **facts})

"""Objects that functions make of others: what versions beyond hide in them is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.scheme.scheme import Scheme
from tests.support.declared import declare
from tests.support.notation import schema_of
from tests.support.objects import resource
from tests.support.projects import build_project, group_of, scheme_of, with_spec

HERE = "tests.unit.holdall.engine.test_hops"
PLACES = [("{part: %s}", "part"), ("{parts: [%s]}", "parts"), ("{parts: {'*': %s}}", "parts")]


def x_of(part: Any) -> Any:
    """Return the text of an object, and so in lists and maps."""
    return part["x"] if "x" in part else _each(part, x_of)


def with_x(text: Any) -> Any:
    """Return an object with what is before the semicolon of a text, and so in lists and maps."""
    return {"x": text.partition(";")[0]} if isinstance(text, str) else _each(text, with_x)


def _each(value: Any, act: Any) -> Any:
    if isinstance(value, list):
        return [act(item) for item in value]
    return {key: act(item) for key, item in value.items()}


def build(root: Path, place: str, name: str, *parts: str, edge: str, up: str) -> Scheme:
    """Return a scheme of three versions, of which two have texts for objects."""
    specs = zip(("v1", "v2", "v3"), parts, strict=True)
    functions = {"x_of": "with_x", "with_x": "x_of"}
    facts = {name: {"upgrade_with": f"{HERE}:{up}", "downgrade_with": f"{HERE}:{functions[up]}"}}
    schemas = {version: with_spec(schema_of(place % part)) for version, part in specs}
    return scheme_of(build_project(root, *group_of(schemas, between={edge: {"ThingSpec": facts}})))


def around(name: str, place: str, part: Any) -> dict[str, Any]:
    """Return a spec with something at a place."""
    return {name: [part] if "[" in place else {"k": part} if "*" in place else part}


@pytest.mark.parametrize(("place", "name"), PLACES)
def test_what_is_hidden_in_what_a_function_takes(tmp_path: Path, place: str, name: str) -> None:
    """The function makes the object again, and not what is in its bag."""
    parts = ("{x: string, y: string}", "{x: string}", "string")
    scheme = build(tmp_path, place, name, *parts, edge="v2 -> v3", up="x_of")
    document = resource(
        "example.com/v1", "Thing", "a", spec=around(name, place, {"x": "X", "y": "Y"})
    )
    there = scheme.convert(document, to="v3")
    assert there["spec"] == around(name, place, "X")
    assert scheme.convert(there, to="v1") == document
    there["spec"] = around(name, place, "Z")
    assert scheme.convert(there, to="v1")["spec"] == around(name, place, {"x": "Z"})


@pytest.mark.parametrize(("place", "name"), PLACES)
def test_what_is_hidden_where_a_kept_value_agrees(tmp_path: Path, place: str, name: str) -> None:
    """The kept value comes back, and what an edit beyond added comes back as well."""
    parts = ("string", "{x: string}", "{x: string, y: string}")
    scheme = build(tmp_path, place, name, *parts, edge="v1 -> v2", up="with_x")
    document = resource("example.com/v1", "Thing", "a", spec=around(name, place, "X;more"))
    there = scheme.convert(document, to="v3")
    there["spec"] = around(name, place, {"x": "X", "y": "Y"})
    back = scheme.convert(there, to="v1")
    assert back["spec"] == document["spec"]
    assert scheme.convert(back, to="v3") == there
    back["spec"] = around(name, place, "Z")
    assert scheme.convert(back, to="v3")["spec"] == around(name, place, {"x": "Z"})


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
def test_what_is_hidden_in_a_declared_union(tmp_path: Path, carrier: str) -> None:
    """A variant that is gone is kept, though its fallback becomes another type."""
    declared = declare(
        tmp_path,
        f"""
VERSIONS = Versions(Version("v1"), Version("v2"), Version("v3"),
                    tracking=Tracking(carrier="{carrier}"))

@resource(group="example.com")
class FooSpec:
    lock: Annotated[str, changed("v3", from_type=Lock)]

@union
class Lock:
    Shut: Annotated[Unit, default_variant]
    Code: Annotated[str, removed("v2", fallback="Shut")]
""",
    )
    document = resource("example.com/v1", "Foo", "a", spec={"lock": {"Code": "1234"}})
    there = declared.convert(document, to="v3")
    assert there["spec"] == {"lock": ""}
    assert declared.convert(there, to="v1") == document

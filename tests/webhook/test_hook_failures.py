"""What hooks do wrong, at `holdall serve` over HTTP: the object fails, the server goes on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.objects import resource
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, written_hook
from tests.support.reviews import answer_of, body_of, converted
from tests.support.serving import Served, exchange, serving

TO = """
match source.color:
    case "exit":
        raise SystemExit(3)
    case "nan":
        destination.shade = float("nan")
    case "tuple":
        destination.shade = (1, 2)
    case "bag":
        destination.property_bag = None
    case _:
        destination.shade = 7
"""
HOOK = written_hook(TO, 'destination.color = "blue"', reads="color", writes="shade")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    files = {**THING_FILES, "hooks/thing.py": HOOK}
    project = build_project(tmp_path_factory.mktemp("hooked"), THING_CONFIG, files)
    with serving(project, tmp_path_factory.mktemp("keys")) as found:
        yield found


def thing(color: str) -> dict[str, Any]:
    return resource(
        "example.com/v1", "Thing", color, spec={"color": color, "box": {"kept": "in the bag"}}
    )


@pytest.mark.parametrize(
    ("color", "message"),
    [
        ("exit", "Hooks raised SystemExit: 3"),
        ("nan", "Hooks: /shade: nan is not a JSON number"),
        ("tuple", "Hooks: /shade: tuple is not a JSON type"),
        ("bag", "Hooks: the hook replaced the property bag; use its view, `bag`"),
    ],
)
def test_the_object_fails_and_the_next_review_is_answered(
    served: Served, color: str, message: str
) -> None:
    """The reply names object, place and hook, on a connection that stays open, every time."""
    client = served.client()
    for _ in range(2):
        bad = body_of([thing("red"), thing(color)], "example.com/v2")
        status, body, _ = exchange(client, "POST", "/convert", bad)
        result = answer_of(body)["result"]
        assert (status, result["status"]) == (200, "Failure")
        assert (
            f"Thing {color} (object 1 of 2) to example.com/v2: /spec: v1 -> v2: {message}"
            in (result["message"])
        )
        good = body_of([thing("red")], "example.com/v2")
        assert converted(exchange(client, "POST", "/convert", good)[1])[0]["spec"]["shade"] == 7
    client.close()
    assert served.process.poll() is None

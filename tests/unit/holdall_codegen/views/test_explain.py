"""Following properties through pairs of other forms, and through what a version lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall_codegen.project import load_project
from holdall_codegen.views.explain import explain
from holdall_codegen.views.hook_report import report_hooks
from tests.support.schema_states import INTEGER, STRING, State, box, items

OPEN = {"x-kubernetes-preserve-unknown-fields": True}
VALUES = {"type": "object", "additionalProperties": STRING}
ZONES = {"type": "object", "additionalProperties": box(size=INTEGER)}
LISTS = {
    "flags": items({"name": STRING, "value": STRING, "more": STRING}),
    "zones": items({"name": STRING, "size": INTEGER}),
}
KEYED = State(
    {"v1": {"args": VALUES, "zones": ZONES}, "v2": LISTS},
    between="v1 -> v2: {OrderSpec:"
    " {args: {rename: flags, keyed: name/value}, zones: {keyed: name}}}",
)
HELD = {"size": INTEGER, "gone": STRING}
GAP = State(
    {
        "v1": {"parts": items(HELD)},
        "v2": {"parts": items({"size": INTEGER})},
        "v3": {"pieces": items(HELD)},
    },
    between="v2 -> v3: {OrderSpec: {parts: pieces}}",
)
OPENED = State({"v1": {"box": box(a=STRING)}, "v2": {"box": OPEN}, "v3": {"box": box(b=STRING)}})
SLASHES = State(
    {
        "v1": {"a/b": STRING, "old/name": STRING, "p/q": STRING, "in": box(z=STRING)},
        "v2": {"a/b": STRING, "new/name": STRING, "in": box(**{"z": STRING, "p/q": STRING})},
    },
    between="v1 -> v2: {OrderSpec: {old~1name: new~1name, p~1q: {move: in/p~1q}}}",
)
FOUR = State({**OPENED.versions, "v4": {"box": box(b=STRING)}})


@pytest.mark.parametrize(
    ("state", "path", "way", "there", "back"),
    [
        (SLASHES, "a~1b", "v1 v2", ["copied a~1b"], ["copied a~1b"]),
        (SLASHES, "old~1name", "v1 v2", ["renamed new~1name"], ["renamed old~1name"]),
        (SLASHES, "in/p~1q", "v2 v1", ["moved p~1q"], ["moved in/p~1q"]),
        (KEYED, "args/*", "v1 v2", ["converted flags/*/value"], ["converted args/*"]),
        (KEYED, "flags/*/value", "v2 v1", ["converted args/*"], ["converted flags/*/value"]),
        (KEYED, "flags/*/name", "v2 v1", ["converted args"], ["converted flags"]),
        (KEYED, "flags/*/more", "v2 v1", ["stashed "], ["pulled flags/*/more"]),
        (KEYED, "zones/*/size", "v1 v2", ["copied zones/*/size"], ["copied zones/*/size"]),
        (KEYED, "zones/*/name", "v2 v1", ["converted zones"], ["converted zones"]),
        (
            GAP,
            "parts/*/gone",
            "v1 v3",
            ["stashed ", "pulled pieces/*/gone"],
            ["stashed ", "pulled parts/*/gone"],
        ),
        (
            FOUR,
            "box/a",
            "v1 v4",
            ["converted box/a", "stashed "],
            ["pulled box/a", "converted box/a"],
        ),
    ],
)
def test_the_place_is_that_of_a_conversion(
    tmp_path: Path, state: State, path: str, way: str, there: list[str], back: list[str]
) -> None:
    """Each step says what happens to the property, and where it is shown then."""
    project = load_project(state.write(tmp_path))
    points = report_hooks(project).points
    found = explain([*project.plans.items()], points, f"Order/spec/{path}", *way.split())
    for steps, expected in ((found.there, there), (found.back, back)):
        shown = [f"{step.fate} {step.result.removeprefix('Order/spec/')}" for step in steps]
        assert shown == expected

"""Laws without completing hooks: what edges lose below them is seen, and nothing else is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.reporting import explain
from holdall.testing.laws.running import Outcome, check_kind
from holdall.testing.laws.subjects import Subject
from tests.support.projects import THING_CONFIG, build_project, scheme_of

SCHEMA = """
type: object
properties:
  spec: {type: object, properties: {parts: {type: object, properties: {%s}}}}
"""
OLDER, NEWER = "a: {type: string}, c: {type: string}", "b: {type: string}, d: {type: string}"
RENAMED = "{a: {rename: b}}"
HOOKS = """
from {generated}.things.v1.storage import AssignableThingSpec
from holdall import Completing, Composed, Members


class Part(Completing):
    older = newer = ("parts",)

    def complete_newer(self, older: Members, newer: Members) -> Members:
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        return older


class Completes(Composed, AssignableThingSpec):
    parts = (Part(),)
"""
MAKES = HOOKS.replace(
    "return newer",
    """parts = newer.get("parts") or {}
        return {"parts": {**parts, "b": parts.get("b") or ""}}""",
)


def tools_for(
    root: Path, hooks: str, *, of_parts: str = RENAMED, planted: tuple[str, str] = ("", "")
) -> Tools:
    """Return the tools for a project with these hooks, after a change of its generated code."""
    between = f"    between: {{v1 -> v2: {{Parts: {of_parts}}}}}\n"
    files = {"v1.yaml": SCHEMA % OLDER, "v2.yaml": SCHEMA % NEWER}
    files |= {"hooks/things.py": hooks}
    build_project(root, THING_CONFIG + between, files)
    (storage,) = root.glob("*/things/v1/storage.py")
    text = storage.read_text(encoding="utf-8")
    assert planted[0] in text
    storage.write_text(text.replace(*planted), encoding="utf-8")
    return Tools.of(Subject(scheme_of(root)))


def checked(tools: Tools) -> Outcome:
    """Check the laws from both versions on."""
    outcome = Outcome()
    for start in ("v1", "v2"):
        outcome.merge(check_kind(tools, "Thing", start, range(40)))
    return outcome


def test_what_an_edge_loses_is_seen_without_the_hook_that_completes_it(tmp_path: Path) -> None:
    """The residue of the hook brings it back, so nothing is lost with it."""
    planted = 'h.pull(new, old, _PARTS_BACK, "c")', "pass"
    tools = tools_for(tmp_path, HOOKS, planted=planted)
    found = checked(tools).findings
    assert {law for law, *_ in found} == {"L1", "L4", "L9"}
    shown = explain(tools, found["L1", "Thing", "v1", "v2"]).found
    assert shown.violation.claim == "without Part: v1 -> v2 -> v1 is not the same object"
    assert shown.document["spec"] in ({"parts": {"c": None}}, {"parts": {"c": ""}})


@pytest.mark.parametrize("hooks", [HOOKS, MAKES])
def test_sound_edges_hold_without_the_hooks_that_complete_them(hooks: str, tmp_path: Path) -> None:
    tools = tools_for(tmp_path, hooks)
    assert tools.completed.kinds == {"Thing"}
    assert checked(tools).findings == {}


def test_hooks_that_generated_code_needs_stay_on(tmp_path: Path) -> None:
    """With `strategy: hook` an edge does not make anything of these members by itself."""
    own = HOOKS.replace('older = newer = ("parts",)', 'older, newer = ("a",), ("b",)')
    tools = tools_for(
        tmp_path, own.replace("ThingSpec", "Parts"), of_parts="{a: {rename: b, strategy: hook}}"
    )
    assert not tools.completed.kinds
    assert tools.uncompleted is None

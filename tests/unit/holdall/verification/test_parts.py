"""Parts of hooks that would lose something: verified as they are bound, and before that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.errors import HookError
from holdall_codegen.project import load_project
from holdall_codegen.views.hook_report import report_hooks
from tests.support.projects import THING_CONFIG, build_project, scheme_of

SCHEMA = "{type: object, properties: {spec: {type: object, properties: {%s}}}}"
STRING, BOX = "{type: string}", "box: {type: object, properties: {%s}}"
FILES = {
    "v1.yaml": SCHEMA % BOX % f"size: {STRING}, name: {STRING}",
    "v2.yaml": SCHEMA % f"{BOX % f'name: {STRING}'}, size: {STRING}",
}
MOVE = "    between: {v1 -> v2: {ThingSpec: {box/size: {move: size}}}}\n"
HOOK = """
from {generated}.things.v1.storage import AssignableThingSpec
from holdall import Completing, Composed, Members


class Names(Completing):
    older, newer = SIDES

    def complete_newer(self, older: Members, newer: Members) -> Members:
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        return older


class SpecHooks(Composed, AssignableThingSpec):
    parts = (Names(),)
"""


def project(root: Path, sides: str) -> Path:
    """Make a project in which the size moves out of the box, and a hook with these members."""
    files = {**FILES, "hooks/things.py": HOOK.replace("SIDES", sides)}
    return build_project(root, THING_CONFIG + MOVE, files)


@pytest.mark.parametrize(
    ("sides", "fix"),
    [
        ('("box",), ("box",)', 'add "size" to `newer`, and return it'),
        ('(), ("size",)', 'add "box" to `older`, and return it'),
    ],
)
def test_a_hook_that_makes_one_end_of_a_move_is_refused(
    sides: str, fix: str, tmp_path: Path
) -> None:
    """It would replace what has moved, and the live value would be lost."""
    with pytest.raises(HookError) as error:
        scheme_of(project(tmp_path, sides)).load()
    report = report_hooks(load_project(tmp_path))
    for problems in (error.value.problems, report.problems):
        assert [(one.code, one.fix) for one in problems] == [("HA356", fix)]


@pytest.mark.parametrize(
    ("between", "sides", "fix"),
    [
        ("", '("size",), ("box",)', 'add "size" to `newer`, and return it'),
        ("size: {rename: box}", '("name",), ("box",)', 'add "size" to `older`, and return it'),
        ("size: not_same", '("size",), ("box",)', ""),
        ("size: {strategy: stash}", '("size",), ("box",)', ""),
    ],
    ids=["same name", "renamed", "not same", "stashed"],
)
def test_a_hook_that_makes_one_of_two_partners_is_refused(
    between: str, sides: str, fix: str, tmp_path: Path
) -> None:
    """It never gets what the other one had, so that value would be lost without a report."""
    facts = f"    between: {{v1 -> v2: {{ThingSpec: {{{between}}}}}}}\n" if between else ""
    files = {
        "v1.yaml": SCHEMA % f"size: {STRING}, name: {STRING}",
        "v2.yaml": SCHEMA % f"size: {STRING}, box: {STRING}",
    }
    hook = {"hooks/things.py": HOOK.replace("SIDES", sides)}
    root = build_project(tmp_path, THING_CONFIG + facts, {**FILES, **files, **hook})
    assert [one.fix for one in report_hooks(load_project(root)).problems] == [fix][: bool(fix)]
    if not fix:
        scheme_of(root).load()
        return
    with pytest.raises(HookError) as error:
        scheme_of(root).load()
    assert [(one.code, one.fix) for one in error.value.problems] == [("HA356", fix)]


def test_a_hook_that_makes_both_ends_of_a_move_keeps_what_is_edited(tmp_path: Path) -> None:
    scheme = scheme_of(project(tmp_path, '("box",), ("box", "size")'))
    head = {"apiVersion": "example.com/v1", "kind": "Thing"}
    old: Any = {**head, "spec": {"box": {"size": "s", "name": "n"}}}
    new: Any = scheme.convert(old, to="v2")
    new["spec"]["size"] = "l"
    assert scheme.convert(new, to="v1")["spec"] == {"box": {"size": "l", "name": "n"}}

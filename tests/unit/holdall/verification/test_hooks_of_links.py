"""Hooks that make one end of a skip link."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.errors import HookError
from holdall_codegen.project import load_project
from holdall_codegen.views.hook_report import report_hooks
from tests.support.notation import schema_text
from tests.support.projects import build_project, config_of, scheme_of

SCHEMA = "{type: object, properties: {spec: {type: object, properties: {%s: {type: string}}}}}"
FILES = {"v1.yaml": SCHEMA % "size", "v2.yaml": SCHEMA % "box", "v3.yaml": SCHEMA % "size"}
CONFIG = config_of("Thing", "v1 v2 v3", api_group="example.com")
PART = """
from holdall import Composed, Members, TwoWay
from {generated}.things.%(version)s.storage import AssignableThingSpec


class Boxed(TwoWay):
    older, newer = ("%(older)s",), ("%(newer)s",)

    def to_newer(self, older: Members) -> Members:
        return {"%(newer)s": older["%(older)s"]} if "%(older)s" in older else {}

    def to_older(self, newer: Members) -> Members:
        return {"%(older)s": newer["%(newer)s"]} if "%(newer)s" in newer else {}


class SpecHook(Composed, AssignableThingSpec):
    parts = (Boxed(),)
"""
HOOKS = {
    "v1": PART % {"version": "v1", "older": "size", "newer": "box"},
    "v3": PART % {"version": "v2", "older": "box", "newer": "size"},
}


def project(root: Path, *versions: str, between: str = "") -> Path:
    """Make a project with hooks that make the size of some versions."""
    hooks = {f"hooks/{version}.py": HOOKS[version] for version in versions}
    facts = f"    between: {{v1 -> v3: {{ThingSpec: {{size: {between}}}}}}}\n" if between else ""
    return build_project(root, CONFIG + facts, {**FILES, **hooks})


@pytest.mark.parametrize("version", ["v1", "v3"])
def test_a_hook_that_makes_one_end_alone_is_refused(version: str, tmp_path: Path) -> None:
    """The value of the other end would be replaced by what the hook makes, and lost."""
    root = project(tmp_path, version)
    with pytest.raises(HookError) as error:
        scheme_of(root).load()
    fix = 'declare it `not_same` under "v1 -> v3", or take it from the hook'
    for problems in (error.value.problems, report_hooks(load_project(root)).problems):
        assert [(one.code, one.fix) for one in problems] == [("HA357", fix)]
        assert f'makes "size" of {version}' in problems[0].message


def test_a_link_that_is_declared_need_only_be_removed(tmp_path: Path) -> None:
    """Properties of other names are not the same unless that is said; `not_same` has no effect."""
    files = {**FILES, "v3.yaml": SCHEMA % "extent", "hooks/v1.py": HOOKS["v1"]}
    fact = "    between: {v1 -> v3: {ThingSpec: {size: {rename: extent}}}}\n"
    declared, plain = tmp_path / "declared", tmp_path / "plain"
    declared.mkdir()
    plain.mkdir()
    (problem,) = report_hooks(load_project(build_project(declared, CONFIG + fact, files))).problems
    fix = 'remove its `rename` under "v1 -> v3", or take it from the hook'
    assert (problem.code, problem.fix) == ("HA357", fix)
    assert report_hooks(load_project(build_project(plain, CONFIG, files))).problems == ()


NOT_LINKED = {
    "renamed back": ("box: string", "size: string", "ThingSpec: {box: {rename: size}}"),
    "renamed and wrapped": (
        "box: string",
        "size: [string]",
        "ThingSpec: {box: {rename: size, wrap: true}}",
    ),
    "moved": ("box: string", "in: {size: string}", "ThingSpec: {box: {move: in/size}}"),
    "of another type": ("box: string", "box: string, in: {size: string}", ""),
    "gone": ("box: string", "box: string", ""),
}


@pytest.mark.parametrize("how", NOT_LINKED)
def test_what_is_not_linked_is_made_by_one_hook(how: str, tmp_path: Path) -> None:
    """A value that comes back by what is declared, or elsewhere, is not that of a skip link."""
    middle, last, fact = NOT_LINKED[how]
    schemas = {"v1.yaml": "size: string", "v2.yaml": middle, "v3.yaml": last}
    files = {name: schema_text(f"{{spec: {{{text}}}}}") for name, text in schemas.items()}
    facts = f"    between: {{v2 -> v3: {{{fact}}}}}\n" if fact else ""
    root = build_project(tmp_path, CONFIG + facts, {**files, "hooks/v1.py": HOOKS["v1"]})
    assert report_hooks(load_project(root)).problems == ()
    scheme = scheme_of(root)
    given = {"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"size": "s"}}
    assert scheme.convert(scheme.convert(given, to="v3"), to="v1") == given


@pytest.mark.parametrize(
    ("versions", "between"), [(("v1", "v3"), ""), (("v1",), "not_same"), (("v3",), "not_same")]
)
def test_what_else_is_said_of_both_ends_loses_nothing(
    versions: tuple[str, ...], between: str, tmp_path: Path
) -> None:
    """Hooks may agree about both ends, or the ends may be declared different."""
    root = project(tmp_path, *versions, between=between)
    assert report_hooks(load_project(root)).problems == ()
    scheme = scheme_of(root)
    for here, there in (("v1", "v3"), ("v3", "v1")):
        kept = {"apiVersion": f"example.com/{here}", "kind": "Thing", "spec": {"size": "s"}}
        assert scheme.convert(scheme.convert(kept, to=there), to=here) == kept

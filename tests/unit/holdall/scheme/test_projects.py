"""What needs a whole project: hooked skip links, renamed kinds, documents without a type."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from holdall.errors import HookError, PlanError, SchemeError
from holdall.scheme.scheme import Scheme
from holdall.version import VERSION
from holdall_codegen.project import load_project
from holdall_codegen.views.hook_report import report_hooks
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of, written_hook

SKIPPING = """
groups:
  pools:
    api_group: s.example.com
    sources:
      - {schemas: v1.yaml, version: v1}
      - {schemas: v2.yaml, version: v2}
      - {schemas: v3.yaml, version: v3}
    versions: [v1, v2, v3]
    between:
      v1 -> v3:
        PoolSpec:
          overrides: {rename: force, strategy: hook}
"""

HOOK = written_hook(
    """
    if source.overrides is not None and "Force" in source.overrides:
        destination.force = True
    """,
    """
    if source.force:
        destination.overrides = ["Force"]
    """,
    reads="overrides",
    writes="force",
    older="v1.PoolSpec",
    newer="v3.PoolSpec",
    group="pools",
    name="Force",
)


def pool_schema(member: str) -> str:
    return f"""
title: Pool
type: object
properties:
  spec: {{type: object, properties: {{size: {{type: integer}}{member}}}}}
"""


POOLS = {
    "v1.yaml": pool_schema(", overrides: {type: array, items: {type: string}}"),
    "v2.yaml": pool_schema(""),
    "v3.yaml": pool_schema(", force: {type: boolean}"),
}


def pools(root: Path, hook: str = HOOK) -> Scheme:
    # The holders have two newer peers: the next version, and the far end of the link.
    text = hook.replace("v1.AssignablePoolSpec", "v1.AssignablePoolSpecToV3PoolSpec")
    scheme = scheme_of(build_project(root, SKIPPING, {**POOLS, "hooks/force.py": text}))
    scheme.load(strict_hooks=True)
    return scheme


def pool(version: str, **spec: Any) -> dict[str, Any]:
    kind = {"apiVersion": f"s.example.com/{version}", "kind": "Pool", "metadata": {"name": "x"}}
    return {**kind, "spec": spec}


@pytest.mark.parametrize(
    ("version", "spec", "there"),
    [
        ("v1", {"overrides": ["Force"]}, {"force": True}),
        ("v1", {"overrides": ["Force", "Other"], "size": 1}, {"force": True, "size": 1}),
        ("v1", {"overrides": ["Other"]}, {}),
        ("v1", {"overrides": []}, {}),
        ("v1", {"overrides": None}, {"force": None}),
        ("v3", {"force": True}, {"overrides": ["Force"]}),
        ("v3", {"force": False}, {}),
        ("v3", {"force": None}, {"overrides": None}),
        ("v3", {}, {}),
    ],
)
def test_a_hook_converts_over_a_skip_link(
    version: str, spec: dict[str, Any], there: dict[str, Any], tmp_path: Path
) -> None:
    """A property that disappears and returns in another shape goes through the holders' hook."""
    scheme = pools(tmp_path)
    other = "v3" if version == "v1" else "v1"
    document = pool(version, **spec)
    converted = scheme.convert(document, to=other)
    assert converted["spec"] == there
    assert scheme.convert(converted, to=version) == document


def test_an_edit_wins_over_what_a_skip_link_kept(tmp_path: Path) -> None:
    """The list that the flag came from is dropped when the flag is edited."""
    scheme = pools(tmp_path)
    there: Any = scheme.convert(pool("v1", overrides=["Force", "Other"]), to="v3")
    del there["spec"]["force"]
    assert scheme.convert(there, to="v1") == pool("v1")


def test_a_hook_of_a_skip_link_keeps_nothing_in_the_bag(tmp_path: Path) -> None:
    """What it put there would be lost: it is a mistake before anything is converted."""
    keeping = HOOK.replace('writes=["force"]', 'writes=["force", "bag:k"]').replace(
        'reads=["force"]', 'reads=["force", "bag:k"]'
    )
    keeping = keeping.replace("            destination.force = True", "            bag.put('k', 1)")
    with pytest.raises(HookError, match="keeps nothing in the bag") as error:
        pools(tmp_path, keeping)
    assert {problem.code for problem in error.value.problems} == {"HA355"}
    report = report_hooks(load_project(tmp_path))
    assert [problem.code for problem in report.problems] == ["HA355"]


TWO_WAY = """
from holdall import Composed, TwoWay

from {generated}.pools.v1 import storage as v1


class Forcing(TwoWay):
    older, newer = ("overrides",), ("force",)

    def to_newer(self, older):
        return {"force": True} if "Force" in (older.get("overrides") or []) else {}

    def to_older(self, newer):
        return {"overrides": ["Force"]} if newer.get("force") else {}


class ForceHook(Composed, v1.AssignablePoolSpec):
    parts = (Forcing(),)
"""


@pytest.mark.parametrize("way", [["v3"], ["v2"], ["v2", "v3"], ["v3", "v2"]])
def test_a_two_way_hook_of_a_skip_link_need_not_give_all_back(
    way: list[str], tmp_path: Path
) -> None:
    """The link keeps what its functions lose, as everywhere; an edit wins."""
    scheme = pools(tmp_path, TWO_WAY)
    document = there = pool("v1", overrides=["Force", "Other"])
    for version in way:
        there = scheme.convert(there, to=version)
    assert scheme.convert(there, to="v1") == document
    newer: Any = scheme.convert(there, to="v3")
    assert newer["spec"] == {"force": True}
    del newer["spec"]["force"]
    assert scheme.convert(newer, to="v1")["spec"] == {}


RENAMED = """
groups:
  boxes:
    api_group: b.example.com
    sources:
      - {schemas: v1.yaml, version: v1, kinds: {OldBox: ""}}
      - {schemas: v2.yaml, version: v2, kinds: {Box: ""}}
    versions: [v1, v2]
    between:
      v1 -> v2:
        OldBox: {$type: WANTED}
"""
BOX = "{type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}"
BOXES = {"v1.yaml": BOX, "v2.yaml": BOX}


def test_a_kind_may_change_its_name(tmp_path: Path) -> None:
    """A declared type rename of a root type joins two kinds into one."""
    scheme = scheme_of(build_project(tmp_path, RENAMED.replace("WANTED", "Box"), BOXES))
    old = {"apiVersion": "b.example.com/v1", "kind": "OldBox", "spec": {"size": 1, "more": [1]}}
    new = scheme.convert(old, to="v2")
    assert new == {**old, "apiVersion": "b.example.com/v2", "kind": "Box"}
    assert scheme.convert(new, to="v1") == old


def test_a_rename_to_no_kind_is_refused(tmp_path: Path) -> None:
    """The nearest real name is proposed."""
    (tmp_path / "holdall.yaml").write_text(RENAMED.replace("WANTED", "Bax"), encoding="utf-8")
    for name, text in BOXES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(PlanError) as caught:
        load_project(tmp_path)
    (problem,) = caught.value.problems
    assert problem.code == "HA214"
    assert "no kind with the root type 'Bax'; did you mean \"Box\"?" in problem.message


def test_a_document_need_not_name_its_type(tmp_path: Path) -> None:
    """`convert_plain` is told kind and version, and writes neither into the document."""
    scheme = pools(tmp_path)
    plain = {"spec": {"overrides": ["Force"], "size": 2}}
    there = scheme.convert_plain(plain, "Pool", "v1", to="v3")
    assert there == {"spec": {"size": 2, "force": True}}
    assert scheme.convert_plain(there, "Pool", "v3", to="v1") == plain


_MINOR = VERSION.rpartition(".")[0]
_SAID = f'release=h.generated_by("{VERSION}", __name__),'
OTHER_RELEASES = {
    "an earlier one": (
        'release=h.generated_by("0.1.3", __name__),',
        f"holdall 0.1.3 generated it, and this is holdall {VERSION}\n"
        "    fix: run `holdall generate`, or install holdall 0.1.3",
    ),
    "a later one, which says what this one does not know": (
        f'release=h.generated_by("{_MINOR}9.0", __name__), news=h.News(1),',
        f"holdall {_MINOR}9.0 generated it, and this is holdall {VERSION}\n"
        f"    fix: run `holdall generate`, or install holdall {_MINOR}9.0",
    ),
    "one that did not say which it is": (
        "",
        f"it does not say which holdall generated it, and this is holdall {VERSION}\n"
        "    fix: run `holdall generate`",
    ),
}


def package_of(folder: Path, said: str) -> Path:
    """Return a project whose package says something of the holdall that generated it."""
    root = build_project(folder, THING_CONFIG, THING_FILES)
    module = next(root.glob("*/things/__init__.py"))
    text = module.read_text(encoding="utf-8")
    assert _SAID in text
    module.write_text(text.replace(_SAID, said), encoding="utf-8")
    return root


@pytest.mark.parametrize("name", OTHER_RELEASES)
def test_what_another_release_generated_is_refused(tmp_path: Path, name: str) -> None:
    """It is, before anything of it is used, whoever imports it: its converters may lose values."""
    said, message = OTHER_RELEASES[name]
    root = package_of(tmp_path, said)
    with pytest.raises(SchemeError) as caught:
        scheme_of(root)
    package = f"{next(root.glob('generated_*')).name}.things"
    assert str(caught.value) == f"HA409 {package}: {message}"
    with pytest.raises(SchemeError, match="HA409"):
        importlib.import_module(f"{package}.v1.storage")


def test_releases_of_fixes_take_what_each_other_generated(tmp_path: Path) -> None:
    """A webhook gets a fix without its project being generated again."""
    root = package_of(tmp_path, f'release=h.generated_by("{_MINOR}.99", __name__),')
    scheme = scheme_of(root)
    assert (scheme.release, scheme.package.partition(".")[2]) == (f"{_MINOR}.99", "things")

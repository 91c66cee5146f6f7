"""What nobody can tell again in a list that was kept as a whole is reported, and nothing else."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import holdall as h
from tests.support.notation import schema_text
from tests.support.projects import build_project, config_of, scheme_of

CONFIG = config_of(
    "Route",
    {"v1": "poor.yaml", "v2": "poor.yaml", "v3": "rich.yaml"},
    group="shop.example.com",
    more="""\
between:
  v2 -> v3: {RouteSpec: {rules: {wrap: true}}, Stage: {rules: {wrap: true}}}
""",
)
_SCHEMA = '{metadata: {"*": true}, spec: {rules: [ITEM], stages: [{name: string, rules: [ITEM]}]}}'


def rules_of(item: str, schema: str = _SCHEMA) -> str:
    """Return the text of a schema whose rules are these."""
    return schema_text(schema.replace("ITEM", item))


FILES = {"poor.yaml": rules_of("string"), "rich.yaml": rules_of("[string]")}
RULES = [["a", "1"], ["b", "2"], ["c"]]
LOST = "v3/rules is dropped: an element of it lost its owner: no element of the list is certain"


def route(spec: Any) -> Any:
    """Return a document that v3 wrote."""
    head = {"apiVersion": "shop.example.com/v3", "kind": "Route", "metadata": {"name": "r"}}
    return {**head, "spec": copy.deepcopy(spec)}


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> h.Scheme:
    return scheme_of(build_project(tmp_path_factory.mktemp("uncertain"), CONFIG, FILES))


def through(
    scheme: h.Scheme, version: str, spec: Any, edit: Callable[[Any], Any]
) -> tuple[Any, list[str]]:
    """Return a spec after an edit at a version, seen at v3 again, and what was reported."""
    report: list[Any] = []
    there = scheme.convert(route(spec), to=version)
    edit(there["spec"])
    back = scheme.convert(there, to="v3", report=report)
    return back["spec"], [str(one) for one in report]


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize(
    ("edited", "expected", "lost"),
    [
        pytest.param("axyc", [["a", "1"], ["x"], ["y"], ["c"]], 1, id="edited and inserted"),
        pytest.param("wxyz", [["w"], ["x"], ["y"], ["z"]], 2, id="nothing hidden in the third"),
        pytest.param("abxy", [["a", "1"], ["b", "2"], ["x"], ["y"]], 0, id="nothing was hidden"),
        pytest.param("xbc", [["x", "1"], ["b", "2"], ["c"]], 0, id="edited in place"),
        pytest.param("ac", [["a", "1"], ["c"]], 0, id="deleted"),
        pytest.param("anbc", [["a", "1"], ["n"], ["b", "2"], ["c"]], 0, id="inserted"),
        pytest.param("bacn", [["b", "2"], ["a", "1"], ["c"], ["n"]], 0, id="moved and inserted"),
        pytest.param("cx", [["c"], ["x"]], 2, id="one of two deleted"),
        pytest.param("xyz", [["x"], ["y"], ["z"]], 2, id="all edited or replaced"),
    ],
)
def test_what_is_left_of_both_lists_is_reported(
    scheme: h.Scheme, version: str, edited: str, expected: Any, lost: int
) -> None:
    """As often as there were elements with something hidden; on a long way, too, once each."""
    found, report = through(
        scheme, version, {"rules": RULES}, lambda spec: spec.update(rules=[*edited])
    )
    assert found == {"rules": expected}
    assert [text.partition(" to be")[0] for text in report] == [f"/spec: {LOST}"] * lost


def test_the_object_of_the_list_is_named(scheme: h.Scheme) -> None:
    stages = [{"name": "one", "rules": RULES}, {"name": "two", "rules": RULES}]

    def edit(spec: Any) -> None:
        spec["stages"][1]["rules"] = ["a", "x", "y", "c"]

    found, report = through(scheme, "v2", {"stages": stages}, edit)
    assert found["stages"][0] == stages[0]
    assert found["stages"][1]["rules"] == [["a", "1"], ["x"], ["y"], ["c"]]
    assert [text.partition(" to be")[0] for text in report] == [f"/spec/stages/1: {LOST}"]


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("edited", [[], ["a"], ["x", "y", "z"]], ids=str)
@pytest.mark.parametrize(
    "rules", [[[]], [[], ["a", "1"]], [None, ["a", "1"]], [["a", "1"], None]], ids=str
)
def test_elements_that_are_nothing_elsewhere_do_no_harm(
    scheme: h.Scheme, version: str, rules: Any, edited: Any
) -> None:
    """An empty list is no text, so a list with one was not shown; a null stays one."""
    found, _ = through(scheme, version, {"rules": rules}, lambda spec: spec.update(rules=[*edited]))
    kept = ["a"] if [] in rules else ["a", "1"]
    assert found == {"rules": [kept if one == "a" else [one] for one in edited]}


GAP_CONFIG = config_of(
    "Route",
    "v1 v2 v3",
    group="shop.example.com",
    more="""\
between:
  v1 -> v3: {Stage: {rules: {wrap: true}}}
""",
)
_GAP = '{metadata: {"*": true}, spec: {stages: [{rules: [ITEM]}]}}'


def test_what_a_version_between_lacks_is_reported_as_well(tmp_path: Path) -> None:
    """The bag keeps the whole list there: its objects convert only once they are taken out."""
    between = rules_of("string", _GAP.replace("stages", "others"))
    ends = {"v1.yaml": rules_of("string", _GAP), "v3.yaml": rules_of("[string]", _GAP)}
    files = {**ends, "v2.yaml": between}
    scheme = scheme_of(build_project(tmp_path, GAP_CONFIG, files))
    stages = [{"rules": [["c"]]}, {"rules": RULES}]

    def edit(spec: Any) -> None:
        spec["stages"][1]["rules"] = ["a", "x", "y", "c"]

    found, report = through(scheme, "v1", {"stages": stages}, edit)
    assert found == {"stages": [stages[0], {"rules": [["a", "1"], ["x"], ["y"], ["c"]]}]}
    place = "/spec/$propertyBag/v1/stages/1"
    assert [text.partition(" to be")[0] for text in report] == [f"{place}: {LOST}"]


HOOKED = CONFIG.partition("    between:")[0]
HOOK = """
from {generated}.shop.v2.storage import AssignableRouteSpec
from holdall import Composed, TwoWay


class Upper(TwoWay):
    older = newer = ("note",)

    def to_newer(self, older):
        return {name: text.upper() for name, text in older.items()}

    def to_older(self, newer):
        return {name: text.lower() for name, text in newer.items()}


class Hook(Composed, AssignableRouteSpec):
    parts = (Upper(),)
"""


def hooked(root: Path, hook: str) -> h.Scheme:
    """Return a scheme in which a hook keeps how a note was spelled."""
    plain = rules_of("string", _SCHEMA.replace("rules:", "note: string, rules:", 1))
    files = {"poor.yaml": plain, "rich.yaml": plain}
    return scheme_of(build_project(root, HOOKED, {**files, "hooks/notes.py": hook}))


@pytest.mark.parametrize("end", ["v2", "v1"])
@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, "Some Text"),
        ({"class Upper": "# It is shouted.\nclass Upper"}, "Some Text"),
        ({".upper()": ".upper() + '!'", "lower()": "lower()[:-1]"}, "some text!"),
    ],
)
def test_what_another_hook_has_kept_is_used_or_reported(
    changes: dict[str, str], found: str, end: str, tmp_path: Path
) -> None:
    """A change of the functions looks like an edit, but that the hooks are others by now."""
    text = HOOK
    for old, new in changes.items():
        text = text.replace(old, new)
    before, now = hooked(tmp_path / "before", HOOK), hooked(tmp_path / "now", text)
    document = {**route({"note": "Some Text"}), "apiVersion": "shop.example.com/v3"}
    there: Any = before.convert(document, to=end)
    report: list[Any] = []
    back: Any = now.convert(there, to="v3", report=report)
    is_used = found == "Some Text"
    assert (back["spec"]["note"] == "Some Text") is is_used
    assert [str(item) for item in report] == (
        []
        if is_used
        else [
            "/spec: v3/residue:note is dropped: another hook kept it, and it does not agree with"
            " what the hook makes now"
        ]
    )


def test_what_an_edit_contradicts_is_not_reported(tmp_path: Path) -> None:
    scheme = hooked(tmp_path, HOOK)
    there: Any = scheme.convert(route({"note": "Some Text"}), to="v2")
    there["spec"]["note"] = "other"
    report: list[Any] = []
    assert scheme.convert(there, to="v3", report=report)["spec"] == {"note": "OTHER"}
    assert report == []

"""Completing hooks and the bags of the objects that they complete: skip links lead through them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.scheme.scheme import Scheme
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import Outcome, check_kind
from holdall.testing.laws.subjects import Subject
from tests.support.projects import build_project, scheme_of

Json = dict[str, Any]

CONFIG = """
groups:
  plans:
    sources:
      - {schemas: v1.yaml, version: v1, kinds: {Plan: ""}}
      - {schemas: v2.yaml, version: v2, kinds: {Plan: ""}}
      - {schemas: v3.yaml, version: v3, kinds: {Plan: ""}}
    versions: [v1, v2, v3]
"""
BOX = "type: object, properties: {k: {type: string}%s}"
PART = "type: object, properties: {size: {type: integer}%s}"
SCHEMA = """
type: object
properties:
  u: {type: string}
  box: {%s}
  parts: {type: array, items: {%s}}
"""
LINKED = ", l: {type: string}"
HOOK = """
from {generated}.plans.v2.storage import AssignablePlan
from holdall import Completing, Composed, Members


class Moves(Completing):
    older, newer = ("box", "parts", "u"), ("box", "parts")

    def complete_newer(self, older: Members, newer: Members) -> Members:
        if "u" in older:
            newer["box"] = newer.get("box") or {}
            newer["box"]["u"] = older["u"]
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        if "u" in (newer.get("box") or {}):
            older["u"] = newer["box"]["u"]
        return older


class Hook(Composed, AssignablePlan):
    parts = (Moves(),)
"""
SORTS = """
        if older.get("parts") is not None:
            newer["parts"].sort(key=lambda part: (part or {}).get("size") or 0)
"""
COPIES = """
        if older.get("parts") is not None:
            newer["parts"] = [part and {**part} for part in reversed(newer["parts"])]
"""
LEAVES_OUT = """
        if older.get("parts") is not None:
            newer["parts"] = [part for part in newer["parts"] if (part or {}).get("size")]
"""


def built(root: Path, hook: str = HOOK, linked: str = LINKED, *, early: bool = False) -> Scheme:
    """Return a scheme whose hook is on the edge to v3, or `early` on that to v2."""
    if early:
        hook = hook.replace(".v2.storage", ".v1.storage")
    v2 = SCHEMA.replace("  u: {type: string}\n", "") if early else SCHEMA
    files = {
        "v1.yaml": SCHEMA % (BOX % linked, PART % LINKED),
        "v2.yaml": v2 % (BOX % (", u: {type: string}" if early else ""), PART % ""),
        "v3.yaml": SCHEMA.replace("  u: {type: string}\n", "")
        % (BOX % (linked + ", u: {type: string}"), PART % LINKED),
        "hooks/plans.py": hook,
    }
    return scheme_of(build_project(root, CONFIG, files))


def plan(version: str, **members: Any) -> Json:
    return {"apiVersion": version, "kind": "Plan", **members}


def over(scheme: Scheme, document: Json, *versions: str) -> Json:
    """Return a document as it is after a way with stops."""
    for version in versions:
        document = scheme.convert(document, to=version)
    return document


def bare(document: Json) -> Json:
    return {name: value for name, value in document.items() if name != "$propertyBag"}


@pytest.mark.parametrize("value", ["x", "", None])
def test_a_linked_value_inside_is_shown_at_the_other_end(tmp_path: Path, value: Any) -> None:
    scheme = built(tmp_path)
    older = plan("v1", box={"l": value, "k": "k"}, u="u")
    newer = plan("v3", box={"l": value, "k": "k", "u": "u"})
    for document, other, end in ((older, newer, "v3"), (newer, older, "v1")):
        for way in ((end,), ("v2", end)):
            there = over(scheme, document, *way)
            assert there == other
            assert over(scheme, there, *reversed(way[:-1]), document["apiVersion"]) == document


def test_an_edit_of_a_linked_value_inside_is_shown_at_the_other_end(tmp_path: Path) -> None:
    scheme = built(tmp_path)
    newer = over(scheme, plan("v1", box={"l": "x"}, u="u"), "v2", "v3")
    newer["box"]["l"] = "edited"
    older = over(scheme, newer, "v2", "v1")
    assert older == plan("v1", box={"l": "edited"}, u="u")
    del older["box"]["l"]
    assert over(scheme, older, "v2", "v3") == plan("v3", box={"u": "u"})


def test_a_value_that_the_hook_moves_does_not_wait_in_the_object(tmp_path: Path) -> None:
    """It has no partner on the edge, so the edge would keep it: an old one would come back."""
    scheme = built(tmp_path)
    middle = over(scheme, plan("v3", box={"l": "x", "u": "u"}), "v2")
    assert middle.pop("u") == "u"
    assert over(scheme, middle, "v3") == plan("v3", box={"l": "x"})


@pytest.mark.parametrize("ways", [("v2", "v1"), ("v1",)])
def test_bags_of_elements_stay_with_them_where_each_hides_something(
    ways: tuple[str, ...], tmp_path: Path
) -> None:
    """The elements of v3 have members that the edge of the hook hides; their keys tell them."""
    keys = ", x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [size]"
    parts = "type: object, properties: {parts: {type: array, items: {%s}%s}}"
    members = {"v1": ", old: {type: string}", "v2": "", "v3": ", new: {type: string}"}
    files = {f"{name}.yaml": f"{{{parts % (PART % it, keys)}}}" for name, it in members.items()}
    hook = HOOK.replace('("box", "parts", "u"), ("box", "parts")', '("parts",), ("parts",)')
    files |= {"hooks/__init__.py": "", "hooks/plans.py": hook}
    scheme = scheme_of(build_project(tmp_path, CONFIG, files))
    older = plan("v1", parts=[{"size": size, "old": f"o{size}"} for size in (1, 2, 3)])
    newer = over(scheme, older, "v3")
    for part in newer["parts"]:
        part["new"] = "n"
    report: list[Any] = []
    there = newer
    for version in ways:
        there = scheme.convert(there, to=version, report=report)
    assert (bare(there), report) == (older, [])
    assert over(scheme, there, "v3") == newer


def of_parts(root: Path, order: str, *, hook: str, **members: str) -> Scheme:
    """Return a scheme of lists without keys, with these members of their elements at v1, v2, v3.

    The hook on the edge from a version puts newer elements in an order.
    """
    part = "{type: object, properties: {parts: {type: array, items: {%s}}}}"
    code = HOOK.replace('("box", "parts", "u"), ("box", "parts")', '("parts",), ("parts",)')
    code = code.replace("        return newer\n", f"{order}        return newer\n")
    files = {f"{version}.yaml": part % (PART % it) for version, it in members.items()}
    files["hooks/plans.py"] = code.replace(".v2.storage", f".{hook}.storage")
    return scheme_of(build_project(root, CONFIG, files))


@pytest.mark.parametrize("keys", ["", ", name: {type: string}"])
@pytest.mark.parametrize("order", ["", SORTS, COPIES, LEAVES_OUT])
def test_an_edit_of_a_linked_value_wins_where_the_edge_hides_something_of_each_element(
    order: str, keys: str, tmp_path: Path
) -> None:
    """No two elements show the same, and each shows less at v1 than at v2."""
    other = ", m: {type: string}"
    linked = f"{LINKED}{keys}"
    scheme = of_parts(tmp_path, order, hook="v1", v1=linked, v2=other + keys, v3=linked + other)
    parts = [{"size": 2, "l": "b", "m": "mb"}, {"size": 1, "m": "ma"}, {"size": 3, "m": "mc"}]
    if keys:
        parts = [{**part, "name": f"n{part['size']}"} for part in parts]
    newer = plan("v3", parts=parts)
    for way in (("v1",), ("v2", "v1")):
        older: Any = over(scheme, newer, *way)
        assert [part.get("l") for part in older["parts"]] == ["b", None, None]
        assert over(scheme, older, *reversed(way[:-1]), "v3") == newer
        for at, value in ((0, "new"), (1, "first")):
            older["parts"][at]["l"] = value
            report: list[Any] = []
            there = older
            for version in (*reversed(way[:-1]), "v3"):
                there = scheme.convert(there, to=version, report=report)
            shown = [
                {**part, "l": one["l"]} if (one := older["parts"][index]).get("l") else part
                for index, part in enumerate(parts)
            ]
            assert (bare(there), report) == (plan("v3", parts=shown), [])
            assert bare(over(scheme, there, *way)) == bare(older)


@pytest.mark.parametrize("order", ["", SORTS, COPIES])
def test_a_linked_value_and_the_order_of_elements_come_back_where_the_edge_hides_something(
    order: str, tmp_path: Path
) -> None:
    """What one edge hides of each element is not what the hook's edge passes on."""
    other = ", a: {type: string}"
    scheme = of_parts(tmp_path, order, hook="v2", v1=LINKED + other, v2=other, v3=LINKED)
    parts = [{"size": size, "l": f"l{size}", "a": "a"} for size in (1, 2, 3)]
    newer: Any = over(scheme, plan("v1", parts=parts), "v3")
    assert sorted(part["l"] for part in newer["parts"]) == ["l1", "l2", "l3"]
    newer["parts"].reverse()
    for way in (("v1",), ("v2", "v1")):
        older: Any = over(scheme, newer, *way)
        assert sorted(older["parts"], key=lambda part: part["size"]) == parts
        assert bare(over(scheme, older, *reversed(way[:-1]), "v3")) == bare(newer)


@pytest.mark.parametrize("order", [SORTS, COPIES])
def test_linked_values_follow_elements_that_the_hook_puts_elsewhere(
    order: str, tmp_path: Path
) -> None:
    hook = HOOK.replace("        return newer\n", f"{order}        return newer\n")
    scheme = built(tmp_path, hook)
    parts = [{"size": 3, "l": "c"}, {"size": 2, "l": "b"}, {"size": 1, "l": "a"}]
    newer = over(scheme, plan("v1", parts=parts), "v2", "v3")
    assert bare(newer) == plan("v3", parts=parts[::-1])
    assert over(scheme, newer, "v2", "v1") == plan("v1", parts=parts)


CHANGES = "[part and {**part, 'size': part.get('size', 0) + 1} for part in %s]"
BACK = "[part and {**part, 'size': part.get('size', 0) - 1} for part in %s]"


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("order", ['newer["parts"]', 'reversed(newer["parts"])'])
@pytest.mark.parametrize(
    ("back", "shown"), [(BACK % 'older["parts"]', ["a", "b", "c"]), ('older["parts"]', [None] * 3)]
)
def test_linked_values_follow_changed_copies(
    back: str, shown: list[str | None], order: str, early: bool, tmp_path: Path
) -> None:
    """One copy looks as another element looked. Where none comes back, nothing is shown."""
    hook = HOOK
    for side, code in (("newer", CHANGES % order), ("older", back)):
        if_any = f'        if {side}.get("parts"):\n            {side}["parts"] = {code}\n'
        hook = hook.replace(f"        return {side}\n", f"{if_any}        return {side}\n")
    scheme = built(tmp_path, hook, early=early)
    older = plan("v1", parts=[{"size": at, "l": linked} for at, linked in enumerate("abc", 1)])
    for way in (("v3",), ("v2", "v3")):
        newer: Any = over(scheme, older, *way)
        found = {part["size"] - 1: part.get("l") for part in newer["parts"]}
        assert found == dict(enumerate(shown, 1))
        assert over(scheme, newer, *way[:-1], "v1") == older


def test_what_the_hook_drops_comes_back_with_its_bag(tmp_path: Path) -> None:
    hook = HOOK.replace(
        "        return newer\n",
        '        newer["parts"] = (newer.get("parts") or [])[1:]\n        return newer\n',
    )
    scheme = built(tmp_path, hook)
    document = plan("v1", parts=[{"size": 1, "l": "a"}, {"size": 2, "l": "b"}])
    newer = over(scheme, document, "v2", "v3")
    assert [part["size"] for part in newer["parts"]] == [2]
    assert over(scheme, newer, "v2", "v1") == document


def test_a_linked_value_that_the_hook_makes_itself_is_the_hooks(tmp_path: Path) -> None:
    hook = HOOK.replace('"u" in (newer.get("box") or {})', '"l" in (newer.get("box") or {})')
    hook = hook.replace('["box"]["u"]', '["box"]["l"]').replace('["box"]["u"] =', '["box"]["l"] =')
    scheme = built(tmp_path, hook)
    middle = over(scheme, plan("v3", box={"l": "x"}), "v2")
    assert bare(middle) == plan("v2", box={}, u="x")
    del middle["u"]
    assert over(scheme, middle, "v3") == plan("v3", box={})
    older = plan("v1", box={"l": "y"}, u="x")
    assert over(scheme, older, "v2", "v3", "v2", "v1") == older


def test_what_an_earlier_release_kept_of_an_object_is_in_its_bag_again(tmp_path: Path) -> None:
    """It kept the whole bag beside the object, and showed nothing of it."""
    scheme = built(tmp_path)
    kept = [{"at": ["box", "$propertyBag"], "is": {"v1": {"l": "x"}}}]
    newer = over(scheme, plan("v1", box={"k": "k"}, u="u"), "v3")
    stored: Json = {**newer, "$propertyBag": bag_of(scheme, {"v2": {"residue:box": kept}})}
    assert over(scheme, stored, "v2", "v1")["box"] == {"k": "k", "l": "x"}
    stored["box"]["l"] = "new"
    assert over(scheme, stored, "v2", "v1")["box"] == {"k": "k", "l": "new"}


def bag_of(scheme: Scheme, entries: Json) -> Json:
    """Return what carries entries of the root at v3."""
    written = over(scheme, plan("v3", box={"l": "x"}), "v2")["$propertyBag"]["spec"]
    return {"spec": {**written, "version": "v3", "bags": {"": entries}}}


def test_what_does_not_come_back_is_not_shown_and_the_rest_is(tmp_path: Path) -> None:
    """On the way up the hook leaves out what is at v3: the way down shows what it does not."""
    hook = HOOK.replace("        return newer\n", f"{LEAVES_OUT}        return newer\n")
    scheme = built(tmp_path, hook)
    parts = [{"l": "a", "size": 0}, {"l": "b", "size": 0}, {"l": "c", "size": 5}]
    newer = plan("v3", box={"l": "x", "u": "u"}, parts=parts)
    older = over(scheme, newer, "v2", "v1")
    shown = [{"size": 0}, {"size": 0}, {"l": "c", "size": 5}]
    assert bare(older) == plan("v1", box={"l": "x"}, parts=shown, u="u")
    assert over(scheme, older, "v2", "v3") == newer
    older["box"]["l"] = "edited"
    newer["box"]["l"] = "edited"
    assert over(scheme, older, "v2", "v3") == newer
    assert over(scheme, newer, "v1") == older


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("copies", ["part", "{**part}"])
@pytest.mark.parametrize(
    "parts",
    [
        [(1, "a"), (0, "b"), (2, "c")],
        [(0, "a"), (1, "b")],
        [(1, "a"), (1, "b"), (0, "c"), (1, "d")],
        [(0, "a"), (0, "b")],
    ],
)
def test_what_the_hook_leaves_out_hides_nothing_of_the_rest(
    parts: list[tuple[int, str]], copies: str, early: bool, tmp_path: Path
) -> None:
    """Each linked value of what is there is shown at the other end; the others are kept."""
    code = LEAVES_OUT.replace("[part for", f"[{copies} for")
    hook = HOOK.replace("        return newer\n", f"{code}        return newer\n")
    scheme = built(tmp_path, hook, early=early)
    given = [{"size": size, "l": linked} for size, linked in parts]
    older = plan("v1", parts=given, box={"l": "x", "k": "k"}, u="u")
    for way in (("v3",), ("v2", "v3")):
        newer = over(scheme, older, *way)
        assert newer["parts"] == [part for part in given if part["size"]]
        assert newer["box"] == {"l": "x", "k": "k", "u": "u"}
        assert over(scheme, newer, *way[:-1], "v1") == older
    newer["box"]["l"] = "edited"
    assert over(scheme, newer, "v2", "v1") == {**older, "box": {"l": "edited", "k": "k"}}


@pytest.mark.parametrize(
    ("order", "early"),
    [
        *(("", False), ("", True), (SORTS, False), (COPIES, False), (COPIES, True)),
        *((LEAVES_OUT, False), (LEAVES_OUT, True)),
    ],
)
def test_the_laws_hold(order: str, early: bool, tmp_path: Path) -> None:
    """Where nobody can tell which elements are which, their bags are kept by the hook."""
    hook = HOOK.replace("        return newer\n", f"{order}        return newer\n")
    tools = Tools.of(Subject(built(tmp_path, hook, early=early)))
    outcome = Outcome()
    for start in ("v1", "v2", "v3"):
        outcome.merge(check_kind(tools, "Plan", start, range(15)))
    assert outcome.findings == {}


INTO = """
from {generated}.plans.v1.storage import AssignablePlan
from holdall import Completing, Composed, Members


class Names(Completing):
    older, newer = ("cards",), ("net",)

    def complete_newer(self, older: Members, newer: Members) -> Members:
        if older.get("cards") is not None:
            net: Members = newer.get("net") or {}
            newer["net"] = {**net, "cards": [card.upper() for card in older["cards"]]}
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        net: Members = newer.get("net") or {}
        if net.get("cards") is not None:
            older["cards"] = [card.lower() for card in net["cards"]]
        return older


class Hook(Composed, AssignablePlan):
    parts = (Names(),)
"""
NET = "net: {type: object, properties: {cards: {type: array, items: {type: string}}%s}}"


@pytest.mark.parametrize(
    "facts", ["    between: {v1 -> v2: {Plan: {cards: {move: net/cards}}}}", ""]
)
def test_the_bag_of_an_object_that_the_other_version_lacks_comes_back(
    facts: str, tmp_path: Path
) -> None:
    """What a third version keeps in it is not shown, and goes with the residue of the whole."""
    files = {
        "v1.yaml": "type: object\nproperties: {cards: {type: array, items: {type: string}}}",
        "v2.yaml": f"type: object\nproperties: {{{NET % ''}}}",
        "v3.yaml": f"type: object\nproperties: {{{NET % ', domain: {type: string}'}}}",
        "hooks/plans.py": INTO,
    }
    scheme = scheme_of(build_project(tmp_path, CONFIG + facts, files))
    newer = plan("v3", net={"cards": ["A", "B"], "domain": "d"})
    older = over(scheme, newer, "v1")
    assert bare(older) == plan("v1", cards=["a", "b"])
    assert over(scheme, older, "v3") == newer
    older["cards"].append("c")
    assert over(scheme, older, "v3") == plan("v3", net={"cards": ["A", "B", "C"], "domain": "d"})

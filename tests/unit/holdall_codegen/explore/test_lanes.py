"""Lanes: which properties are one, and what becomes of them between versions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import permutations
from pathlib import Path

import pytest

from holdall_codegen.explore.lanes import Lane, lanes_of, spots_of
from holdall_codegen.plan.model import GroupPlan, PlannedKind
from holdall_codegen.project import Project, load_project
from holdall_codegen.views.explain import explain
from holdall_codegen.views.hook_report import report_hooks
from tests.support.projects import config_of
from tests.support.work import steps_of

CONFIG = config_of(
    "Order",
    "v1 v2 v3",
    group="shop",
    more="""\
between:
  v1 -> v2:
    OrderSpec:
      buyer: {rename: customer}
      note: {move: details/note}
      size: {strategy: hook, rename: extent}
      shop: {reference: id}
""",
)
HEAD = "type: object\nproperties:\n  spec:\n    type: object\n    properties:\n"
FILES = {
    "holdall.yaml": CONFIG,
    "v1.yaml": f"""{HEAD}\
      amount: {{type: integer}}
      buyer: {{type: string}}
      note: {{type: string}}
      size: {{type: string}}
      tier: {{type: string}}
      shop: {{type: string}}
      lines: {{type: array, items: {{type: object, properties: {{sku: {{type: string}}}}}}}}
""",
    "v2.yaml": f"""{HEAD}\
      amount: {{type: integer}}
      customer: {{type: string}}
      details: {{type: object, properties: {{note: {{type: string}}, more: {{type: string}}}}}}
      extent: {{type: integer}}
      shop:
        type: object
        properties: {{id: {{type: string}}, town: {{type: string}}}}
      lines:
        type: array
        items: {{type: object, properties: {{sku: {{type: string}}, count: {{type: integer}}}}}}
""",
    "v3.yaml": f"""{HEAD}\
      amount: {{type: number}}
      customer: {{type: string}}
      tier: {{type: string}}
""",
}


def planned(root: Path, files: Mapping[str, str]) -> GroupPlan:
    for name, text in files.items():
        (root / name).write_text(text)
    return load_project(root).plans["shop"]


@pytest.fixture(scope="module")
def lanes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Lane]:
    """The lanes of the orders, by path."""
    plan = planned(tmp_path_factory.mktemp("orders"), FILES)
    return {"/".join(lane.path): lane for lane in lanes_of(plan, plan.kinds[0])}


def spots(lane: Lane) -> dict[str, list[str]]:
    return {version: ["/".join(path) for path in paths] for version, paths in lane.spots.items()}


def fates(lane: Lane) -> list[tuple[str, str]]:
    """Return the fates of both sides of each edge."""
    return [
        (older.fate if older else "", newer.fate if newer else "")
        for older, newer in lane.passages.values()
    ]


@pytest.mark.parametrize(
    ("path", "places", "found", "absent"),
    [
        ("spec", "spec spec spec", "recursed recursed", {}),
        ("spec/customer", "spec/buyer spec/customer spec/customer", "renamed copied", {}),
        ("spec/amount", "spec/amount spec/amount spec/amount", "copied converted", {}),
        ("spec/details/note", "spec/note spec/details/note -", "moved bag", {"v3": "bag"}),
        ("spec/extent", "spec/size spec/extent -", "hook bag", {"v3": "bag"}),
        ("spec/tier", "spec/tier - spec/tier", "bag bag", {"v2": "bag"}),
        ("spec/shop", "spec/shop spec/shop -", "converted bag", {"v3": "bag"}),
        ("spec/shop/id", "- spec/shop/id -", "converted bag", {"v1": "inside", "v3": "bag"}),
        ("spec/shop/town", "- spec/shop/town -", "bag bag", {"v1": "bag", "v3": "bag"}),
        ("spec/lines/*/sku", "spec/lines/*/sku spec/lines/*/sku -", "copied bag", {"v3": "bag"}),
        ("spec/lines/*/count", "- spec/lines/*/count -", "bag bag", {"v1": "bag", "v3": "bag"}),
        ("spec/details/more", "- spec/details/more -", "bag bag", {"v1": "bag", "v3": "bag"}),
    ],
)
def test_lanes_follow_a_property(
    lanes: dict[str, Lane],
    path: str,
    places: str,
    found: str,
    absent: dict[str, str],
) -> None:
    """Each kind of fate: where the property stands, what becomes of it, where it is else."""
    lane = lanes[path]
    wanted = zip(("v1", "v2", "v3"), places.split(), strict=True)
    assert spots(lane) == {version: [place] for version, place in wanted if place != "-"}
    assert [older or newer for older, newer in fates(lane)] == found.split()
    assert dict(lane.absent) == absent


def test_lanes_are_a_tree(lanes: dict[str, Lane]) -> None:
    """A lane stands behind the lane that holds it, and among its sisters by its name."""
    listed = list(lanes.values())
    names = list(lanes)
    for index, lane in enumerate(listed):
        assert lane.parent is None or lane.parent < index
    assert names.index("spec/lines") + 1 == names.index("spec/lines/*/count")
    assert [name for name in names if name.count("/") == 1] == sorted(
        name for name in names if name.count("/") == 1
    )


def test_what_tells_most_comes_first(lanes: dict[str, Lane]) -> None:
    """The fates of a lane are in a fixed order, hooks and bags before copies."""
    assert lanes["spec/extent"].fates == ("hook", "bag")
    assert lanes["spec/customer"].fates == ("renamed", "copied")


# --- the sample project, against another way to follow a property -------------------------------


@pytest.fixture(scope="module")
def sample(project_root: Path) -> Project:
    return load_project(project_root)


def test_every_property_is_on_one_lane(sample: Project) -> None:
    """All spots of all versions, each once, and each with a fate on each edge that it touches."""
    for plan, kind in kinds(sample):
        found = [
            (version, path)
            for lane in lanes_of(plan, kind)
            for version, paths in lane.spots.items()
            for path in paths
        ]
        wanted = [
            (version, path)
            for version, paths in spots_of(plan, kind).versions.items()
            for path in paths
        ]
        assert sorted(found) == sorted(wanted)
        for lane in lanes_of(plan, kind):
            for ends, pair in lane.passages.items():
                assert [passage is not None for passage in pair] == [
                    version in lane.spots for version in ends
                ], lane.path


def test_lanes_lead_where_explain_leads(sample: Project) -> None:
    """`holdall explain` follows one property by its own means, and ends where the lane says."""
    count = 0
    points = report_hooks(sample).points
    by_edge = {point.edge: point for point in points}
    for plan, kind in kinds(sample):
        for lane in lanes_of(plan, kind, by_edge):
            for start, end in permutations(lane.spots, 2):
                path = "/".join((kind.name, *lane.spots[start][0]))
                steps = explain([("", plan)], points, path, start, end).there
                if any(step.fate == "claimed by a hook" for step in steps):
                    continue  # nobody but the hook knows
                count += 1
                place = "/".join((kind.name, *lane.spots[end][0]))
                # Of a reference, `explain` names the member that holds the string.
                assert f"{steps[-1].result}/".startswith(f"{place}/"), (path, start, end)
    assert count > 500


def kinds(project: Project) -> list[tuple[GroupPlan, PlannedKind]]:
    return [(plan, kind) for plan in project.plans.values() for kind in plan.kinds]


def test_properties_that_skip_a_version_cost_the_same_each(tmp_path: Path) -> None:
    """The ends of links are looked up, not looked for."""
    steps = []
    for count in (40, 80):
        names = "".join(f"      p{number}: {{type: string}}\n" for number in range(count))
        files = {
            "holdall.yaml": config_of("Order", "v1 v2 v3", group="shop"),
            **{f"v{number}.yaml": f"{HEAD}{names}" for number in (1, 3)},
            "v2.yaml": f"{HEAD}      p0: {{type: string}}\n",
        }
        plan = planned(tmp_path, files)
        assert len(plan.links) == count - 1
        steps.append(steps_of(partial(lanes_of, plan, plan.kinds[0])))
    assert steps[1] < 2.5 * steps[0]

"""`holdall plan`, `explain`, `diff` and `graph`: what they show, and what they refuse."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from holdall.cli.command_table import COMMANDS
from tests.support.projects import build_project, group_of, with_spec
from tests.support.repositories import commit, git
from tests.support.small_project import CONFIG, SHOWING, V1, V2, run, write_hook, write_project

FACTS = """\
    between:
      v1 -> v2:
        OrderSpec:
          buyer_name: buyerName
          note: {move: "details/note"}
"""
V2_DETAILS = V2.replace(
    "        amount: {type: integer}\n",
    "        amount: {type: integer}\n"
    "        details: {type: object, properties: {note: {type: string}}}\n",
)
THREE = CONFIG.replace(
    "    versions: [v1, v2]",
    "      - schemas: schemas/v1.yaml\n        version: v3\n        kinds: {Order: /Order}\n"
    "    versions: [v1, v2, v3]",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The small project, with a hook that claims `note`."""
    write_project(tmp_path)
    write_hook(tmp_path)
    return tmp_path


def _shown(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


# --- plan --------------------------------------------------------------------------------------


def test_plan_shows_what_is_not_plain(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By default, copied and recursed properties are counted only; unclaimed residue is marked."""
    assert run(project, "plan") == 0
    text = _shown(capsys)
    assert "v1 note claimed by a hook its hook covers it schemas/v1.yaml:8" in text
    assert "no such property; unclaimed by the hook schemas/v1.yaml:9" in text
    assert "v1.OrderSpec -> v2.OrderSpec; hook OrderSpecHooks hooks/order.py:7" in text
    assert "amount" not in text
    assert "3 edges: 4 copied, 4 recursed, 2 pulled, 1 claimed by a hook, 1 stashed" in text
    assert "between: v1 -> v2: OrderSpec: buyer_name: buyerName" in text


def test_plan_says_where_moved_properties_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A path leads into another type, whose schema has the line."""
    write_project(tmp_path)
    (tmp_path / "schemas/v2.yaml").write_text(V2_DETAILS)
    (tmp_path / "holdall.yaml").write_text(CONFIG + FACTS)
    assert run(tmp_path, "plan", "--json") == 0
    (group,) = json.loads(capsys.readouterr().out).values()
    moved = [it for edge in group["edges"] for it in edge["decisions"] if it["fate"] == "moved"]
    assert {it["property"] for it in moved} == {"note", "details/note"}
    for item in moved:
        file, line = item["at"].split(":")[:2]
        assert (
            item["property"].rpartition("/")[2]
            in (tmp_path / file).read_text().splitlines()[int(line) - 1]
        )


@pytest.mark.parametrize(
    ("options", "present", "absent"),
    [
        (("--all",), "amount copied amount same wire name", "nothing"),
        (("--only", "copied"), "amount copied", "stashed schemas"),
        (("--type", "Line"), "v2 count pulled", "buyer_name stashed"),
        (("--edge", "v1..v2"), "v2 count pulled", "nothing"),
        (("--group", "shop"), "v2 count pulled", "nothing"),
    ],
)
def test_plan_is_filtered(
    project: Path,
    options: tuple[str, ...],
    present: str,
    absent: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each option narrows or widens the table."""
    assert run(project, "plan", *options) == 0
    text = _shown(capsys)
    assert present in text
    assert absent not in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--type", "Lines"), "there is no type 'Lines'; did you mean \"Line\"?"),
        (("--edge", "v1..v9"), "there is no version 'v9'"),
        (("--group", "ship"), 'did you mean "shop"?'),
        (("--only", "lost"), "'lost' is not one of"),
    ],
)
def test_plan_refuses_unknown_names(
    project: Path, options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the project does not have is wrong use."""
    assert run(project, "plan", *options) == 2
    assert message in capsys.readouterr().err


def test_plan_as_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON holds every property with its location, and the hook of an edge."""
    assert run(project, "plan", "--json", "--type", "OrderSpec") == 0
    edges = json.loads(capsys.readouterr().out)["shop"]["edges"]
    assert [edge["older"] for edge in edges] == ["v1.OrderSpec"]
    assert edges[0]["hook"] == "hooks/order.py:7"
    at = {(item["side"], item["property"]): item["at"] for item in edges[0]["decisions"]}
    assert at["older", "note"] == "schemas/v1.yaml:8"
    assert len(at) == 7


# --- explain -----------------------------------------------------------------------------------


def test_the_example_of_explain_explains(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reader who has such a kind can try what its help shows."""
    spec = {"type": "object", "properties": {"size": {"type": "integer"}}}
    config, files = group_of({"v1": with_spec(spec), "v2": with_spec(spec)}, "Pool")
    project = build_project(tmp_path, config, files)
    program, *words = COMMANDS["explain"].example.split()
    assert (program, run(project, *words)) == ("holdall", 0)
    assert "Pool/spec/size, v1 to v2" in capsys.readouterr().out


Hop = tuple[str, str, str | None]
"""Where a property stands, its fate, and where it stands then."""


def _steps(
    root: Path, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[list[Hop], list[Hop]]:
    assert run(root, "explain", *arguments, "--json") == 0
    value = json.loads(capsys.readouterr().out)
    there, back = (
        [(step["path"], step["fate"], step["result"]) for step in value[way]]
        for way in ("there", "back")
    )
    return there, back


def test_explain_a_copied_property_in_a_list(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A path goes through lists by `*`."""
    path = "Order/spec/lines/*/sku"
    there, back = _steps(project, capsys, path, "--from", "v1", "--to", "v2")
    assert there == back == [(path, "copied", path)]


def test_explain_a_stashed_property(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What has no partner goes into the bag, and comes back out of it."""
    there, back = _steps(project, capsys, "Order/spec/buyer_name", "--from", "v1", "--to", "v2")
    assert there == [("Order/spec/buyer_name", "stashed", None)]
    assert back == [("", "pulled", "Order/spec/buyer_name")]
    assert run(project, "explain", "Order/spec/buyer_name", "--from", "v1", "--to", "v2") == 0
    assert "(not shown) v2.OrderSpec has no such property" in (text := _shown(capsys))
    assert "order.py" not in text


def test_explain_what_a_hook_claims(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a hook claims it covers; where it writes one property, that is where it is shown."""
    ends = ("--from", "v1", "--to", "v2")
    there, _ = _steps(project, capsys, "Order/spec/note", *ends)
    assert there == [("Order/spec/note", "claimed by a hook", None)]
    assert run(project, "explain", "Order/spec/note", *ends) == 0
    assert "(by the hook) its hook covers it hooks/order.py:7" in _shown(capsys)
    write_hook(project, SHOWING)
    shown = ("Order/spec/buyer_name", "Order/spec/buyerName")
    there, back = _steps(project, capsys, shown[0], *ends)
    assert there == [(shown[0], "claimed by a hook", shown[1])]
    assert back == [(shown[1], "claimed by a hook", shown[0])]
    assert run(project, "plan", "--type", "OrderSpec") == 0
    assert "buyer_name claimed by a hook its hook shows it as buyerName" in _shown(capsys)
    assert run(project, "explain", "Order/spec/amount", *ends) == 0
    assert "order.py" not in _shown(capsys)


def test_explain_follows_renames_and_moves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A declared rename and a move lead to the new place, and back."""
    write_project(tmp_path, config=CONFIG + FACTS, v2=V2_DETAILS)
    there, back = _steps(tmp_path, capsys, "Order/spec/buyer_name", "--from", "v1", "--to", "v2")
    assert there == [("Order/spec/buyer_name", "renamed", "Order/spec/buyerName")]
    assert back == [("Order/spec/buyerName", "renamed", "Order/spec/buyer_name")]
    there, back = _steps(tmp_path, capsys, "Order/spec/note", "--from", "v1", "--to", "v2")
    assert there == [("Order/spec/note", "moved", "Order/spec/details/note")]
    assert back == [("Order/spec/details/note", "moved", "Order/spec/note")]


def test_explain_follows_skip_links(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A property that returns two versions later is followed through the bag."""
    write_project(tmp_path, config=THREE)
    path = "Order/spec/note"
    there, back = _steps(tmp_path, capsys, path, "--from", "v1", "--to", "v3")
    assert there == back == [(path, "stashed", None), ("", "pulled", path)]


def test_explain_enters_references(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A string that becomes a reference is followed into the member that holds it, and back."""
    facts = "    between:\n      v1 -> v2:\n        OrderSpec: {note: {reference: id}}\n"
    shape = "note: {type: object, properties: {id: {type: string}, kind: {type: string}}}"
    v2 = V2.replace("buyerName: {type: string}", shape)
    write_project(tmp_path, config=CONFIG + facts, v2=v2)
    there, back = _steps(tmp_path, capsys, "Order/spec/note", "--from", "v1", "--to", "v2")
    assert there == [("Order/spec/note", "converted", "Order/spec/note/id")]
    assert back == [("Order/spec/note/id", "converted", "Order/spec/note")]
    there, back = _steps(tmp_path, capsys, "Order/spec/note/kind", "--from", "v2", "--to", "v1")
    assert there == [("Order/spec/note/kind", "stashed", None)]
    assert back == [("", "pulled", "Order/spec/note/kind")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Ordr/spec", "v1", "v2"), "there is no kind 'Ordr'; did you mean \"Order\"?"),
        (("spec/note", "v1", "v2"), "fix: begin with the kind, such as Order/spec/note"),
        ((".spec.note", "v1", "v2"), "fix: begin with the kind, such as Order/spec/note"),
        (("Order/spec/nota", "v1", "v2"), 'did you mean "note"?'),
        (("Order/spec/lines/0/sku", "v1", "v2"), "write `*` for the elements"),
        (("Order/spec/note/x", "v1", "v2"), "'x' is below a property that has no members"),
        (("Order", "v1", "v2"), "the path names a kind, but no property"),
        (("Order/spec", "v1", "v7"), "Order has no version 'v7'"),
    ],
)
def test_explain_refuses_unknown_names(
    project: Path,
    arguments: tuple[str, str, str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A path that leads nowhere is wrong use, with the nearest real name."""
    path, source, destination = arguments
    assert run(project, "explain", path, "--from", source, "--to", destination) == 2
    assert message in capsys.readouterr().err


# --- diff --------------------------------------------------------------------------------------


def test_diff_shows_an_edit_before_it_is_generated(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An edit of a schema shows in properties, hooks and files; nothing is written."""
    run(project, "generate")
    capsys.readouterr()
    assert run(project, "diff") == 0
    assert capsys.readouterr().out == ""
    (project / "schemas/v1.yaml").write_text(V1.replace("        note: {type: string}\n", ""))
    assert run(project, "diff") == 1
    assert capsys.readouterr().out == (
        "shop\n  property v1.OrderSpec note removed: string\n"
        "stored objects\n"
        "  extra: Order stored at v1: /spec note: v1.OrderSpec no longer declares it\n"
        "  kept: Order stored at v2: /spec v1/note: v1.OrderSpec no longer has it\n"
        "  (extra) stays, as a member that its version does not declare;"
        " after the change: holdall audit FILES\n"
        "  (kept) passes through unchanged, and nothing shows it;"
        " after the change: holdall audit FILES\n"
        "hooks\n"
        "  obsolete: hooks/order.py:7: OrderSpecHooks: "
        "it claims properties that are gone: v1.OrderSpec note\n"
        "files\n  generated/shop/__init__.py\n  generated/shop/plan.json\n"
        "  generated/shop/v1/__init__.py\n"
        "  generated/shop/v1/storage.py\n"
    )
    assert run(project, "diff", "--json") == 1
    value = json.loads(capsys.readouterr().out)
    assert value["groups"]["shop"][0]["where"] == "v1.OrderSpec note"
    assert [item["becomes"] for item in value["stored"]["shop"]] == ["extra", "kept"]


def test_diff_shows_what_only_stored_objects_notice(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another carrier changes no property and no fate, and is a difference all the same."""
    run(project, "generate")
    old = shutil.move(project / "generated", project / "older")
    (project / "holdall.yaml").write_text(CONFIG + "    carrier: none\n")
    capsys.readouterr()
    assert run(project, "diff", "--against", str(old)) == 1
    assert capsys.readouterr().out == (
        "shop\n  carrier of Order changed: field -> none\n"
        "stored objects\n"
        "  unread: Order stored at v1, v2: all bags: the carrier was field and is now none\n"
        "  (unread) stays as it is, and nothing reads it;"
        " before the change: holdall audit FILES and holdall migrate --apply\n"
        "files\n  generated/shop/__init__.py\n  generated/shop/plan.json\n"
    )


def test_diff_with_a_revision(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A git revision is compared with by its plan and its schemas, if it has them."""
    run(project, "generate")
    commit(project)
    (project / "schemas/v1.yaml").write_text(V1.replace("note", "memo"))
    run(project, "generate")
    capsys.readouterr()
    assert run(project, "diff", "HEAD") == 1
    out = capsys.readouterr().out
    assert "property v1.OrderSpec memo added: string" in out
    assert "schemas\n  Order v1 spec/note: removed (breaks property-removed)\n" in out
    assert "  Order v1 spec/memo: added (harmless)\n" in out
    assert run(project, "diff", "HEAD", "--json") == 1
    assert json.loads(capsys.readouterr().out)["schemas"][0] == {
        "kind": "Order",
        "version": "v1",
        "places": ["spec/note"],
        "aspect": "removed",
        "breaks": ["property-removed"],
    }
    assert run(project, "diff", "nowhere") == 2
    assert "HA709 nowhere: fatal: not a valid object name" in capsys.readouterr().err
    git(project, "rm", "-rq", "--cached", "generated")
    git(project, "commit", "-qm", "two")
    assert run(project, "diff", "HEAD") == 2
    assert "HA166 HEAD: it has no plan of the project" in capsys.readouterr().err
    assert run(project, "diff", "HEAD~1") == 1
    assert run(project, "diff", "HEAD", "--against", str(project)) == 2


def test_diff_needs_a_readable_plan(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A generated plan that is none is an error with its place."""
    run(project, "generate")
    (project / "generated/shop/plan.json").write_text("{")
    assert run(project, "diff") == 2
    assert "HA165 generated/shop/plan.json" in capsys.readouterr().err


# --- explore -------------------------------------------------------------------------------------


def test_explore_writes_a_page(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One file; where the generated code cannot be used, the page and a warning say why."""
    page = tmp_path / "page.html"
    assert run(project, "explore", "-o", str(page), "--examples", "0") == 0
    said = capsys.readouterr().err
    assert f"{page} written" in said
    assert "generated/shop/plan.json cannot be read; run `holdall generate`" in said
    assert page.read_text().startswith("<!doctype html>")


def test_explore_as_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The model, with the lanes of each kind."""
    assert run(project, "explore", "--json", "--examples", "0") == 0
    model = json.loads(capsys.readouterr().out)
    kind = model["groups"][0]["kinds"][0]
    note = next(lane for lane in kind["lanes"] if lane["path"] == "spec/note")
    assert (kind["name"], note["fates"], note["cells"]["v2"]) == ("Order", ["hook"], "hook")


def test_explore_compares_with_a_revision(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The differences of `holdall diff`; what git does not know is wrong use."""
    assert run(project, "explore", "--against", "HEAD", "--json") == 2
    assert "HA709" in capsys.readouterr().err
    assert run(project, "generate") == 0
    commit(project)
    (project / "schemas/v2.yaml").write_text(V2_DETAILS)
    capsys.readouterr()
    assert run(project, "explore", "--against", "HEAD", "--json") == 0
    changes = json.loads(capsys.readouterr().out)["changes"]
    found = {(item["change"], *item["of"]) for item in changes["groups"]["shop"] if "of" in item}
    assert ("added", "v2", "OrderSpec", "details") in found


# --- graph -------------------------------------------------------------------------------------


def test_graph_as_mermaid(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """API types lead to their twins, twins to the next ones, and the hub is marked."""
    assert run(project, "graph") == 0
    assert capsys.readouterr().out == (
        "flowchart LR\n"
        '  subgraph k0["Order (shop)"]\n'
        '    k0s0("storage v1")\n'
        '    k0a0["v1"] <--> k0s0\n'
        '    k0s1{{"storage v2 (hub)"}}\n'
        '    k0a1["v2<br>stored"] <--> k0s1\n'
        '    k0s0 <-->|"4 in the bag<br>1 hook"| k0s1\n'
        "  end\n"
        "  classDef hub stroke-width:3px\n"
        "  class k0s1 hub\n"
    )


def test_a_kind_of_any_name_is_a_text_of_mermaid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schemas = {"v1": {"type": "object"}, "v2": {"type": "object"}}
    config, files = group_of(schemas, 'A"]<b>#\\', api_group=None)
    project = build_project(tmp_path / "odd", config, files)
    assert run(project, "graph") == 0
    title = 'subgraph k0["A#quot;]#lt;b#gt;#35;\\ (things)"]'
    assert title in capsys.readouterr().out


def test_graph_as_dot(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The DOT text holds the same nodes and edges."""
    assert run(project, "graph", "--format", "dot", "--kind", "Order") == 0
    text = capsys.readouterr().out
    assert text.startswith("digraph holdall {\n")
    assert '    k0s1 [label="storage v2 (hub)", shape=doubleoctagon, style=filled' in text
    assert '    k0s0 -> k0s1 [label="4 in the bag\\n1 hook"];\n' in text
    assert '    k0a1 [label="v2\\nstored", shape=box, penwidth=2];\n' in text


def test_graph_as_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON holds the versions and the edges of each kind."""
    assert run(project, "graph", "--json", "--group", "shop") == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "group": "shop",
            "kind": "Order",
            "hub": "v2",
            "versions": [
                _version("v1", storage=False),
                _version("v2", storage=True),
            ],
            "edges": [["v1", "v2"]],
            "between": [
                {"older": "v1", "newer": "v2", "fates": {"in the bag": 4}, "hooks": 1, "lost": 0}
            ],
        }
    ]


def _version(name: str, *, storage: bool) -> dict[str, object]:
    marks = {"internal": False, "served": True, "storage": storage, "deprecated": None}
    return {"version": name, "type": "Order", **marks}


def test_graph_marks_what_clients_meet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Deprecated and unserved versions differ by words and borders, not by colours alone."""
    config = CONFIG.replace("[v1, v2]", "[{name: v1, deprecated: use v2}, v2]").replace(
        "  shop:\n", "  shop:\n    api_group: shop.example.com\n"
    )
    config += "    crd: {kinds: {Order: {unserved: [v1], storage: v1}}}\n"
    write_project(tmp_path, config=config)
    assert run(tmp_path, "graph") == 0
    text = capsys.readouterr().out
    assert 'k0a0["v1<br>stored<br>not served<br>deprecated"] <-.-> k0s0' in text
    assert "class k0a0 unserved" in text and "class k0a0 deprecated" in text
    assert run(tmp_path, "graph", "--format", "dot") == 0
    text = capsys.readouterr().out
    assert "style=dotted" in text


def test_graph_tells_losses_without_a_bag(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no carrier takes a bag along, what has no place is lost."""
    write_project(tmp_path, config=f"{CONFIG}    carrier: none\n")
    assert run(tmp_path, "graph") == 0
    assert "4 lost without a bag" in capsys.readouterr().out


def test_graph_counts_each_fate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pair counts once; `count` and the object around a moved note are in one version only."""
    write_project(tmp_path, config=CONFIG + FACTS, v2=V2_DETAILS)
    assert run(tmp_path, "graph") == 0
    assert '|"1 renamed<br>1 moved<br>2 in the bag"|' in capsys.readouterr().out


def test_graph_as_svg(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Graphviz draws; without it the error says what is missing, and what else can be done."""
    if shutil.which("dot"):
        assert run(project, "graph", "--svg") == 0
        assert "<svg" in capsys.readouterr().out
    monkeypatch.setenv("PATH", "")
    assert run(project, "graph", "--svg") == 2
    assert "HA174 --svg needs the program `dot` of Graphviz" in capsys.readouterr().err


def test_graph_leaves_out_api_types_of_internal_versions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An internal version has a twin and no API type."""
    config = CONFIG.replace("[v1, v2]", "[v1, v2, {name: memory, internal: true, like: v2}]")
    write_project(tmp_path, config=config)
    assert run(tmp_path, "graph") == 0
    text = capsys.readouterr().out
    assert "storage memory" in text
    assert '["memory"]' not in text


def test_graph_refuses_unknown_kinds(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A kind that does not exist is wrong use."""
    assert run(project, "graph", "--kind", "Ordre") == 2
    assert 'did you mean "Order"?' in capsys.readouterr().err

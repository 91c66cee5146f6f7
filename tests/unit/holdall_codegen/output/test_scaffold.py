"""The start of a hook: accepted by every check, typed, and never over something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdall_codegen.output.checking import check
from holdall_codegen.output.generation import generate
from tests.support.checkers import mypy_says, ruff_says
from tests.support.projects import config_of
from tests.support.small_project import CONFIG, run, write_hook, write_project

MUST = "    between:\n      v1 -> v2:\n        Line: {sku: {strategy: hook}}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A generated project where a hook must claim `sku` of Line."""
    write_project(tmp_path, config=CONFIG + MUST)
    generate(tmp_path)
    return tmp_path


def test_scaffold_text(project: Path) -> None:
    """A scaffold claims what must be claimed, and proposes the rest."""
    assert run(project, "hooks", "scaffold", "Line", "v1..v2") == 0
    assert (
        (project / "hooks/shop/line.py").read_text()
        == '''\
"""The hook of Line between v1 and v2 of shop."""

from holdall import BagView, claims, override

from generated.shop.v1 import storage as v1
from generated.shop.v2 import storage as v2


class LineHooks(v1.AssignableLine):
    """Covers what v1.Line and v2.Line do not share."""

    # v1 has:
    # - sku, string: strategy: hook; must be claimed

    # v2 has:
    # - count, integer: v1.Line has no such property
    # - sku, string: strategy: hook; must be claimed

    # What is claimed leaves the bag, so claim only what is handled here.
    # You may also claim "count" in `writes`.
    @override
    @claims(reads=["sku"], writes=["sku"])
    def assign_properties_to(self, source: v1.Line, destination: v2.Line, bag: BagView) -> None:
        raise NotImplementedError("assign the properties of v2")

    # What is claimed leaves the bag, so claim only what is handled here.
    # You may also claim "count" in `reads`.
    @override
    @claims(reads=["sku"], writes=["sku"])
    def assign_properties_from(self, source: v2.Line, destination: v1.Line, bag: BagView) -> None:
        raise NotImplementedError("assign the properties of v1")
'''
    )


def test_two_way_scaffold(project: Path) -> None:
    """Two functions for the members that must be claimed; the others are proposed."""
    assert run(project, "hooks", "scaffold", "Line", "v1..v2", "--two-way") == 0
    assert (
        (project / "hooks/shop/line.py").read_text()
        == '''\
"""The hook of Line between v1 and v2 of shop."""

from holdall import Composed, Members, TwoWay, override

from generated.shop.v1 import storage as v1


class LineMembers(TwoWay):
    """Converts members of v1.Line to v2.Line, and back."""

    # v1 has:
    # - sku, string: strategy: hook; must be claimed

    # v2 has:
    # - count, integer: v1.Line has no such property
    # - sku, string: strategy: hook; must be claimed

    # What is claimed leaves the bag, so claim only what is handled here.
    # You may also claim "count" in `newer`.
    older = ("sku",)
    newer = ("sku",)

    @override
    def to_newer(self, older: Members) -> Members:
        raise NotImplementedError("return the members of v2")

    @override
    def to_older(self, newer: Members) -> Members:
        raise NotImplementedError("return the members of v1")


class LineHooks(Composed, v1.AssignableLine):
    """Converts values that differ between v1.Line and v2.Line."""

    parts = (LineMembers(),)
'''
    )
    assert run(project, "hooks", "scaffold", "OrderSpec", "v1..v2", "--two-way") == 0
    text = (project / "hooks/shop/order_spec.py").read_text()
    assert (
        """
    # You may also claim "buyer_name", "note" in `older`.
    # You may also claim "buyerName" in `newer`.
    older = ()
    newer = ()
"""
        in text
    )


def test_each_scaffold(project: Path) -> None:
    """Two functions for each value of a property, at the depth and under the name of each side."""
    names = ("--each", "buyer_name:buyerName", "--each", "lines")
    assert run(project, "hooks", "scaffold", "OrderSpec", "v1..v2", *names) == 0
    assert (
        (project / "hooks/shop/order_spec.py").read_text()
        == '''\
"""The hook of OrderSpec between v1 and v2 of shop."""

from holdall import Composed, EachValue

from generated.shop.v1 import storage as v1


def buyer_name_to_v2(value: object) -> object:
    raise NotImplementedError("return the value of v2")


def buyer_name_to_v1(value: object) -> object:
    raise NotImplementedError("return the value of v1")


def lines_to_v2(value: object) -> object:
    raise NotImplementedError("return the value of v2")


def lines_to_v1(value: object) -> object:
    raise NotImplementedError("return the value of v1")


class OrderSpecHooks(Composed, v1.AssignableOrderSpec):
    """Converts values that differ between v1.OrderSpec and v2.OrderSpec."""

    parts = (
        EachValue("buyer_name", buyer_name_to_v2, buyer_name_to_v1, newer_name="buyerName"),
        EachValue("lines", lines_to_v2, lines_to_v1, depth=1),
    )
'''
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("Line", "--each", "skuu"), 2, 'did you mean "sku"?'),
        (("OrderSpec", "--each", "note"), 2, "v2.OrderSpec has no property 'note'"),
        (
            ("OrderSpec", "--each", "note"),
            2,
            "fix: give both names, as note:NAME, if they differ",
        ),
        (("Order", "--two-way"), 2, "HA169 all properties of v1.Order and v2.Order have partners"),
        (("Line", "--two-way", "--each", "sku"), 2, "--two-way and --each exclude each other"),
    ],
)
def test_no_scaffold_without_a_matter(
    project: Path,
    arguments: tuple[str, ...],
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What has no property to say something about is refused, and nothing is written."""
    type_, options = arguments[0], arguments[1:]
    assert run(project, "hooks", "scaffold", type_, "v1..v2", *options) == code
    assert message in capsys.readouterr().err
    assert not (project / "hooks").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("OrderSpec",),
        ("AssignableOrder",),
        ("OrderSpec", "--two-way"),
        ("OrderSpec", "--each", "lines"),
    ],
    ids=" ".join,
)
def test_scaffold_is_accepted(project: Path, arguments: tuple[str, ...]) -> None:
    """mypy takes it, and ruff its format, also where nothing differs; `check` wants it written."""
    run(project, "hooks", "scaffold", "Line", "v1..v2")
    if arguments:
        name, options = arguments[0], arguments[1:]
        assert run(project, "hooks", "scaffold", name, "v1..v2", *options) == 0
    assert {problem.code for problem in check(project).problems} == {"HA352"}
    assert ruff_says(project, "hooks", by_rules=False) == ""
    assert mypy_says(project, "hooks", silent=True) == ""


def test_nothing_is_overwritten(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second scaffold is refused: the edge has its hook, and the file is there."""
    run(project, "hooks", "scaffold", "Line", "v1..v2")
    text = (project / "hooks/shop/line.py").read_text()
    assert run(project, "hooks", "scaffold", "Line", "v1..v2") == 2
    assert "HA168 hooks/shop/line.py:9: LineHooks is the hook of" in capsys.readouterr().err
    (project / "hooks/shop/line.py").write_text("# mine\n")
    assert run(project, "hooks", "scaffold", "Line", "v1..v2") == 2
    refused = capsys.readouterr().err
    assert "HA168 hooks/shop/line.py: the file exists already" in refused
    other = project / "hooks/shop/line_v1_v2.py"  # a type has hooks between more versions
    said = refused.partition(" -o, such as ")[2].split()
    assert Path(said[1]).resolve() == other.resolve()
    assert run(project, "hooks", "scaffold", "Line", "v1..v2", *said) == 0
    assert other.read_text() == text
    assert (project / "hooks/shop/line.py").read_text() == "# mine\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Lin", "v1..v2"), 'did you mean "Line"?'),
        (("Line", "v1..v3"), "there is no version 'v3'"),
        (("Line", "v1"), "write two versions with two dots between them, such as v1..v2"),
        (("Line", "v1..v2", "--group", "shopp"), 'did you mean "shop"?'),
    ],
)
def test_unknown_names(
    project: Path, arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name that the project does not have is wrong use, with the nearest real one."""
    assert run(project, "hooks", "scaffold", *arguments) == 2
    assert message in capsys.readouterr().err
    assert not (project / "hooks").exists()


VERSIONED = config_of(
    "Order",
    group="shop",
    more="""\
version_at: {member: v, default: v1}
between:
  v1 -> v2:
    Order: {amount: {move: price/amount}}
""",
)


def test_what_the_generated_code_handles_is_not_proposed(tmp_path: Path) -> None:
    """The member of the version, and an object into which something moves."""
    (tmp_path / "holdall.yaml").write_text(VERSIONED)
    (tmp_path / "v1.yaml").write_text(
        "type: object\nproperties: {amount: {type: integer}, note: {type: string}}\n"
    )
    price = "{type: object, properties: {amount: {type: integer}, currency: {type: string}}}"
    (tmp_path / "v2.yaml").write_text(
        f"type: object\nproperties: {{v: {{const: 2}}, price: {price}}}\n"
    )
    generate(tmp_path)
    assert run(tmp_path, "hooks", "scaffold", "Order", "v1..v2", "--two-way") == 0
    text = (tmp_path / "hooks/shop/order.py").read_text()
    assert '# You may also claim "note" in `older`.\n    older = ()\n    newer = ()\n' in text
    assert "# - v, " not in text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hooks/net/a b.py", "'a b' is not a Python name"),
        ("hooks/a-b/zone.py", "'a-b' is not a Python name"),
        ("zone.py", "no hook is found there"),
        ("hooks/../zone.py", "no hook is found there"),
        ("hooks/zone.txt", "hooks are in .py files below"),
    ],
)
def test_a_hook_is_written_where_it_is_found(
    project: Path, name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that `check` would reject, or never see, is refused."""
    file = str(project / name)
    assert run(project, "hooks", "scaffold", "Line", "v1..v2", "-o", file) == 2
    said = capsys.readouterr().err
    assert "HA168" in said and message in said
    assert not (project / name).exists()
    assert not (project / "hooks").exists()


def test_a_folder_of_hooks_may_be_a_link(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What is below it by either of its names is found."""
    real = tmp_path_factory.mktemp("real")
    (project / "hooks").symlink_to(real)
    file = str(real / "line.py")
    assert run(project, "hooks", "scaffold", "Line", "v1..v2", "-o", file) == 0
    assert run(project, "hooks", "list") == 1
    assert (project / "hooks/line.py").is_file()


def test_list_of_hook_points(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every edge is listed, with its hook or without, and with what must be claimed."""
    assert run(project, "hooks", "list") == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["v1.Line", "->", "v2.Line", "AssignableLine", "no", "hook", "v1", "sku,", "v2", "sku"],
        ["v1.Order", "->", "v2.Order", "AssignableOrder", "no", "hook"],
        ["v1.OrderSpec", "->", "v2.OrderSpec", "AssignableOrderSpec", "no", "hook"],
    ]
    write_hook(project)
    assert run(project, "hooks", "list", "--json", "--bound") == 1
    value = json.loads(capsys.readouterr().out)
    assert [(item["older"], item["at"]) for item in value] == [
        ("v1.Line", None),
        ("v1.OrderSpec", "hooks/order.py:7"),
    ]
    assert value[1]["unclaimed"] == ["v1.OrderSpec buyer_name", "v2.OrderSpec buyerName"]

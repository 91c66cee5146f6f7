"""The start of a hook: accepted by every check, typed, and never over something else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from holdall_codegen.output.checking import check
from holdall_codegen.output.generation import generate
from tests.support.small_project import CONFIG, run, write_hook, write_project

MUST = "    between:\n      v1 -> v2:\n        Line: {sku: {strategy: hook}}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A generated project where a hook must claim `sku` of Line."""
    write_project(tmp_path, config=CONFIG + MUST)
    generate(tmp_path)
    return tmp_path


def test_scaffold_text(project: Path) -> None:
    """A scaffold names what needs attention, with the reason, and claims it."""
    assert run(project, "hooks", "scaffold", "Line", "v1..v2") == 0
    assert (
        (project / "hooks/shop/line.py").read_text()
        == '''\
"""The hook of Line between v1 and v2 of shop."""

from holdall import BagView, claims

from generated.shop.v1 import storage as v1
from generated.shop.v2 import storage as v2


class LineHooks(v1.AssignableLine):
    """Covers what v1.Line and v2.Line do not share."""

    # v1 has:
    # - sku, string: strategy: hook; to be claimed

    # v2 has:
    # - count, integer: v1.Line has no such property
    # - sku, string: strategy: hook; to be claimed

    @claims(reads=["sku"], writes=["count", "sku"])
    def assign_properties_to(self, source: v1.Line, destination: v2.Line, bag: BagView) -> None:
        # Claim only what is handled here: what is claimed leaves the bag.
        raise NotImplementedError("assign what v2 makes of v1")

    @claims(reads=["count", "sku"], writes=["sku"])
    def assign_properties_from(self, source: v2.Line, destination: v1.Line, bag: BagView) -> None:
        # Claim only what is handled here: what is claimed leaves the bag.
        raise NotImplementedError("assign what v1 makes of v2")
'''
    )


@pytest.mark.parametrize("name", ["Line", "OrderSpec", "AssignableOrder"])
def test_scaffold_is_accepted(project: Path, name: str, project_root: Path) -> None:
    """mypy and ruff accept it, also where an edge has no differences; `check` wants it written."""
    run(project, "hooks", "scaffold", "Line", "v1..v2")
    if name != "Line":
        assert run(project, "hooks", "scaffold", name, "v1..v2") == 0
    assert {problem.code for problem in check(project).problems} == {"HA352"}
    written = [str(path) for path in sorted((project / "hooks").rglob("*.py"))]
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent))
    if ruff:
        config = str(project_root / "pyproject.toml")
        subprocess.run([ruff, "format", "--check", "--config", config, *written], check=True)
    pytest.importorskip("mypy")
    path = os.pathsep.join(str(project_root / folder) for folder in ("runtime", "codegen"))
    arguments = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--explicit-package-bases",
        "--no-error-summary",
    ]
    done = subprocess.run(
        [*arguments, "--follow-imports=silent", "--cache-dir", str(project / "cache"), *written],
        cwd=project,
        env={**os.environ, "MYPYPATH": os.pathsep.join((path, str(project)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""


def test_nothing_is_overwritten(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second scaffold is refused: the edge has its hook, and the file is there."""
    run(project, "hooks", "scaffold", "Line", "v1..v2")
    text = (project / "hooks/shop/line.py").read_text()
    assert run(project, "hooks", "scaffold", "Line", "v1..v2") == 2
    assert "HA168 hooks/shop/line.py:9: LineHooks is the hook of" in capsys.readouterr().err
    (project / "hooks/shop/line.py").write_text("# mine\n")
    assert run(project, "hooks", "scaffold", "Line", "v1..v2") == 2
    assert "HA168 hooks/shop/line.py: there is a file already" in capsys.readouterr().err
    other = project / "hooks/other.py"
    assert run(project, "hooks", "scaffold", "Line", "v1..v2", "-o", str(other)) == 0
    assert other.read_text() == text
    assert (project / "hooks/shop/line.py").read_text() == "# mine\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Lin", "v1..v2"), 'did you mean "Line"?'),
        (("Line", "v1..v3"), "there is no version 'v3'"),
        (("Line", "v1"), "write the two versions with two dots, as v1..v2"),
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

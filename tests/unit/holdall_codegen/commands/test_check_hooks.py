"""Mistakes in hooks and functions: `holdall check` and `holdall serve --check` report them all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from holdall_codegen.output.generation import generate
from tests.support.commands import python
from tests.support.small_project import CONFIG, HOOK, run, write_hook, write_project

ServeCheck = Callable[[], tuple[int, str]]

COMPOSED = """\
from generated.shop.v1.storage import AssignableOrderSpec
from holdall import Composed, EachValue, TwoWay


class Both(TwoWay):
    older = ("{older}",)
    newer = ("amount",)

    def {method}(self, older):
        return older

    def to_older(self, newer):
        return newer


class OrderSpecHooks(Composed, AssignableOrderSpec):
    parts = (EachValue("{member}", str, str), Both())
"""
FUNCTIONS = (
    CONFIG
    + """\
    between:
      v1 -> v2:
        OrderSpec: {note: {default_with: "days:no_note"}}
"""
)

EMPTY = re.sub(r"^ {8}(?!self)\S.*", "        pass", HOOK, flags=re.MULTILINE)


def composed(older: str = "amount", method: str = "to_newer", member: str = "lines") -> str:
    """Compose a hook of two parts."""
    return COMPOSED.format(older=older, method=method, member=member)


def scaffold(project: Path) -> None:
    """Have a hook scaffolded, and leave it as it is."""
    assert run(project, "hooks", "scaffold", "OrderSpec", "v1..v2") == 0


MISTAKES = {
    "a member of EachValue": (composed(member="linez"), ["HA342", "order.py:17", '"linez"']),
    "a member of a two-way hook": (composed(older="amont"), ["HA342", "order.py:6", '"amont"']),
    "a method of a two-way hook": (composed(method="to_newr"), ["HA331", "order.py:9", "to_newr"]),
    "an import": ("import no_such_module\n", ["HA305", "order.py:1", "no_such_module"]),
    "a function": (HOOK, ["HA353", "days:no_note", "No module named 'days'"]),
    "a scaffold": (None, ["HA352", "assign_properties_to", "assign_properties_from"]),
    "nothing written": (EMPTY, ["HA337", "order.py:9", "order.py:15"]),
    "in a function": (
        "def make():\n    " + HOOK.replace("\n", "\n    "),
        ["HA315", "order.py:8", "make"],
    ),
}


@pytest.fixture
def serve_check(project: Path, prepared: Path) -> ServeCheck:
    """What runs `holdall serve --check`, and returns its exit code and what it says."""

    def checked() -> tuple[int, str]:
        command = [str(prepared / "holdall"), "--project", str(project)]
        done = subprocess.run(
            [*command, "serve", "--plain-http", "--check"],
            capture_output=True,
            text=True,
            cwd=project,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        return done.returncode, done.stdout + done.stderr

    return checked


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A generated project without hooks."""
    write_project(tmp_path)
    assert run(tmp_path, "generate") == 0
    return tmp_path


@pytest.mark.parametrize("name", MISTAKES)
def test_both_commands_report_it(
    project: Path, serve_check: ServeCheck, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the same code and place."""
    text, words = MISTAKES[name]
    if text is None:
        scaffold(project)
    else:
        write_hook(project, text)
    if "days" in str(words):
        (project / "holdall.yaml").write_text(FUNCTIONS)
        run(project, "generate")
    capsys.readouterr()
    assert run(project, "check") == 1
    code, said = serve_check()
    assert code == 2
    for shown in (capsys.readouterr().out, said):
        assert [word for word in words if word not in shown] == [], shown
        assert "Traceback" not in shown


SHARED = """\
from holdall import TwoWay


class Same(TwoWay):
    older = newer = ("{names}",)

    def to_newer(self, older):
        {body}

    def to_older(self, newer):
        {body}
"""
LINE = """\
from generated.shop.v1.storage import AssignableLine
from holdall import Composed
from hooks.shared import Same


class LineHooks(Composed, AssignableLine):
    parts = (Same(),)
"""
MUST = "    between:\n      v1 -> v2:\n        Line: {sku: {strategy: hook}}\n"


@pytest.mark.parametrize(
    ("names", "body", "expected"),
    [
        ("skuu", "return {}", [("HA342", "hooks/shared.py:5")]),
        ("extra:more", "return {}", [("HA346", "hooks/shared.py:5")] * 2),
        (
            "sku",
            "raise NotImplementedError",
            [("HA352", "hooks/shared.py:7"), ("HA352", "hooks/shared.py:10")],
        ),
    ],
)
def test_a_mistake_of_a_part_is_told_once(
    project: Path, names: str, body: str, expected: list[tuple[str, str]]
) -> None:
    """At the line of the part, in whatever module that is, and with a fix for a part."""
    (project / "holdall.yaml").write_text(CONFIG + MUST)
    write_hook(project, LINE)
    (project / "hooks/shared.py").write_text(SHARED.format(names=names, body=body))
    problems = generate(project).problems
    assert [(one.code, one.where) for one in problems] == expected
    if names.startswith("extra"):
        sides = ("older", "newer")
        fixes = [f'add "sku" to `{side}` of Same, and handle it' for side in sides]
        assert [one.fix for one in problems] == fixes


def test_a_hook_that_is_right_is_loaded(
    project: Path, serve_check: ServeCheck, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither has anything to say, and nothing is left behind."""
    write_hook(project, composed() + 'print("printed at import")\n')
    modules = {name for name in sys.modules if name.startswith(("generated", "hooks"))}
    capsys.readouterr()
    assert run(project, "check", "--json") == 0
    assert not (project / "hooks/__pycache__").exists()
    assert '"problems": []' in capsys.readouterr().out
    code, said = serve_check()
    assert (code, "everything is loaded" in said) == (0, True), said
    assert {name for name in sys.modules if name.startswith(("generated", "hooks"))} == modules


def test_a_folder_that_is_named_exists(
    project: Path, serve_check: ServeCheck, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that the configuration names and that is missing is reported there; `hooks` may miss."""
    (project / "holdall.yaml").write_text(CONFIG + "hooks: hoks\n")
    write_hook(project)
    words = ["HA308", f"holdall.yaml:{CONFIG.count(chr(10)) + 1}", "folder hoks", '"hooks"']
    assert run(project, "generate") == 1
    capsys.readouterr()
    assert run(project, "check") == 1
    code, said = serve_check()
    assert code == 2
    for shown in (capsys.readouterr().out, said):
        assert [word for word in words if word not in shown] == [], shown
    (project / "hoks").mkdir()
    assert run(project, "check") == 0


def test_a_folder_that_gives_way_to_another_package(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """HA306: without `__init__.py` any package of its name comes first; the fix makes it right."""
    write_hook(project)
    other = tmp_path / "elsewhere/hooks/__init__.py"
    other.parent.mkdir(parents=True)
    other.touch()
    monkeypatch.syspath_prepend(other.parents[1])
    (project / "hooks/__init__.py").unlink(missing_ok=True)
    capsys.readouterr()
    assert run(project, "check") == 1
    output = capsys.readouterr().out
    assert f"Python imports {other} instead of" in output
    assert "fix: add an empty hooks/__init__.py\n" in output
    (project / "hooks/__init__.py").touch()
    assert run(project, "check") == 0


@pytest.mark.parametrize(("output", "hooks"), [("src.generated", "src.hooks"), ("a.b", "hooks")])
def test_packages_may_lie_in_others(project: Path, output: str, hooks: str) -> None:
    """Also where the outer one has a module of its own, or is not there before the first run."""
    head = f"output: {output}\nhooks: {hooks}\n"
    (project / "holdall.yaml").write_text(head + CONFIG)
    file = write_hook(project, HOOK.replace("from generated.", f"from {output}."))
    if hooks != "hooks":
        (project / "src").mkdir()
        (project / "src/__init__.py").write_text("HERE = 1\n")
        file.write_text("from src import HERE\n" + file.read_text())
        file.parent.rename(project / "src/hooks")
    assert [str(problem) for problem in generate(project).problems] == []
    assert run(project, "check") == 0


def test_starting_parses_no_source(project: Path) -> None:
    """A server that starts imports its hooks and looks at what it has then."""
    write_hook(project)
    code = (
        "import ast\n"
        "def parse(*_, **__): raise RuntimeError('a source was parsed')\n"
        "ast.parse = parse\n"
        "from pathlib import Path; from holdall.scheme.projects import load_schemes\n"
        f"(scheme,) = load_schemes(Path({str(project)!r})); scheme.load()\n"
        "assert len(scheme.bound_hooks()) == 1\n"
    )
    done = python("-c", code, cwd=project)
    assert (done.returncode, done.stderr) == (0, "")


FAILING = HOOK.replace('assert source.note != "impossible"', "{}")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("len(None)  # type: ignore", "v1 to v2"),
        ("raise NotImplementedError(source.note)", "v1 to v2"),
        ("undefined = source.nothing", "v1 to v2"),
        ("assert source.note", "v1 to v2"),
        ('int("1" if source.note is None else source.note)', ""),
    ],
)
def test_drawn_objects_are_converted(
    project: Path, serve_check: ServeCheck, code: str, said: str
) -> None:
    """What fails in code, or for all objects, is no start; a value may be refused."""
    write_hook(project, FAILING.format(code))
    assert run(project, "generate") == 0
    status, text = serve_check()
    assert status == (2 if said else 0), text
    assert f"HA825 generated.shop Order: {said}" in text or not said
    assert "Traceback" not in text

"""The frame of the command line: help, the project's place, completion, what a terminal sees."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from holdall.cli.command_table import COMMANDS
from holdall.cli.common import find_project
from holdall.cli.root import root as command_line
from holdall_codegen.plan.model import Fate
from tests.support.commands import python

pytestmark = pytest.mark.usefixtures("own_path")

BLOCK = """
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Block())
from holdall.cli import main
sys.exit(main())
"""


def called(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, arguments)


def all_commands(
    group: click.Group, prefix: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*prefix, name), command
        if isinstance(command, click.Group):
            yield from all_commands(command, (*prefix, name))


EVERY = dict(all_commands(command_line))


# --- help ------------------------------------------------------------------------------------


def test_what_may_not_be_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says where, why, and what helps."""

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "page.html")

    monkeypatch.setattr("holdall.cli.audit.read_objects", refused)
    result = CliRunner().invoke(command_line, ["-C", str(project), "audit", "x.yaml"])
    assert (result.exit_code, result.stderr) == (
        2,
        "page.html: Permission denied\n"
        "    fix: change the permissions there, or name another place\n",
    )


@pytest.mark.parametrize(
    ("words", "param"),
    [
        ("rewrite sqlite:///a.db --table {} --column doc --to v2", "--table"),
        ("rewrite sqlite:///{} --table docs --column doc --to v2", "URL"),
        ("serve --path {} --plain-http", "--path"),
        ("hooks scaffold {} v1..v2", "TYPE"),
    ],
)
def test_words_that_are_not_utf_8(project: Path, words: str, param: str) -> None:
    """They are not a bug in holdall; the name of a file may have such bytes."""
    arguments = words.format(os.fsdecode(b"a\xff")).split()
    result = CliRunner().invoke(command_line, ["-C", str(project), *arguments])
    assert result.exit_code == 2
    assert f"Error: Invalid value for '{param}': '" in result.stderr
    assert "a\\xff' is not UTF-8; type it in a UTF-8 locale\n" in result.stderr
    result = CliRunner().invoke(command_line, ["audit", os.fsdecode(b"a\xff.yaml")])
    assert result.stderr.startswith("HA101 a\\xff.yaml: no such file or folder")


def test_no_folder_for_temporary_files(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container that may write nowhere: what to do is said, and no defect reported."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(tmp_path / "nowhere")])
    result = called("--project", str(project), "diff", "HEAD")
    assert result.exit_code == 2
    assert result.stderr.startswith("No usable temporary directory found in ")
    assert result.stderr.endswith("    fix: set TMPDIR to a writable folder\n")


def test_help_is_grouped_by_task() -> None:
    """The list has the tasks in order, and every command below one."""
    text = called("--help").stdout
    tasks = re.findall(r"^(\w+):$", text, re.MULTILINE)
    assert tasks == ["Options", "Develop", "Check", "Run", "Shell"]
    assert all(re.search(rf"^  {name} ", text, re.MULTILINE) for name in COMMANDS)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("names", EVERY, ids=" ".join)
def test_help_has_an_example_that_works(names: tuple[str, ...]) -> None:
    """The help of each command fits 80 columns, has an example that parses, and names the extra."""
    text = called(*names, "--help").stdout
    match = re.search(r"Example:\n +holdall (.*)\n\n +Needs:\n +pip install 'holdall\[", text)
    assert match is not None, text
    words = shlex.split(match[1])
    assert tuple(words[: len(names)]) == names
    assert all(len(line) <= 80 or "holdall" in line for line in text.splitlines())
    assert not re.search(r"^  (?:-\w, )?--\S+ \w*_", text, re.MULTILINE)  # a name of the code
    command: click.Command = command_line
    used = words
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), used[0])
        assert found is not None
        command, used = found, used[1:]
    with click.Context(command) as context:
        values, rest, _ = command.make_parser(context).parse_args([*used])
    assert (values and not rest) or not used


@pytest.mark.parametrize(
    ("blocked", "name"),
    [("cryptography", "certs"), ("sqlalchemy", "rewrite"), ("urllib3", "install")],
)
def test_help_without_the_extra(blocked: str, name: str) -> None:
    """Help works and names the extra; so does the command, which ends with 2."""
    extra = f"pip install 'holdall[{COMMANDS[name].extra}]'"
    for arguments, code in ((["--help"], 0), (["x"], 2)):
        done = python("-c", BLOCK.format(blocked={blocked}), name, *arguments)
        assert done.returncode == code, done.stderr
        assert extra in done.stdout + done.stderr
        assert blocked in done.stdout + done.stderr


@pytest.mark.parametrize("module", ["click", "holdall.errors", "holdall_codegen.commands"])
def test_an_interrupt_while_modules_are_imported(project: Path, module: str) -> None:
    """The end of a command that was interrupted is one line, from the first import on."""
    script = BLOCK.replace('name.partition(".")[0] in {blocked!r}', f"name == {module!r}")
    script = re.sub(r"raise .*", "raise KeyboardInterrupt", script)
    done = python("-c", script, "-C", str(project), "plan")
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "interrupted")


# --- the project -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("-C", "DIR", "plan"),
        ("plan", "-C", "DIR"),
        ("--project", "DIR", "plan"),
        ("plan", "--project=DIR", "--all"),
    ],
)
def test_the_project_before_and_behind(
    project: Path, tmp_path: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the project is said before or behind the command."""
    monkeypatch.chdir(tmp_path)
    result = called(*(word.replace("DIR", str(project)) for word in arguments))
    assert (result.exit_code, "versions v1, v2" in result.stdout) == (0, True), result.stderr


def test_the_project_above(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below a project its commands work; `init` begins a new one where it is called."""
    inner = project / "some" / "deep"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert find_project(Path()) == Path("../..")
    assert called("plan").exit_code == 0
    assert "wrote .github" in called("init", "--ci", "github").stdout
    shutil.rmtree(inner.parent)


def test_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one the message names the current folder's file."""
    monkeypatch.chdir(tmp_path)
    result = called("plan")
    assert result.exit_code == 2 and "holdall.yaml" in result.stderr


# --- completion ------------------------------------------------------------------------------


def completed(project: Path, *words: str) -> list[str]:
    """Return what bash would offer for the last word."""
    environment = {
        **os.environ,
        "_HOLDALL_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("holdall", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-m", "holdall"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for line in done.stdout.splitlines() if (name := line.partition(",")[2])]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("ex",), ["explain", "explore"]),
        (("plan", "--group", ""), ["things"]),
        (("plan", "--type", "ThingS"), ["ThingSpec"]),
        (("plan", "--edge", ""), ["v1..v2"]),
        (("convert", "--to", "v"), ["v1", "v2"]),
        (("crd", "--kind", "T"), ["Thing"]),
    ],
)
def test_names_are_completed(project: Path, words: tuple[str, ...], expected: list[str]) -> None:
    """Commands, groups, types, edges, versions and kinds of the project."""
    assert completed(project, *words) == expected


def test_completion_without_a_project(tmp_path: Path) -> None:
    """Where nothing is known, nothing is offered, and nothing goes wrong."""
    assert completed(tmp_path, "plan", "--type", "") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_once(
    tmp_path: Path, shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One command writes the script, and the line that reads it, which is not written twice."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    (tmp_path / f".{shell}rc").write_text("# mine")
    for _ in range(2):
        assert called("completion", "--install").exit_code == 0
    if shell == "fish":
        script = tmp_path / ".config/fish/completions/holdall.fish"
    else:
        script = tmp_path / f".local/share/holdall/completion.{shell}"
        line = f'. "{script}"  # completion of holdall\n'
        assert (tmp_path / f".{shell}rc").read_text() == f"# mine\n{line}"
    assert script.read_text() == called("completion", shell).stdout
    assert called("completion", "tcsh").exit_code == 2


# --- terminals -------------------------------------------------------------------------------


def at_a_terminal(project: Path, columns: int, *arguments: str, **more: str) -> str:
    """Return what a command writes to a terminal."""
    ours, theirs = os.openpty()
    kept: Mapping[str, str] = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    with open(ours, "rb", buffering=0) as terminal:  # noqa: PTH123 - a descriptor has no path
        subprocess.run(
            [sys.executable, "-m", "holdall", "-C", str(project), *arguments],
            env={**kept, "COLUMNS": str(columns), "TERM": "xterm", **more},
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        os.close(theirs)
        shown = b""
        try:
            while part := terminal.read(65536):
                shown += part
        except OSError:
            pass  # how Linux says that nobody writes any more
    return shown.decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_plan_fits_a_terminal(project: Path) -> None:
    """At 80 columns no line is longer, fates have colours, and NO_COLOR takes them away."""
    shown = at_a_terminal(project, 80, "plan", "--all")
    assert "\x1b[" in shown
    assert max(map(len, plain(shown).splitlines())) <= 80
    colourless = at_a_terminal(project, 80, "plan", "--all", NO_COLOR="1")
    assert colourless == plain(shown)
    wide = plain(at_a_terminal(project, 300, "plan", "--all"))
    assert wide.split() == called("-C", str(project), "plan", "--all").stdout.split()


def test_every_fate_has_a_colour() -> None:
    """Of those that a plan can say."""
    from typing import get_args

    from holdall.cli.bars import COLORS

    assert set(get_args(Fate)) <= COLORS.keys()


def test_a_diff_has_colours(project: Path, tmp_path: Path) -> None:
    """What is added is green, at a terminal only."""
    from holdall.cli.common import Context

    runner = CliRunner()
    for color, expected in ((True, "\x1b[32m+new"), (False, "+new")):
        with runner.isolation(color=True) as (out, *_):
            Context(tmp_path, terminal=color, color=color).diff("--- a\n+new\n same\n")
            assert expected in out.getvalue().decode()


def test_the_checks_of_conform_fit_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claims go on below themselves; in a pipe each check has one line."""
    from holdall.cli.common import Context
    from holdall.cli.conform import print_verdicts
    from holdall.kubernetes.conform import Verdict

    monkeypatch.setenv("COLUMNS", "60")
    title = "an answer has the objects of its request, in their order, and nothing else"
    verdict = Verdict("WC-01", "must", title, "pass", "")
    lines = {}
    for terminal in (True, False):
        with CliRunner().isolation() as (out, *_):
            print_verdicts(Context(tmp_path, terminal=terminal), [verdict], {"WC-01": []})
            lines[terminal] = out.getvalue().decode().splitlines()
    assert len(lines[False]) == 2 and lines[False][1].endswith(title)
    assert max(map(len, lines[True])) <= 60
    assert lines[True][2].startswith(" " * lines[True][0].index("CLAIM"))
    assert " ".join(lines[True]).split() == " ".join(lines[False]).split()


def test_the_help_says_defaults() -> None:
    """Who reads the help of an option learns once what happens without it."""
    frame = click.Context(command_line, **command_line.context_settings)
    told = {
        f"{' '.join(words)} {option.opts[0]}": record[1]
        for words, command in all_commands(command_line)
        for option in command.params
        if isinstance(option, click.Option)
        and not option.is_flag
        and isinstance(option.default, str | int | float)
        and (record := option.get_help_record(click.Context(command, parent=frame))) is not None
    }
    assert [name for name, text in told.items() if text.lower().count("default") > 1] == []
    assert [name for name, text in told.items() if '""' in text] == []
    assert "[default: 9443;" in called("serve", "--help").output

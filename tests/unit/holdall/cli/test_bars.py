"""Bars: one line of a terminal, however wide, which gives way to what a command has to say."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from pathlib import Path
from typing import TextIO

import pytest

from holdall.cli import bars
from holdall.cli.bars import bar
from holdall.cli.common import Context, progress
from tests.support.projects import THING_CONFIG, THING_FILES, build_project

_CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """The keyboard's end of a terminal, and the end that a command writes to."""

    def __init__(self) -> None:
        self.ours, theirs = pty.openpty()
        self.stream: TextIO = os.fdopen(theirs, "w", encoding="utf-8")

    @contextmanager
    def used(self) -> Iterator[None]:
        """Make it standard error; a fixture cannot, as pytest takes that for each test again."""
        with redirect_stderr(self.stream):
            yield

    def resize(self, columns: int) -> None:
        self.columns = columns

    def read(self) -> str:
        """Return what was written since the last time."""
        self.stream.write("\0")
        self.stream.flush()
        text = b""
        while not text.endswith(b"\0"):
            text += os.read(self.ours, 4096)
        return text[:-1].decode()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """A terminal of 80 columns, on which each picture is drawn."""
    made = Terminal()
    made.resize(80)
    monkeypatch.setattr(bars, "_PAUSE", 0)
    # Standard error has another number here than a terminal's has.
    monkeypatch.setattr(os, "get_terminal_size", lambda _=1: os.terminal_size((made.columns, 24)))
    monkeypatch.setenv("TERM", "xterm")
    for name in ("COLUMNS", "LINES", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    yield made
    made.stream.close()
    os.close(made.ours)


def pictures(text: str) -> list[str]:
    """Return the lines that were drawn one over the other."""
    return [line for line in re.split(r"[\r\n]+", _CODES.sub("", text)) if line]


def test_it_says_how_far_the_run_is(terminal: Terminal) -> None:
    """How much is done, and whatever else a command knows."""
    with terminal.used(), bar("converting", 10, quiet=False) as shown:
        shown.show(2)
        shown.show(4, "2/s")
    drawn = [re.sub("━+|╸|╺", "", each).split() for each in pictures(terminal.read())]
    assert ["converting", "20%"] in [each[:2] for each in drawn]
    assert (drawn[-1][:2], drawn[-1][-1]) == (["converting", "40%"], "2/s")


@pytest.mark.parametrize("columns", [200, 72, 40, 24, 8])
def test_it_fits_any_terminal(terminal: Terminal, columns: int) -> None:
    """A line that a terminal wraps is one that nothing takes away again."""
    terminal.resize(columns)
    with terminal.used(), bar("converting", 1000, quiet=False) as shown:
        for done in range(0, 1000, 100):
            shown.show(done, "123,456/s")
    drawn = pictures(terminal.read())
    assert 0 < max(map(len, drawn)) <= columns
    assert columns == 8 or any("90%" in each for each in drawn)


def test_it_follows_the_width_of_the_terminal(terminal: Terminal) -> None:
    """Also when that changes meanwhile."""
    with terminal.used(), bar("converting", 4, quiet=False) as shown:
        shown.add()
        terminal.read()
        terminal.resize(30)
        shown.add()
        assert max(map(len, pictures(terminal.read()))) <= 30


def test_messages_have_lines_of_their_own(terminal: Terminal) -> None:
    """The bar goes before them, and comes back below."""
    run = Context(Path())
    with terminal.used(), bar("converting", 2, quiet=False) as shown:
        for say in (run.error, run.warn, run.note):
            shown.add()
            terminal.read()
            say("a message")
            said = terminal.read()
            said = _CODES.sub("", said.rpartition("\x1b[2K")[2])
            assert re.fullmatch(r"(warning: )?a message\r\n", said), repr(said)
        shown.add()
        assert "converting" in terminal.read()


def test_it_counts_what_is_iterated(terminal: Terminal) -> None:
    """An item is done when the next one is asked for; without a length it is only counted."""
    with terminal.used(), progress(range(4), label="checking") as items:
        assert list(items) == [0, 1, 2, 3]
    assert "100%" in pictures(terminal.read())[-1]
    with terminal.used(), progress(iter("ab"), label="checking") as letters:
        assert list(letters) == ["a", "b"]
    assert re.search(r"checking\W+2\W", pictures(terminal.read())[-1] + " ")


@pytest.mark.parametrize("why", ["quiet", "dumb", "no terminal", "no rich"])
def test_without_a_terminal_nothing_is_drawn(
    terminal: Terminal,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nor if it cannot go back on its line, if it is to be quiet, or if nobody can draw it."""
    if why == "dumb":
        monkeypatch.setenv("TERM", "dumb")
    if why == "no rich":
        monkeypatch.setitem(sys.modules, "rich.console", None)
    place = nullcontext() if why == "no terminal" else terminal.used()
    with place, bar("converting", 2, quiet=why == "quiet") as shown:
        shown.add()
        shown.add()
    assert (terminal.read(), capsys.readouterr().err) == ("", "")


@pytest.mark.parametrize("kind", ["xterm", "dumb"])
def test_results_at_the_terminal_are_alone(
    terminal: Terminal, kind: str, prepared: Path, tmp_path: Path
) -> None:
    """A bar would stand in their lines; a terminal that is dumb gets no colours either."""
    root = build_project(tmp_path, THING_CONFIG, THING_FILES)
    (root / "a.jsonl").write_text('{"apiVersion":"example.com/v1","kind":"Thing"}\n{\n')
    command = [str(prepared / "holdall"), "convert", "--to", "v2", "a.jsonl"]
    environment = {**os.environ, "TERM": kind}
    subprocess.run(
        command, cwd=root, env=environment, stdout=terminal.stream, stderr=terminal.stream
    )
    shown = terminal.read()
    assert '{"apiVersion":"example.com/v2","kind":"Thing"}\r\n' in shown
    assert ("\x1b[31mHA501 a.jsonl:2" in shown, "\x1b" in shown) == (kind != "dumb",) * 2
    assert "converting" not in shown

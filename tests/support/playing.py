"""Pages, played: their marked blocks run in a folder, and print what the page shows.

Words behind the language of a fenced block say what the block is:

- `file=PATH` writes the block to a file in the page's folder;
- `run` runs it: Python as a script, `console` line by line behind `$ `, each command with exit
  code 0, the last one with N where the block says `exit=N`; what is printed is compared;
- `output` is what the Python block before it prints.

In expected text `…` stands for any text within a line, alone on a line for any lines.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support.pages import Block, blocks_of, name_of, read

PATIENCE = 600.0
"""Seconds until a command hangs; on a loaded machine one that runs tests takes minutes."""


def play(page: Path, folder: Path, environment: Mapping[str, str]) -> None:
    """Run every marked block of a page, in the order of the page."""
    printed = ""
    for block in blocks_of(read(page)):
        where = f"{name_of(page)}:{block.line}"
        if (name := block.word("file")) is not None:
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.text, encoding="utf-8")
        elif "output" in block.words:
            compare(block.text, printed, where)
        elif "run" in block.words and block.language == "python":
            code, printed = run(["python", "-c", block.text], folder, environment)
            assert code == 0, f"{where}:\n{printed}"
        elif "run" in block.words:
            assert block.language == "console", f"{where}: {block.language} cannot be run"
            run_console(block, folder, environment, where)


def commands_of(block: Block) -> Iterator[tuple[str, str]]:
    """Yield the commands of a console block, each with what it prints."""
    steps = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not steps[0], "a console block begins with a command"
    for step in steps[1:]:
        command, _, expected = re.sub(r"\\\n\s*", "", step).partition("\n")
        yield command, expected


def run_console(block: Block, folder: Path, environment: Mapping[str, str], where: str) -> None:
    """Run the commands of a block and compare what each prints."""
    steps = list(commands_of(block))
    for number, (command, expected) in enumerate(steps, 1):
        code, printed = run(["sh", "-c", command], folder, environment)
        wanted = int(block.word("exit") or 0) if number == len(steps) else 0
        assert code == wanted, f"{where}: `{command}` ends with {code}:\n{printed}"
        compare(expected, printed, f"{where}: `{command}`")


def run(command: list[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run a command; return its exit code and all that it prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )
    return done.returncode, done.stdout


def compare(expected: str, printed: str, where: str) -> None:
    """Fail with both texts unless what is printed is what is expected."""
    wanted, found = (
        "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
        for text in (expected, printed)
    )
    pattern = re.escape(wanted).replace("…", ".*")
    pattern = re.sub(r"^\.\*(?:\\?\n|$)", r"(?s:.*)", pattern, flags=re.MULTILINE)
    assert re.fullmatch(pattern, found), f"{where} prints\n{found}\n--- the page says\n{wanted}"

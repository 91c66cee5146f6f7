"""`holdall plan --declare` and `--interactive`: proposals become lines of holdall.yaml."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click

from holdall.cli.common import FINDINGS, Context, end, fail
from holdall.errors import PlanError, problem_value
from holdall.types import JsonValue
from holdall_codegen.output.declaring import declare
from holdall_codegen.project import CONFIG_FILE, load_project, read_project
from holdall_codegen.propose import Proposal
from holdall_codegen.views.proposals import EVERYTHING, Ask, Choice, proposals_value, propose_all

_HELP = """\
y  yes, declare it
n  no (Enter does the same)
a  yes to this and all that follow
d  no to this and all that follow
q  quit, and write nothing
"""


@dataclass(slots=True)
class Asking:
    """Asks about each proposal, on standard error, until an answer holds for all that follow."""

    choice: Choice
    rest: bool | None = field(default=None)

    def __call__(self, unit: tuple[Proposal, ...]) -> bool:
        if not self.choice(unit):
            return False
        while self.rest is None:
            question = unit[0].question.removesuffix("?")
            for item in unit[1:]:
                question += f", and {item.question.removesuffix('?')}"
            answer = click.prompt(
                f"{question}? [y/n/a/d/q/?]", default="n", show_default=False, err=True
            )
            match answer.strip().lower():
                case "y" | "yes":
                    return True
                case "n" | "no":
                    return False
                case "a":
                    self.rest = True
                case "d":
                    self.rest = False
                case "q":
                    click.echo("nothing was written", err=True)
                    end(findings=False)
                case _:
                    click.echo(_HELP, err=True, nl=False)
        return self.rest


def write_proposals(run: Context, choice: Choice, *, interactive: bool, as_json: bool) -> None:
    """Declare what is chosen, report what was written, and end the command.

    Nothing is written before the last question is answered.
    """
    if interactive and not sys.stdin.isatty():
        fail("--interactive needs a terminal as standard input: use --declare")
    lines = _declare(run.root, choice, Asking(choice) if interactive else None)
    error: PlanError | None = None
    try:
        load_project(run.root)
    except PlanError as refused:
        error = refused
    if as_json:
        value: dict[str, JsonValue] = {
            "declared": proposals_value(lines),
            "problems": [problem_value(problem) for problem in error.problems] if error else [],
        }
        run.echo_json(value)
    else:
        for start, item in starting_with_group(lines):
            run.echo(f"declared {start}{item.line}")
        count = sum(map(len, lines.values()))
        run.note(f"{count} declared in {CONFIG_FILE}; check them before you generate")
    if error is not None:
        fail(error, FINDINGS)
    end(findings=False)


def starting_with_group(lines: dict[str, tuple[Proposal, ...]]) -> Iterator[tuple[str, Proposal]]:
    """Yield all proposals, each with a prefix for its line: its group, if there are several."""
    for package, items in lines.items():
        for item in items:
            yield f"{package}: " if len(lines) > 1 else "", item


def declare_refused(root: Path) -> dict[str, tuple[Proposal, ...]]:
    """Declare what keeps properties from being refused, each with a comment.

    Return the proposals by package. Raises SourceError or PlanError if the project cannot be read.
    """
    return _declare(root, EVERYTHING, lambda unit: unit[0].about == "fix", explained=True)


def _declare(
    root: Path, choice: Choice, ask: Ask | None, *, explained: bool = False
) -> dict[str, tuple[Proposal, ...]]:
    path = root / CONFIG_FILE
    before = path.read_bytes() if path.is_file() else b""
    reading = read_project(root)
    lines = {
        package: tuple(item for item in items if item.is_declarable)
        for package, items in propose_all(reading, choice, ask).items()
    }
    by_name = {reading.config.group(it).name: items for it, items in lines.items()}
    declare(path, before, by_name, explained=explained)
    return lines

"""What commands of the generator share: an option, annotations, and how they end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

import click

from holdall.cli.common import FINDINGS, Context, fail
from holdall.errors import PLACE, PlanError, Problem
from holdall.text.files import path_from
from holdall_codegen.project import Project, load_project
from holdall_codegen.views.lookup import UnknownNameError

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    help="github: annotations for a workflow's log.",
)
PROPOSED: Final = "Proposals (`holdall plan --declare` writes them, `--interactive` asks first):"


@contextmanager
def refusals_are_findings() -> Iterator[None]:
    """End the command with findings if the plan is refused; an unknown name is wrong usage."""
    try:
        yield
    except UnknownNameError:
        raise
    except PlanError as error:
        fail(error, FINDINGS)


def loaded(run: Context) -> Project:
    """Return the project; end the command with findings if its plan is refused."""
    with refusals_are_findings():
        return load_project(run.root)


# --- annotations of a code host -------------------------------------------------------------------


def workflow_commands(
    problems: Iterable[Problem], root: Path, level: Literal["error", "warning"] = "error"
) -> list[str]:
    """Return problems as workflow commands of GitHub, files relative to the current folder."""
    return [f"::{level} {_annotation(problem, root)}" for problem in problems]


def _annotation(problem: Problem, root: Path) -> str:
    place = PLACE.fullmatch(problem.where)
    file, line, column = place.groups() if place else (problem.where, "", "")
    parts = [f"title={_property(problem.code)}"]
    if file and (place or (root / file).is_file()):
        shown = path_from(root / file)
        parts = [f"file={_property(shown)}", f"line={line or 1}", *parts]
        if column:
            parts.insert(2, f"col={column}")
    text = f"{problem.message}\nfix: {problem.fix}"
    if not place and file:
        text = f"{file}: {text}"
    return f"{','.join(parts)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

"""Problems as JSON, in the form that all commands print with `--json`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from holdall.cli.common import Context
from holdall.errors import Problem, ProblemsError
from holdall.types import JsonValue

PLACE: Final = re.compile(r"(.+?):(\d+)(?::(\d+))?")
"""A place in a file: its name, the line, and the column if it is known."""


def problem_value(problem: Problem) -> dict[str, JsonValue]:
    """Return a problem as JSON; `file`, `line` and `column` where its place is known."""
    value: dict[str, JsonValue] = {"code": problem.code, "where": problem.where}
    if place := PLACE.fullmatch(problem.where):
        value["file"] = place[1]
        value["line"] = int(place[2])
        if place[3]:
            value["column"] = int(place[3])
    value["message"] = problem.message
    if problem.fix:
        value["fix"] = problem.fix
    if problem.detail:
        value["detail"] = problem.detail
    return value


@contextmanager
def problems_in_json(run: Context, *, as_json: bool) -> Iterator[None]:
    """Print the problems that end a command as its one JSON value, if it is to print JSON."""
    try:
        yield
    except ProblemsError as error:
        if as_json:
            run.echo_json({"problems": [problem_value(problem) for problem in error.problems]})
        raise

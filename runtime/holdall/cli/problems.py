"""Problems that end a command which prints JSON."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from holdall.cli.common import Context
from holdall.errors import ProblemsError, problem_value


@contextmanager
def problems_in_json(run: Context, *, as_json: bool) -> Iterator[None]:
    """Print the problems that end a command as its one JSON value, if it is to print JSON."""
    try:
        yield
    except ProblemsError as error:
        if as_json:
            run.echo_json({"problems": [problem_value(problem) for problem in error.problems]})
        raise

"""What several commands of the generator share: an option, and how they end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from holdall.cli.common import FINDINGS, fail
from holdall.errors import PlanError
from holdall_codegen.views.lookup import UnknownNameError

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    help="github: annotations for a workflow's log.",
)


@contextmanager
def refusals_are_findings() -> Iterator[None]:
    """End the command with findings where something is refused; an unknown name is wrong use."""
    try:
        yield
    except UnknownNameError:
        raise
    except PlanError as error:
        fail(error, FINDINGS)

"""The root of the command line: its options, its table of commands, and how errors end it."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click

from holdall.cli.common import USAGE, Context, forget
from holdall.cli.lazy import LazyCommand, LazyGroup
from holdall.errors import HoldallError
from holdall.version import VERSION

_GENERATOR: Final = "holdall_codegen.commands"
_INTERRUPTED: Final = 130
_UNWRITABLE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})

COMMANDS: Final[Mapping[str, LazyCommand]] = {
    "init": LazyCommand(f"{_GENERATOR}.init:command", "Write a commented holdall.yaml.", "codegen"),
    "generate": LazyCommand(
        f"{_GENERATOR}.generate:command", "Write types, converters and protocols.", "codegen"
    ),
    "plan": LazyCommand(
        f"{_GENERATOR}.plan:command", "Show what happens to every property.", "codegen"
    ),
    "explain": LazyCommand(
        f"{_GENERATOR}.explain:command", "Follow one property through the versions.", "codegen"
    ),
    "explore": LazyCommand(
        f"{_GENERATOR}.explore:command", "Make a page that shows the whole project.", "codegen"
    ),
    "diff": LazyCommand(
        f"{_GENERATOR}.diff:command", "Show what `generate` would change.", "codegen"
    ),
    "breaking": LazyCommand(
        f"{_GENERATOR}.breaking:command", "Find what breaks users or stored objects.", "codegen"
    ),
    "check": LazyCommand(f"{_GENERATOR}.check:command", "Verify the hooks.", "codegen"),
    "graph": LazyCommand(
        f"{_GENERATOR}.graph:command", "Draw the versions and their edges.", "codegen"
    ),
    "hooks": LazyCommand(f"{_GENERATOR}.hooks:command", "Start and list hooks.", "codegen"),
    "version": LazyCommand(
        f"{_GENERATOR}.version:command", "Add a version, and let it go.", "codegen"
    ),
    "crd": LazyCommand(f"{_GENERATOR}.crd:command", "Make the CRDs of all kinds.", "codegen"),
    "doctor": LazyCommand("holdall.cli.doctor:command", "Examine CRDs."),
    "install": LazyCommand("holdall.cli.install:command", "Make a cluster use the webhook.", "k8s"),
    "migrate": LazyCommand(
        "holdall.cli.migrate:command", "Rewrite objects in the storage version.", "k8s"
    ),
    "convert": LazyCommand("holdall.cli.convert:command", "Convert objects to another version."),
    "rewrite": LazyCommand(
        "holdall.cli.rewrite:command", "Rewrite documents in a database.", "sql"
    ),
    "settle": LazyCommand(
        "holdall.cli.settle:command", "Drop what only the way back of rows needed.", "sql"
    ),
    "conform": LazyCommand("holdall.cli.conform:command", "Test a conversion webhook.", "conform"),
    "audit": LazyCommand("holdall.cli.audit:command", "List what is in the property bags."),
    "laws": LazyCommand("holdall.cli.laws:command", "Check that conversions lose nothing."),
    "serve": LazyCommand("holdall.cli.serve:command", "Serve conversions as a webhook.", "webhook"),
    "certs": LazyCommand(
        "holdall.cli.certs:command", "Make and renew the webhook's certificates.", "webhook"
    ),
}


class Root(LazyGroup):
    """The root group; it turns every exception of a command into a message and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. An error of holdall or of a file gives exit code 2."""
        try:
            return super().invoke(ctx)
        except HoldallError as error:
            if _run_of(ctx).traceback:
                traceback.print_exc()
            _run_of(ctx).error(error)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001 - reported as the defect it is
            if isinstance(error, OSError) and (text := _explain(error)):
                _run_of(ctx).error(text)
            else:
                _report_defect(_run_of(ctx), error)
        raise click.exceptions.Exit(USAGE)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        code = root.main(args=arguments, prog_name="holdall", standalone_mode=False)
    except click.Abort:
        click.echo("interrupted", err=True)
        return _INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except OSError as error:
        # Not even the help or an error could be printed.
        with suppress(OSError):
            click.echo(_explain(error) or str(error), err=True)
        forget(sys.stderr)
        return USAGE
    except SystemExit as error:
        # click ends so when the reader of standard output has gone away.
        return error.code if isinstance(error.code, int) else USAGE
    return code if isinstance(code, int) else 0


def _start(ctx: click.Context, folder: Path, values: Mapping[str, bool]) -> None:
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal's encoding lacks must not break a report.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    may_color = not values["no_color"] and not os.environ.get("NO_COLOR")
    ctx.obj = Context(
        root=folder,
        quiet=values["quiet"],
        color=may_color and sys.stdout.isatty(),
        color_errors=may_color and sys.stderr.isatty(),
        traceback=values["traceback"],
    )
    place = str(folder.resolve())
    if sys.path[:1] != [place]:
        sys.path.insert(0, place)
        # Whoever calls `main` in a longer-lived process keeps its own path.
        ctx.call_on_close(lambda: sys.path.remove(place))


def _run_of(ctx: click.Context) -> Context:
    found = ctx.find_object(Context)
    return found if found is not None else Context(Path())


def _explain(error: OSError) -> str:
    """Return what the system refused; empty if that is nothing but a defect."""
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if error.errno not in _UNWRITABLE:
        return ""
    # Files have names: what cannot be written is what the results were printed to.
    forget(sys.stdout)
    return f"standard output: {error.strerror}"


def _report_defect(context: Context, error: Exception) -> None:
    if context.traceback:
        traceback.print_exception(error)
        return
    text = str(error).partition("\n")[0]
    name = type(error).__name__
    context.error(
        f"{name}{f': {text}' if text else ''}; "
        "this is a defect of holdall; run with --traceback to see where"
    )


@click.group("holdall", cls=Root, lazy=COMMANDS)
@click.version_option(VERSION, prog_name="holdall", message="%(prog)s %(version)s")
@click.option(
    "--project",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    metavar="DIR",
    help="The folder with holdall.yaml; default: the current one.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print results and errors only.")
@click.option("--no-color", is_flag=True, help="Print without colours; NO_COLOR does the same.")
@click.option("--traceback", is_flag=True, help="Show where an error was raised.")
@click.pass_context
def root(ctx: click.Context, /, folder: Path, **values: bool) -> None:
    """Convert versioned resources without losing anything.

    Exit codes: 0 fine, 1 findings, 2 wrong usage, unreadable input or unwritable output.
    """
    _start(ctx, folder, values)

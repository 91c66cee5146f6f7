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

from holdall.cli.command_table import COMMANDS
from holdall.cli.common import USAGE, Context, current, find_project, forget
from holdall.cli.lazy import LazyGroup
from holdall.errors import HoldallError
from holdall.version import described

_FOLDER_OPTIONS: Final = ("-C", "--project")
_FORBIDDEN: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_RIGHTS: Final = "\n    fix: change the permissions there, or name another place"
_NO_TEMPORARY: Final = "No usable temporary directory"
_UNWRITABLE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


class Root(LazyGroup):
    """The root group; it turns every exception of a command into a message and an exit code."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Accept the project's folder anywhere, even after the command."""
        return super().parse_args(ctx, _folder_first(args))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. An error of holdall or of a file gives exit code 2."""
        try:
            return super().invoke(ctx)
        except HoldallError as error:
            if current().traceback:
                traceback.print_exc()
            current().error(error)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001 - reported as a bug in holdall
            if isinstance(error, OSError) and (text := _explain(error)):
                current().error(text)
            else:
                _report_defect(current(), error)
        raise click.exceptions.Exit(USAGE)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. Raises KeyboardInterrupt."""
    try:
        code = root.main(args=arguments, prog_name="holdall", standalone_mode=False)
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except OSError as error:
        # Neither help nor an error could be printed.
        with suppress(OSError):
            click.echo(_explain(error) or str(error), err=True)
        forget(sys.stderr)
        return USAGE
    except SystemExit as error:
        # click exits this way when the reader of standard output has closed it.
        return error.code if isinstance(error.code, int) else USAGE
    return code if isinstance(code, int) else 0


def _folder_first(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with `-C DIR` and `--project DIR` moved to the front."""
    first: list[str] = []
    others: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            others += [word, *waiting]
            break
        if word in _FOLDER_OPTIONS and waiting:
            first += [word, waiting.pop(0)]
        elif word.startswith("--project="):
            first.append(word)
        else:
            others.append(word)
    return [*first, *others]


def _start(ctx: click.Context, folder: Path, values: Mapping[str, bool]) -> None:
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal's encoding lacks must not break a report.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    is_plain = values["no_color"] or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    may_color = not is_plain
    ctx.obj = Context(
        root=folder,
        quiet=values["quiet"],
        terminal=sys.stdout.isatty(),
        color=may_color and sys.stdout.isatty(),
        color_errors=may_color and sys.stderr.isatty(),
        traceback=values["traceback"],
        out=sys.stdout,
    )
    place = str(folder.resolve())
    if sys.path[:1] != [place]:
        sys.path.insert(0, place)
        # A longer-lived process that calls `main` keeps its own path.
        ctx.call_on_close(lambda: sys.path.remove(place))


def _explain(error: OSError) -> str:
    """Return what the system refused; empty if it is a bug in holdall."""
    if error.filename is not None:
        fix = _RIGHTS if error.errno in _FORBIDDEN else ""
        return f"{os.fsdecode(error.filename)}: {error.strerror}{fix}"
    if str(error.strerror).startswith(_NO_TEMPORARY):
        return f"{error.strerror}\n    fix: set TMPDIR to a writable folder"
    if error.errno not in _UNWRITABLE:
        return ""
    # Without a file name it is standard output that cannot be written.
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
        "this is a bug in holdall; run with --traceback, and report it"
    )


@click.group("holdall", cls=Root, lazy=COMMANDS, context_settings={"show_default": True})
@click.version_option(described(), prog_name="holdall", message="%(prog)s %(version)s")
@click.option(
    *_FOLDER_OPTIONS,
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder with holdall.yaml; default: the current one, or the nearest above that has "
    "it. May also follow the command.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print results and errors only.")
@click.option("--no-color", is_flag=True, help="Print without colours; NO_COLOR does the same.")
@click.option("--traceback", is_flag=True, help="Show where an error was raised.")
@click.pass_context
def root(ctx: click.Context, /, folder: Path | None, **values: bool) -> None:
    """Convert versioned resources without losing anything.

    Exit codes: 0 fine, 1 findings, 2 wrong usage, unreadable input or unwritable output.
    """
    if folder is None:
        # A new project starts where the command is called, even inside another project.
        folder = Path() if ctx.invoked_subcommand == "init" else find_project(Path())
    _start(ctx, folder, values)

"""What all commands share: where they run, how they print, how they end.

Exit codes: 0 fine, 1 findings, 2 wrong usage, unreadable input or unwritable output.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import BinaryIO, Concatenate, Final, NoReturn, ParamSpec, TextIO, TypeVar

import click

from holdall.cli.bars import Bar, bar, hide_bars
from holdall.errors import HoldallError, ProblemsError, problem_value
from holdall.types import JsonValue
from holdall.words import printable

FINE: Final = 0
FINDINGS: Final = 1
USAGE: Final = 2

P = ParamSpec("P")
T = TypeVar("T")

_LAYOUT: Final = "\n\t"
_STYLE: Final = re.compile("(\x1b\\[[0-9;]*m)")
"""What `Context.style` puts around text. Such codes in untrusted text can only change colours."""
_DIFF_COLORS: Final = {"+": "green", "-": "red", "@": "cyan"}


@dataclass(frozen=True, slots=True)
class Context:
    """One run of the command: the project's root, and what its terminal may be shown.

    `terminal` says whether standard output is one; `color` is for it, `color_errors` for standard
    error. `quiet` silences notes, but no results, warnings or errors. `traceback` shows where an
    error was raised. Results go to `out`; None is the current standard output.
    """

    root: Path
    quiet: bool = False
    terminal: bool = False
    color: bool = False
    color_errors: bool = False
    traceback: bool = False
    out: TextIO | None = None

    @property
    def has_project(self) -> bool:
        """Whether there is a project at the root."""
        from holdall.scheme.projects import CONFIG_FILE

        return (self.root / CONFIG_FILE).exists()

    @property
    def results(self) -> BinaryIO:
        """Standard output for bytes, even while `print` is redirected."""
        return (self.out or sys.stdout).buffer

    def echo(self, text: str = "") -> None:
        """Print a result to standard output."""
        parts = _STYLE.split(text)
        parts[::2] = [printable(part, keep=_LAYOUT) for part in parts[::2]]
        click.echo("".join(parts), file=self.out, color=self.color)

    def write(self, text: str | bytes) -> None:
        """Print a text unchanged to standard output; it ends its own lines."""
        click.echo(text, file=self.out, nl=False)

    def table(
        self, rows: Iterable[Sequence[str]], headers: Sequence[str], *, indent: int = 0
    ) -> None:
        """Print a table: on a terminal in its width and in colours, otherwise as `table` does."""
        text = table(rows := [*rows], headers)
        if self.terminal:
            from holdall.cli.bars import drawn_table

            cells = [[printable(cell) for cell in row] for row in rows]
            text = drawn_table(cells, headers, indent) or text
        for line in text.splitlines():
            self.echo(f"{' ' * indent}{line}")

    def diff(self, text: str) -> None:
        """Print a unified diff, in colours on a terminal."""
        for line in text.splitlines(keepends=True):
            color = _DIFF_COLORS.get(line[:1]) if self.color else None
            shown = self.style(line, fg=color) if color else line
            click.echo(shown, file=self.out, nl=False, color=self.color)

    def echo_json(self, value: JsonValue) -> None:
        """Print a JSON value to standard output, for `--json`."""
        from holdall.text.json import encode_pretty

        self.write(encode_pretty(value))

    def note(self, text: str) -> None:
        """Print a remark to standard error, unless `--quiet`."""
        if not self.quiet:
            self._say(printable(text, keep=_LAYOUT))

    def warn(self, text: str) -> None:
        """Print a warning to standard error, even with `--quiet`."""
        self._say(self.style(f"warning: {printable(text, keep=_LAYOUT)}", fg="yellow"))

    def error(self, error: HoldallError | str) -> None:
        """Print an error to standard error, each of its problems with its code."""
        self._say(self.style(printable(describe(error), keep=_LAYOUT), fg="red"))

    def _say(self, text: str) -> None:
        hide_bars()
        click.echo(text, err=True, color=self.color_errors)

    def style(self, text: str, *, fg: str | None = None, bold: bool | None = None) -> str:
        """Return text with terminal colours; they are stripped where colour is off."""
        return click.style(text, fg=fg, bold=bold)


def pass_run(command: Callable[Concatenate[Context, P], T]) -> Callable[P, T]:
    """Decorate a command to get the Context as its first argument.

    While it runs, what other code prints, such as hooks, goes to standard error, so that it is
    not mixed with results.
    """

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with redirect_stdout(sys.stderr):
            return command(current(), *args, **kwargs)

    return run


json_option: Final = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON instead of text."
)
"""Option `--json`, passed as `as_json: bool`."""


yaml_option: Final = click.option(
    "--yaml",
    "scalars",
    type=click.Choice(["strict", "kubernetes"]),
    default="strict",
    help="Refuse plain scalars that readers disagree about (strict), or read them as kubectl does.",
)
"""Option `--yaml`, passed as `scalars: Scalars`."""


COLUMN_OPTIONS: Final = tuple(
    click.option(name, default="", show_default=False, metavar=metavar, help=text)
    for name, metavar, text in (
        ("--version-column", "NAME", "The column that says the version."),
        ("--kind-column", "NAME", "The column that says the kind."),
        ("--kind", "KIND", "The kind of all documents of a table."),
    )
)
"""Options for tables whose documents do not give their version or kind."""


def current() -> Context:
    """Return the Context of the running command; outside a command, a default one."""
    active = click.get_current_context(silent=True)
    found = active.find_object(Context) if active is not None else None
    return found if found is not None else Context(Path())


def find_project(start: Path) -> Path:
    """Return the nearest folder with holdall.yaml at or above `start`, else `start`."""
    from holdall.scheme.projects import CONFIG_FILE

    place = start.resolve()
    for above in (place, *place.parents):
        if (above / CONFIG_FILE).is_file():
            return start if above == place else Path(os.path.relpath(above, place))
    return start


def describe(error: HoldallError | str) -> str:
    """Return the text of an error with its code; problems have codes of their own."""
    if isinstance(error, str | ProblemsError):
        return str(error)
    return f"{error.code} {error}"


def fail(error: HoldallError | str, code: int = USAGE) -> NoReturn:
    """Print an error and end the command with an exit code."""
    current().error(error)
    raise click.exceptions.Exit(code)


def end(*, findings: bool) -> NoReturn:
    """End the command: exit code 1 if there are findings, else 0."""
    raise click.exceptions.Exit(FINDINGS if findings else FINE)


def table(rows: Iterable[Sequence[str]], headers: Sequence[str]) -> str:
    """Return rows as aligned columns below their headers, without trailing blanks.

    Line breaks and control characters in a cell are shown escaped, so that a row is one line.
    """
    cells = [list(headers), *([printable(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headers))]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
    return "\n".join(lines)


@contextmanager
def problems_in_json(run: Context, *, as_json: bool) -> Iterator[None]:
    """With `as_json`, print the problems that end a command as one JSON value."""
    try:
        yield
    except ProblemsError as error:
        if as_json:
            run.echo_json({"problems": [problem_value(problem) for problem in error.problems]})
        raise


def forget(stream: TextIO) -> None:
    """Discard what a stream could not write, so that flushing it at exit does not fail again."""
    with suppress(OSError):  # a stream without a file has nothing to flush
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextmanager
def progress(
    items: Iterable[T], *, label: str = "", length: int | None = None
) -> Iterator[Iterable[T]]:
    """Yield the items, to be iterated with a bar on standard error if that is a terminal."""
    total = len(items) if length is None and isinstance(items, Sized) else length
    with bar(label, total, quiet=current().quiet) as shown:
        yield _counted(items, shown)


def _counted(items: Iterable[T], shown: Bar) -> Iterator[T]:
    for item in items:
        yield item
        shown.add()

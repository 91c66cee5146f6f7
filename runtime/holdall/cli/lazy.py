"""Commands that are imported only when used, so that the others start quickly."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import click

from holdall.suggest import nearest


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """Where a command is (`package.module:attribute`), its line in the list of commands, the extra
    of holdall that it needs, the task that it is listed under, and examples: of the command, or of
    each command of a group."""

    target: str
    help: str
    extra: str = "cli"
    task: str = "Commands"
    example: str = ""
    inner: Mapping[str, str] = field(default_factory=dict)

    @property
    def fix(self) -> str:
        """How to install what it needs."""
        return f"pip install 'holdall[{self.extra}]'"

    def end_help(self, command: click.Command) -> None:
        """Append examples to the help of a command, or of all commands of a group."""
        command.epilog = self.epilog(self.example)
        for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
            inner.epilog = self.epilog(self.inner[name])

    def epilog(self, example: str) -> str:
        """Return the end of a help text; `\b` keeps click from joining lines."""
        return f"\b\nExample:\n  {example}\n\n\b\nNeeds:\n  {self.fix}"


class LazyGroup(click.Group):
    """A group with commands by import string; listing them imports nothing."""

    def __init__(
        self, *arguments: Any, lazy: Mapping[str, LazyCommand] | None = None, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.lazy = dict(lazy or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in table order."""
        return [*self.lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command. Returns a stand-in if a package that it needs is not installed."""
        entry = self.lazy.get(cmd_name)
        if entry is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = entry.target.partition(":")
        try:
            loaded = importlib.import_module(module)
        except ModuleNotFoundError as error:
            return _Missing(cmd_name, entry, error)
        command: click.Command = getattr(loaded, attribute)
        entry.end_help(command)
        _read_text(command)
        if ctx.resilient_parsing:
            from holdall.cli.completing import complete_names

            complete_names(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command by name. Raises UsageError with the nearest name."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not ctx.resilient_parsing and not name.startswith("-"):
            raise click.UsageError(f"no command {name!r}{nearest(name, known)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each task from the table, without importing them."""
        tasks: dict[str, list[tuple[str, str]]] = {}
        for name, entry in self.lazy.items():
            tasks.setdefault(entry.task, []).append((name, entry.help))
        for task, rows in tasks.items():
            with formatter.section(task):
                formatter.write_dl(rows)


class _Text(click.types.StringParamType):
    """Text of the command line: only file names may have bytes that are not UTF-8."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text. Raises BadParameter if it is not UTF-8."""
        text = super().convert(value, param, ctx)
        try:
            text.encode()
        except UnicodeEncodeError:
            shown = os.fsencode(text).decode(errors="backslashreplace")
            self.fail(f"'{shown}' is not UTF-8; type it in a UTF-8 locale", param, ctx)
        return text


def _read_text(command: click.Command) -> None:
    """Make a command, or those of a group, refuse text that is not UTF-8."""
    for param in command.params:
        if param.type is click.STRING:
            param.type = _Text()
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _read_text(inner)


class _Missing(click.Command):
    """A command that cannot be loaded: its help and its error say what to install."""

    def __init__(self, name: str, entry: LazyCommand, error: ModuleNotFoundError) -> None:
        text = f"{entry.help}\n\nIts options are not shown: {error.name} is not installed."
        super().__init__(name, help=text, epilog=entry.epilog(entry.example))
        self._error = NotInstalledError(
            f"`holdall {name}` needs {error.name}, which is not installed.\n    fix: {entry.fix}"
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Answer `--help`; refuse everything else."""
        if {"--help"} & set(args):
            return super().parse_args(ctx, ["--help"])
        raise self._error


class NotInstalledError(click.ClickException):
    """A command needs a package that is not installed."""

    exit_code = 2

"""Commands that are imported when they are used, so that every other one starts quickly."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from holdall.suggest import nearest


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """Where a command is (`package.module:attribute`), its line in the list of commands, and the
    extra of holdall that it needs."""

    target: str
    help: str
    extra: str = "cli"


class LazyGroup(click.Group):
    """A group whose commands are named by import strings; listing them imports nothing."""

    def __init__(
        self, *arguments: Any, lazy: Mapping[str, LazyCommand] | None = None, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.lazy = dict(lazy or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of their table."""
        return [*self.lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command. Raises ClickException if what it needs is not installed."""
        entry = self.lazy.get(cmd_name)
        if entry is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = entry.target.partition(":")
        try:
            loaded = importlib.import_module(module)
        except ModuleNotFoundError as error:
            raise _not_installed(cmd_name, entry, error) from error
        command: click.Command = getattr(loaded, attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is named. Raises UsageError with the nearest name."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not ctx.resilient_parsing and not name.startswith("-"):
            raise click.UsageError(f"no command {name!r}{nearest(name, known)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table, without importing them."""
        rows = [(name, entry.help) for name, entry in self.lazy.items()]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


class NotInstalledError(click.ClickException):
    """A command needs a package that is not installed."""

    exit_code = 2


def _not_installed(name: str, entry: LazyCommand, error: ModuleNotFoundError) -> NotInstalledError:
    return NotInstalledError(
        f"`holdall {name}` needs {error.name}, which is not installed.\n"
        f"    fix: pip install 'holdall[{entry.extra}]'"
    )

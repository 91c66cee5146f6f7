"""`holdall completion`: a script for shells that completes commands, options and names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click
from click.shell_completion import get_completion_class

from holdall.cli.common import Context, fail, pass_run
from holdall.text.files import replace_file

_SHELLS: Final = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(_SHELLS), required=False)
@click.option("--install", is_flag=True, help="Write the script where the shell reads it.")
@pass_run
def command(run: Context, shell: str | None, install: bool) -> None:
    """Print a script that completes commands, options, versions, kinds, types and groups.

    Without a name, it is for the shell in the variable SHELL. With --install, writes the script to
    a file that new shells read: fish by itself, bash and zsh by a line in their configuration.

    Exit codes: 0 fine, 2 for an unknown shell or a file that cannot be written.
    """
    name = shell or Path(os.environ.get("SHELL", "")).name
    found = get_completion_class(name) if name in _SHELLS else None
    if found is None:
        fail(f"{name or 'an unknown shell'} is not supported; name one of {', '.join(_SHELLS)}")
    text = found(click.get_current_context().find_root().command, {}, "holdall", _VARIABLE).source()
    if not install:
        run.write(text)
        return
    home = Path.home()
    if name == "fish":
        config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        file, start = config / "fish/completions/holdall.fish", None
    else:
        data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
        file, start = data / f"holdall/completion.{name}", home / f".{name}rc"
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, text.encode())
    run.echo(f"wrote {file}")
    line = f'. "{file}"  # completion of holdall\n'
    known = start.read_text(encoding="utf-8") if start is not None and start.exists() else ""
    if start is not None and line not in known:
        gap = "\n" if known and not known.endswith("\n") else ""
        replace_file(start, f"{known}{gap}{line}".encode())
        run.echo(f"wrote {start}")
    run.note("next: open a new shell")


_VARIABLE: Final = "_HOLDALL_COMPLETE"
"""What the script sets to ask for completions; click reads it."""

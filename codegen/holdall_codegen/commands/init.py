"""`holdall init`: write a commented holdall.yaml."""

from __future__ import annotations

from pathlib import Path

import click

from holdall.cli.common import Context, json_option, pass_run
from holdall_codegen.project import CONFIG_FILE
from holdall_codegen.starter import write_starter


@click.command("init")
@click.argument("crd", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=f"The configuration to write; default: {CONFIG_FILE} in the project's folder.",
)
@json_option
@pass_run
def command(run: Context, crd: Path, output: Path | None, as_json: bool) -> None:
    """Write a commented holdall.yaml for the CRDs in CRD, a file or a folder.

    Exit codes: 0 fine, 2 if there is a configuration already or no CRD.
    """
    config = output if output is not None else run.root / CONFIG_FILE
    write_starter(crd, config)
    if as_json:
        run.echo_json({"written": config.as_posix()})
    else:
        run.echo(f"wrote {config.as_posix()}")
    run.note("next: check the order of the versions in it, then run `holdall generate`")

"""`holdall init`: write a commented holdall.yaml."""

from __future__ import annotations

from pathlib import Path

import click

from holdall.cli.common import Context, fail, json_option, pass_run
from holdall.types import JsonObject
from holdall_codegen.output.starter import write_starter
from holdall_codegen.output.starter_declared import write_declared_starter
from holdall_codegen.project import CONFIG_FILE


@click.command("init")
@click.argument("crd", type=click.Path(exists=True, path_type=Path), required=False)
@click.option(
    "--declared",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="MODULE",
    help="Declare versions in this Python file; write a first one if it is missing.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=f"The configuration to write; default: {CONFIG_FILE} in the project's folder.",
)
@json_option
@pass_run
def command(
    run: Context, crd: Path | None, declared: Path | None, output: Path | None, as_json: bool
) -> None:
    """Write a commented holdall.yaml for the CRDs in CRD, a file or a folder, or for a declaration.

    Exit codes: 0 fine, 2 if a configuration exists or no CRD was found.
    """
    config = output if output is not None else run.root / CONFIG_FILE
    if (crd is None) == (declared is None):
        fail("name either CRDs or, with --declared, a Python file")
    if declared is not None:
        is_new = write_declared_starter(declared, config)
        _report(run, config, declared if is_new else None, as_json=as_json)
        run.note("next: write your own types in it, then run `holdall generate`")
    elif crd is not None:
        write_starter(crd, config)
        _report(run, config, None, as_json=as_json)
        run.note("next: check the order of the versions in it, then run `holdall generate`")


def _report(run: Context, config: Path, module: Path | None, *, as_json: bool) -> None:
    if as_json:
        value: JsonObject = {"written": config.as_posix()}
        if module is not None:
            value["declaration"] = module.as_posix()
        run.echo_json(value)
        return
    for path in filter(None, (module, config)):
        run.echo(f"wrote {path.as_posix()}")

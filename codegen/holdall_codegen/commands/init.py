"""`holdall init`: write a commented holdall.yaml, and what deploys and checks a project."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from holdall.cli.common import Context, fail, json_option, pass_run
from holdall.errors import Problem, ProblemsError, SourceError
from holdall.types import JsonObject
from holdall_codegen.commands.proposing import declare_refused, starting_with_group
from holdall_codegen.output.starter import NO_SCHEMA, write_declared_starter, write_starter
from holdall_codegen.output.templates import PIPELINES, write_templates
from holdall_codegen.project import CONFIG_FILE
from holdall_codegen.propose import Proposal
from holdall_codegen.views.proposals import proposals_value


@click.command("init")
@click.argument("schemas", type=click.Path(exists=True, path_type=Path), required=False)
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
    help=f"The configuration file to write; default: {CONFIG_FILE} in the project's folder.",
)
@click.option("--deploy", is_flag=True, help="Write deploy/: a Dockerfile and Kustomizations.")
@click.option(
    "--ci",
    "pipeline",
    type=click.Choice(list(PIPELINES)),
    help="Write a pipeline that checks every change.",
)
@json_option
@pass_run
def command(
    run: Context,
    schemas: Path | None,
    declared: Path | None,
    output: Path | None,
    deploy: bool,
    pipeline: str | None,
    as_json: bool,
) -> None:
    """Write a commented holdall.yaml for the CRDs or JSON Schemas in SCHEMAS, a file or a folder,
    or for a declaration.

    The name of a file or folder says the version of a JSON Schema: order.v1.json, v1/order.json.
    Properties that change their type between two versions are declared at once: by a conversion
    that fits, or else as kept in the bag until a hook converts them.

    --deploy and --ci write files that deploy the webhook and check changes, also by themselves.

    Exit codes: 0 fine, 2 if one of the files exists or no schema was found.
    """
    config = output if output is not None else run.root / CONFIG_FILE
    is_start = schemas is not None or declared is not None
    if (schemas is None) == (declared is None) and (is_start or not (deploy or pipeline)):
        text = "init needs either SCHEMAS or --declared MODULE"
        fix = (
            "name the file or folder with your CRDs or JSON Schemas, such as `holdall init crds`; "
            "`holdall init --declared schemas/widgets.py` writes a first declaration"
        )
        fail(SourceError([Problem(NO_SCHEMA, "", text, fix)]))
    value: JsonObject = {}
    paths: list[Path] = []
    next_step = ""
    lines: dict[str, tuple[Proposal, ...]] = {}
    if declared is not None:
        next_step = "run `holdall generate`"
        if write_declared_starter(declared, config):
            value["declaration"] = declared.as_posix()
            paths.append(declared)
            next_step = f"write your own types in {declared.as_posix()}, then {next_step}"
    elif schemas is not None:
        write_starter(schemas, config)
        next_step = "check the order of the versions in it, then run `holdall generate`"
        if config.name == CONFIG_FILE:
            # `generate` reports in full what cannot be read.
            with suppress(ProblemsError):
                lines = declare_refused(config.parent)
        value["declared"] = proposals_value(lines)
    if is_start:
        value["written"] = config.as_posix()
        paths.append(config)
    templates = write_templates(run.root, deploy=deploy, pipeline=pipeline)
    if templates:
        value["templates"] = [path.as_posix() for path in templates]
    if as_json:
        run.echo_json(value)
        return
    for path in (*paths, *templates):
        run.echo(f"wrote {path.as_posix()}")
    for start, item in starting_with_group(lines):
        run.echo(f"declared {start}{item.line}  # {item.reason}")
    if any(lines.values()):
        run.note("these are guesses; without them nothing could be generated, so check them")
    if next_step:
        run.note(f"next: {next_step}")

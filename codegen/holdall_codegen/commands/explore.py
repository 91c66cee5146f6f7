"""`holdall explore`: a project as one HTML page, or as a live one."""

from __future__ import annotations

import webbrowser
from contextlib import nullcontext
from pathlib import Path

import click

from holdall.cli.common import Context, json_option, pass_run
from holdall.cli.older import older_state
from holdall.text.files import replace_file
from holdall.types import JsonObject
from holdall_codegen.commands.common import loaded
from holdall_codegen.explore.model import Wanted, cuts, project_model
from holdall_codegen.explore.page import page
from holdall_codegen.explore.server import LOCAL, Explorer, make_server

_PAGE = Path("explore.html")


@click.command("explore")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    default=_PAGE,
    metavar="FILE",
    help="Write the page here.",
)
@click.option(
    "--objects",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE|DIR",
    help="Show these objects; repeatable. Default: those in the folder samples, if it exists.",
)
@click.option(
    "--against", "revision", metavar="REF", help="Show the differences to a git revision."
)
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=50,
    help="Objects to draw for the laws, for each kind and version; 0 checks none.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, help="The seed of the objects to draw."
)
@click.option("--serve", is_flag=True, help="Serve the page, and convert what is pasted into it.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8470,
    help="With --serve: the port to listen on, on this machine only; 0 takes a free one.",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@json_option
@pass_run
def command(
    run: Context,
    output: Path,
    objects: tuple[Path, ...],
    revision: str | None,
    examples: int,
    seed: int,
    serve: bool,
    port: int,
    opens: bool,
    as_json: bool,
) -> None:
    """Make a page that shows the project: every property through all versions, objects at each
    version with their bags, the results of the laws, and differences to a git revision.

    The page is one file, and needs neither a server nor a network. With --serve it is live: the
    project converts objects that you paste, and reads files again that have changed.

    Exit codes: 0 fine, 1 refused properties, 2 unreadable input or unwritable output.
    """
    project = loaded(run)
    # A live page needs the older state for as long as it is served.
    with older_state(run.root, revision) if revision else nullcontext() as older:
        wanted = Wanted(objects, examples, seed, revision or "", older)
        if serve:
            _serve(run, wanted, port, opens=opens)
        else:
            _show(run, project_model(project, wanted), output, as_json=as_json, opens=opens)


def _show(run: Context, model: JsonObject, output: Path, *, as_json: bool, opens: bool) -> None:
    if as_json:
        run.echo_json(model)
        return
    replace_file(output, page(model).encode())
    if model["missing"]:
        run.warn(f"the page has no objects and no laws: {model['missing']}")
    for text in cuts(model):
        run.warn(text)
    run.note(f"{output} written")
    if opens:
        webbrowser.open(output.resolve().as_uri())


def _serve(run: Context, wanted: Wanted, port: int, *, opens: bool) -> None:
    explorer = Explorer(run.root.resolve(), wanted)
    with make_server(explorer, port) as server:
        address = f"http://{LOCAL}:{server.server_address[1]}/"
        run.echo(f"{address} (Ctrl+C ends it)")
        if opens:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            run.note("ended")
        finally:
            explorer.close()

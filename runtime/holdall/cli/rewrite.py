"""`holdall rewrite`: rewrite documents in a database table at another version, or roll back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from sqlalchemy import exc

from holdall.bulk.drafts import Draft, held
from holdall.cli.bars import bar, can_draw
from holdall.cli.bulk import require_apart
from holdall.cli.common import COLUMN_OPTIONS, Context, current, end, json_option, pass_run
from holdall.cli.common import table as aligned
from holdall.cli.inputs import read_rate
from holdall.databases.records import count_records, drop_records, has_records, make_records
from holdall.databases.refusals import gave_up, refused
from holdall.databases.rewriting import Conversions, Pace, Pass, Tally, returning, rewriting
from holdall.databases.rows import Key, Reader, Writer
from holdall.databases.state import State
from holdall.databases.tables import Names, Place, connect, find
from holdall.scheme.batches import Fault
from holdall.scheme.projects import load_schemes
from holdall.text import json as _json
from holdall.types import JsonObject
from holdall.words import counted

F = TypeVar("F", bound=Callable[..., Any])

_NAMES: Final = ("table", "column", "keys", "version_column", "kind_column", "kind")

_OPTIONS: Final = (
    click.argument("url"),
    click.option(
        "--table",
        required=True,
        metavar="NAME",
        help="The table, or SCHEMA.TABLE; a name with a dot in double quotes.",
    ),
    click.option("--column", required=True, metavar="NAME", help="The column of documents."),
    click.option(
        "--key",
        "keys",
        multiple=True,
        metavar="NAME",
        help="A column that tells rows apart; repeatable. Default: the primary key.",
    ),
    *COLUMN_OPTIONS,
    click.option(
        "--batch",
        type=click.IntRange(1, 100_000),
        default=500,
        help="Rows to write in one transaction.",
    ),
    click.option(
        "--rate",
        type=read_rate,
        default="0",
        metavar="N/s",
        help="Write at most this many rows per second; 0: no limit.",
    ),
    click.option(
        "--state",
        "state_file",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Record progress in this file, and resume from it.",
    ),
    click.option(
        "--errors",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write rows that stay as they are to this file, as JSON lines with key and reason.",
    ),
)


def table_options(command: F) -> F:
    """Decorate a command that goes through a table; it fails with what the database refuses.

    The command gets `names` and `pace`.
    """

    @wraps(command)
    def guarded(*arguments: Any, **options: Any) -> Any:
        names = Names(*map(options.pop, _NAMES))
        pace = Pace(options.pop("batch"), options.pop("rate"))
        if options["errors"] is not None and options["state_file"] is not None:
            require_apart(options["errors"], [options["state_file"]])
        try:
            return command(*arguments, names=names, pace=pace, **options)
        except exc.SQLAlchemyError as error:
            raise gave_up(f"{names.table}.{names.column}", error) from error

    found: Any = guarded
    for option in reversed(_OPTIONS):
        found = option(found)
    return found  # type: ignore[no-any-return]


def opened(url: str, names: Names) -> Place:
    """Find the table; its connections are closed when the command ends. Raises DatabaseError."""
    engine = connect(url)
    click.get_current_context().call_on_close(engine.dispose)
    return find(engine, names)


@dataclass
class Reported:
    """Rows that stay as they are: printed one by one, written to a file, or kept for `--json`."""

    run: Context
    place: Place
    file: Path | None
    as_json: bool
    problems: list[JsonObject] = field(default_factory=list)
    _draft: Draft | None = field(default=None, init=False)

    def __call__(self, key: Key, fault: Fault) -> None:
        """Take a row that stays as it is."""
        names = [str(column.name) for column in self.place.keys]
        shown: JsonObject = {name: str(part) for name, part in zip(names, key, strict=True)}
        said = {name: fault.to_json()[name] for name in ("code", "path", "message", "fix")}
        problem: JsonObject = {"key": shown, **said}
        if self._draft is not None:
            self._draft.write(_json.encode(problem) + b"\n")
        if self.as_json:
            self.problems.append(problem)
        if self._draft is not None or self.as_json:
            return
        where = ", ".join(f"{name} {part}" for name, part in shown.items())
        path = f"{fault.path}: " if fault.path else ""
        self.run.error(f"{fault.code} {where}: {path}{fault.message}\n    fix: {fault.helps}")

    @contextmanager
    def written(self) -> Iterator[None]:
        """Write the file, if there is to be one, also if the pass over the table ends early.

        Raises OSError at once if it cannot be written, SourceError if another run writes it, and
        UsageError if it is the database itself.
        """
        if self.file is None:
            yield
            return
        if self.place.dialect == "sqlite":
            require_apart(self.file, [Path(self.place.engine.url.database or "")])
        self._draft = Draft(self.file)
        with held([self.file]):
            self._draft.begin()
            try:
                yield
            finally:
                self._draft.place()

    def recall(self, way: Pass) -> None:
        """Print the number of rows that an earlier run reported and left as they are."""
        if way.state.refused:
            rows = f"rows that earlier runs left as they are: {way.state.refused:,}"
            self.run.note(f"{rows}; run it again to list them")


@contextmanager
def counting(way: Pass, label: str) -> Iterator[None]:
    """Show the progress of a pass over the table, on a terminal."""
    is_quiet = current().quiet or not can_draw()
    total = None if is_quiet else way.reader.count(way.after)
    with bar(label, total, quiet=is_quiet) as shown:
        way.tally.tell = shown.add
        yield


def go_through(
    place: Place, names: tuple[Path | None, str], pace: Pace, tally: Tally, *, records: bool = False
) -> Pass:
    """Return a pass over a table, or over its rows with records; `names` are the state file and the
    name of the work. Raises DatabaseError."""
    state = State(names[0], place, names[1])
    reader = Reader(place, pace.batch, of_records=records)
    return Pass(place, reader, tally, pace, state, state.load())


@click.command("rewrite")
@table_options
@click.option("--to", metavar="VERSION", help="The version or apiVersion to rewrite to.")
@click.option("--dry-run", is_flag=True, help="Count rows by version; change nothing.")
@click.option("--verify", is_flag=True, help="First prove that every row comes back exactly.")
@click.option("--rollback", is_flag=True, help="Take rows back to the version they had before.")
@click.option(
    "--no-record",
    is_flag=True,
    help="Do not record former versions; --rollback is then impossible.",
)
@json_option
@pass_run
def command(
    run: Context,
    /,
    url: str,
    names: Names,
    pace: Pace,
    state_file: Path | None,
    errors: Path | None,
    to: str | None,
    dry_run: bool,
    verify: bool,
    rollback: bool,
    no_record: bool,
    as_json: bool,
) -> None:
    """Rewrite the documents in a database table at another version.

    URL is an SQLAlchemy database URL, such as sqlite:///orders.db or postgresql://me@host/shop.
    Reads rows in key order, and writes them in batches, each in one transaction, and only if they
    have not changed since. You can run it again at any time: rows that already have the version
    stay as they are.

    Exit codes: 0 all rows have the version, 1 some rows stay as they are, or (with --dry-run)
    there is something to write, 2 wrong usage, or a database error.
    """
    if rollback == bool(to):
        raise click.UsageError("pass --to VERSION, or --rollback")
    if rollback and (verify or no_record):
        raise click.UsageError("--verify and --no-record are not for --rollback")
    schemes = load_schemes(run.root)
    place = opened(url, names)
    conversions = Conversions(schemes, place)
    reported = Reported(run, place, errors, as_json)
    tally = Tally(report=reported)
    if to:
        conversions.to(to)
        if not no_record:
            has_records(place.engine, place.records)  # refuses another program's table at once
        way = go_through(place, (None if dry_run else state_file, f"rewrite {to}"), pace, tally)
        if verify and not dry_run:
            _prove(conversions, to, reported, pace)
        change = rewriting(conversions, to, tally, verify=verify, recorded=not no_record)
        if not dry_run and not no_record:
            make_records(place.engine, place.records)
        writer = Writer(place, "none" if no_record else "add")
    else:
        if not has_records(place.engine, place.records):
            text = "there is no record of the former versions of its rows"
            raise refused("HA431", place.name, text, "rewrite them: pass --to VERSION")
        change = returning(conversions, tally)
        named = None if dry_run else state_file, "rollback"
        way = go_through(place, named, pace, tally, records=True)
        writer = Writer(place, "remove")
    with counting(way, "rewriting"), reported.written():
        if not way.run(change, None if dry_run else writer):
            run.note("another rollback took back the other rows meanwhile")
    if not to and not dry_run and not count_records(place.engine, place.records):
        drop_records(place.engine, place.records)
    reported.recall(way)
    _show(tally, reported)
    end(findings=bool(tally.outcomes["refused"] or tally.outcomes["to write"]))


def _prove(conversions: Conversions, to: str, reported: Reported, pace: Pace) -> None:
    """Convert all rows there and back; end the command if one does not come back."""
    tally = Tally(report=reported)
    way = go_through(reported.place, (None, ""), pace, tally)
    with counting(way, "verifying"), reported.written():
        way.run(rewriting(conversions, to, tally, verify=True, recorded=True), None)
    if tally.outcomes["refused"]:
        bad = tally.outcomes["refused"] - tally.one_way
        said = [f"{counted(bad, 'row')} cannot be converted"] if bad else []
        if tally.one_way:
            said.append(f"{counted(tally.one_way, 'row')} would not come back")
        if reported.as_json:
            _show(tally, reported)
        reported.run.note(f"{', '.join(said)}; nothing was written")
        end(findings=True)


def _show(tally: Tally, reported: Reported) -> None:
    run, name = reported.run, reported.place.name
    if reported.as_json:
        run.echo_json(
            {
                "column": name,
                "versions": dict(tally.versions),
                "outcomes": dict(tally.outcomes),
                "bags": {"rows": tally.bags, "bytes": tally.bag_bytes},
                "problems": [*reported.problems],
            }
        )
        return
    rows = [(version, f"{count:,}") for version, count in sorted(tally.versions.items())]
    if rows:
        run.echo(aligned(rows, ("VERSION BEFORE", "ROWS")))
    counts = ", ".join(f"{count:,} {name}" for name, count in sorted(tally.outcomes.items()))
    run.echo(f"{name}: {counts or 'no rows'}")
    if tally.bags:
        run.echo(f"rows with bags: {tally.bags:,}, {counted(tally.bag_bytes, 'byte')}")

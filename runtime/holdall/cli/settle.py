"""`holdall settle`: drop what rows of a table need to be rolled back."""

from __future__ import annotations

from pathlib import Path

import click

from holdall.cli.common import Context, end, json_option, pass_run
from holdall.cli.common import table as aligned
from holdall.cli.rewrite import Reported, counting, go_through, opened, table_options
from holdall.databases.records import count_records, drop_records
from holdall.databases.rewriting import Conversions, Pace, Tally
from holdall.databases.rows import Writer
from holdall.databases.settling import Bags, settling
from holdall.databases.tables import Names
from holdall.scheme.projects import load_schemes
from holdall.words import counted


@click.command("settle")
@table_options
@click.option("--to", required=True, metavar="VERSION", help="The version that all rows have.")
@click.option("--apply", is_flag=True, help="Drop what is listed.")
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
    to: str,
    apply: bool,
    as_json: bool,
) -> None:
    """Drop what is kept for rollbacks: bags of rows, and the record of their former versions.

    Without --apply, lists what would be dropped, and changes nothing.

    Exit codes: 0 nothing is left to drop, 1 something is, or rows prevent it, 2 wrong usage, or
    a database error.
    """
    place = opened(url, names)
    conversions = Conversions(load_schemes(run.root), place)
    conversions.to(to)
    reported = Reported(run, place, errors, as_json)
    bags, look = Bags(), Tally(report=reported)
    records = count_records(place.engine, place.records)
    way = go_through(place, (None, ""), Pace(pace.batch), look)
    with counting(way, "listing"), reported.written():
        way.run(settling(conversions, to, look, bags), None)
    _show(bags, records, reported)
    if look.outcomes["refused"] or not apply:
        end(findings=bool(look.outcomes["refused"] or bags.rows or records))
    tally = Tally(report=reported)
    way = go_through(place, (state_file, f"settle {to}"), pace, tally)
    with counting(way, "settling"), reported.written():
        way.run(settling(conversions, to, tally, Bags()), Writer(place, "none"))
    reported.recall(way)
    if not tally.outcomes["refused"]:
        drop_records(place.engine, place.records)
    run.note(f"{place.name}: {counted(tally.outcomes['written'], 'row')} settled")
    end(findings=tally.outcomes["refused"] > 0)


def _show(bags: Bags, records: int, reported: Reported) -> None:
    run, name = reported.run, reported.place.name
    entries = sorted(bags.entries.items())
    if reported.as_json:
        run.echo_json(
            {
                "column": name,
                "rows": bags.rows,
                "bytes": bags.bytes,
                "records": records,
                "entries": [
                    {"origin": origin, "property": key, "rows": count}
                    for (origin, key), count in entries
                ],
                "problems": [*reported.problems],
            }
        )
        return
    if entries:
        rows = [(origin, key, f"{count:,}") for (origin, key), count in entries]
        run.echo(aligned(rows, ("ORIGIN", "PROPERTY", "ROWS")))
    run.echo(f"{name}: bags in {counted(bags.rows, 'row')}, {counted(bags.bytes, 'byte')}")
    run.echo(f"records of former versions: {records:,}")

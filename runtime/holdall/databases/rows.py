"""Rows: read in key order, and written only if they have not changed since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import sqlalchemy as sa
from sqlalchemy import exc

from holdall.databases import dialects
from holdall.databases.records import BEFORE, has_records
from holdall.databases.refusals import cause, meaning, patiently, refused
from holdall.databases.tables import Place

_BEFORE: Final = "holdall_before"
Key: TypeAlias = tuple[Any, ...]
Written: TypeAlias = Literal["written", "changed", "refused"]
Note: TypeAlias = Literal["add", "remove", "none"]
"""What happens to the record of a row, in the transaction that writes it."""


class Row(NamedTuple):
    """One row: its key, its document as the driver returns it, and its version and kind columns."""

    key: Key
    document: Any
    version: str = ""
    kind: str = ""
    before: str = ""

    def text(self) -> bytes:
        """Return the document as bytes."""
        found = self.document
        if isinstance(found, int | float):  # SQLite stores any type in any column
            found = str(found)
        return found.encode(errors="surrogatepass") if isinstance(found, str) else bytes(found)


class Change(NamedTuple):
    """The new state of a row; without a document only its record changes."""

    row: Row
    document: bytes | None
    version: str = ""
    kind: str = ""


class Reader:
    """Reads the rows after a key, in key order; with `of_records`, only those with a record."""

    def __init__(self, place: Place, limit: int, *, of_records: bool = False) -> None:
        self._place, self._of_records = place, of_records
        keys = [*(place.records.columns if of_records else place.table.columns)]
        names = [key.name for key in place.keys]
        by_name = {key.name: key for key in keys}
        self._keys = [by_name[name] for name in names]
        dialect = place.dialect
        chosen: list[Any] = [
            dialects.key_value(key, dialect).label(f"k{i}") for i, key in enumerate(self._keys)
        ]
        chosen.append(dialects.read(place.column, place.storage).label("d"))
        for label, column in (("v", place.version), ("n", place.kinds)):
            chosen.append((sa.literal("") if column is None else column).label(label))
        query = sa.select(*chosen)
        if of_records:
            same = [by_name[key.name] == key for key in place.keys]
            query = query.add_columns(place.records.columns[BEFORE].label("b"))
            query = query.select_from(place.records.outerjoin(place.table, sa.and_(*same)))
        self._first = query.order_by(*self._keys).limit(limit)
        behind = dialects.after(self._keys, dialect)
        self._after = self._first.where(behind)
        source = place.records if of_records else place.table
        self._count = sa.select(sa.func.count()).select_from(source)
        self._count_after = self._count.where(behind)
        self._one = query.where(*dialects.is_key(self._keys, dialect))

    def batches(self, after: Key | None = None) -> Iterator[list[Row]]:
        """Yield the rows after a key, at most `limit` at once, each batch by a query of its own."""
        while True:
            rows = self._read(self._first if after is None else self._after, _marks("after", after))
            if not rows:
                return
            after = rows[-1].key
            yield rows

    def count(self, after: Key | None = None) -> int:
        """Return how many rows come after a key."""
        query = self._count if after is None else self._count_after

        def count() -> int:
            with self._place.engine.connect() as connection:
                return int(connection.execute(query, _marks("after", after)).scalar_one())

        return patiently(count)

    def is_over(self, error: exc.SQLAlchemyError) -> bool:
        """Return whether reading or writing failed because no record is left: another run took all
        rows back meanwhile, and dropped the table of records."""
        if not self._of_records or meaning(error) != "no table":
            return False
        return not has_records(self._place.engine, self._place.records)

    def one(self, key: Key) -> Row | None:
        """Read a row again; None if it is gone."""
        found = self._read(self._one, _marks("k", key))
        return found[0] if found else None

    def _read(self, query: sa.Executable, marks: dict[str, Any]) -> list[Row]:
        def read() -> list[Row]:
            with self._place.engine.connect() as connection:
                return [self._row(found) for found in connection.execute(query, marks)]

        return patiently(read)

    def _row(self, found: Sequence[Any]) -> Row:
        """Raise DatabaseError for a key that can be read but not used in a query."""
        count = len(self._place.keys)
        key = tuple(found[:count])
        try:
            for part in key:
                if isinstance(part, str):
                    part.encode()
        except UnicodeEncodeError as error:
            text = f"the key {error.object!r} is not UTF-8, so its row cannot be found"
            fix = "correct it, or pass --key with another unique column"
            raise refused("HA423", self._place.name, text, fix) from error
        document, version, kind, *before = found[count:]
        return Row(key, document, str(version or ""), str(kind or ""), *map(str, before))


def _marks(name: str, key: Key | None) -> dict[str, Any]:
    return {f"holdall_{name}_{index}": part for index, part in enumerate(key or ())}


class Writer:
    """Writes rows that have not changed since they were read, and their records."""

    def __init__(self, place: Place, note: Note) -> None:
        self._place = place
        self._note = note
        raw = dialects.RAW
        column = place.column
        values: dict[Any, Any] = {column: dialects.bound("holdall_new", column, place.storage)}
        still = [dialects.is_still(column, place.storage, place.dialect)]
        for name, said in (("version", place.version), ("kind", place.kinds)):
            if said is not None:
                values[said] = sa.bindparam(f"holdall_new_{name}", type_=raw)
                still.append(dialects.raw(said) == sa.bindparam(f"holdall_old_{name}", type_=raw))
        own = dialects.is_key([*place.keys], place.dialect)
        self._update = place.table.update().where(*own, *still).values(values)
        noted = [place.records.columns[key.name] for key in place.keys]
        at = dialects.is_key(noted, place.dialect)
        self._forget = place.records.delete().where(*at)
        marks: dict[sa.Column[Any], Any] = {
            key: dialects.key_mark(f"holdall_k_{i}", key, place.dialect)
            for i, key in enumerate(noted)
        }
        marks[place.records.columns[BEFORE]] = sa.bindparam(_BEFORE, type_=raw)
        self._remember = place.records.insert().inline().values(marks)

    def write(self, changes: Sequence[Change]) -> list[tuple[Change, Written, str]]:
        """Write all changes in one transaction, and return what happened to each.

        If one has changed meanwhile or is refused, each is written by itself. Retries while the
        database is busy. Raises DBAPIError for errors that no row causes, such as a full disk, a
        lost connection or a lasting lock.
        """
        if not changes:
            return []
        try:
            if patiently(lambda: self._write_all(changes)):
                return [(change, "written", "") for change in changes]
        except exc.DBAPIError as error:
            if _concerns_no_row(error):
                raise
        return [self._write_one(change) for change in changes]

    def _write_all(self, changes: Sequence[Change]) -> bool:
        keys = [_marks("k", change.row.key) for change in changes]
        pairs = [*zip(keys, changes, strict=True)]
        updates = [{**key, **values} for key, change in pairs if (values := self._values(change))]
        with self._place.engine.connect() as connection, connection.begin() as transaction:
            if updates:
                done = connection.execute(self._update, updates)
                if done.rowcount != len(updates):
                    transaction.rollback()
                    return False
            if self._note != "none":
                connection.execute(self._forget, keys)
            if self._note == "add":
                noted = [{**key, _BEFORE: change.row.before} for key, change in pairs]
                connection.execute(self._remember, noted)
            return True

    def _write_one(self, change: Change) -> tuple[Change, Written, str]:
        try:
            is_written = patiently(lambda: self._write_all([change]))
            return change, "written" if is_written else "changed", ""
        except exc.DBAPIError as error:
            if _concerns_no_row(error):
                raise
            return change, "refused", cause(error)

    def _values(self, change: Change) -> dict[str, Any]:
        """Return the parameters of an update besides the key; none if only the record changes."""
        row, new = change.row, change.document
        if new is None:
            return {}
        written = new.decode() if isinstance(row.document, str) else new
        found: dict[str, Any] = {"holdall_old": row.document, "holdall_new": written}
        if self._place.version is not None:
            found |= {"holdall_old_version": row.version, "holdall_new_version": change.version}
        if self._place.kinds is not None:
            found |= {"holdall_old_kind": row.kind, "holdall_new_kind": change.kind}
        return found


def _concerns_no_row(error: exc.DBAPIError) -> bool:
    means = meaning(error)
    is_general = isinstance(error, exc.OperationalError) and means != "row"
    return is_general or means in ("lost", "read-only", "no table")

"""Rewriting all rows of a table, batch by batch, and rolling them back."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import exc

from holdall.bulk.documents import Documents, Result
from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.databases.refusals import gave_up
from holdall.databases.rows import Change, Key, Reader, Row, Writer
from holdall.databases.state import State
from holdall.databases.tables import Place
from holdall.errors import HoldallError
from holdall.objects.bag import ANNOTATION_DOMAIN, BAG_MEMBER
from holdall.scheme.batches import Fault, describe_failure
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.text import json as _json
from holdall.types import members

_TRIES: Final = 5
_MARKS: Final = ANNOTATION_DOMAIN.encode(), BAG_MEMBER.encode()
"""Every document that carries a bag contains one of these."""


@dataclass(slots=True)
class Tally:
    """What happened to the rows: counts by outcome and by version before; bags in written rows.

    Outcomes: `written` or, in a dry run, `to write`; `unchanged`, `empty`, `gone` (deleted
    meanwhile), `refused`. `one_way` counts refused rows that can be converted, but would not come
    back.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    versions: Counter[str] = field(default_factory=Counter)
    bags: int = 0
    bag_bytes: int = 0
    one_way: int = 0
    report: Callable[[Key, Fault], None] = lambda _key, _fault: None
    tell: Callable[[int], None] = lambda _rows: None

    def count(self, change: Change, outcome: str = "written") -> None:
        """Count a row with its outcome, and the bags that it carries now."""
        if change.document is None:
            outcome = "gone" if change.row.document is None else "unchanged"
        elif any(mark in change.document for mark in _MARKS):
            self.bags += 1
            self.bag_bytes += bag_bytes(change.document)
        self.outcomes[outcome] += 1

    def refuse(self, row: Row, fault: Fault) -> None:
        """Count and report a row that stays as it is."""
        self.outcomes["refused"] += 1
        self.report(row.key, fault)


@dataclass(frozen=True, slots=True)
class Pace:
    """How many rows are read and written together, and the maximum number written per second."""

    batch: int = 500
    rate: float = 0

    def wait(self, written: int, since: float) -> None:
        """Sleep until the rate allows this many rows since then."""
        if self.rate:
            time.sleep(max(written / self.rate - (time.monotonic() - since), 0))


class Conversions:
    """Converts the documents of a table to a version, and back to their former ones.

    Raises UnknownKindError if no scheme has the kind given for all documents.
    """

    def __init__(self, schemes: Iterable[Scheme], place: Place) -> None:
        self._schemes = Schemes(schemes)
        self._schemes.check_kind(place.kind)
        self._place = place
        self.kind = place.kind
        self._by_version: dict[str, Documents] = {}

    def convert(self, row: Row, to: str) -> Result:
        """Convert the document of a row."""
        for column, word in ((self._place.version, row.version), (self._place.kinds, row.kind)):
            if column is not None and not word:
                fault = Fault("HA413", "", f"the column {column.name!r} is empty")
                return Result("failed", row.text(), fault=fault)
        return self.to(to).convert(row.text(), row.kind or self.kind, row.version)

    def returns(self, row: Row, result: Result) -> Fault | None:
        """Return why a converted document would not come back as it was; None if it would."""
        if not result.before:
            return Fault(
                "HA425", "", "its documents have several versions, so there is none to go back to"
            )
        back = self.to(result.before).convert(result.document, result.kind, result.version)
        if back.fault is not None:
            text = f"it could not be converted back to {result.before}: {back.fault.message}"
            return Fault(back.fault.code, back.fault.path, text)
        if _json.same(_json.decode(back.document), _json.decode(row.text())):
            return None
        return Fault("HA425", "", f"converted back to {result.before}, it would not be the same")

    def to(self, version: str) -> Documents:
        """Return the converter of documents to a version. Raises UnknownKindError."""
        found = self._by_version.get(version)
        if found is None:
            found = self._by_version[version] = Documents(self._schemes, version)
        return found


@dataclass(slots=True)
class Pass:
    """One pass over the rows after a key."""

    place: Place
    reader: Reader
    tally: Tally
    pace: Pace
    state: State
    after: Key | None

    def run(self, change: Callable[[Row], Change | None], writer: Writer | None) -> bool:
        """Process all remaining rows; `change` returns None for a row that stays.

        Without a writer nothing is changed. Returns False if another run took the last rows back.
        Raises DatabaseError if the database fails; written rows stay, and the state keeps the
        position.
        """
        since = time.monotonic()
        if self.state.refused:
            self.tally.outcomes["refused"] += self.state.refused
        try:
            for rows in self.reader.batches(self.after):
                changes = [found for row in rows if (found := change(row)) is not None]
                if writer is None:
                    for one in changes:
                        self.tally.count(one, "to write")
                else:
                    written = self._write(writer, changes, change)
                    self.state.save(rows[-1].key, self.tally.outcomes["refused"])
                    self.pace.wait(written, since)
                    since = time.monotonic()  # idle time must not allow a burst later
                self.tally.tell(len(rows))
            is_overtaken = False
        except exc.SQLAlchemyError as error:
            is_overtaken = self.reader.is_over(error)
            if not is_overtaken:
                self.state.flush()
                raise gave_up(self.place.name, error) from error
        except BaseException:
            self.state.flush()
            raise
        self.state.remove()
        return not is_overtaken

    def _write(
        self, writer: Writer, changes: Sequence[Change], change: Callable[[Row], Change | None]
    ) -> int:
        """Write a batch; rows that others changed meanwhile are read and converted again."""
        written = 0
        alike: list[Change] = []  # those that no one has changed
        for _ in range(_TRIES):
            again: list[Change] = []
            alike.clear()
            for done, outcome, text in writer.write(changes):
                if outcome == "written":
                    written += 1
                    self.tally.count(done)
                elif outcome == "refused":
                    self.tally.refuse(
                        done.row, Fault("HA426", "", f"the database refuses it: {text}")
                    )
                elif (row := self.reader.one(done.row.key)) is None:
                    self.tally.outcomes["gone"] += 1
                else:
                    once = self.tally.versions.copy()  # the row is already counted
                    if (anew := change(row)) is not None:
                        again.append(anew)
                        if row == done.row._replace(before=row.before):
                            alike.append(anew)
                    self.tally.versions = once
            changes = again
            if not changes:
                return written
        for left in changes:
            fault = Fault("HA427", "", "others changed it before each attempt to write it")
            if left in alike:
                text = "the database refuses it: without an error it stays as it was"
                fix = "look for a trigger, a rule or a policy of the table that prevents the update"
                fault = Fault("HA426", "", text, fix=fix)
            self.tally.refuse(left.row, fault)
        return written


def rewriting(
    conversions: Conversions, to: str, tally: Tally, *, verify: bool, recorded: bool
) -> Callable[[Row], Change | None]:
    """Return a function that rewrites a row at a version. With `verify`, only rows that come back
    exactly; a `recorded` one needs a version to go back to."""

    def change(row: Row) -> Change | None:
        if row.document is None:
            tally.outcomes["empty"] += 1
            return None
        result = conversions.convert(row, to)
        tally.versions[result.before or "none"] += 1
        fault = result.fault
        is_to_return = verify or (recorded and not result.before)
        if fault is None and result.outcome == "converted" and is_to_return:
            fault = conversions.returns(row, result)
            tally.one_way += fault is not None
        if fault is not None:
            tally.refuse(row, fault)
            return None
        if result.outcome != "converted":
            tally.outcomes["unchanged"] += 1
            return None
        noted = row._replace(before=result.before)
        return Change(noted, result.document, result.version, result.kind)

    return change


def returning(conversions: Conversions, tally: Tally) -> Callable[[Row], Change | None]:
    """Return a function that converts a row back to the version in its record."""

    def change(row: Row) -> Change | None:
        if row.document is None:
            return Change(row, None)  # deleted, or emptied
        try:
            result = conversions.convert(row, row.before)
        except HoldallError as error:
            fix = "roll back with a project that still has this version"
            tally.refuse(row, describe_failure(error, "")._replace(fix=fix))
            return None
        tally.versions[result.before or "none"] += 1
        if result.fault is not None:
            tally.refuse(row, result.fault)
            return None
        if result.outcome != "converted":
            return Change(row, None)
        return Change(row, result.document, result.version, result.kind)

    return change


def bag_bytes(document: bytes) -> int:
    """Return how many bytes of a document carry its bags."""
    value = _json.decode(document)
    annotations = members(value, "metadata", "annotations")
    places = (
        (annotations, SPEC_ANNOTATION),
        (annotations, STATUS_ANNOTATION),
        (members(value), BAG_MEMBER),
        (members(value, "status"), BAG_MEMBER),
    )
    return sum(len(_json.encode(holder[name])) for holder, name in places if name in holder)

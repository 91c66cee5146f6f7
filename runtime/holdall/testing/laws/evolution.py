"""Objects stored under another plan, read under this one (L13).

Live values do not change, and each entry of a bag is used, kept or reported. A separate process
draws and converts the older objects: `python -m holdall.testing.laws.evolution EXAMPLES SEED
PACKAGE...` writes a line for each.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.carriers.reports import Report
from holdall.carriers.text import decode_annotation
from holdall.errors import HoldallError, Problem, SchemeError, UnknownKindError
from holdall.objects.bag import BAG_MEMBER, MARKS
from holdall.scheme.projects import import_scheme
from holdall.testing.laws.cases import drawn_case, whole_cases
from holdall.testing.laws.differences import MISSING, differences, lines
from holdall.testing.laws.hidden import boundary_of, find, opened
from holdall.testing.laws.judge import describe, is_refusal
from holdall.testing.laws.processes import lines_of
from holdall.testing.laws.returning import Names, linked_names
from holdall.testing.laws.shown import shown
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.text.files import keep_for_results
from holdall.types import JsonObject, JsonValue, is_json_object, members

_FULL = 4


def stored_yesterday(
    path: Sequence[Path], packages: Sequence[str], examples: int, seed: int
) -> Iterator[tuple[str, JsonObject]]:
    """Yield objects that the packages on a path convert, each with its package.

    They have the version to which they were converted, with what it hides in their carrier.
    Raises SchemeError if the packages cannot convert any more, WorkerLost.
    """
    entries = [str(entry.resolve()) for entry in path]
    for line in lines_of(__name__, str(examples), str(seed), *packages, path=entries):
        found: Any = _json.decode(line)
        if "error" in found:
            text = "the older state cannot be loaded, so nothing was checked"
            fix = "install what it imports, or compare with a state that can be loaded here"
            raise SchemeError([Problem("HA710", found["package"], text, fix, found["error"])])
        yield found["package"], found["object"]


def _objects(subject: Subject, examples: int, seed: int) -> Iterator[JsonObject]:
    for kind in subject.kinds():
        served = subject.served(kind)
        for start in served:
            cases = [*islice(whole_cases(subject, kind, start), _FULL)]
            cases += [drawn_case(subject, kind, start, seed + number) for number in range(examples)]
            for case in cases:
                if case.drawn in served:
                    yield from _converted(subject, case.api, case.drawn, served)


def _converted(
    subject: Subject, given: JsonObject, start: str, served: Sequence[str]
) -> Iterator[JsonObject]:
    for version in served:
        if version != start:
            try:
                yield subject.scheme.convert(_json.copy(given), to=version)
            except HoldallError:
                continue  # L5 is checked elsewhere


def main(examples: str, seed: str, *packages: str) -> None:
    """Write the objects of all packages."""
    results = keep_for_results()
    for package in packages:
        try:
            subject = Subject(import_scheme(package))
        except HoldallError as error:
            results.write(_json.encode({"package": package, "error": str(error)}) + b"\n")
            return
        for document in _objects(subject, int(examples), int(seed)):
            line = _json.encode({"package": package, "object": document})
            results.write(line + b"\n")


@dataclass(frozen=True, slots=True)
class Lapse:
    """An older object that the current plan reads wrongly."""

    kind: str
    start: str
    end: str
    claim: str
    differences: tuple[str, ...]
    document: JsonObject

    def text(self) -> str:
        """Return it as lines for a terminal."""
        return "\n".join(
            [
                f"{self.kind} {self.start} -> {self.end} breaks L13: {self.claim}",
                *(f"    {line}" for line in self.differences),
                f"  stored at {self.start}:",
                *(f"    {line}" for line in _json.encode_pretty(self.document).splitlines()),
            ]
        )

    def to_json(self) -> JsonObject:
        """Return it as JSON."""
        return {
            "law": "L13",
            "kind": self.kind,
            "from": self.start,
            "to": self.end,
            "claim": self.claim,
            "differences": [*self.differences],
            "object": self.document,
        }


@dataclass(slots=True)
class Evolution:
    """The outcome of older objects: how many there are, how many have a version or kind that no
    longer exists, and the first lapse of each sort for each kind and pair of versions."""

    objects: int = 0
    unknown: int = 0
    lapses: dict[tuple[str, str, str, str], Lapse] = field(default_factory=dict)

    def add(self, subject: Subject, document: JsonObject) -> None:
        """Check one object."""
        self.objects += 1
        try:
            kind, start = find(subject, document)
        except UnknownKindError:
            self.unknown += 1
            return
        linked = linked_names(subject.plan)
        for end in subject.served(kind):
            if end != start:
                for claim, texts in _lapses(subject, linked, kind, start, end, document):
                    lapse = Lapse(kind, start, end, claim, texts, document)
                    self.lapses.setdefault((kind, start, end, claim), lapse)


def _lapses(
    subject: Subject, linked: Names, kind: str, start: str, end: str, document: JsonObject
) -> Iterator[tuple[str, tuple[str, ...]]]:
    convert = subject.scheme.convert
    report: Report = []
    try:
        there = convert(_json.copy(document), to=end, report=report)
        back = convert(_json.copy(there), to=start)
    except HoldallError as error:
        if not is_refusal(error):
            yield "it does not convert", (describe(error),)
        return
    # Kept values may be live now; live values must stay.
    before, after = (shown(opened(subject, kind, start, it).stored) for it in (document, back))
    carriers = ["metadata"] if boundary_of(subject, kind) else ["metadata", "status"]
    changed = [
        item
        for item in differences(before, after)
        if item.expected is not MISSING and item.path[0] not in carriers
    ]
    if changed:
        yield "live values have changed", lines(changed)
    reported = {(item.origin, item.key) for item in report}
    for address, origin, key in _entries(document):
        if key in MARKS or (origin, key) in linked or (origin, key) in reported:
            continue
        entry = address, origin, key
        if not any(_is_seen(subject, end, there, document, entry, it) for it in (dict.pop, _other)):
            text = f"{address or '/'}: {origin}/{key}"
            yield "an entry is neither used nor kept nor reported", (text,)


def _envelopes(document: JsonObject) -> Iterator[tuple[JsonObject, str, JsonObject]]:
    """Yield the envelopes of an API object, each with its holder and its key there."""
    annotations = members(document, "metadata", "annotations")
    for name in (SPEC_ANNOTATION, STATUS_ANNOTATION):
        text = annotations.get(name)
        if isinstance(text, str):
            yield from _envelope(annotations, name, decode_annotation(text))
    field_carrier = members(document, BAG_MEMBER)
    for name, value in field_carrier.items():
        yield from _envelope(field_carrier, name, value)
    status = members(document, "status")
    yield from _envelope(status, BAG_MEMBER, status.get(BAG_MEMBER))


def _envelope(
    holder: JsonObject, name: str, value: JsonValue
) -> Iterator[tuple[JsonObject, str, JsonObject]]:
    if is_json_object(value) and is_json_object(value.get("bags")):
        yield holder, name, value


def _entries(document: JsonObject) -> Iterator[tuple[str, str, str]]:
    for _, _, envelope in _envelopes(document):
        for address, bag in members(envelope, "bags").items():
            for origin, entries in members(bag).items():
                yield from ((address, origin, key) for key in members(entries))


def _is_seen(
    subject: Subject,
    end: str,
    there: JsonObject,
    document: JsonObject,
    entry: tuple[str, str, str],
    change: Callable[[JsonObject, str], object],
) -> bool:
    """Return whether changing an entry changes the converted object, or is reported.

    If another value makes a difference, but removing the entry does not, the entry only repeats a
    live value.
    """
    report: Report = []
    try:
        made = subject.scheme.convert(_changed(document, *entry, change), to=end, report=report)
    except HoldallError:
        return True
    return not _json.same(there, made) or any((it.origin, it.key) == entry[1:] for it in report)


def _other(entries: JsonObject, key: str) -> None:
    entries[key] = _otherwise(entries[key])


def _otherwise(value: JsonValue) -> JsonValue:
    """Return a value of the same structure with other texts and numbers."""
    if isinstance(value, dict):
        return {name: _otherwise(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_otherwise(item) for item in value]
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value}'"
    return value if value is None else value + 1


def _changed(
    document: JsonObject,
    address: str,
    origin: str,
    key: str,
    change: Callable[[JsonObject, str], object],
) -> JsonObject:
    """Return an API object with a change of the entries of which one is in a bag in its carrier."""
    changed: JsonObject = _json.copy(document)
    for holder, name, envelope in [*_envelopes(changed)]:
        entries = members(envelope, "bags", address, origin)
        if key in entries:
            change(entries, key)
            is_text = isinstance(holder[name], str)
            holder[name] = _json.encode(envelope).decode() if is_text else envelope
    return changed


if __name__ == "__main__":
    main(*sys.argv[1:])

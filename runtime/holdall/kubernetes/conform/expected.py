"""Known failures, from a file: checks that some kinds cannot pass, each with a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.kubernetes.conform.listing import CHECKS
from holdall.kubernetes.conform.subjects import Kind
from holdall.suggest import nearest
from holdall.text.documents import Document
from holdall.text.streams import find_inputs, read_inputs
from holdall.types import JsonObject, JsonValue, is_json_object

_OF_SERVERS: Final = "WC-70"
"""This check and later ones are about the server, not about kinds."""
_KEYS: Final = ("checks", "kinds", "reason")
_FORM: Final = "write `checks: [WC-NN]`, `kinds: [Kind]` and `reason: text`"


@dataclass(frozen=True, slots=True)
class Expected:
    """A check that fails for a kind, the reason why that is right, and its place in the file."""

    check: str
    kind: Kind
    reason: str
    where: str


def read_expected(path: Path, kinds: Sequence[Kind]) -> tuple[Expected, ...]:
    """Return the failures that a YAML or JSON file lists for some of the kinds under test.

    Raises SourceError for a file that cannot be read, or malformed entries (HA805).
    """
    found: dict[tuple[str, Kind], Expected] = {}
    problems: list[Problem] = []
    for stream in read_inputs(find_inputs([path])):
        for document in stream.documents:
            reader = _Reader(document, kinds, problems)
            for one in reader.entries():
                first = found.setdefault((one.check, one.kind), one)
                if first is not one:
                    text = f"{one.check} of {one.kind.name} is listed twice"
                    problems.append(Problem("HA805", one.where, text, f"see {first.where}"))
    if problems:
        raise SourceError(problems)
    return tuple(found.values())


class _Reader:
    """Reads the entries of one document, and collects their problems."""

    def __init__(self, document: Document, kinds: Sequence[Kind], problems: list[Problem]) -> None:
        self._document = document
        self._problems = problems
        self._checks = {item.id for item in CHECKS}
        self._kinds: dict[str, list[Kind]] = {}
        for kind in kinds:
            for name in (kind.name, f"{kind.name}.{kind.group}"):
                self._kinds.setdefault(name, []).append(kind)

    def entries(self) -> Iterator[Expected]:
        value = self._document.value
        if not isinstance(value, list):
            self._wrong("", "this is not a list of expected failures", _FORM)
            return
        for number, entry in enumerate(value):
            pointer = f"/{number}"
            if is_json_object(entry) and set(entry) == {*_KEYS}:
                yield from self._entry(entry, pointer)
            else:
                self._wrong(pointer, "this is not an expected failure", _FORM)

    def _entry(self, entry: JsonObject, pointer: str) -> Iterator[Expected]:
        reason = entry["reason"]
        if not isinstance(reason, str) or not reason.strip():
            self._wrong(
                f"{pointer}/reason", "there is no reason", "write why this failure is right"
            )
            return
        checks = [*self._texts(entry["checks"], f"{pointer}/checks")]
        kinds = [
            (kind, where)
            for name, where in self._texts(entry["kinds"], f"{pointer}/kinds")
            if (kind := self._kind(name, where)) is not None
        ]
        for check, where in checks:
            if check not in self._checks:
                near = nearest(check, self._checks)
                self._wrong(where, f"there is no check {check!r}{near}", "see `holdall conform`")
            elif check >= _OF_SERVERS:
                self._wrong(where, f"{check} is about the server, not about kinds", "remove it")
            else:
                for kind, place in kinds:
                    yield Expected(check, kind, reason, self._document.where(place))

    def _texts(self, value: JsonValue, pointer: str) -> Iterator[tuple[str, str]]:
        """Yield the texts of a list, each with its pointer."""
        if not isinstance(value, list) or not value:
            self._wrong(pointer, "this is not a list of names", _FORM)
            return
        for number, item in enumerate(value):
            if isinstance(item, str):
                yield item, f"{pointer}/{number}"
            else:
                self._wrong(f"{pointer}/{number}", "this is not a name", _FORM)

    def _kind(self, name: str, pointer: str) -> Kind | None:
        found = self._kinds.get(name, [])
        if len(found) == 1:
            return found[0]
        if found:
            several = ", ".join(f"{kind.name}.{kind.group}" for kind in found)
            self._wrong(pointer, f"{name!r} is a kind of several groups", f"write one of {several}")
        else:
            text = f"{name!r} is not among the tested kinds{nearest(name, self._kinds)}"
            self._wrong(pointer, text, "add its CRD, or remove it")
        return None

    def _wrong(self, pointer: str, text: str, fix: str) -> None:
        self._problems.append(Problem("HA805", self._document.where(pointer), text, fix))

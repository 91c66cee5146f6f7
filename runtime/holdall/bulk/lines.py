"""JSON lines, block by block: each line is a document; one that fails is left out and reported."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple

from holdall.bulk.documents import LOSS, Documents
from holdall.bulk.sources import Block, compress
from holdall.errors import HoldallError
from holdall.scheme.batches import Fault, FindFlaws
from holdall.scheme.projects import load_schemes
from holdall.scheme.schemes import Schemes
from holdall.text import json as _json
from holdall.text.documents import Document
from holdall.text.streams import list_items
from holdall.types import JsonObject, JsonValue

FAILED: Final = "failed"
LOST: Final = "lost"
"""The counter of documents that lost data, which also count for their outcome."""

_NOT_CONVERTED: Final = FAILED, "passed"
_INDEX: Final = re.compile("[0-9]+")
_ITEMS: Final = re.compile("(/items/[0-9]+)+")


class Refused(NamedTuple):
    """A document that failed: its fault, its line or row, and its text."""

    fault: Fault
    line: int
    text: str

    def to_json(self) -> JsonObject:
        """Return JSON for a file of errors."""
        return {**self.fault.to_json(), "line": self.line, "document": self.text}


class Converted(NamedTuple):
    """The results of a block: the text to write, counts by outcome, and reports.

    Lines or rows count from 0, and places are `:LINE` or begin like that: only the code that takes
    blocks in order knows how many `lines` came before.
    """

    text: bytes
    counts: dict[str, int]
    refused: list[Refused]
    warnings: list[str]
    lines: int
    end: int
    position: int

    def placed(self, file: str, before: int) -> Converted:
        """Return the results with places in the whole file."""

        def place(text: str) -> str:
            line, colon, rest = text[1:].partition(":")
            return f"{file}:{before + int(line)}{colon}{rest}"

        refused = [
            Refused(fault._replace(where=place(fault.where)), before + line, text)
            for fault, line, text in self.refused
        ]
        return self._replace(refused=refused, warnings=[*map(place, self.warnings)])


class Settings(NamedTuple):
    """The settings of every process of a run."""

    root: Path
    to: str
    pass_unknown: bool = False
    make_check: Callable[[Path], FindFlaws] | None = None
    """Makes each process's function that finds flaws in converted documents."""
    stacks: bool = False

    def documents(self) -> Documents:
        """Return the converter of documents. Raises what loading a project raises."""
        find_flaws = self.make_check(self.root) if self.make_check is not None else None
        schemes = Schemes(load_schemes(self.root))
        return Documents(
            schemes,
            self.to,
            pass_unknown=self.pass_unknown,
            find_flaws=find_flaws,
            stacks=self.stacks,
        )


def convert_lines(documents: Documents, block: Block) -> Converted:
    """Convert a block of lines, each a document or a list of documents; drops empty lines."""
    whole = block.text()
    stripped = [line.strip(b" \t\r\n") for line in BytesIO(whole)]
    texts = [(number, text) for number, text in enumerate(stripped) if text]
    results = documents.convert_all((text, "", "") for _, text in texts)
    out: list[bytes] = []
    outcomes: list[str] = []
    counts: Counter[str] = Counter()
    refused: list[Refused] = []
    warnings: list[str] = []
    for (number, text), result in zip(texts, results, strict=True):
        if result.outcome in _NOT_CONVERTED and (found := _list(text)) is not None:

            def refuse(fault: Fault, item: JsonValue, number: int = number) -> None:
                refused.append(Refused(fault, number, _shown(_json.encode(item))))

            batch = documents.batch(refuse, warnings.append)
            out.extend(map(_json.encode, batch.convert(_Line(found, "", number))))
            counts.update(converted=batch.converted, passed=batch.passed)
            counts.update({FAILED: batch.failed, LOST: batch.lost})
            continue
        outcomes.append(result.outcome)
        if result.outcome != FAILED:
            out.append(result.document)
        if result.fault is not None:
            where = f":{number}"
            if result.outcome == FAILED:
                fault = result.fault._replace(where=where)
                refused.append(Refused(fault, number, _shown(text)))
            else:
                if result.fault.code == LOSS:
                    counts[LOST] += 1
                warnings.append(f"{where}: {result.fault.subject}: {result.fault.message}")
    counts.update(outcomes)
    if out:
        out.append(b"")
    packed = compress(b"\n".join(out), block.codec) if out else b""
    lines = whole.count(b"\n")
    return Converted(packed, counts, refused, warnings, lines, block.end, block.position)


class _Line(Document):
    """A list of documents in a line: a place names its item, because a column would tell nobody."""

    def where(self, pointer: str = "") -> str:
        """Return the line, and the item that the node is in, such as `:3:items[2]`."""
        within = _ITEMS.match(pointer)
        indexes = _INDEX.findall(within[0]) if within is not None else ()
        return ":".join((f":{self.line}", *(f"items[{index}]" for index in indexes)))


def _list(text: bytes) -> JsonValue:
    if b'List"' not in text:
        return None
    try:
        value = _json.decode_exactly(text)
    except HoldallError:
        return None
    return None if list_items(value) is None else value


def _shown(text: bytes) -> str:
    return text.decode(errors="backslashreplace")

"""JSON lines, block by block: each line a document, one that fails left out and reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple

from holdall.bulk.documents import LOSS, Documents
from holdall.bulk.sources import Block, Codec, compress
from holdall.errors import HoldallError
from holdall.scheme.batches import Batch, Fault, FindFlaws
from holdall.scheme.projects import load_schemes
from holdall.scheme.schemes import Schemes
from holdall.text import json as _json
from holdall.text.documents import Document
from holdall.text.streams import list_items
from holdall.types import JsonObject, JsonValue

FAILED: Final = "failed"
LOST: Final = "lost"
"""What counts the documents that lost data; they are also among those of their outcome."""

_NOT_CONVERTED: Final = FAILED, "passed"


class Refused(NamedTuple):
    """A document that failed: why, its line or row, and its text."""

    fault: Fault
    line: int
    text: str

    def to_json(self) -> JsonObject:
        """Return it as JSON, for a file of errors."""
        return {**self.fault.to_json(), "line": self.line, "document": self.text}


class Converted(NamedTuple):
    """What happened to a block: the text to be written, counts by outcome, and what to report."""

    text: bytes
    counts: dict[str, int]
    refused: list[Refused]
    warnings: list[str]
    end: int
    line: int
    position: int


class Settings(NamedTuple):
    """What every process of a run is told."""

    root: Path
    to: str
    pass_unknown: bool = False
    make_check: Callable[[Path], FindFlaws] | None = None
    """Makes what finds flaws of converted documents, in each process."""
    stacks: bool = False

    def documents(self) -> Documents:
        """Return what converts documents. Raises what loading a project raises."""
        find_flaws = self.make_check(self.root) if self.make_check is not None else None
        schemes = Schemes(load_schemes(self.root))
        return Documents(
            schemes,
            self.to,
            pass_unknown=self.pass_unknown,
            find_flaws=find_flaws,
            stacks=self.stacks,
        )


class LineWork:
    """Converts blocks of lines; made once in each process."""

    def __init__(self, settings: Settings, codec: Codec) -> None:
        self._documents = settings.documents()
        self._settings = settings
        self._codec: Codec = codec

    def __call__(self, block: Block) -> Converted:
        """Convert a block. Empty lines are left out."""
        convert = self._documents.convert
        out: list[bytes] = []
        outcomes: list[str] = []
        counts: Counter[str] = Counter()
        refused: list[Refused] = []
        warnings: list[str] = []
        number = block.line
        for number, line in enumerate(BytesIO(block.text), block.line):
            text = line.strip(b" \t\r\n")
            if not text:
                continue
            result = convert(text)
            if result.outcome in _NOT_CONVERTED and (found := _list(text)) is not None:
                self._convert_list(block, number, found, out, counts, refused, warnings)
                continue
            outcomes.append(result.outcome)
            if result.outcome != FAILED:
                out.append(result.document)
            if result.fault is not None:
                where = f"{block.file}:{number}"
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
        text = compress(b"\n".join(out), self._codec) if out else b""
        after = number + block.text.endswith(b"\n")
        return Converted(text, counts, refused, warnings, block.end, after, block.position)

    def _convert_list(
        self,
        block: Block,
        number: int,
        value: JsonValue,
        out: list[bytes],
        counts: Counter[str],
        refused: list[Refused],
        warnings: list[str],
    ) -> None:
        """Convert the items of a list, which may be in a line as anywhere."""

        def report(fault: Fault, item: JsonValue) -> None:
            refused.append(Refused(fault, number, _shown(_json.encode(item))))

        documents = self._documents
        batch = Batch(
            documents.schemes,
            documents.to,
            report,
            warnings.append,
            self._settings.pass_unknown,
            documents.find_flaws,
            documents.stacks,
        )
        found = batch.convert(Document(value, block.file, number))
        out.extend(map(_json.encode, found))
        counts["converted"] += batch.converted
        counts["passed"] += batch.passed
        counts[FAILED] += batch.failed
        if batch.lost:
            counts[LOST] += batch.lost


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

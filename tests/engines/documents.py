"""The documents that engines convert: those of the sample project, and some that are none."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

import holdall
from generated.batch import SCHEME
from holdall.text.loading import load_file

ROOT = Path(__file__).parents[2]
TO = "v20240701"
VERSIONS = ("v20210101", "v20220601", "v20230501", TO)
_BAD = (None, "", "{", "[]", '{"apiVersion":"batch.example.com/v20210101"}', '"😀"')
_REPEATED = 20


@cache
def good() -> tuple[str, ...]:
    """Return all objects of the group `batch`, at every version."""
    found = []
    for file in sorted((ROOT / "samples/batch").glob("*.yaml")):
        for document in load_file(file):
            text = json.dumps(document.value, separators=(",", ":"), ensure_ascii=False)
            found += [SCHEME.convert_bytes(text, to=version).decode() for version in VERSIONS]
    return tuple(found)


@cache
def rows() -> tuple[tuple[int, str | None], ...]:
    """Return documents with numbers, good and bad ones mixed."""
    return tuple(enumerate([*good(), *_BAD] * _REPEATED))


def on_one_machine(kind: pa.DataType) -> list[dict[str, Any]]:
    """Return the rows as `holdall.batches` gives them."""
    numbers, texts = zip(*rows(), strict=True)
    batch = pa.RecordBatch.from_pydict({"id": numbers, "doc": pa.array(texts).cast(kind)})
    (result,) = holdall.batches(SCHEME, [batch], column="doc", to=TO)
    found: list[dict[str, Any]] = result.to_pylist()
    return found


def on_the_command_line(folder: Path) -> list[str]:
    """Return the good documents as `holdall convert` writes them, in order."""
    source = folder / "documents.jsonl"
    source.write_text("".join(f"{text}\n" for text in good()), encoding="utf-8")
    command = [sys.executable, "-m", "holdall", "--project", str(ROOT), "convert", "--to", TO]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=True)
    lines: list[str] = done.stdout.splitlines()
    return lines


def by_number(found: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows in the order of their numbers."""
    return sorted((dict(row) for row in found), key=lambda row: row["id"])

"""Files that are read a piece at a time."""

from __future__ import annotations

import gzip
import os
from itertools import pairwise
from pathlib import Path

import pytest

from holdall.bulk import sources
from holdall.bulk.sources import Block, Source, opened
from holdall.errors import SourceError

LINES = b"".join(b"%d" % 10**length + b"\n" for length in (1, 2, 30, 0, 9, 10, 31, 500, 1))


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    """A file of lines, of which two to three fit a block."""
    monkeypatch.setattr(sources, "BLOCK", 32)
    path = tmp_path / "a.jsonl"
    path.write_bytes(LINES)
    return Source(path, None, "lines")


def read(source: Source, start: int = 0) -> tuple[list[bytes], list[Block]]:
    with opened(source, "") as blocks:
        found = [*blocks(start)]
        return [block.text() for block in found], found


@pytest.mark.parametrize("text", [LINES, LINES[:-1], LINES + b"\n", b"\n", b"1", b""], ids=repr)
@pytest.mark.parametrize("size", [1, 2, 3, 31, 32, 33, 1000])
def test_every_line_is_in_one_block(
    source: Source, monkeypatch: pytest.MonkeyPatch, text: bytes, size: int
) -> None:
    """Whole, in order, compressed or not; a run that goes on begins at the end of any block."""
    assert source.path is not None
    monkeypatch.setattr(sources, "BLOCK", size)
    packed = source.path.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(text))
    source.path.write_bytes(text)
    for one in (source, Source(packed, None, "lines", "gzip")):
        texts, blocks = read(one)
        assert b"".join(texts) == text
        assert all(part.endswith(b"\n") for part in texts[:-1])
        ends = [0, *(block.end for block in blocks)]
        assert [after - before for before, after in pairwise(ends)] == [*map(len, texts)]
        for end, left in zip(ends, range(len(texts) + 1), strict=True):
            assert b"".join(read(one, end)[0]) == b"".join(texts[left:])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="lines are read here and sent")
def test_lines_are_left_for_whoever_converts_them(source: Source) -> None:
    """Also if another file takes the place of the one that is read, or none."""
    assert source.path is not None
    with opened(source, "") as blocks:
        (first, *others) = blocks(0)
        source.path.replace(source.path.with_name("b.jsonl"))
        assert not isinstance(first.lines, bytes)
        source.path.write_text("other")
        assert first.text() + b"".join(block.text() for block in others) == LINES


def test_a_file_that_grows_meanwhile(source: Source) -> None:
    """A line that is not whole yet is the last one: what its writer adds is not one of its own."""
    assert source.path is not None
    with opened(source, "") as blocks, source.path.open("ab") as file:
        found = []
        for block in blocks(0):
            found.append(block.text())
            if len(found) == 1:
                os.write(file.fileno(), b"half a ")
            if block.end > len(LINES):
                os.write(file.fileno(), b"line\n")
    assert b"".join(found) == LINES + b"half a "


def test_a_file_that_is_cut_meanwhile(source: Source) -> None:
    """Lines that were there are not left out without a word."""
    assert source.path is not None
    early = r"HA414 .*: the file ends early, or is damaged: it was truncated while it was read"
    with pytest.raises(SourceError, match=early), opened(source, "") as blocks:
        found = [*blocks(0)]
        os.truncate(source.path, 20)
        for block in found:
            block.text()


def test_a_long_line_is_put_together_once(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    """A packed file of a megabyte may hold a line of a gigabyte: it took hours."""
    monkeypatch.setattr(sources, "BLOCK", 16)
    assert source.path is not None
    packed = source.path.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(b"a" * 4_000_000 + b"\nb\n"))
    one = Source(packed, None, "lines", "gzip")
    assert sum(map(len, read(one)[0])) == 4_000_003


def test_a_line_that_is_too_long_is_refused(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "LONGEST", 1 << 20)
    assert source.path is not None
    packed = source.path.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(b"short\n" + b"a" * (3 << 20)))
    one = Source(packed, None, "lines", "gzip")
    found: list[bytes] = []
    with (
        pytest.raises(SourceError, match="a line has more than 1 MiB, decompressed"),
        opened(one, "gzip") as blocks,
    ):
        found.extend(block.text() for block in blocks(0))
    assert found == [b"short\n"]

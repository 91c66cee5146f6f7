"""The text of an envelope in an annotation: JSON if it is small, compressed above 1 kB.

If there is no room for all entries, some are left out.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, repeat
from operator import neg
from typing import Any, Final, TypeVar

from typing_extensions import override

from holdall.carriers.envelope import Bags, Contents, Entry
from holdall.errors import DecodeError
from holdall.text import json as _json
from holdall.text.pointer import split
from holdall.types import JsonValue

T = TypeVar("T")

PREFIX: Final = "zlib:"
READABLE_BYTES: Final = 1024
MAX_JSON_BYTES: Final = 8 * 1024 * 1024
"""Maximum bytes of an envelope before compression."""
MOST_TIMES: Final = 16
"""Maximum ratio of an envelope to its compressed text, which limits the cost of forged annotations.
Bags of many objects reach 14; texts with a higher ratio are padded.
"""
FEW: Final = 64
"""Up to this many entries, or bags, all are tried at once."""
_MANY: Final = 10_000
_LEVEL: Final = 6
_CHUNK: Final = 64 * 1024
_FILL: Final = "="


def decode_annotation(text: str) -> JsonValue:
    """Return the JSON value in an annotation of holdall, compressed or not.

    Raises DecodeError if the text is not JSON, and what `inflated` raises.
    """
    return _json.decode(inflated(text))


def inflated(text: str) -> str | bytes:
    """Return the JSON text in an annotation of holdall, compressed or not.

    Raises DecodeError if it is damaged, or expands to more than MAX_JSON_BYTES, or to more than
    MOST_TIMES its length.
    """
    if not text.startswith(PREFIX):
        return text
    most = min(MAX_JSON_BYTES, MOST_TIMES * len(text))
    inflater = zlib.decompressobj()
    letters = text[len(PREFIX) :].rstrip(_FILL)
    try:
        packed = base64.b64decode(letters + _FILL * (-len(letters) % 4), validate=True)
        data = inflater.decompress(packed, most + 1)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise DecodeError(f"the compressed text is damaged: {error}") from error
    if len(data) > most:
        raise DecodeError(
            f"the compressed text expands to more than {most} bytes, which holdall never writes"
        )
    if not inflater.eof or inflater.unused_data:
        raise DecodeError("the compressed text is cut off, too long or not alone")
    return data


def annotation_text(value: JsonValue) -> str:
    """Return the annotation's text of a value, for `decode_annotation`. Raises DecodeError."""
    text = _shortened(_json.encode_sorted(value), MAX_JSON_BYTES, packed=True)
    if text is None:
        raise DecodeError(f"it is longer than {MAX_JSON_BYTES} bytes")
    return text


def fit(
    contents: Contents, room: int, drop_first: Sequence[str] = (), *, packed: bool = True
) -> tuple[str | None, Collection[Entry]]:
    """Return the text of an envelope in at most `room` bytes, and the entries left out for it.

    As few entries as possible are left out, in the order of `LeavingOut`; with many entries, the
    number kept may be up to one in a hundred too low. The text is None if not even the bare
    envelope has room; then write nothing. Unless `packed`, it is JSON of any size.
    """
    order = LeavingOut(contents.cargo.bags, drop_first)
    best: str | None = None
    # Perhaps only a small part has room, so the search begins with few entries, which is cheap. If
    # a part has no room, the whole has none either, and many are only tried if necessary.
    kept, too_many, count, is_whole_tried = 0, len(order), FEW, False
    while True:
        is_found = too_many - kept <= max(1, kept // 100)
        if not is_whole_tried and (is_found or too_many <= max(count, _MANY)):
            text = _text_within(contents, room, packed)
            if text is not None:
                return text, []
            is_whole_tried = True
        if best is None:
            best = _text_within(contents.keeping([], order), room, packed)
        if is_found or best is None:
            return best, order.without(kept)
        if not kept < count < too_many:
            count = (kept + too_many) // 2
        text = _text_within(contents.keeping(order.kept(count), order), room, packed)
        if text is None:
            # If not even one has room, the rest of the envelope is too large.
            too_many, is_whole_tried = count, True
            count = (kept + too_many) // 2 if kept else 1
        else:
            # The sizes of many entries hardly differ; what they share, such as the lists on the
            # way, is already in the text of the first few.
            grown = max(1, len(text) - len(best))
            more = (room - len(text)) * (count - kept) // grown if kept else room
            best, kept = text, count
            count += max(1, min(kept * 7, more * 99 // 100))


def _text_within(contents: Contents, room: int, packed: bool) -> str | None:
    if None in contents.cargo.lists.values():
        return None
    return _shortened(_json.encode_sorted(contents.write()), room, packed)


def _shortened(data: bytes, room: int, packed: bool) -> str | None:
    if len(data) > MAX_JSON_BYTES:
        return None
    if packed and len(data) > READABLE_BYTES:
        least = -(-len(data) // MOST_TIMES)
        text = None if least > room else _packed_within(data, room - len(PREFIX))
        return None if text is None else (PREFIX + text).ljust(least, _FILL)
    return data.decode() if len(data) <= room else None


def _packed_within(data: bytes, room: int) -> str | None:
    """Return compressed data in base64; None as soon as it is longer than `room`."""
    packer = zlib.compressobj(_LEVEL)
    parts: list[bytes] = []
    size = 0
    for start in range(0, len(data), _CHUNK):
        parts.append(packer.compress(data[start : start + _CHUNK]))
        size += len(parts[-1])
        if size * 4 > room * 3:
            return None
    parts.append(packer.flush())
    text = base64.b64encode(b"".join(parts))
    return text.decode() if len(text) <= room else None


class Entries(Collection[Entry]):
    """Address, origin and key of entries, in one list each.

    Tens of thousands of tuples would trigger garbage collections.
    """

    __slots__ = ("_columns",)

    def __init__(self, *columns: list[str]) -> None:
        self._columns = columns

    @override
    def __len__(self) -> int:
        return len(self._columns[0])

    @override
    def __iter__(self) -> Iterator[Entry]:
        addresses, origins, keys = self._columns
        return zip(addresses, origins, keys, strict=True)

    @override
    def __contains__(self, entry: object) -> bool:
        return entry in [*self]

    def at(self, indexes: Sequence[int]) -> Entries:
        """Return some of the entries."""
        return Entries(*([column[index] for index in indexes] for column in self._columns))

    def sorted(self, indexes: Iterable[int]) -> list[int]:
        """Return indexes in the order of the names."""
        found = [*indexes]
        for column in reversed(self._columns):
            found.sort(key=column.__getitem__)
        return found


def _read(bags: Bags) -> tuple[Entries, list[JsonValue]]:
    """Return the names and values of the entries of bags, in one pass of C per column."""
    held = _flat(map(dict.values, bags.values()))
    sizes, counts = [*map(len, bags.values())], [*map(len, held)]
    addresses = _repeated(_repeated([*bags], sizes), counts)
    origins = _repeated(_flat(bags.values()), counts)
    return Entries(addresses, origins, _flat(held)), _flat(map(dict.values, held))


def _flat(parts: Iterable[Iterable[T]]) -> list[T]:
    return [*chain.from_iterable(parts)]


def _repeated(items: list[T], counts: list[int]) -> list[T]:
    return items if counts.count(1) == len(counts) else _flat(map(repeat, items, counts))


class LeavingOut:
    """The entries of bags in the order in which they are left out.

    Those in `drop_first` come first, in its order; within one rank the largest first, then by name.
    There may be tens of thousands, few of which have room, so names are compared only among entries
    of the rank and size at the boundary.
    """

    __slots__ = ("_entries", "_order", "_sorted", "_weights")

    def __init__(self, bags: Bags, drop_first: Sequence[str] = ()) -> None:
        self._entries, values = _read(bags)
        self._weights: list[Any] = [*map(neg, map(len, _json.canonical_each(values)))]
        if drop_first:
            patterns = [split("/" + path.strip("/")) for path in drop_first]
            ranks = [_rank(at, key, patterns) for at, _, key in self._entries]
            self._weights = [*zip(ranks, self._weights, strict=True)]
        self._order = sorted(range(len(values)), key=self._weights.__getitem__)
        self._sorted: set[Any] = set()

    def __len__(self) -> int:
        return len(self._order)

    def kept(self, count: int) -> Entries:
        """Return the last `count` entries in this order."""
        order = self._order
        start = len(order) - count
        if start < len(order):
            weight = self._weights[order[start]]
            if weight not in self._sorted:
                self._sorted.add(weight)
                first = bisect_left(order, weight, key=self._weights.__getitem__)
                end = bisect_right(order, weight, key=self._weights.__getitem__)
                order[first:end] = self._entries.sorted(order[first:end])
        return self._entries.at(order[start:])

    def without(self, count: int) -> Entries:
        """Return the entries left out if `count` are kept; call `kept` first."""
        return self._entries.at(self._order[: len(self._order) - count])


def _rank(address: str, key: str, patterns: Sequence[tuple[str, ...]]) -> int:
    """Return the index of the first pattern that covers an entry, or the number of patterns."""
    path = (*split(address), key)
    for index, pattern in enumerate(patterns):
        parts = zip(pattern, path, strict=False)
        if len(pattern) <= len(path) and all(one in ("*", part) for one, part in parts):
            return index
    return len(patterns)

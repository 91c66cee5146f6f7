"""The text of an envelope in an annotation: JSON while it is small, compressed above 1 kB."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Sequence
from typing import Final

from holdall import json as _json
from holdall.carriers.envelope import Contents, Entry, dispensable_first
from holdall.errors import DecodeError
from holdall.types import JsonValue

PREFIX: Final = "zlib:"
READABLE_BYTES: Final = 1024
MAX_JSON_BYTES: Final = 8 * 1024 * 1024
"""Bytes of an envelope before compression: a bound on what a forged annotation can cost."""
_LEVEL: Final = 6
_FEW: Final = 64


def decode_annotation(text: str) -> JsonValue:
    """Return the JSON value that an annotation of ours holds, compressed or not.

    Raises DecodeError if the text is no JSON, or expands to more than MAX_JSON_BYTES.
    """
    if not text.startswith(PREFIX):
        return _json.decode(text)
    inflater = zlib.decompressobj()
    try:
        packed = base64.b64decode(text[len(PREFIX) :], validate=True)
        data = inflater.decompress(packed, MAX_JSON_BYTES)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise DecodeError(f"the compressed text is damaged: {error}") from error
    if not inflater.eof or inflater.unused_data:
        raise DecodeError("the compressed text is cut off, too long or not alone")
    return _json.decode(data)


def fit(
    contents: Contents, room: int, drop_first: Sequence[str] = (), *, packed: bool = True
) -> tuple[str | None, list[Entry]]:
    """Return the text of an envelope in at most `room` bytes, and the entries left out for it.

    Left out are as few entries as possible, in the order of `dispensable_first`. The text is None
    if not even the bare envelope has room; then nothing of it must be written. Unless `packed`
    it is JSON whatever its size.
    """
    text = _text_within(contents, room, packed)
    if text is not None:
        return text, []
    entries = dispensable_first(contents.cargo.bags, drop_first)
    best, kept, too_many = (
        _text_within(contents.keeping([], entries), room, packed),
        0,
        len(entries),
    )
    if best is None:
        return None, entries
    # What has room may be a small part: the search begins with few, so that it costs little.
    count = _FEW
    while too_many - kept > 1:
        if not kept < count < too_many:
            count = (kept + too_many) // 2
        text = _text_within(contents.keeping(entries[-count:], entries), room, packed)
        if text is None:
            too_many = count
        else:
            best, kept = text, count
            count *= 4
    return best, entries[: len(entries) - kept]


def _encode(data: bytes) -> bytes:
    if len(data) <= READABLE_BYTES:
        return data
    return PREFIX.encode() + base64.b64encode(zlib.compress(data, _LEVEL))


def _text_within(contents: Contents, room: int, packed: bool) -> str | None:
    data = _json.canonical(contents.write())
    if len(data) > MAX_JSON_BYTES:
        return None
    text = _encode(data) if packed else data
    return text.decode() if len(text) <= room else None

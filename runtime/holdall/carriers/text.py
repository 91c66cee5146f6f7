"""The text of an envelope in an annotation: JSON while it is small, compressed above 1 kB."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Final

from holdall import json as _json
from holdall.carriers.envelope import Contents, Entry, largest_first
from holdall.errors import DecodeError
from holdall.types import JsonValue

PREFIX: Final = "zlib:"
READABLE_BYTES: Final = 1024
MAX_JSON_BYTES: Final = 8 * 1024 * 1024
"""Bytes of an envelope before compression: a bound on what a forged annotation can cost."""
_LEVEL: Final = 6


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


def fit(contents: Contents, room: int) -> tuple[str | None, list[Entry]]:
    """Return the text of an envelope in at most `room` bytes, and the entries left out for it.

    Left out are as few entries as possible, the largest first. The text is None if not even the
    bare envelope has room; then nothing of it must be written.
    """
    text = _text_within(contents, room)
    if text is not None:
        return text, []
    entries = largest_first(contents.bags)
    best, least, enough = _text_within(contents.without(entries), room), 0, len(entries)
    while best is not None and enough - least > 1:
        middle = (least + enough) // 2
        text = _text_within(contents.without(entries[:middle]), room)
        if text is None:
            least = middle
        else:
            best, enough = text, middle
    return best, entries[:enough]


def _encode(data: bytes) -> bytes:
    if len(data) <= READABLE_BYTES:
        return data
    return PREFIX.encode() + base64.b64encode(zlib.compress(data, _LEVEL))


def _text_within(contents: Contents, room: int) -> str | None:
    data = _json.canonical(contents.write())
    if len(data) > MAX_JSON_BYTES:
        return None
    text = _encode(data)
    return text.decode() if len(text) <= room else None

"""Values that occur once: where a document shows them, and whether a carrier holds them."""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from typing import Any

from tests.random_groups.model import Json

DOMAIN = "holdall.dev/"
BAG = "$propertyBag"
_TOKEN = re.compile(r"([a-zA-Z]+)-\d+-\1")
_FIRST_NUMBER = 10_000


def is_token(value: Json) -> bool:
    """Tell whether a drawn value occurs once."""
    if isinstance(value, str):
        return _TOKEN.fullmatch(value) is not None
    return isinstance(value, int) and _FIRST_NUMBER < value < 2**30


def places(body: Json, *, copies: bool = False) -> dict[str, str]:
    """Return where each token stands in a document without its carriers, by its text.

    A client may have copied an element: who such a value belongs to cannot be told, so it is left
    out unless `copies` are asked for.
    """
    found: dict[str, str] = {}
    work: list[tuple[str, Any]] = [("", body)]
    while work:
        place, value = work.pop()
        if isinstance(value, dict):
            work.extend((f"{place}/{key}", item) for key, item in value.items())
            work.extend((f"{place}/{key}", key) for key in value if is_token(key))
        elif isinstance(value, list):
            work.extend((f"{place}/{number}", item) for number, item in enumerate(value))
        elif is_token(value):
            found[str(value)] = "twice" if str(value) in found else place
    return {token: place for token, place in found.items() if copies or place != "twice"}


def envelopes(document: Json) -> list[str]:
    """Return the texts of all carriers of a document, as JSON, without addresses."""
    found = []
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    for key, item in (annotations or {}).items():
        if key.startswith(DOMAIN) and isinstance(item, str):
            found.append(without_addresses(unpacked(item)))
    status = document.get("status")
    for holder in (document, status):
        if isinstance(holder, dict) and BAG in holder:
            found.append(without_addresses(json.dumps(holder[BAG])))
    return found


def without_addresses(text: str) -> str:
    """Return the text of an envelope, or of several, without what only names an owner."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if not isinstance(value, dict):
        return text
    found = [one for one in (value, *value.values()) if isinstance(one, dict) and "bags" in one]
    return json.dumps([list(one["bags"].values()) for one in found]) if found else text


def unpacked(text: str) -> str:
    """Return the JSON of an annotation, which may be compressed."""
    if not text.startswith("zlib:"):
        return text
    try:
        return zlib.decompress(base64.b64decode(text.removeprefix("zlib:"))).decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        return ""


def is_carried(token: str, texts: list[str]) -> bool:
    """Tell whether a carrier holds a token."""
    pattern = re.compile(rf"(?<![\w-]){re.escape(token)}(?![\w-])")
    return any(pattern.search(text) for text in texts)

"""Fingerprints of list elements: short hashes of what they show.

A fingerprint identifies an element when nothing else does, so it must not change when an API server
stores a document: it leaves out members that have their schema's default, and nulls that the server
replaces by it. Most servers prune undeclared members, and some keep them. So an element that has
any gets two fingerprints, with and without them.
"""

from __future__ import annotations

import hashlib
from binascii import b2a_base64
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from typing_extensions import TypeIs

from holdall.objects.implied import members_to_look_at, without_defaults
from holdall.objects.shapes import ValueShape, members_of
from holdall.text import json as _json
from holdall.types import JsonValue

LENGTH: Final = 6
"""Letters of a fingerprint, six bits each: among a million lists of a thousand different elements,
seven have two elements with the same fingerprint."""

_LETTERS: Final = 44
"""Letters of a 32-byte digest with one more byte in base64, which encodes three bytes at a time."""
_SURELY: Final = 2
"""How far fingerprints must exceed the room to be given up without trying: an attacker may find
elements whose fingerprints are partly equal."""
_OBJECTS: Final = frozenset({dict})
_NO_NAMES: Final = frozenset[str]()
_FOR_URLS: Final = bytes.maketrans(b"+/", b"-_")

Prints: TypeAlias = "str | list[JsonValue]"
"""The fingerprints of all elements of a list, in order, as one text; or two such texts, without and
with undeclared members, if an element has any."""


def prints_of(
    items: Sequence[JsonValue], shape: ValueShape, room: int | None = None
) -> Prints | None:
    """Return the fingerprints of list elements, given their JSON; `shape` is that of one.

    None if an annotation of `room` bytes cannot hold them. Digests cannot be compressed, so each
    different one needs all its letters.
    """
    most = len(items) if room is None else _SURELY * room // LENGTH
    if len(items) > most and len({*_texts(items[: most + 1], shape)[0]}) > most:
        return None  # whatever the others are
    plain, full = _texts(items, shape)
    if len(plain) > most and len({*plain}) > most:
        return None
    if full is plain:
        return "".join(_fingerprints(plain))
    letters = "".join(_fingerprints(plain + full))
    return [letters[: len(letters) // 2], letters[len(letters) // 2 :]]


def compared(
    recorded: Prints, items: Sequence[JsonValue], shape: ValueShape
) -> tuple[list[str], list[str]]:
    """Return the recorded fingerprints and those of the current elements, of one sort.

    Those with undeclared members count, unless more elements match without: if none were recorded,
    members that are undeclared now may have been declared then, or be new.
    """
    texts, with_undeclared = _texts(items, shape)
    plain = _fingerprints(texts)
    old = [_split(str(text)) for text in ([recorded] if isinstance(recorded, str) else recorded)]
    if with_undeclared is texts:
        return old[0], plain
    full = _fingerprints(with_undeclared)
    if len(old) == 1 and _in_both(old[0], plain) > _in_both(old[0], full):
        return old[0], plain
    return old[-1], full


def _in_both(old: list[str], new: list[str]) -> int:
    return (Counter(old) & Counter(new)).total()


def are_prints(value: JsonValue) -> TypeIs[Prints]:
    """Return whether a value in an envelope can be the fingerprints of a list."""
    texts = value if isinstance(value, list) and len(value) == 2 else [value]
    lengths = {len(text) if isinstance(text, str) else -1 for text in texts}
    return len(lengths) == 1 and lengths.pop() % LENGTH == 0


def _split(text: str) -> list[str]:
    return [text[start : start + LENGTH] for start in range(0, len(text), LENGTH)]


def _texts(items: Sequence[JsonValue], shape: ValueShape) -> tuple[list[bytes], list[bytes]]:
    """Return the texts of elements without undeclared members, and with them if there are any."""
    if _are_without_defaults(items, shape):
        plain = _json.canonical_each(items)
        return plain, plain
    unknown: dict[int, JsonValue] = {}
    bare: list[JsonValue] = []
    for index, item in enumerate(items):
        left_out: list[str] = []
        bare.append(without_defaults(item, shape, left_out))
        if left_out:
            unknown[index] = without_defaults(item, shape, None)
    plain = _json.canonical_each(bare)
    if not unknown:
        return plain, plain
    full = [*plain]
    for index, text in zip(unknown, _json.canonical_each([*unknown.values()]), strict=True):
        full[index] = text
    return plain, full


def _fingerprints(texts: Sequence[bytes]) -> list[str]:
    """Return the fingerprints of texts."""
    different = dict.fromkeys(texts, "")
    # With one more byte, each digest takes a whole number of letters.
    digests = b"\0".join([hashlib.sha256(text).digest() for text in different])
    letters = b2a_base64(digests, newline=False).translate(_FOR_URLS).decode()
    found = [letters[start : start + LENGTH] for start in range(0, len(letters), _LETTERS)]
    if len(found) == len(texts):
        return found
    by_text = dict(zip(different, found, strict=True))
    return [by_text[text] for text in texts]


def _are_without_defaults(items: Sequence[Any], shape: ValueShape) -> bool:
    """Return whether a quick check finds no members that a fingerprint leaves out."""
    cls: Any = shape.type
    if cls is None:
        return shape.item is None
    return (
        not members_to_look_at(cls)
        and _OBJECTS.issuperset(map(type, items))
        and members_of(cls).issuperset(_NO_NAMES.union(*items))
    )

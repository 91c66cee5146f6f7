"""Fingerprints of list elements: what each of them shows, in a few letters.

A fingerprint tells an element from others when nothing else does, so it must not change by what
an API server does to a document on its way: it leaves out members that have their schema's
default, and nulls that the server replaces by it. Undeclared members are pruned by most servers
and kept by some. So there are two fingerprints where an element has any: one with them and one
without.
"""

from __future__ import annotations

import hashlib
from binascii import b2a_base64
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from typing_extensions import TypeIs

from holdall.objects.implied import members_to_look_at, without_defaults
from holdall.objects.shapes import ValueShape
from holdall.text import json as _json
from holdall.types import JsonValue

LENGTH: Final = 6
"""Letters of a fingerprint, six bits each: of a million lists with a thousand different elements,
seven have two elements with the same fingerprint."""

_BYTES: Final = 6
_LETTERS: Final = 8
"""Letters that this many bytes take in base64: bytes come in threes."""
_FOR_URLS: Final = bytes.maketrans(b"+/", b"-_")

Prints: TypeAlias = "str | list[JsonValue]"
"""The fingerprints of all elements of a list, in order, as one text; or two such texts, without
and with undeclared members, where an element has any."""


def prints_of(items: Sequence[JsonValue], shape: ValueShape) -> Prints:
    """Return the fingerprints of list elements, given as their JSON; `shape` is that of one."""
    plain, full = _fingerprints(items, shape)
    return "".join(plain) if full is plain else ["".join(plain), "".join(full)]


def compared(
    recorded: Prints, items: Sequence[JsonValue], shape: ValueShape
) -> tuple[list[str], list[str]]:
    """Return the recorded fingerprints and those of the elements at hand, of one sort.

    Those with undeclared members count, unless more elements are found again without: where none
    were recorded, members may have been declared then that are undeclared by now, or come new.
    """
    plain, full = _fingerprints(items, shape)
    old = [_split(str(text)) for text in ([recorded] if isinstance(recorded, str) else recorded)]
    if full is plain:
        return old[0], plain
    if len(old) == 1 and _in_both(old[0], plain) > _in_both(old[0], full):
        return old[0], plain
    return old[-1], full


def _in_both(old: list[str], new: list[str]) -> int:
    return (Counter(old) & Counter(new)).total()


def are_prints(value: JsonValue) -> TypeIs[Prints]:
    """Tell whether a value in an envelope can be the fingerprints of a list."""
    texts = value if isinstance(value, list) and len(value) == 2 else [value]
    lengths = {len(text) if isinstance(text, str) else -1 for text in texts}
    return len(lengths) == 1 and lengths.pop() % LENGTH == 0


def _split(text: str) -> list[str]:
    return [text[start : start + LENGTH] for start in range(0, len(text), LENGTH)]


def _fingerprints(items: Sequence[JsonValue], shape: ValueShape) -> tuple[list[str], list[str]]:
    """Return the fingerprints without undeclared members, and with them if there are any."""
    unknown: dict[int, JsonValue] = {}
    bare: Sequence[JsonValue] = items
    if not _arewithout_defaults(items, shape):
        bare = []
        for index, item in enumerate(items):
            left_out: list[str] = []
            bare.append(without_defaults(item, shape, left_out))
            if left_out:
                unknown[index] = without_defaults(item, shape, None)
    texts = _json.canonical_each([*bare, *unknown.values()])
    found = _digests(texts)
    plain = [found[text] for text in texts[: len(bare)]]
    if not unknown:
        return plain, plain
    full = list(plain)
    for index, text in zip(unknown, texts[len(bare) :], strict=True):
        full[index] = found[text]
    return plain, full


def _digests(texts: Iterable[bytes]) -> dict[bytes, str]:
    """Return the fingerprints of texts, by the text."""
    different = dict.fromkeys(texts, "")
    digests = b"".join([hashlib.sha256(text).digest()[:_BYTES] for text in different])
    letters = b2a_base64(digests, newline=False).translate(_FOR_URLS).decode()
    for index, text in enumerate(different):
        start = index * _LETTERS
        different[text] = letters[start : start + LENGTH]
    return different


def _arewithout_defaults(items: Sequence[Any], shape: ValueShape) -> bool:
    """Tell whether a quick look finds no members that a fingerprint leaves out."""
    if shape.type is None:
        return shape.item is None
    members = members_to_look_at(shape.type)
    if members.inner:
        return False
    for item in items:  # noqa: SIM110 - all() takes twice the time
        if type(item) is not dict or not item.keys() <= members.names:
            return False
    return True

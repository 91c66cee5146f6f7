"""Fingerprints of list elements: what each of them shows, in a few letters.

A fingerprint tells an element from others when nothing else does, so it must not change by what
an API server does to a document on its way: it leaves out members that have their schema's
default, and nulls in their place. Undeclared members are pruned by most servers and kept by some.
So there are two fingerprints where an element has any: one with them and one without.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from typing_extensions import TypeIs

from holdall import json as _json
from holdall.codec import write_nested
from holdall.objects import Object
from holdall.shapes import MemberShape, ValueShape, shape_of
from holdall.types import JsonValue

LENGTH: Final = 6
"""Letters of a fingerprint, six bits each: of a million lists with a thousand different elements,
seven have two elements with the same fingerprint."""

Prints: TypeAlias = "str | list[JsonValue]"
"""The fingerprints of all elements of a list, in order, as one text; or two such texts, without
and with undeclared members, where an element has any."""


def prints_of(items: Sequence[Any], shape: ValueShape) -> Prints:
    """Return the fingerprints of list elements, which are values of a shape."""
    plain, full, has_unknown = _fingerprints(items, shape)
    return ["".join(plain), "".join(full)] if has_unknown else "".join(plain)


def compared(recorded: Prints, items: Sequence[Any], shape: ValueShape) -> tuple[list[str], ...]:
    """Return the recorded fingerprints and those of the elements at hand, of one sort."""
    plain, full, has_unknown = _fingerprints(items, shape)
    if isinstance(recorded, str):
        return _split(recorded), plain
    if has_unknown:
        return _split(str(recorded[1])), full
    return _split(str(recorded[0])), plain


def are_prints(value: JsonValue) -> TypeIs[Prints]:
    """Tell whether a value in an envelope can be the fingerprints of a list."""
    texts = value if isinstance(value, list) and len(value) == 2 else [value]
    lengths = {len(text) if isinstance(text, str) else -1 for text in texts}
    return len(lengths) == 1 and lengths.pop() % LENGTH == 0


def _split(text: str) -> list[str]:
    return [text[start : start + LENGTH] for start in range(0, len(text), LENGTH)]


def _fingerprints(items: Sequence[Any], shape: ValueShape) -> tuple[list[str], list[str], bool]:
    plain: list[str] = []
    full: list[str] = []
    has_unknown = False
    for item in items:
        written = write_nested(item, []) if _holds_objects(item) else item
        unknown: list[str] = []
        bare = _bare(written, shape, unknown)
        plain.append(_fingerprint(bare))
        if unknown:
            has_unknown = True
            full.append(_fingerprint(_bare(written, shape, None)))
        else:
            full.append(plain[-1])
    return plain, full, has_unknown


def _holds_objects(item: Any) -> bool:
    return isinstance(item, (Object, list, dict))


def _fingerprint(value: JsonValue) -> str:
    digest = hashlib.sha256(_json.canonical(value)).digest()
    return base64.urlsafe_b64encode(digest[:6])[:LENGTH].decode()


def _bare(value: Any, shape: ValueShape, unknown: list[str] | None) -> Any:
    """Return a value without members that say what is said of absent ones.

    Undeclared members are kept if `unknown` is None, else left out and named in it.
    """
    if shape.type is not None and type(value) is dict:
        members = shape_of(shape.type).members
        bare: dict[str, Any] = {}
        for name, held in value.items():
            member = members.get(name)
            if member is None:
                if unknown is None:
                    bare[name] = held
                else:
                    unknown.append(name)
                continue
            shown = _bare(held, member.value, unknown)
            if not (member.defaults and _is_default(shown, member)):
                bare[name] = shown
        return bare
    if shape.item is not None:
        if type(value) is list:
            return [_bare(item, shape.item, unknown) for item in value]
        if type(value) is dict:
            return {key: _bare(item, shape.item, unknown) for key, item in value.items()}
    return value


def _is_default(bare: Any, member: MemberShape) -> bool:
    if bare is None:
        return True
    return any(_json.same(bare, _bare(item, member.value, [])) for item in member.defaults)

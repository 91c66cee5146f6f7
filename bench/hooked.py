"""How fast a Mapping of Emissary goes through all its hooks, against a converter made by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

import msgspec

from bench import mapping_peer
from bench.acceptance import built
from bench.emissary import SCHEMAS, mapping
from bench.report import Row
from bench.timing import median, median_ratio, rounds

_DIFFERENT = 1000
"""Objects of which no two show a hook the same: more than a step of a hook keeps in mind."""
_decode, _encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode


def measure() -> list[Row]:
    """Measure both directions: the same object again and again, and objects never seen before."""
    if not SCHEMAS.is_dir():
        return [Row("skipped: no ../shared/emissary beside the project", None, "", "")]
    with built("emissary", {"schemas": SCHEMAS}) as (scheme,):
        return _measure(scheme)


def _measure(scheme: Any) -> list[Row]:
    def up(data: bytes) -> bytes:
        converted: bytes = scheme.convert_bytes(data, to="v3alpha1")
        return converted

    def down(data: bytes) -> bytes:
        converted: bytes = scheme.convert_bytes(data, to="v2")
        return converted

    data = _encode(mapping())
    there = up(data)
    # What a client of v3alpha1 writes: nothing is kept for it.
    bare = _encode(_without_bag(_decode(there)))
    _require_equal(_decode(down(there)), _decode(data), "the object returns")
    _require_equal(_decode(_peer_up(data)), _decode(bare), "the peer makes the same of v2")
    _require_equal(_decode(_peer_down(bare)), _without_bag(_decode(down(bare))), "and of v3alpha1")
    texts = [_encode(mapping(f"-{number:03}")) for number in range(_DIFFERENT)]
    # Each has its own: with one of both, a conversion could get the same part of them each round.
    others, floor_others = _endless(texts), _endless(texts)
    results = rounds(
        {
            "floor": lambda: _encode(_decode(data)),
            "up": lambda: up(data),
            "peer up": lambda: _peer_up(data),
            "floor others": lambda: _encode(_decode(floor_others())),
            "up others": lambda: up(others()),
            "floor there": lambda: _encode(_decode(there)),
            "back": lambda: down(there),
            "floor bare": lambda: _encode(_decode(bare)),
            "down": lambda: down(bare),
            "peer down": lambda: _peer_down(bare),
        }
    )

    def row(title: str, name: str, floor: str, limit: str = "") -> Row:
        ratio = median_ratio(results[name], results[floor])
        return Row(title, median(results[name]), f"{ratio:.2f} x msgspec", limit)

    sizes = f"{len(data):,} bytes of v2"
    return [
        Row(f"msgspec decode and encode, {sizes}", median(results["floor"]), "1", ""),
        row("convert_bytes, v2 to v3alpha1, 14 hooks", "up", "floor", "at most 4.5 x"),
        row("by hand on dictionaries, nothing kept", "peer up", "floor"),
        row("convert_bytes, values not seen before", "up others", "floor others"),
        row("convert_bytes, back to v2 with what was kept", "back", "floor there"),
        row("convert_bytes, v3alpha1 to v2", "down", "floor bare"),
        row("by hand on dictionaries, nothing kept", "peer down", "floor bare"),
    ]


def _peer_up(data: bytes) -> bytes:
    return _encode(mapping_peer.up(_decode(data)))


def _peer_down(data: bytes) -> bytes:
    return _encode(mapping_peer.down(_decode(data)))


def _endless(texts: list[bytes]) -> Callable[[], bytes]:
    return cycle(texts).__next__


def _without_bag(document: dict[str, Any]) -> dict[str, Any]:
    annotations = document["metadata"]["annotations"]
    for key in [key for key in annotations if key.startswith("holdall.dev/")]:
        del annotations[key]
    return document


def _require_equal(found: object, wanted: object, claim: str) -> None:
    if found != wanted:
        raise SystemExit(f"not so: {claim}\n{found}\n{wanted}")

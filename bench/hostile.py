"""Whether hostile sizes cost linear time: n, 2n and 4n elements, to v2 and back.

A document of 1.5 MB is what an API server accepts. The floor is parsing its text and serialising
the result. Times are CPU time; the best of some rounds, as a noisy machine only ever adds to them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from bench.report import Row
from bench.specimen import generated, review_of
from bench.timing import rounds
from holdall.webhook.collector import spared_collector
from tests.support.crds import crd_of, struct

_SIZES = (1, 2, 4)
_ROUNDS = 3
_LIMIT = "at most 100 ms on top; 5 x for 4 n"
_decode, _encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode

_CONFIG = """\
groups:
  hostile:
    sources:
      - crds: schemas/*.json
    versions: [v1, v2]
"""


def _spec(hidden: str | None) -> dict[str, Any]:
    """Return the schema of a spec; only v1 has the members called `hidden`."""
    text, number = {"type": "string"}, {"type": "integer"}
    part = struct(host=text) if hidden is None else struct(host=text, **{hidden: number})
    spec = struct(
        parts={"type": "array", "items": part},
        table={"type": "object", "additionalProperties": part},
        tags={"type": "object", "additionalProperties": text},
        open=struct(),
    )
    if hidden is not None:
        spec["properties"]["open"]["x-kubernetes-preserve-unknown-fields"] = True
    return spec


_CRD = crd_of(
    "Thing",
    {
        version: struct(metadata={"type": "object"}, spec=_spec(hidden))
        for version, hidden in (("v1", "secret"), ("v2", None))
    },
    group="hostile.example.com",
)

_PART = struct(name={"type": "string"}, note={"type": "string"})
_HOOKED_CRD = crd_of(
    "Hooked",
    {
        version: struct(
            metadata={"type": "object"}, spec=struct(parts={"type": "array", "items": _PART})
        )
        for version in ("v1", "v2")
    },
    group="hostile.example.com",
)

_HOOK = """\
from generated.hostile.v1.storage import AssignableHookedSpec
from holdall import Composed, Members, TwoWay


class Parts(TwoWay):
    older = newer = ("parts",)

    def to_newer(self, older: Members) -> Members:
        parts = [part for part in older.get("parts", []) if part["note"] != "HIDDEN"]
        return {"parts": [{**part, "note": part["note"].lower()} for part in parts]}

    def to_older(self, newer: Members) -> Members:
        return newer


class SpecHook(Composed, AssignableHookedSpec):
    parts = (Parts(),)
"""


def _noted(count: int, *notes: str) -> Any:
    """Return the spec of a Hooked."""
    parts = range(count)
    return {"parts": [{"name": f"p{at}", "note": notes[at % len(notes)]} for at in parts]}


def _parts(count: int) -> list[Any]:
    return [{"host": f"p{number}", "secret": number} for number in range(count)]


_CASES: dict[str, tuple[int, Callable[[int], Any]]] = {
    "equal elements": (10_000, lambda n: {"parts": [{"host": "a", "secret": 1}] * n}),
    "elements": (10_000, lambda n: {"parts": _parts(n)}),
    "different elements": (45_000, lambda n: {"parts": _parts(n)}),
    "map values": (
        45_000,
        lambda n: {"table": {f"k{number}": part for number, part in enumerate(_parts(n))}},
    ),
    "members of open JSON": (
        45_000,
        lambda n: {"open": {f"k{number}": number for number in range(n)}},
    ),
    "tags, nothing hidden": (
        45_000,
        lambda n: {"tags": {f"k{number}": f"a value of {number}" for number in range(n)}},
    ),
}

_HOOKED: dict[str, tuple[int, Callable[[int], Any]]] = {
    "elements that a hook changes": (2_000, lambda n: _noted(n, "A")),
    "elements of which a hook shows half": (2_000, lambda n: _noted(n, "HIDDEN", "a")),
}
"""A client edits each element that it sees at v2."""


def measure() -> list[Row]:
    """Measure all cases, to v2 and back."""
    files = {
        "schemas/hostile.json": _encode(_CRD).decode(),
        "schemas/hooked.json": _encode(_HOOKED_CRD).decode(),
        "hooks/__init__.py": "",
        "hooks/parts.py": _HOOK,
    }
    with tempfile.TemporaryDirectory() as folder:
        scheme = generated(Path(folder), "hostile", {"holdall.yaml": _CONFIG, **files})
        return [row for title in (*_CASES, *_HOOKED) for row in _measure(scheme, title)]


def _measure(scheme: Any, title: str) -> list[Row]:
    is_hooked = title in _HOOKED
    most, make = (_HOOKED if is_hooked else _CASES)[title]
    kind = "Hooked" if is_hooked else "Thing"
    there: dict[int, bytes] = {}
    back: dict[int, bytes] = {}
    for size in _SIZES:
        spec = make(most * size // _SIZES[-1])
        head = {"apiVersion": "hostile.example.com/v1", "kind": kind, "metadata": {"name": "x"}}
        there[size] = _encode({**head, "spec": spec})
        back[size] = scheme.convert_bytes(there[size], to="v2")
        if is_hooked:
            back[size] = _edited(back[size])
    ways = (("to v2", there, "v2"), ("back", back, "v1"))
    return [
        row
        for way, texts, to in ways
        for row in _rows(f"{most:,} {title}, {way}", texts, to, scheme)
    ]


def _edited(text: bytes) -> bytes:
    document = _decode(text)
    for part in document["spec"]["parts"]:
        part["name"] += "x"
    return _encode(document)


def _rows(title: str, texts: dict[int, bytes], to: str, scheme: Any) -> Iterator[Row]:
    def convert(text: bytes) -> Callable[[], object]:
        return lambda: scheme.convert_bytes(text, to=to, report=[])

    def parse(text: bytes) -> Callable[[], object]:
        answer = _decode(scheme.convert_bytes(text, to=to))
        return lambda: (_decode(text), _encode(answer))

    floors = _best({size: parse(text) for size, text in texts.items()})
    times = _best({size: convert(text) for size, text in texts.items()})
    growth = " : ".join(f"{times[size] / times[1]:.1f}" for size in _SIZES)
    floor, spent = floors[_SIZES[-1]], times[_SIZES[-1]]
    yield Row(title, spent - floor, f"{spent / floor:.0f} x msgspec, {growth}", _LIMIT)
    body = review_of([texts[_SIZES[-1]]], f"hostile.example.com/{to}")
    with spared_collector():
        [spent] = _best({0: lambda: scheme.review(body)}).values()
    yield Row("the same in a review", spent - floor, f"{spent / floor:.0f} x msgspec", "")


def _best(acts: dict[int, Callable[[], object]]) -> dict[int, float]:
    found = rounds({str(size): act for size, act in acts.items()}, _ROUNDS)
    return {int(size): min(values) for size, values in found.items()}

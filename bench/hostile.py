"""Whether hostile sizes cost linear time: n, 2n and 4n elements, and what comes on top.

A document of 1.5 MB is what an API server accepts. What is measured is CPU time on top of parsing
and serialising the same text and the result.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from bench.report import Row
from bench.specimen import generated
from bench.timing import median, rounds
from holdall.webhook.review import Reviewer

_SIZES = (1, 2, 4)
_LIMIT = 0.1
"""Seconds on top of parsing and serialising, at the largest size."""
_GROWTH = 5.0
"""How much more the largest size may cost on top than the smallest, which is a fourth of it."""
_decode, _encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode

_CONFIG = """\
groups:
  hostile:
    sources:
      - crds: schemas/hostile.json
    versions: [v1, v2]
"""


def _schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _spec(hidden: str | None) -> dict[str, Any]:
    """Return the schema of a spec; only v1 has the members called `hidden`."""
    text, number = {"type": "string"}, {"type": "integer"}
    part = _schema(host=text) if hidden is None else _schema(host=text, **{hidden: number})
    spec = _schema(
        parts={"type": "array", "items": part},
        table={"type": "object", "additionalProperties": part},
        tags={"type": "object", "additionalProperties": text},
        open=_schema(),
    )
    if hidden is not None:
        spec["properties"]["open"]["x-kubernetes-preserve-unknown-fields"] = True
    return spec


_CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.hostile.example.com"},
    "spec": {
        "group": "hostile.example.com",
        "scope": "Namespaced",
        "names": {"kind": "Thing", "plural": "things"},
        "versions": [
            {
                "name": version,
                "served": True,
                "storage": version == "v2",
                "schema": {
                    "openAPIV3Schema": _schema(metadata={"type": "object"}, spec=_spec(hidden))
                },
            }
            for version, hidden in (("v1", "secret"), ("v2", None))
        ],
    },
}

_CASES: dict[str, tuple[int, Callable[[int], Any]]] = {
    "equal elements": (10_000, lambda n: {"parts": [{"host": "a", "secret": 1}] * n}),
    "elements": (
        10_000,
        lambda n: {"parts": [{"host": f"p{at}", "secret": at} for at in range(n)]},
    ),
    "elements ": (
        45_000,
        lambda n: {"parts": [{"host": f"p{at}", "secret": at} for at in range(n)]},
    ),
    "map values": (
        45_000,
        lambda n: {"table": {f"k{at}": {"host": f"p{at}", "secret": at} for at in range(n)}},
    ),
    "members of open JSON": (45_000, lambda n: {"open": {f"k{at}": at for at in range(n)}}),
    "tags, nothing hidden": (
        45_000,
        lambda n: {"tags": {f"k{at}": f"a value of {at}" for at in range(n)}},
    ),
}


def measure() -> list[Row]:
    """Measure all cases, to v2 and back."""
    files = {"schemas/hostile.json": _encode(_CRD).decode(), "hooks/__init__.py": ""}
    with tempfile.TemporaryDirectory() as folder:
        scheme = generated(Path(folder), "hostile", {"holdall.yaml": _CONFIG, **files})
        return [row for title in _CASES for row in _measure(scheme, title)]


def _measure(scheme: Any, title: str) -> list[Row]:
    most, make = _CASES[title]
    there: dict[int, bytes] = {}
    back: dict[int, bytes] = {}
    for size in _SIZES:
        spec = make(most * size // _SIZES[-1])
        head = {"apiVersion": "hostile.example.com/v1", "kind": "Thing", "metadata": {"name": "x"}}
        there[size] = _encode({**head, "spec": spec})
        back[size] = scheme.convert_bytes(there[size], to="v2")
    reviewer = Reviewer([scheme])
    return [
        _row(f"{most:,} {title.strip()}, {way}", texts, to, scheme, reviewer)
        for way, texts, to in (("to v2", there, "v2"), ("back", back, "v1"))
    ]


def _row(title: str, texts: dict[int, bytes], to: str, scheme: Any, reviewer: Reviewer) -> Row:
    acts: dict[str, Callable[[], object]] = {}
    for size, text in texts.items():
        answer = scheme.convert_bytes(text, to=to)
        acts[f"floor {size}"] = lambda text=text, answer=answer: (
            _encode(_decode(text)),
            _encode(_decode(answer)),
        )
        acts[f"convert {size}"] = lambda text=text: scheme.convert_bytes(text, to=to, report=[])
    results = rounds(acts, 5)
    on_top = {
        size: median(results[f"convert {size}"]) - median(results[f"floor {size}"]) / 2
        for size in texts
    }
    growth = " ".join(f"{on_top[size] * 1e3:.0f}" for size in texts)
    return Row(title, on_top[4], growth, "")

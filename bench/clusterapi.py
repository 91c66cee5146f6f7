"""How fast objects of Cluster API convert: the realistic ones that were recorded from upstream."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from bench.acceptance import SHARED, built
from bench.report import Row
from bench.samples import best
from holdall.engine.remembered import nothing_remembered

_DATA = SHARED / "clusterapi"
_ROUNDS = 30
_LEAST = 1024
"""Bytes of the objects that are measured."""
_decode, _encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode


def measure() -> list[Row]:
    """Measure every case once with an object as upstream's clients write it, and back again."""
    if not _DATA.is_dir():
        return [Row("skipped: no ../shared/clusterapi beside the project", None, "", "")]
    given = {name: _DATA / name for name in ("schemas", "version_map.json")}
    with built("clusterapi", given) as schemes:
        by_group = {scheme.group_of(kind): scheme for scheme in schemes for kind in scheme.kinds}
        ratios: dict[str, list[float]] = {}

        def note(scheme: Any, data: bytes, to: str, way: str) -> None:
            ratios.setdefault(way, []).append(_ratio(scheme, data, to))
            with nothing_remembered():
                title = f"{way}, nothing remembered"
                ratios.setdefault(title, []).append(_ratio(scheme, data, to))

        for case in _cases():
            scheme = by_group[case["group"]]
            data = _encode(case["input"])
            there = scheme.convert_bytes(data, to=case["to"])
            names = [version.name for version in scheme.versions]
            is_up = names.index(case["from"]) < names.index(case["to"])
            note(scheme, data, case["to"], f"to the {'newer' if is_up else 'older'} version")
            note(scheme, there, case["from"], "back")
    return [
        Row(
            f"Cluster API, realistic, 1 KB and more, {way}: {len(found)} objects",
            None,
            f"median {statistics.median(found):.2f} x, worst {max(found):.2f} x",
            "",
        )
        for way, found in ratios.items()
    ]


def _cases() -> Iterator[dict[str, Any]]:
    for path in sorted((_DATA / "cases/visible").glob("*.json")):
        for case in json.loads(path.read_bytes()):
            is_large = len(_encode(case["input"])) >= _LEAST
            if case["origin"] == "realistic" and "output" in case and is_large:
                yield case


def _ratio(scheme: Any, data: bytes, to: str) -> float:
    seconds, floor = best(
        partial(scheme.convert_bytes, data, to=to), lambda: _encode(_decode(data)), _ROUNDS
    )
    return seconds / floor

"""How fast objects are converted, against parsing and serialising alone and against a peer."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec
from dataclasses_json import DataClassJsonMixin

from bench.report import Row
from bench.specimen import account, build
from bench.timing import median, median_ratio, rounds


def measure() -> list[Row]:
    """Measure one edge with one hook, further edges, and the dataclasses-json path."""
    with tempfile.TemporaryDirectory() as folder:
        return _measure(build(Path(folder)))


def _measure(scheme: Any) -> list[Row]:
    data = msgspec.json.encode(account())
    decode, encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode
    expected = scheme.convert_bytes(scheme.convert_bytes(data, to="v5"), to="v1")
    if msgspec.json.decode(expected) != account():
        raise SystemExit("the benchmark object does not survive its round trip")
    api_type = scheme.api_type("Account", "v1")
    library_from = DataClassJsonMixin.from_dict.__func__  # type: ignore[attr-defined]
    library_to = DataClassJsonMixin.to_dict
    results = rounds(
        {
            "floor": lambda: encode(decode(data)),
            "one": lambda: scheme.convert_bytes(data, to="v2"),
            "four": lambda: scheme.convert_bytes(data, to="v5"),
            "library": lambda: library_to(library_from(api_type, account())),
        }
    )
    floor = results["floor"]
    further = [(four - one) / 3 for four, one in zip(results["four"], results["one"], strict=True)]
    size = f"{len(data):,} bytes"
    return [
        Row(f"msgspec decode and encode, {size}", median(floor), "1", ""),
        _row("convert_bytes, one edge with a hook", results["one"], floor, "3.5"),
        _row("each further edge", further, floor, "0.8"),
        Row(
            "dataclasses-json from_dict and to_dict",
            median(results["library"]),
            f"{median_ratio(results['library'], results['one']):.0f} x convert_bytes",
            "at least 50 x",
        ),
    ]


def _row(title: str, values: list[float], floor: list[float], limit: str) -> Row:
    ratio = median_ratio(values, floor)
    return Row(title, median(values), f"{ratio:.2f} x msgspec", f"at most {limit} x")

"""How long importing a generated group of 100 types takes, in a fresh interpreter."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.report import Row
from holdall_codegen.project import emit_project, load_project

_TYPES = 100
_SCRIPT = """\
import time
start = time.perf_counter()
from generated.many import SCHEME
import generated.many.v1
print(time.perf_counter() - start)
start = time.perf_counter()
SCHEME.load()
print(time.perf_counter() - start)
"""


def measure() -> list[Row]:
    """Measure the import of a group with 100 API types, then loading its twins and hooks."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _project(root)
        _run(root)  # writes the bytecode that every later import finds
        runs = [_run(root) for _ in range(9)]
    imported = statistics.median(run[0] for run in runs)
    loaded = statistics.median(run[1] for run in runs)
    return [
        Row(f"import of a group of {_TYPES} types", imported, f"{imported * 1e3:.0f} ms", "150 ms"),
        Row("loading its storage twins at first use", loaded, f"{loaded * 1e3:.0f} ms", ""),
    ]


def _run(root: Path) -> tuple[float, float]:
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        cwd=root,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    first, second = done.stdout.split()
    return float(first), float(second)


def _project(root: Path) -> None:
    leaves = _TYPES - 2
    properties: dict[str, Any] = {
        f"part{number}": {
            "type": "object",
            "properties": {f"member{number}x{n}": {"type": "string"} for n in range(6)},
        }
        for number in range(leaves)
    }
    schema = {
        "title": "Machine",
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": properties}},
    }
    (root / "schemas").mkdir()
    (root / "schemas/v1.json").write_text(json.dumps(schema), encoding="utf-8")
    (root / "holdall.yaml").write_text(
        "groups:\n"
        "  many:\n"
        "    api_group: many.example.com\n"
        "    sources:\n"
        "      - {schemas: schemas/v1.json, version: v1}\n"
        "    versions: [v1]\n",
        encoding="utf-8",
    )
    for name, text in emit_project(load_project(root)).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

"""How long generating takes: the 14 CRDs of a real API from scratch, and again without a change."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from bench.report import Row

_CRDS = Path(__file__).parents[1].parent / "shared/emissary/schemas/internal"
_CONFIG = """\
groups:
  emissary:
    sources:
      - crds: schemas/*.yaml
    versions: [v1, v2, v3alpha1]
    hub: v3alpha1
"""


def measure() -> list[Row]:
    """Measure `holdall generate` as a whole process."""
    if not _CRDS.is_dir():
        return [Row("skipped: no ../shared/emissary beside the project", None, "", "")]
    scratch, again = [], []
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            shutil.copytree(_CRDS, root / "schemas")
            (root / "holdall.yaml").write_text(_CONFIG, encoding="utf-8")
            scratch.append(_generate(root))
            again.append(_generate(root))
    first, second = statistics.median(scratch), statistics.median(again)
    return [
        Row("14 CRDs, 3 versions, from scratch", first, f"{first:.2f} s", "3 s"),
        Row("again without a change", second, f"{second:.2f} s", "0.7 s"),
    ]


def _generate(root: Path) -> float:
    command = Path(sys.executable).with_name("holdall")
    start = perf_counter()
    subprocess.run([command, "--project", root, "generate"], check=True, capture_output=True)
    return perf_counter() - start

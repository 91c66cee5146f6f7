"""What a release stores of the sample project, for those after it to read.

`python -m tests.acceptance.stored` writes it for this release, from the samples and drawn objects;
each line has an object, and what it is at all other versions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from generated import batch, fleet, people
from holdall.scheme.schemes import Schemes
from holdall.testing.laws.choices import Crowded
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.text.loading import load_file
from holdall.version import VERSION

FOLDER: Final = Path(__file__).parent / "releases"
SCHEMES: Final = Schemes([batch.SCHEME, fleet.SCHEME, people.SCHEME])
_SAMPLES: Final = Path(__file__).parents[2] / "samples"
_LARGE: Final = {
    "apiVersion": "fleet.example.com/v2",
    "kind": "Vehicle",
    "metadata": {"name": "large"},
    "spec": {"labels": {f"label-{number}": "of many" for number in range(60)}},
}
"""Its bag is compressed."""


def read_back(stored: Any, version: str) -> tuple[Any, list[Any]]:
    """Return a stored object at the version that it was made at, and what the report says."""
    report: list[Any] = []
    return SCHEMES.convert(_json.copy(stored), to=version, report=report), report


def _objects() -> Iterator[Any]:
    yield _LARGE
    for path in sorted(_SAMPLES.glob("*/*.yaml")):
        yield from (document.value for document in load_file(path))
    for scheme in SCHEMES.schemes:
        subject = Subject(scheme)
        for kind in subject.kinds():
            for version in subject.served(kind):
                choices = Crowded(f"{kind}/{version}")
                yield subject.documents.draft(choices, kind, version).api


def _lines() -> Iterator[str]:
    for made in _objects():
        version = made["apiVersion"].rpartition("/")[2]
        scheme: Any = SCHEMES.find(made["apiVersion"], made["kind"])
        others = (one.name for one in scheme.versions if not one.internal and one.name != version)
        stored = {other: scheme.convert(made, to=other) for other in others}
        # Most come back as they were; an empty status does not, beside tracked values.
        kept = {at: one for at, one in stored.items() if read_back(one, version) == (made, [])}
        yield json.dumps({"made": made, "stored": kept}, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{VERSION}.jsonl").write_text("".join(_lines()), encoding="utf-8")

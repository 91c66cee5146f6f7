"""How fast every sample object gets to every other version, against parsing and serialising it.

Bytes in, bytes out, with the metadata that an API server gives objects. Times are CPU time; the
best of many rounds, as a noisy machine only ever adds to them.
"""

from __future__ import annotations

import gc
import importlib
import math
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import msgspec

from bench.report import Row
from bench.specimen import forget_packages, review_of
from holdall.text.loading import load_file
from holdall_codegen.project import emit_project, load_project

_ROOT = Path(__file__).parents[1]
_ROUNDS = 300
_MANY = 64
_DOMAIN = "holdall.dev/"
_decode, _encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode


@dataclass(frozen=True)
class Sample:
    """One object on its way to one version, with what makes that way a long one.

    `together` are the seconds for each of many in one review.
    """

    group: str
    title: str
    is_tracked: bool
    floor: float
    seconds: float
    together: float
    burden: str

    @property
    def ratio(self) -> float:
        """How many times the floor the way costs."""
        return self.seconds / self.floor

    @property
    def ratio_together(self) -> float:
        """How many times the floor each of many in one review costs."""
        return self.together / self.floor


def measure() -> list[Row]:
    """Measure all ways: first each group as a whole, then every way, the slowest first."""
    with built() as schemes:
        found = [sample for group, scheme in schemes.items() for sample in samples(group, scheme)]
    plain = [sample for sample in found if not sample.is_tracked]
    tracked = [sample for sample in found if sample.is_tracked]
    rows = [_summary("all that is not tracked", plain, "2.0 x, worst 4.0 x")]
    rows += [
        _summary(group, [sample for sample in plain if sample.group == group], "")
        for group in dict.fromkeys(sample.group for sample in plain)
    ]
    rows.append(_summary("values tracked in the status", tracked, "worst 6.0 x"))
    found.sort(key=lambda sample: -sample.ratio)
    return rows + [
        Row(f"{one.title}: {one.burden}", one.seconds, _ratios(one), "") for one in found
    ]


def _summary(title: str, found: list[Sample], limit: str) -> Row:
    mean = _mean(one.ratio for one in found)
    together = _mean(one.ratio_together for one in found)
    worst = max(one.ratio for one in found)
    result = f"mean {mean:.2f} x, worst {worst:.2f} x; mean of {_MANY} in a review {together:.2f} x"
    return Row(f"{title}: {len(found)} ways", None, result, limit)


def _ratios(one: Sample) -> str:
    return f"{one.ratio:.2f} x msgspec, {one.ratio_together:.2f} x in a review of {_MANY}"


def _mean(ratios: Iterable[float]) -> float:
    """Return the geometric mean."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms))


@contextmanager
def built() -> Iterator[dict[str, Any]]:
    """Generate the sample project into a temporary folder, and yield its schemes by group."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(_ROOT / "hooks", Path(folder, "hooks"))
        for name, text in emit_project(load_project(_ROOT)).items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        forget_packages()
        sys.path.insert(0, folder)
        try:
            yield {
                path.name: importlib.import_module(f"generated.{path.name}").SCHEME
                for path in sorted(_ROOT.joinpath("samples").iterdir())
            }
        finally:
            sys.path.remove(folder)
            forget_packages()


def ways(group: str, scheme: Any) -> Iterator[tuple[str, bytes, str, Any]]:
    """Yield every sample object with every other version: title, text, version, route."""
    scheme.load()
    for file in sorted(_ROOT.joinpath("samples", group).glob("*.yaml")):
        for document in load_file(file):
            obj: Any = _as_stored(document.value)
            kind = next(kind for kind in scheme.kinds if kind.name == obj["kind"])
            for version in kind.types:
                if scheme.api_version(version) != obj["apiVersion"]:
                    route = scheme.route(obj["apiVersion"], obj["kind"], version)
                    name = obj["metadata"]["name"] if "metadata" in obj else obj["kind"]
                    title = f"{group} {name}, {route.versions[0]} to {version}"
                    yield title, _encode(obj), version, route


def samples(group: str, scheme: Any) -> Iterator[Sample]:
    """Yield what every way of the sample objects of a group costs."""
    for title, data, version, route in ways(group, scheme):
        answer = _decode(scheme.convert_bytes(data, to=version))
        seconds, floor = best(
            partial(scheme.convert_bytes, data, to=version),
            partial(_parse, data),
        )
        act = partial(_answer, scheme, review_of([data] * _MANY, scheme.api_version(version)))
        many, _ = best(act, partial(_parse, data), count=_ROUNDS // 10)
        burden = _burden(route, answer)
        yield Sample(group, title, route.is_tracked, floor, seconds, many / _MANY, burden)


def _answer(scheme: Any, body: bytes) -> None:
    if b'"status":"Success"' not in scheme.review(body):
        raise AssertionError(scheme.review(body))


def _parse(data: bytes) -> bytes:
    return _encode(_decode(data))


def best(
    act: Callable[[], object], floor: Callable[[], object], count: int = _ROUNDS
) -> tuple[float, float]:
    """Return the least seconds that each of two acts takes, in `count` interleaved rounds."""
    found = [math.inf, math.inf]
    acts = ((act, 4), (floor, 20))
    gc.collect()
    gc.disable()
    try:
        for _ in range(count):
            for index, (one, times) in enumerate(acts):
                start = process_time()
                for _ in range(times):
                    one()
                found[index] = min(found[index], (process_time() - start) / times)
    finally:
        gc.enable()
    return found[0], found[1]


def _burden(route: Any, answer: Any) -> str:
    """Return what a way has to do beside copying: edges, what is put away, hooks of its types."""
    annotations = answer.get("metadata", {}).get("annotations") or {}
    texts = [text for key, text in annotations.items() if key.startswith(_DOMAIN)]
    parts = [f"{len(route.upward)} edges"]
    for text in texts:
        envelope = _decode(text) if text.startswith("{") else {}
        bags = envelope.get("bags", {})
        parts.append(f"{len(bags)} bags" if bags else f"{len(text)} bytes put away")
        if envelope.get("lists"):
            parts.append(f"{len(envelope['lists'])} lists known by fingerprints")
    return ", ".join(parts)


def _as_stored(obj: Any) -> Any:
    """Return a sample with what an API server adds to its metadata."""
    if "metadata" not in obj:
        return obj
    own = obj["metadata"]
    fields: dict[str, Any] = {f"f:{name}": {} for name in obj.get("spec", {})}
    stored = {
        "name": own["name"],
        "namespace": own.get("namespace", "default"),
        "uid": "5b9f1f6e-6a3c-4d0a-9a58-0d6c1c2f7e11",
        "resourceVersion": "812345",
        "generation": 4,
        "creationTimestamp": "2026-05-02T08:00:00Z",
        "labels": {"app": "shop"},
        "annotations": {"example.com/owner": "payments"},
        "managedFields": [
            {
                "apiVersion": obj["apiVersion"],
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
                    "f:spec": {".": {}, **fields},
                },
                "manager": "kubectl-client-side-apply",
                "operation": "Update",
                "time": "2026-05-02T08:00:00Z",
            }
        ],
    }
    return {**obj, "metadata": {**stored, **own}}

"""The engine on twins and the engine on members make the same of everything.

Documents, with the bags in them, reports and errors are equal: for the samples, for specimens of
every feature, for drawn objects, and for what comes back edited or damaged.
"""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.carriers.reports import Report
from holdall.errors import HoldallError
from holdall.testing.laws.choices import Everything
from holdall.testing.laws.differences import differences
from holdall.testing.laws.strategies import api_objects, damaged, edited
from holdall.text import json as holdall_json
from holdall.text.loading import load_file
from tests.laws.checks import examples
from tests.laws.projects import Built, Specimen, built, built_specimen, new_name
from tests.laws.specimens import SPECIMENS
from tests.laws.subjects import Json, Subject, runtime_ref
from tests.laws.test_executors_agree import PLAIN

ROOT = Path(__file__).parents[2]
ALL = {**SPECIMENS, "everything plain": PLAIN}
GROUPS = ["batch", "fleet", "people"]


@dataclass(frozen=True)
class Pair:
    """One group, generated for both engines."""

    twins: Subject
    members: Subject

    def routes(self) -> list[tuple[str, str, str]]:
        return [
            (kind.name, start, end)
            for kind in self.twins.plan.kinds
            for start in self.twins.served(kind.name)
            for end in self.twins.served(kind.name)
            if start != end
        ]

    def converted(self, document: Json, end: str, *, tolerant: bool = False) -> Json | str:
        """Return what both engines make of a document, or the error that both raise."""
        found = _run(self.members, document, end, tolerant)
        expected = _run(self.twins, document, end, tolerant)
        wrong = "\n".join(map(str, differences(_readable(expected), _readable(found))))
        if wrong:
            start = document.get("apiVersion"), document.get("kind")
            pytest.fail(
                f"{start} -> {end}, tolerant {tolerant}\n{wrong}\nof {document}", pytrace=False
            )
        result: Json | str = found[0]
        return result


def _readable(result: Any) -> Any:
    """Return a result with its annotation decoded, so that differences in it can be seen."""
    document = copy.deepcopy(result[0])
    metadata = document.get("metadata") if isinstance(document, dict) else None
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if isinstance(annotations, dict):
        for key, text in annotations.items():
            if key.startswith("holdall.dev/") and isinstance(text, str) and text[:1] == "{":
                annotations[key] = holdall_json.decode(text)
    return [document, result[1]]


def _run(subject: Subject, document: Json, end: str, tolerant: bool) -> list[Any]:
    report: Report = []
    given_document = copy.deepcopy(document)
    try:
        route: Any = subject.scheme.route(document["apiVersion"], document["kind"], end)
        route.plain = None  # the shortcut of the engine on twins; see test_executors_agree
    except (HoldallError, KeyError, TypeError):
        pass
    try:
        result: Any = subject.scheme.convert(
            given_document, to=end, report=report, tolerant=tolerant
        )
    except HoldallError as error:
        text = re.sub(r"\bmade_\d+\b", "made", f"{type(error).__name__}: {error}")
        result, report = text, []
    assert holdall_json.same(given_document, document)
    return [result, [str(item) for item in report]]


@contextmanager
def pair_of(*groups: Any) -> Iterator[Pair]:
    """Yield the pair of a group that two context managers build."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(group) for group in groups)
        yield Pair(Subject(one.plan, one.scheme), Subject(other.plan, other.scheme))


@pytest.fixture(scope="module", params=sorted(ALL))
def specimen(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """A specimen, generated and imported twice."""
    found: Specimen = ALL[request.param]
    folders = tmp_path_factory.mktemp("twins"), tmp_path_factory.mktemp("members")
    with pair_of(
        built_specimen(found, folders[0]), built_specimen(found, folders[1], "members")
    ) as pair:
        yield pair


@contextmanager
def built_sample(group: str, root: Path, engine: Any) -> Iterator[Built]:
    """Generate and import a group of the sample project, with its hooks, under another name."""
    output = new_name()
    shutil.copytree(ROOT / "schemas", root / "schemas")
    shutil.copytree(ROOT / "hooks", root / f"{output}_hooks")
    for file in (root / f"{output}_hooks").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("from generated.", f"from {output}."), encoding="utf-8")
    config = (ROOT / "holdall.yaml").read_text(encoding="utf-8")
    config += f"\noutput: {output}\nhooks: {output}_hooks\n"
    (root / "holdall.yaml").write_text(config, encoding="utf-8")
    with built(root, output, engine) as groups:
        yield groups[group]


@pytest.fixture(scope="module", params=GROUPS)
def sample(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Pair]]:
    """A group of the sample project, generated and imported twice."""
    folders = tmp_path_factory.mktemp("twins"), tmp_path_factory.mktemp("members")
    with pair_of(
        built_sample(request.param, folders[0], "twins"),
        built_sample(request.param, folders[1], "members"),
    ) as pair:
        yield request.param, pair


def test_samples(sample: tuple[str, Pair]) -> None:
    """So for the samples, to every version, and from there to every other one."""
    group, pair = sample
    for file in sorted((ROOT / "samples" / group).glob("*.yaml")):
        for document in load_file(file):
            obj: Any = document.value
            versions = pair.twins.served(obj["kind"])
            for first in versions:
                there = pair.converted(obj, first)
                assert not isinstance(there, str)
                for second in versions:
                    pair.converted(there, second)


def test_sample_objects(sample: tuple[str, Pair]) -> None:
    """So for drawn objects of the sample project."""
    _agree(sample[1], 60)


def test_full_sample_objects(sample: tuple[str, Pair]) -> None:
    """So for objects with every member, there and back."""
    _agree_on_full(sample[1])


def test_specimens(specimen: Pair) -> None:
    """So for drawn objects of specimens of every feature."""
    _agree(specimen, 30)


def test_full_specimens(specimen: Pair) -> None:
    """So for objects with every member, there and back."""
    _agree_on_full(specimen)


def _agree(pair: Pair, count: int) -> None:
    routes = pair.routes()

    @examples(count)
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        kind, start, end = data.draw(st.sampled_from(routes))
        document = data.draw(api_objects(pair.twins.scheme, kind, start))
        if data.draw(st.booleans()):
            document = data.draw(damaged(document))
        tolerant = data.draw(st.booleans())
        for _ in range(data.draw(st.integers(1, 4))):
            there = pair.converted(document, end, tolerant=tolerant)
            if isinstance(there, str):
                return
            ref = runtime_ref(pair.twins.root(kind, end))
            document = data.draw(edited(pair.twins.own.documents, ref, there))
            if data.draw(st.integers(0, 3)) == 3:
                document = data.draw(damaged(document))
            served = pair.twins.served(kind)
            end = data.draw(st.sampled_from([version for version in served if version != end]))
        pair.converted(document, end, tolerant=tolerant)

    if routes:
        agree()


def _agree_on_full(pair: Pair) -> None:
    documents = pair.twins.own.documents
    for kind, start, end in pair.routes():
        for turn in range(3):
            full = documents.root(Everything(turn), kind, start)
            there = pair.converted(full, end)
            if not isinstance(there, str):
                pair.converted(there, start)

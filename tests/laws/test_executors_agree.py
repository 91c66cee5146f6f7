"""Both executors make the same documents: the one on plain JSON, and the one on twins."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.carriers import Cargo, Load
from holdall.carriers.reports import Report
from holdall.errors import HoldallError
from holdall.testing.laws.choices import Everything
from holdall.testing.laws.strategies import api_objects, damaged, edited
from holdall.text import json as holdall_json
from tests.laws.checks import examples
from tests.laws.projects import INTEGER, OPAQUE, STRING, Specimen, built_specimen, many, mapped, ref
from tests.laws.specimens import SPECIMENS
from tests.laws.subjects import Json, Subject, runtime_ref

_PART = {"name": STRING, "size": INTEGER}
PLAIN = Specimen(
    {
        "v1": {
            "Thing": {
                "kept": STRING,
                "older": STRING,
                "olderList": many(STRING),
                "only1": mapped(ref("Part")),
                "same": ref("Same"),
                "part": ref("Part"),
                "olderParts": many(ref("Part")),
                "byName": mapped(ref("Part")),
                "self": ref("Thing"),
            },
            "Part": _PART,
            "Same": {"names": many(STRING), "any": OPAQUE},
        },
        "v2": {
            "Thing": {
                "kept": STRING,
                "newer": STRING,
                "newerList": many(STRING),
                "only2": STRING,
                "same": ref("Same"),
                "part": ref("Part"),
                "newerParts": many(ref("Part")),
                "byName": mapped(ref("Part")),
                "self": ref("Thing"),
            },
            "Part": {"name": STRING, "weight": INTEGER},
            "Same": {"names": many(STRING), "any": OPAQUE},
        },
        "v3": {
            "Thing": {"kept": STRING, "piece": ref("Part"), "same": ref("Same")},
            "Part": {"name": STRING, "weight": INTEGER},
            "Same": {"names": many(STRING), "any": OPAQUE},
        },
    },
    between={
        "v2 -> v3": {"Thing": {"part": "piece"}},
        "v1 -> v2": {
            "Thing": {"older": "newer", "olderList": "newerList", "olderParts": "newerParts"},
        },
    },
)
"""Everything that the executor on plain JSON does."""
ALL = {**SPECIMENS, "everything plain": PLAIN}


@pytest.fixture(scope="module", params=sorted(ALL))
def subject(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Subject]:
    """A specimen, generated and imported."""
    with built_specimen(ALL[request.param], tmp_path_factory.mktemp("specimen")) as group:
        yield Subject(group.plan, group.scheme)


def test_random_documents(subject: Subject) -> None:
    """So for documents, broken ones, and what comes back edited: results, reports and errors."""
    pairs = _pairs(subject)

    @examples(30)
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        kind, start, end = data.draw(st.sampled_from(pairs))
        document = data.draw(api_objects(subject.scheme, kind, start))
        if data.draw(st.booleans()):
            document = data.draw(damaged(document))
        there = converted(subject, document, end)
        if not isinstance(there, str):
            ref = runtime_ref(subject.root(kind, end))
            changed = data.draw(edited(subject.own.documents, ref, there))
            converted(subject, changed, start)

    if pairs:
        agree()


def test_full_documents(subject: Subject) -> None:
    """So for documents with every member, there and back."""
    documents = subject.own.documents
    for kind, start, end in _pairs(subject):
        for turn in range(3):
            full = documents.root(Everything(turn), kind, start)
            there = converted(subject, full, end)
            if not isinstance(there, str):
                converted(subject, there, start)


def test_the_agreement_is_not_empty(tmp_path: Path) -> None:
    """The executor on plain JSON does convert what it is there for, there and back."""
    part = {"name": "a", "size": 1}
    document = {
        "apiVersion": "v1",
        "kind": "Thing",
        "older": "a",
        "only1": {"x": {"name": "b"}},
        "olderParts": [{"name": "c"}],
        "part": part,
        "byName": {"x/~": part},
        "unknown": [1],
    }
    with built_specimen(PLAIN, tmp_path) as group:
        there = made(group.scheme.route("v1", "Thing", "v2").plain, document, None)
        assert there is not None
        members, bags = there
        assert members["newer"] == "a"
        assert sorted(bags) == ["", "/byName/x~1~0", "/part"]
        bags = {address: bag for address, bag in bags.items() if address != "/byName/x~1~0"}
        back = made(group.scheme.route("v2", "Thing", "v1").plain, members, Load(Cargo(bags)))
        assert back is not None
        assert back[0]["part"] == part
        assert back[0]["only1"] == document["only1"]
        lost = Load(Cargo({"/same": {"v3": {"x": 1}}}))
        assert made(group.scheme.route("v1", "Thing", "v2").plain, {"same": {}}, lost) is None


def made(plain: Any, document: Json, load: Load | None) -> tuple[Json, Json] | None:
    rest = {name: value for name, value in document.items() if name not in ("apiVersion", "kind")}
    found: tuple[Json, Json] | None = plain.convert(rest, load)
    return found


def _pairs(subject: Subject) -> list[tuple[str, str, str]]:
    return [
        (kind.name, start, end)
        for kind in subject.plan.kinds
        for start in subject.served(kind.name)
        for end in subject.served(kind.name)
        if start != end
    ]


def converted(subject: Subject, document: Json, end: str) -> Json | str:
    """Return what both executors make of a document, or the error that both raise."""
    try:
        route: Any = subject.scheme.route(document["apiVersion"], document["kind"], end)
    except (HoldallError, KeyError, TypeError) as error:
        return str(error)
    plain = route.plain
    found = _run(route, document)
    route.plain = None
    try:
        expected = _run(route, document)
    finally:
        route.plain = plain
    assert holdall_json.same(found, expected), f"{document}\n{found}\n{expected}"
    result: Json | str = found[0]
    return result


def _run(route: Any, document: Json) -> list[Any]:
    report: Report = []
    try:
        result: Json | str = route.convert(copy.deepcopy(document), report)
    except HoldallError as error:
        result = f"{type(error).__name__}: {error}"
    return [result, [str(item) for item in report]]

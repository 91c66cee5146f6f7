"""Hooks on twins that are read from JSON as needed make what they make of ordinary twins."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.errors import ConversionError
from holdall.testing.laws.choices import Everything
from holdall.testing.laws.strategies import api_objects, edited
from holdall.types import JsonValue
from tests.laws.checks import examples
from tests.laws.projects import (
    INTEGER,
    OPAQUE,
    STRING,
    Built,
    Specimen,
    built,
    many,
    mapped,
    new_name,
    ref,
    write_specimen,
)
from tests.laws.subjects import Subject, runtime_ref
from tests.laws.test_executors_agree import converted, made

_SHARED: Final = {
    "text": STRING,
    "number": INTEGER,
    "names": many(STRING),
    "part": ref("Part"),
    "parts": many(ref("Part")),
    "byName": mapped(ref("Part")),
    "any": OPAQUE,
}
_PART: Final = {"name": STRING, "size": INTEGER}
EXTRAS: Final[list[JsonValue]] = [None, "x", ["y"]]
SPECIMEN: Final = Specimen(
    {
        "v1": {"Thing": {**_SHARED, "older": STRING, "self": ref("Thing")}, "Part": _PART},
        "v2": {"Thing": {**_SHARED, "newer": STRING, "self": ref("Thing")}, "Part": _PART},
    }
)

_HOOK: Final = """\
import dataclasses

from {output}.things.v1 import storage as v1
from {output}.things.v2 import storage as v2
from holdall import BagView, claims, is_null, set_absent, set_null


class ThingHooks(v1.AssignableThing):
    @claims(reads={reads}, writes={writes})
    def assign_properties_to(
        self, source: v1.Thing, destination: v2.Thing, bag: BagView
    ) -> None:
{body}

    @claims(reads={writes}, writes={reads})
    def assign_properties_from(
        self, source: v2.Thing, destination: v1.Thing, bag: BagView
    ) -> None:
{back}
"""

# What a hook does: members it reads and writes, and its body in both directions.
_NOTHING: Final = "return"
HOOKS: Final[dict[str, tuple[list[str], list[str], str, str]]] = {
    "a scalar": (
        ["older"],
        ["newer"],
        "destination.newer = source.older",
        "destination.older = source.newer",
    ),
    "what the generated code assigned": (
        ["older"],
        ["text", "number", "newer"],
        """\
        destination.text = f"{destination.text}{source.number}"
        destination.number = None
        destination.newer = "made"
        """,
        _NOTHING,
    ),
    "objects within": (
        ["older"],
        ["part", "parts", "byName"],
        """\
        if destination.part is not None:
            destination.part.name = source.older
        if destination.parts is None:
            destination.parts = []
        destination.parts.append(v2.Part(name="added", extra_={"more": [1]}))
        destination.by_name = {"one": v2.Part(size=1)}
        """,
        _NOTHING,
    ),
    "containers, changed in place": (
        [],
        ["names", "any"],
        """\
        if destination.names is not None:
            destination.names.append("added")
        if isinstance(destination.any_, dict):
            destination.any_["added"] = source.names
        """,
        _NOTHING,
    ),
    "nulls and absence": (
        [],
        ["text", "number", "part", "names"],
        """\
        if is_null(source, "text"):
            destination.text = "was null"
        elif source.text is None:
            set_null(destination, "text")
        if is_null(destination, "number"):
            set_absent(destination, "number")
        set_null(destination, "part")
        set_absent(destination, "names")
        """,
        _NOTHING,
    ),
    "undeclared members": (
        ["extra:asked"],
        ["extra:made"],
        """\
        if "asked" in source.extra_:
            destination.extra_["made"] = [source.extra_["asked"]]
        """,
        """\
        for made in source.extra_.get("made") or ():
            destination.extra_["asked"] = made
        """,
    ),
    "an undeclared member of both sides": (
        ["extra:same"],
        ["extra:same"],
        """\
        if "same" in destination.extra_:
            destination.extra_["same"] = [destination.extra_["same"]]
        """,
        """\
        if isinstance(source.extra_.get("same"), list) and source.extra_["same"]:
            destination.extra_["same"] = source.extra_["same"][0]
        """,
    ),
    "the bag": (
        ["older", "bag:whole"],
        ["newer", "bag:whole"],
        """\
        if source.older is not None:
            destination.newer = source.older[:1]
            bag.put("whole", [source.older])
        """,
        """\
        kept = bag.get("whole")
        if isinstance(kept, list) and (kept[0] or "")[:1] == source.newer:
            destination.older = kept[0]
        else:
            destination.older = source.newer
        """,
    ),
    "twins as values": (
        ["older"],
        ["newer", "part"],
        """\
        if source.part == v1.Part(name="a"):
            destination.newer = "equal"
        if isinstance(source, v1.Thing) and source.__class__ is v1.Thing:
            destination.part = v2.Part(name=source.text)
        """,
        _NOTHING,
    ),
    "twins as a whole": (
        ["older"],
        ["newer", "part"],
        """\
        if dataclasses.replace(source, older="x") == source:
            destination.newer = "same"
        destination.part = v2.Part(name=str(sorted(source.to_dict())))
        """,
        _NOTHING,
    ),
    "what fails": (
        ["older"],
        ["newer", "part"],
        """\
        if source.older is not None:
            raise ValueError("no older, please")
        if destination.part is not None:
            destination.part.assign_properties_to(destination.part)  # there is no such version
        """,
        _NOTHING,
    ),
}


@contextmanager
def _built(root: Path, name: str) -> Iterator[Built]:
    reads, writes, body, back = HOOKS[name]
    output = new_name()
    write_specimen(SPECIMEN, root, output)
    bodies = [textwrap.indent(textwrap.dedent(text), " " * 8) for text in (body, back)]
    hooks = root / f"{output}_hooks"
    hooks.mkdir()
    (hooks / "__init__.py").touch()
    (hooks / "thing.py").write_text(
        _HOOK.format(output=output, reads=reads, writes=writes, body=bodies[0], back=bodies[1])
    )
    with built(root, output) as groups:
        yield groups["things"]


@pytest.fixture(scope="module", params=HOOKS)
def subject(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Subject]:
    with _built(tmp_path_factory.mktemp("lazy"), request.param) as group:
        yield Subject(group.plan, group.scheme)


def test_random_documents(subject: Subject) -> None:
    """Results, reports and errors agree, there and, after an edit, back."""

    @examples(40)
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        start, end = data.draw(st.sampled_from([("v1", "v2"), ("v2", "v1")]))
        document = data.draw(api_objects(subject.scheme, "Thing", start))
        for name in data.draw(st.sets(st.sampled_from(["asked", "made", "same"]))):
            document[name] = data.draw(st.sampled_from(EXTRAS))
        there = converted(subject, document, end)
        if not isinstance(there, str):
            ref_ = runtime_ref(subject.root("Thing", end))
            converted(subject, data.draw(edited(subject.own.documents, ref_, there)), start)

    agree()


def test_full_documents(subject: Subject) -> None:
    """So for documents with every member, there and back."""
    for turn in range(4):
        full = subject.own.documents.root(Everything(turn), "Thing", "v1")
        there = converted(subject, {**full, "asked": 1, "same": [turn]}, "v2")
        if not isinstance(there, str):
            converted(subject, there, "v1")


@pytest.mark.parametrize("name", sorted(HOOKS.keys() - {"twins as a whole", "what fails"}))
def test_the_agreement_is_not_empty(name: str, tmp_path: Path) -> None:
    """The executor on plain JSON runs these hooks itself."""
    document: dict[str, Any] = {
        "text": "a",
        "number": None,
        "names": ["b"],
        "part": {"name": "a"},
        "any": {"c": [1]},
        "older": "older",
        "asked": 1,
    }
    with _built(tmp_path, name) as group:
        assert made(group.scheme.route("v1", "Thing", "v2").plain, document, None) is not None


def test_the_source_is_not_shared(tmp_path: Path) -> None:
    """What a hook takes from its source and changes does not change elsewhere in the result."""
    document = {"apiVersion": "v1", "kind": "Thing", "names": ["b"], "any": {"names": ["c"]}}
    with _built(tmp_path, "containers, changed in place") as group:
        result: Any = group.scheme.convert(document, to="v2")
        result["any"]["added"].append("x")
        assert result["names"] == ["b", "added"]
        assert document["names"] == ["b"]


def test_errors_are_those_of_the_hook(tmp_path: Path) -> None:
    """A hook that fails is named with its place, as ever."""
    with (
        _built(tmp_path, "what fails") as group,
        pytest.raises(ConversionError, match="ThingHooks raised ValueError: no older, please"),
    ):
        group.scheme.convert({"apiVersion": "v1", "kind": "Thing", "older": "x"}, to="v2")

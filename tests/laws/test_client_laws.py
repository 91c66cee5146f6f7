"""What clients and API servers do between two conversions: whose data is whose."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from holdall.carriers import boundary
from holdall.objects.shapes import ValueShape
from holdall.testing.laws import hidden
from holdall.testing.laws.belonging import Belonging, Pair
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.owners import Owners
from holdall.testing.laws.running import Outcome, check_kind
from holdall.testing.laws.server import Server
from holdall.testing.laws.subjects import Subject
from tests.support.notation import schema_text
from tests.support.projects import THING_CONFIG, build_project, scheme_of

A: Any = {"x": "a"}
B: Any = {"x": "b"}
C: Any = {"x": "c"}
NEW: Any = {"x": "new"}
EDITED: Any = {"x": "edited"}
K1: Any = {"name": "k1"}
K2: Any = {"name": "k2"}

CASES: dict[str, tuple[list[Any], list[Any], list[tuple[tuple[int, ...], bool]]]] = {
    "deleted and appended": ([A, B], [B, NEW], [((1,), True), ((1,), False)]),
    "deleted and appended, of three": (
        [A, B, C],
        [B, C, NEW],
        [((1,), True), ((2,), True), ((2,), False)],
    ),
    "the second of equal ones is edited": ([A, A], [A, EDITED], [((0,), False), ((1,), False)]),
    "the first of equal ones is edited": ([A, A], [EDITED, A], [((0,), False), ((1,), False)]),
    "reversed": ([A, B, C], [C, B, A], [((2,), True), ((1,), True), ((0,), True)]),
    "a copy is appended": ([A, B], [A, B, A], [((0,), False), ((1,), True), ((0,), False)]),
    "inserted in the middle": ([A, B], [A, NEW, B], [((0,), True), ((), False), ((1,), True)]),
    "edited and appended": (
        [A, B],
        [EDITED, B, NEW],
        [((0,), False), ((1,), True), ((), False)],
    ),
    "replaced by another number": ([A, B, C], [NEW], [((), False)]),
}


@pytest.mark.parametrize("name", CASES)
def test_owners(name: str) -> None:
    """What an element may be, and whether anybody can doubt it."""
    old, new, expected = CASES[name]
    owners = Owners(old, new, ())
    assert [(owner.olds, owner.sure) for owner in map(owners.of, range(len(new)))] == expected


def test_declared_keys_come_first() -> None:
    """An element with a key of its own is what had the key, whatever else was edited."""
    owners = Owners([K1, K2], [{**K2, "x": 1}, K1, {"name": "k3"}], ("name",))
    found = [owners.of(index) for index in range(3)]
    assert [(owner.olds, owner.sure) for owner in found] == [
        ((1,), True),
        ((0,), True),
        ((), False),
    ]


SCHEMA = """
metadata: {"*": true}
spec:
  size: {$: integer, $default: 1}
  parts: [{host: string, MORE}]
"""
NEWER = SCHEMA.replace("MORE", "mode: {$: string, $default: rw}")
FILES = {
    "v1.yaml": schema_text(SCHEMA.replace("MORE", "secret: string")),
    "v2.yaml": schema_text(NEWER),
}


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    """A kind whose list has hidden data, and defaults that a server fills in."""
    return Subject(scheme_of(build_project(tmp_path, THING_CONFIG, FILES)))


def laws_that_fail(subject: Subject, seeds: Iterable[int] = range(100)) -> set[str]:
    outcome = Outcome()
    for start in ("v1", "v2"):
        outcome.merge(check_kind(Tools.of(subject), "Thing", start, seeds))
    return {law for law, *_ in outcome.findings}


def test_what_a_server_stores(subject: Subject) -> None:
    """Defaults filled in, also for null; unknown members pruned; metadata left alone."""
    given: Any = {
        "apiVersion": "example.com/v2",
        "kind": "Thing",
        "metadata": {"x": 1},
        "x": 1,
        "spec": {"size": None, "x": 1, "parts": [{}, None, {"mode": "ro", "host": None, "x": 1}]},
    }
    assert Server(subject.scheme.twin("Thing", "v2")).stored(given) == {
        "apiVersion": "example.com/v2",
        "kind": "Thing",
        "metadata": {"x": 1},
        "spec": {"size": 1, "parts": [{"mode": "rw"}, None, {"mode": "ro", "host": None}]},
    }


def test_what_a_server_prunes(tmp_path: Path) -> None:
    """Nothing is filled in, and a type that preserves unknown members keeps them."""
    kept = schema_text(f'{NEWER}  "*": true\n')
    subject = Subject(scheme_of(build_project(tmp_path, THING_CONFIG, {**FILES, "v2.yaml": kept})))
    given: Any = {
        "apiVersion": "example.com/v2",
        "kind": "Thing",
        "x": 1,
        "spec": {"size": None, "x": 1, "parts": [{}, {"host": None, "x": 1}]},
    }
    assert subject.server("Thing", "v2").pruned(given) == {
        "apiVersion": "example.com/v2",
        "kind": "Thing",
        "spec": {"size": None, "x": 1, "parts": [{}, {"host": None}]},
    }


def test_what_says_the_version_stays(tmp_path: Path) -> None:
    """A server that fills in defaults does not prune it, wherever documents have it."""
    config = """
groups:
  shop:
    version_at: edition
    sources:
      - {schemas: v1.json, version: v1, kinds: {Thing: ""}}
      - {schemas: v2.json, version: v2, kinds: {Thing: ""}}
    versions: [v1, v2]
"""
    size = {"type": "integer", "default": 1}
    files = {
        f"{name}.json": json.dumps({"properties": {"size": size, name: {"type": "string"}}})
        for name in ("v1", "v2")
    }
    subject = Subject(scheme_of(build_project(tmp_path, config, files)))
    assert subject.server("Thing", "v1").stored({"edition": "v1"}) == {"edition": "v1", "size": 1}
    assert laws_that_fail(subject, range(3)) == set()


def test_laws_hold(subject: Subject) -> None:
    """For a sound converter nothing is found."""
    assert laws_that_fail(subject) == set()


def swapped(attach: Any, *, drops: bool) -> Any:
    """Return a `restore` that takes the data of the last part for that of the first one."""

    def restore(load: Any, version: str, root: Any, *more: Any) -> Any:
        dropped = attach(load, version, root, *more)
        parts = [part for part in (root.spec and root.spec.parts) or () if part is not None]
        if len(parts) > 1:
            first, last = parts[0], parts[-1]
            hidden_data = first.property_bag
            first.property_bag = None if drops else last.property_bag
            if not drops:
                last.property_bag = hidden_data
        return dropped

    return restore


@pytest.mark.parametrize("drops", [False, True])
def test_data_of_another_element_is_seen(
    drops: bool, subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a client alone (L4), and with a server (L12): whether data is swapped or dropped."""
    attached: list[int] = []
    sound = boundary.restore

    def restore(load: Any, version: str, root: Any, *more: Any) -> Any:
        # What is read first is as it was; what a client sent is where a defect shows.
        attached.append(1)
        act = sound if len(attached) % 2 else swapped(sound, drops=drops)
        return act(load, version, root, *more)

    monkeypatch.setattr(hidden, "restore", restore)
    assert laws_that_fail(subject) >= {"L4", "L12"}


def test_a_client_writes_what_its_server_hides(subject: Subject) -> None:
    """A member that no type declares takes the place of the hidden one; without it that is gone."""
    shape = ValueShape("object", subject.scheme.twin("Thing", "v2"))
    old = Pair({"spec": {"$propertyBag": {"v2": {"x": 0}}}}, {"spec": {}})
    written: Any = {"spec": {"x": 1}}
    bare: Any = {"spec": {}}
    belonging = Belonging("v2")
    assert [*belonging.missing(shape, old, Pair(written, written), "")] == []
    assert [*belonging.missing(shape, old, Pair(bare, bare), "")] == ["/spec: v2/x is gone: 0"]

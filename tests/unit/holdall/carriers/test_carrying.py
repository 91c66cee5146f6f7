"""Bags are taken off the objects of a tree: what is worked out for its types is bounded."""

from __future__ import annotations

import json
import tracemalloc
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from generated import batch
from holdall.carriers import carrying
from holdall.carriers.carrying import forget_takers, take_bags
from holdall.carriers.reports import Report
from holdall.objects.view_type import EVERYWHERE
from holdall.scheme.scheme import Scheme
from tests.support.crds import crd_of, struct
from tests.support.diamonds import at_the_bottom, diamond_group
from tests.support.projects import build_project, scheme_of


def test_types_that_are_held_twice(tmp_path: Path) -> None:
    """They have more places than could be worked out; a bag comes from any of them."""
    scheme = scheme_of(build_project(tmp_path, *diamond_group()))
    spec = at_the_bottom({"text": "x", "more": "y"})
    document: dict[str, Any] = {"apiVersion": "v2", "kind": "Thing", "spec": spec}
    older: Any = scheme.convert(document, to="v1")
    assert older["spec"] == at_the_bottom({"text": "x"})
    place = "/spec" + "/b/a" * 20
    assert [*older["$propertyBag"]["spec"]["bags"].items()] == [(place, {"v2": {"more": "y"}})]
    assert scheme.convert(older, to="v2") == document


@pytest.mark.parametrize("key", ["a~1b", "a/b", "~", "/", "~0", ""])
def test_any_key_of_a_map_leads_to_its_object(key: str, tmp_path: Path) -> None:
    """Its address is a pointer, in which two letters are written otherwise."""
    versions = {
        version: struct(table={"type": "object", "additionalProperties": struct(**members)})
        for version, members in (
            ("v1", {"host": {"type": "string"}, "secret": {"type": "string"}}),
            ("v2", {"host": {"type": "string"}}),
        )
    }
    files = {"crd.json": json.dumps(crd_of("Thing", versions, group="example.com"))}
    config = "groups: {things: {sources: [{crds: crd.json}], versions: [v1, v2]}}"
    scheme = scheme_of(build_project(tmp_path, config, files))
    table = {"plain": {"host": "p", "secret": "S"}, key: {"host": "h", "secret": "T"}}
    document = {"apiVersion": "example.com/v1", "kind": "Thing", "table": table}
    there: Any = scheme.convert(document, to="v2")
    assert there["table"] == {"plain": {"host": "p"}, key: {"host": "h"}}
    assert scheme.convert(there, to="v1") == document


def test_what_is_worked_out_for_all_choices_of_objects_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whichever objects documents have bags on: each choice has its own places, one or hundreds."""
    monkeypatch.setattr(carrying, "_MOST", 300)
    root = batch.SCHEME.twin("BatchAccount", "v20240701")
    batch.SCHEME.load()
    forget_takers()
    for choice in range(40):
        for lineages in (EVERYWHERE | {1000 + choice}, frozenset({1000 + choice})):
            take_bags(root, {}, [], lineages)
            assert 0 < sum(size for _, size in carrying._TAKERS.values()) <= 300
    sizes = {size for _, size in carrying._TAKERS.values()}
    assert min(sizes) == 1 < max(sizes)
    forget_takers()


def table_of(cell: Any) -> dict[str, Any]:
    rows = {"type": "array", "items": cell}
    return struct(table={"type": "object", "additionalProperties": rows})


_SHAPES: dict[str, Any] = {
    "plain": lambda cell: cell,
    "nested": lambda cell: struct(cell=cell),
    "lists": lambda cell: struct(cells=_array(struct(cells=_array(cell)))),
}
_ROWS: dict[str, Any] = {
    "plain": lambda cell: cell,
    "nested": lambda cell: {"cell": cell},
    "lists": lambda cell: {"cells": [{"cells": [cell]}]},
}


def _array(item: Any) -> dict[str, Any]:
    return {"type": "array", "items": item}


@pytest.fixture(scope="module", params=product(_SHAPES, ["annotation", "field"]), ids="-".join)
def tables(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Scheme, str, str]:
    """A map of lists of objects, or of objects or lists in objects, with a secret in v1 only."""
    shape, carrier = request.param
    versions = {
        version: table_of(_SHAPES[shape](cell))
        for version, cell in (
            ("v1", struct(host={"type": "string"}, secret={"type": "string"})),
            ("v2", struct(host={"type": "string"})),
        )
    }
    files = {"crd.json": json.dumps(crd_of("Thing", versions, group="example.com"))}
    sources = f"sources: [{{crds: crd.json}}], versions: [v1, v2], carrier: {carrier}"
    config = f"groups: {{things: {{{sources}}}}}"
    root = build_project(tmp_path_factory.mktemp(shape), config, files)
    return scheme_of(root), shape, carrier


@pytest.mark.parametrize(("length", "count"), [(100_000, 1), (1000, 200), (100_000, 3000)])
def test_a_long_name_on_the_way_to_many_objects_is_not_repeated(
    tables: tuple[Scheme, str, str], length: int, count: int
) -> None:
    """A document of a megabyte took gigabytes."""
    scheme, shape, carrier = tables
    name = "k" * length
    cells = [{"host": f"h{at}", "secret": "s"} for at in range(count)]
    rows = [_ROWS[shape](cell) for cell in cells]
    document = {"apiVersion": "example.com/v1", "kind": "Thing", "table": {name: rows}}
    report: Report = []
    tracemalloc.start()
    try:
        there: Any = scheme.convert(document, to="v2", report=report)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 200_000_000
    if count < 3000:
        assert report == []
        assert scheme.convert(there, to="v1") == document
    else:
        back = json.dumps(scheme.convert(there, to="v1"))
        most_kept = 100 if carrier == "annotation" else 500
        assert len(report) == count - back.count("secret") > count - most_kept
        assert "the names that lead to it are too long" in str(report[0])
        assert sum(len(str(lost)) for lost in report) < 50_000_000


def test_the_field_has_room_for_more_addresses_than_an_annotation(tmp_path: Path) -> None:
    """Names of usual length lead to as many objects as there are."""
    types = {"host": {"type": "string"}, "secret": {"type": "string"}}
    versions = {"v1": table_of(struct(**types)), "v2": table_of(struct(host=types["host"]))}
    files = {"crd.json": json.dumps(crd_of("Thing", versions, group="example.com"))}
    config = "groups: {things: {sources: [{crds: crd.json}], versions: [v1, v2], carrier: field}}"
    scheme = scheme_of(build_project(tmp_path, config, files))
    rows = [{"host": "h", "secret": "s"}] * 40_000
    table = {"k" * 900: rows}
    document = {"apiVersion": "example.com/v1", "kind": "Thing", "table": table}
    report: Report = []
    there: Any = scheme.convert(document, to="v2", report=report)
    assert (report, scheme.convert(there, to="v1")) == ([], document)

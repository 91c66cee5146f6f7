"""Bags are taken off the objects of a tree: what is worked out for its types is bounded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generated import batch
from holdall.carriers import carrying
from holdall.carriers.carrying import forget_takers, take_bags
from holdall.objects.view_type import EVERYWHERE
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
